package exchange

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kith/graph"
	"kith/internal/fault"
	"kith/memory/statement"
)

// CheckStatement refuses statements without a key.
func (s *scripted) CheckStatement(l *statement.Line, _ graph.Scope) []fault.FieldError {
	f := &fault.List{}
	f.Key(fault.At("key"), l.Key)
	return f.Fields()
}

// RestoreStatements refuses statements of messages that are gone.
func (s *scripted) RestoreStatements(_ *graph.Tx, _ graph.Scope, lines []statement.Line, _ statement.Planned) (results []statement.Result, err error) {
	for _, l := range lines {
		if l.Message == "gone" {
			results = append(results, statement.Result{Status: graph.Refused, Field: "message", Message: "unknown"})
			continue
		}
		s.statements = append(s.statements, l.Key)
		results = append(results, statement.Result{Status: graph.Created})
	}
	return results, nil
}

// ImportProgress returns the last mark of an import.
func (s *scripted) ImportProgress(_ context.Context, _ graph.Scope, id string) (graph.ImportMark, error) {
	for i := len(s.marks) - 1; i >= 0; i-- {
		if s.marks[i].ID == id && id != "" {
			return s.marks[i], nil
		}
	}
	return graph.ImportMark{}, nil
}

func statementLine(key, message string) string {
	return fmt.Sprintf(`{"statement":{"user_id":"u1","key":%q,"message":%q,"kind":"fact"}}`+"\n", key, message)
}

const ownHeader = `{"kith":{"version":1,"statements":true}}` + "\n"

func TestStatementsAreImported(t *testing.T) {
	file := ownHeader + aNode + statementLine("a#0", "a") + statementLine("", "a") + statementLine("b#0", "gone") + `{"statement":{"key":7}}` + "\n" +
		`{"statement":{"key":"k","rank":7}}` + "\n" + `{"statement":{"key":"k","team_id":"other"}}` + "\n" +
		`{"end":{"nodes":1,"relationships":0,"statements":6,"preferences":0}}` + "\n"
	s := &scripted{vast: vast{TB: t}}
	report, err := s.runImport(t, file, ImportOptions{})
	want := []Refusal{
		{4, "key", "must have 1 to 256 characters and no control characters"}, {5, "message", "unknown"}, {6, "key", "must be a string"},
		{7, "rank", "is an unknown field"}, {8, "team_id", "must be the team of the key"},
	}
	if diff := cmp.Diff(want, report.Refused); diff != "" || err != nil || len(report.Warnings) > 0 {
		t.Errorf("%v, %v, refused (-want +got):\n%s", err, report.Warnings, diff)
	}
	if got := (Counts{Created: 1, Refused: 5}); report.Statements != got || strings.Join(s.statements, " ") != "a#0" || s.pieces != 1 || !s.searched {
		t.Errorf("%+v, %v, %d pieces, searched %v", report.Statements, s.statements, s.pieces, s.searched)
	}
}

// Messages are searched unless the first line says that their statements come with them.
func TestMessagesOfOtherFilesAreSearched(t *testing.T) {
	s := &scripted{vast: vast{TB: t}}
	if _, err := s.runImport(t, `{"kith":{"version":1}}`+"\n"+aNode, ImportOptions{}); err != nil || s.searched || s.pieces != 1 {
		t.Errorf("searched %v, %d pieces, %v", s.searched, s.pieces, err)
	}
}

