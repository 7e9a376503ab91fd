package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kith/exchange"
)

// sameDryRun compares an import of several batches with its dry run, which also warns of what it cannot check.
func sameDryRun(t *testing.T, report, dry exchange.Report) {
	t.Helper()
	last := len(dry.Warnings) - 1
	if last < 0 || !strings.Contains(dry.Warnings[last].Message, "only an import finds") {
		t.Fatalf("the dry run does not say what it cannot see: %+v", dry.Warnings)
	}
	report.DryRun, dry.Warnings = true, dry.Warnings[:last]
	if diff := cmp.Diff(report, dry); diff != "" {
		t.Errorf("the dry run says otherwise (-import +dry run):\n%s", diff)
	}
}

// A dry run refuses lines that an import would refuse because of much earlier lines.
func TestDryRunOfManyPieces(t *testing.T) {
	t.Parallel()
	c := shared(t).team(t)
	var body strings.Builder
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(&body, format+"\n", args...) }
	line(`{"node":{"kind":"person","entity_key":"me","name":"Me","user_id":"u1","is_owner":true}}`)
	line(`{"node":{"kind":"source","entity_key":"s","user_id":"u1","started_at":"2026-01-01T00:00:00Z"}}`)
	line(`{"node":{"kind":"message","entity_key":"m","source_key":"s","role":"user","text":"x","user_id":"u1"}}`)
	for n := range 1100 {
		line(`{"node":{"kind":"concept","entity_key":"c-%d","name":"C %[1]d","user_id":"u1"}}`, n)
	}
	line(`{"node":{"kind":"concept","entity_key":"other","name":"C 1","user_id":"u1","history":{}}}`)               // 1104: the name
	line(`{"node":{"kind":"person","entity_key":"also me","name":"I","user_id":"u1","is_owner":true}}`)             // 1105: the owner
	line(`{"node":{"kind":"entity","entity_key":"c-2","name":"C 2","user_id":"u1"}}`)                               // 1106: another kind
	line(`{"node":{"kind":"concept","entity_key":"c-3","name":"C 4","user_id":"u1"}}`)                              // 1107: another's name
	line(`{"node":{"kind":"message","entity_key":"n","source_key":"s","role":"user","text":"y","user_id":"u1"}}`)   // taken
	line(`{"node":{"kind":"message","entity_key":"c-5","source_key":"s","role":"user","text":"y","user_id":"u1"}}`) // 1109: the key
	line(`{"node":{"kind":"concept","entity_key":"m","name":"M","user_id":"u1"}}`)                                  // 1110: a message's key
	line(`{"node":{"kind":"message","entity_key":"m","source_key":"s","role":"user","text":"x","user_id":"u1"}}`)   // unchanged
	for n := range 1100 {
		line(`{"relationship":{"from":"c-%d","to":"c-%d","type":"relates_to","key":"k%[1]d"}}`, n, (n+1)%1100)
	}
	line(`{"relationship":{"from":"me","to":"m","type":"relates_to"}}`)
	line(`{"relationship":{"from":"me","to":"nobody","type":"relates_to"}}`)         // 2213: the end
	line(`{"relationship":{"from":"me","to":"c-5","type":"relates_to","key":"k7"}}`) // 2214: the key
	line(`{"relationship":{"from":"c-1","to":"c-2","type":"mentions","key":"k-1"}}`) // 2215: the kind
	dry, _ := c.imported(t, body.String(), "dry_run", "true")
	report, status := c.imported(t, body.String())
	var lines []int64
	for _, r := range report.Refused {
		lines = append(lines, r.Line)
	}
	if diff := cmp.Diff([]int64{1104, 1105, 1106, 1107, 1109, 1110, 2213, 2214, 2215}, lines); diff != "" || status != http.StatusOK {
		t.Errorf("%d, refused (-want +got):\n%s%+v", status, diff, report.Refused)
	}
	sameDryRun(t, report, dry)
}

func added(a, b exchange.Counts) exchange.Counts {
	return exchange.Counts{Created: a.Created + b.Created, Updated: a.Updated + b.Updated, Unchanged: a.Unchanged + b.Unchanged, Refused: a.Refused + b.Refused}
}
