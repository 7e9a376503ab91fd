package command

import (
	"net/http"
	"testing"
	"time"
)

func TestClock(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for ahead, good := range map[time.Duration]bool{0: true, -time.Second: true, time.Minute: false, -time.Hour: false} {
		if f := checkClock(now.Add(ahead).UTC().Format(http.TimeFormat), now); f.Good != good || good != (f.Advice == "") {
			t.Errorf("%s ahead: %+v", ahead, f)
		}
	}
	if checkClock("", now).Good {
		t.Error("no date is good")
	}
}
