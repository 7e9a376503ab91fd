package command

import (
	"bytes"
	"strings"
	"testing"

	"kith/access/auth"
	"kith/graph"
)

func TestReportsAsJSON(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := printKeysJSON(Streams{Out: &out}, []auth.APIKey{{KeyID: "k1", TeamID: "t", Scopes: []string{auth.Read}}}); err != nil || !strings.Contains(out.String(), `"key_id": "k1"`) || !strings.Contains(out.String(), `"state": "good"`) {
		t.Errorf("key list: %v %s", err, &out)
	}
	out.Reset()
	own := int64(7)
	if err := (&teamQuotaCmd{Team: "t"}).printJSON(Streams{Out: &out}, graph.OwnQuota{Nodes: &own}, &teamCmd{}, graph.Usage{Nodes: 3}); err != nil || !strings.Contains(strings.Join(strings.Fields(out.String()), ""), `"nodes":{"limit":7,"own":true,"used":3}`) {
		t.Errorf("team quota: %v %s", err, &out)
	}
}
