package exchange

import (
	"encoding/json"
	"reflect"
	"testing"

	"kith/graph"
)

func TestUnknownField(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"kind":"person","name":"Ada","team_id":"t"}`:                   "",
		`{"NAME":"Ada","content_type":"email"}`:                          "",
		`{"name":"Ada","mystery":1,"other":2}`:                           "mystery",
		`{"notes":[{"content":"a"},{"content":"b","mystery":1}]}`:        "mystery",
		`{"properties":{"mystery":1},"name":"Ada"}`:                      "",
		`{"history":{"mystery":[1,{"a":2}]},"name":"Ada"}`:               "mystery",
		`{"notes":"none","name":["Ada"],"description":{"a":1},"type":1}`: "",
		`[]`: "", `null`: "", `1`: "", `{`: "",
	} {
		var w struct {
			graph.NodeWrite
			inTeam
		}
		if got := unknownField(json.RawMessage(raw), reflect.TypeOf(&w)); got != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
}
