package contract

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kith/graph"
)

// A whole number is written as decoders read it, and other numbers have a fault.
func TestWhole(t *testing.T) {
	t.Parallel()
	for number, want := range map[string][2]string{
		"3": {"3"}, "3.0": {"3"}, "3e0": {"3"}, "30e-1": {"3"}, "0.3E+1": {"3"}, "-0.0": {"0"}, "0e-99999999999999999999": {"0"}, "-9223372036854775808": {"-9223372036854775808"},
		"9007199254740993.0": {"9007199254740993"}, "9223372036854775808": {"", notInRange}, "1e19": {"", notInRange}, "1e99999999999999999999": {"", notInRange},
		"1.5": {"", notWhole}, "9007199254740993.5": {"", notWhole}, "1e-99999999999999999999": {"", notWhole},
	} {
		if digits, message := Whole(number); digits != want[0] || message != want[1] {
			t.Errorf("%s: %q %q, want %q", number, digits, message, want)
		}
	}
}

// An input is read with its whole numbers in any form, and its other numbers are located.
func TestReadWholeNumbers(t *testing.T) {
	t.Parallel()
	type numbers struct {
		N     int64                 `json:"n"`
		Other graph.Optional[int64] `json:"other,omitzero"`
		List  []int                 `json:"list"`
		F     float64               `json:"f"`
		Any   json.RawMessage       `json:"any"`
	}
	walk := walkOf[numbers]()
	raw, found := walk.Read([]byte(`{"n": 3.0 ,"other":-30e-1,"list":[1,2.0,9223372036854775807],"f":3.0,"any":{"n":3.0}}`))
	if want := `{"n": 3 ,"other":-3,"list":[1,2,9223372036854775807],"f":3.0,"any":{"n":3.0}}`; string(raw) != want || found != nil {
		t.Errorf("%s %v", raw, found)
	}
	_, found = walk.Read([]byte(`{"n":1.5,"other":9007199254740993.5,"list":[1,9223372036854775808,1e30],"f":1.5}`))
	var places []string
	for _, f := range found {
		places = append(places, f.Path.String()+" "+string(f.Code))
	}
	want := []string{"body.n wrong_type", "body.other wrong_type", "body.list[1] out_of_range", "body.list[2] out_of_range", "body required"}
	if diff := cmp.Diff(want, places); diff != "" {
		t.Error(diff)
	}
}

// A leap second is read as the second before it where a time is expected, and only there.
func TestReadLeapSeconds(t *testing.T) {
	t.Parallel()
	type times struct {
		At   time.Time                 `json:"at"`
		Ends graph.Optional[time.Time] `json:"ends,omitzero"`
		Text string                    `json:"text" maxLength:"100"`
	}
	const written = `{"at":"2016-12-31T23:59:60Z","ends":"2017-01-01T00:59:60+01:00","text":"2016-12-31T23:59:60Z"}`
	raw, found := walkOf[times]().Read([]byte(written))
	if want := `{"at":"2016-12-31T23:59:59Z","ends":"2017-01-01T00:59:59+01:00","text":"2016-12-31T23:59:60Z"}`; string(raw) != want || found != nil {
		t.Errorf("%s %v", raw, found)
	}
}
