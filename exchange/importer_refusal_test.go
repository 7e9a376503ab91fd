package exchange

import (
	"slices"
	"testing"
)

// Refusals are stored once, after the nodes before them.
func TestRefusalsAreImported(t *testing.T) {
	file := ownHeader + aNode + `{"refusal":{"first":"p","second":"b","refused_at":"2026-03-04T12:00:00Z"}}` + "\n" + `{"refusal":{"first":"p","second":"b"}}` + "\n" +
		`{"refusal":{"first":"x","second":"b"}}` + "\n" + `{"refusal":{"first":"p","second":"p"}}` + "\n" + `{"refusal":{"first":"p"}}` + "\n" + `{"refusal":{"second":7}}` + "\n"
	s := &scripted{vast: vast{TB: t}}
	got, err := s.runImport(t, file, ImportOptions{})
	if want := (Counts{Created: 1, Unchanged: 1, Refused: 4}); err != nil || got.Refusals != want || !slices.Equal(s.refused, []string{"p b"}) || s.pieces != 1 {
		t.Errorf("%v %+v, refused %q in %d pieces", err, got.Refusals, s.refused, s.pieces)
	}
	for _, r := range got.Refused {
		if r.Line == 0 || r.Message == "" {
			t.Errorf("not located: %+v", r)
		}
	}
	dry := &scripted{vast: vast{TB: t}}
	if got, err := dry.runImport(t, file, ImportOptions{DryRun: true}); err != nil || got.Refusals != (Counts{Created: 1, Unchanged: 1, Refused: 4}) || len(dry.refused) > 0 {
		t.Errorf("dry run: %v %+v, refused %q", err, got.Refusals, dry.refused)
	}
}
