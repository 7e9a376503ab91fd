package exchange

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"kith/graph"
	"kith/internal/fault"
	"kith/memory/chat"
	"kith/memory/duplicate"
	"kith/memory/feed"
	"kith/memory/preference"
	"kith/memory/statement"
)

// streamed is the size of an import or export whose memory is measured.
const streamed = 60 << 20

// vast is a memory that takes what an import stores for nothing, and has as much as an export reads. It looks at the heap
// now and then.
type vast struct {
	testing.TB
	most  uint64
	calls int
}

func (v *vast) checkHeap() {
	if v.calls++; v.calls%10 == 0 {
		v.most = max(v.most, heap())
	}
}

// Restore reports every other node as stored under another key.
func (v *vast) Restore(
	_ context.Context, _ graph.Scope, b *graph.RestoreBatch, _ graph.ImportMark, report func(graph.MemoryResult) string, _ bool,
) (graph.MemoryResult, error) {
	v.checkHeap()
	result := graph.MemoryResult{Nodes: make([]graph.NodeResult, len(b.Nodes)), Relationships: make([]graph.RelationshipResult, len(b.Relationships))}
	refused := "for no reason"
	for i := range b.Nodes {
		key := b.Nodes[i].EntityKey
		result.Nodes[i] = graph.NodeResult{EntityKey: key, Status: graph.Created}
		if i%2 == 0 {
			result.Nodes[i] = graph.NodeResult{EntityKey: "known as " + key, Status: graph.Unchanged}
		}
	}
	for i := range b.Relationships {
		if from := b.Relationships[i].From; v.calls > 1 && from != "known as 0192f000-aaaa-7000-8000-c-10" {
			v.Fatalf("piece %d: a relationship leads from %s", v.calls, from)
		}
		result.Relationships[i] = graph.RelationshipResult{Status: graph.Refused, Error: &refused}
	}
	report(result)
	return result, nil
}

func (v *vast) CheckNode(*graph.NodeWrite, graph.Scope) []fault.FieldError { return nil }

func (v *vast) CheckVersion(*graph.VersionLine, graph.Scope) []fault.FieldError { return nil }

func (v *vast) CheckRelationship(*graph.RelationshipWrite) []fault.FieldError { return nil }

func (v *vast) ImportProgress(context.Context, graph.Scope, string) (graph.ImportMark, error) {
	return graph.ImportMark{}, nil
}

func (v *vast) ExportChats(context.Context, string, func(*chat.TreeRecord) error, func(*chat.TurnRecord) error) error {
	return nil
}

func (v *vast) RestoreChats(context.Context, graph.Scope, *chat.Batch) (chat.Result, error) {
	return chat.Result{}, nil
}

func (v *vast) EndImport(context.Context, graph.Scope, string) error { return nil }

func (v *vast) ExportNodes(_ context.Context, _ string, visit func(*graph.NodeWrite) error) error {
	text := strings.Repeat("a text of some length ", 40)
	for n := range streamed / (2 * len(text)) {
		if n%1000 == 0 {
			v.checkHeap()
		}
		if err := visit(&graph.NodeWrite{Kind: "concept", EntityKey: fmt.Sprint(n), Description: graph.Some(text)}); err != nil {
			return err
		}
	}
	return nil
}

func (v *vast) ExportVersions(context.Context, string, func(*graph.VersionLine) error) error {
	return nil
}

func (v *vast) ExportRelationships(_ context.Context, _ string, visit func(*graph.RelationshipWrite) error) error {
	text := strings.Repeat("a text of some length ", 40)
	for n := range streamed / (2 * len(text)) {
		if n%1000 == 0 {
			v.checkHeap()
		}
		if err := visit(&graph.RelationshipWrite{From: fmt.Sprint(n), To: "x", Type: "relates_to", Description: graph.Some(text)}); err != nil {
			return err
		}
	}
	return nil
}

func (v *vast) ExportPauses(context.Context, string, func(*statement.PauseLine) error) error {
	return nil
}

func (v *vast) ExportRefusals(context.Context, string, func(*duplicate.Line) error) error { return nil }

func (v *vast) ExportReviews(context.Context, string, func(*graph.ReviewLine) error) error {
	return nil
}

func (v *vast) ExportTrustRules(context.Context, string, func(*graph.TrustRuleLine) error) error {
	return nil
}

func (v *vast) ExportStatements(context.Context, string, func(*statement.Line) error) error {
	return nil
}

func (v *vast) ExportStatementsOf(context.Context, string, string, func(*statement.Line) error) error {
	return nil
}

func (v *vast) ExportSomeNodes(context.Context, string, []string, func(*graph.NodeWrite) error) error {
	return nil
}

func (v *vast) ExportSomeRelationships(context.Context, string, []graph.ExportLink, func(*graph.RelationshipWrite) error) error {
	return nil
}

func (v *vast) ExportSomeVersions(context.Context, string, []string, func(*graph.VersionLine) error) error {
	return nil
}

func (v *vast) ExportLinks(context.Context, string, []string, int) ([]graph.ExportLink, error) {
	return nil, nil
}

func (v *vast) Start(context.Context, string, string) (feed.Position, error) {
	return feed.Position{Seq: 1}, nil
}

func (v *vast) Read(_ context.Context, _ graph.Scope, r feed.Range, _ feed.Filter, _ int) (feed.Batch, error) {
	return feed.Batch{Next: r.From}, nil
}

func (v *vast) TeamPreferences(context.Context, string, string, string, int) ([]preference.OfUser, error) {
	return nil, nil
}

// Neither an import nor an export takes more memory for more lines: what is refused, what the team knows under
// another key, and all else.
func TestMemoryOfImportAndExportIsBounded(t *testing.T) {
	for _, test := range []struct {
		name string
		run  func(v *vast) error
	}{
		{"import", (*vast).runImport},
		{"export", func(v *vast) error { return Export(t.Context(), ExportStores{v, v, v, v, v, v, v}, "team", io.Discard) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			before, v := heap(), &vast{TB: t}
			if err := test.run(v); err != nil {
				t.Fatal(err)
			}
			if grown := int64(v.most) - int64(before); grown > 20<<20 || v.calls < 50 {
				t.Errorf("the heap grew by %d bytes in %d calls", grown, v.calls)
			}
		})
	}
}

// runImport imports nodes, one in four with a text, and relationships that are refused.
func (v *vast) runImport() error {
	lines := ""
	for _, text := range []string{"", "", "", strings.Repeat("a text of some length ", 150)} {
		lines += fmt.Sprintf(`{"node":{"kind":"concept","entity_key":"0192f000-aaaa-7000-8000-c-%%[1]d%d","name":"c","description":"%s"}}`, len(lines), text) + "\n"
	}
	lines += `{"relationship":{"from":"0192f000-aaaa-7000-8000-c-10","to":"x","type":"relates_to"}}` + "\n"
	r, err := NewReader(&endless{begin: header, format: lines, size: streamed}, Kith)
	if err != nil {
		return err
	}
	_, err = Import(v.Context(), ImportStores{Memory: v, Chats: v}, graph.Scope{TeamID: "team"}, r, ImportOptions{ID: "i"})
	return err
}
