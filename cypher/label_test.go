package cypher

import (
	"strings"
	"testing"
)

func TestForLabel(t *testing.T) {
	t.Parallel()
	q := Load("erasure_record_delete")
	got := ForLabel(q, "a`b").Text
	if !strings.Contains(got, "MATCH (n:`a``b` {team_id: $team_id})") || strings.Contains(got, ":Deleted") {
		t.Errorf("%s", got)
	}
	if !strings.Contains(q.Text, "(n:Deleted {") {
		t.Error("the statement itself has changed")
	}
}