// A batch of statements alone is stored. An import goes on after the last mark, and knows the first line of the file then.
func TestStatementsGoOn(t *testing.T) {
	var file strings.Builder
	file.WriteString(ownHeader + aNode)
	for n := range batchItems + 10 {
		file.WriteString(statementLine(fmt.Sprintf("a#%d", n), "a"))
	}
	whole := &scripted{vast: vast{TB: t}}
	want, err := whole.runImport(t, file.String(), ImportOptions{ID: "i"})
	if err != nil || want.Statements.Created != batchItems+10 || whole.pieces != 2 {
		t.Fatalf("%v %+v, %d pieces", err, want, whole.pieces)
	}
	rest := &scripted{vast: vast{TB: t}, marks: whole.marks[:1]}
	got, err := rest.runImport(t, file.String(), ImportOptions{ID: "i"})
	if err != nil || got.Statements != want.Statements || len(rest.statements) != 11 || !rest.searched {
		t.Errorf("%v, %+v, %d statements, searched %v", err, got, len(rest.statements), rest.searched)
	}
	strict := &scripted{vast: vast{TB: t}}
	if _, err := strict.runImport(t, aNode+statementLine("b#0", "gone")+aNode, ImportOptions{Strict: true}); !errors.Is(err, ErrStopped) {
		t.Errorf("strict: %v", err)
	}
	dry := &scripted{vast: vast{TB: t}}
	if got, err := dry.runImport(t, file.String(), ImportOptions{DryRun: true}); err != nil || got.Statements != want.Statements || len(dry.marks) > 0 {
		t.Errorf("dry run: %v %+v", err, got)
	}
}

// said has the statements of an export.
type said struct{ vast }

func (s *said) ExportStatements(_ context.Context, _ string, visit func(*statement.Line) error) error {
	return visit(&statement.Line{UserID: graph.Some("u1"), Key: "m#0", Kind: "fact"})
}

func (s *said) ExportNodes(context.Context, string, func(*graph.NodeWrite) error) error { return nil }

func (s *said) ExportVersions(context.Context, string, func(*graph.VersionLine) error) error {
	return nil
}

func (s *said) ExportRelationships(context.Context, string, func(*graph.RelationshipWrite) error) error {
	return nil
}

func TestStatementsAreExported(t *testing.T) {
	var out bytes.Buffer
	s := &said{vast{TB: t}}
	if err := Export(t.Context(), ExportStores{s, s, s, s, s, s, s}, "team", &out); err != nil {
		t.Fatal(err)
	}
	want := ownHeader + `{"statement":{"user_id":"u1","key":"m#0","kind":"fact","text":"","polarity":"","state":"","confidence":0,"source":"","message":"",` +
		`"from":0,"to":0,"at":"0001-01-01T00:00:00Z"}}` + "\n" + `{"end":{"nodes":0,"relationships":0,"statements":1,"preferences":0,"consistent":true}}` + "\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Pauses are stored once, the team's only by an admin's import for all users, and those of others not at all.
func TestPausesAreImported(t *testing.T) {
	file := ownHeader + `{"pause":{"user_id":"u1"}}` + "\n" + `{"pause":{"user_id":"u1"}}` + "\n" + `{"pause":{"user_id":null}}` + "\n" +
		`{"pause":{"user_id":" "}}` + "\n" + `{"pause":{"until":"2027"}}` + "\n" + `{"pause":{"user_id":7}}` + "\n"
	for _, admin := range []bool{false, true} {
		s := &scripted{vast: vast{TB: t}}
		got, err := s.runImport(t, file, ImportOptions{Admin: admin})
		want, paused := Counts{Created: 1, Unchanged: 1, Refused: 4}, []string{"u1"}
		if admin {
			want, paused = Counts{Created: 2, Unchanged: 1, Refused: 3}, []string{"u1", ""}
		}
		if err != nil || got.Pauses != want || !slices.Equal(s.paused, paused) {
			t.Errorf("admin %v: %v %+v, paused %q", admin, err, got.Pauses, s.paused)
		}
		for _, r := range got.Refused {
			if r.Location == "" || r.Message == "" {
				t.Errorf("not located: %+v", r)
			}
		}
	}
	dry := &scripted{vast: vast{TB: t}}
	if got, err := dry.runImport(t, file, ImportOptions{DryRun: true}); err != nil || got.Pauses.Created != 2 || len(dry.paused) > 0 {
		t.Errorf("dry run: %v %+v, paused %q", err, got.Pauses, dry.paused)
	}
}
