package exchange

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"kith/graph"
	"kith/internal/bounds"
	"kith/internal/keytable"
	"kith/memory/duplicate"
	"kith/memory/preference"
)

// scripted is a store that takes everything; of the first piece it does not say so where lost is set.
type scripted struct {
	vast
	lost        bool
	pieces      int
	preferences []preference.Preference
	statements  []string // what was stored of them
	searched    bool     // of the last piece
	paused      []string // users
	refused     []string // pairs
	reviewed    []string // nodes of reviews
	marks       []graph.ImportMark
}

// RestoreRefusals knows no node x.
func (s *scripted) RestoreRefusals(_ context.Context, _ graph.Scope, lines []duplicate.Line, plan *graph.RestorePlan) (created int64, bad []int, err error) {
	refused := slices.Clone(s.refused)
	for i, l := range lines {
		switch pair := l.First + " " + l.Second; {
		case l.First == "x":
			bad = append(bad, i)
		case !slices.Contains(refused, pair):
			refused = append(refused, pair)
			created++
		}
	}
	if plan == nil {
		s.refused = refused
	}
	return created, bad, nil
}

func (s *scripted) RestorePause(_ context.Context, of graph.Scope, dryRun bool) (bool, error) {
	created := !slices.Contains(s.paused, of.UserID)
	if created && !dryRun {
		s.paused = append(s.paused, of.UserID)
	}
	return created, nil
}

func (s *scripted) Restore(
	_ context.Context, _ graph.Scope, b *graph.RestoreBatch, mark graph.ImportMark, report func(graph.MemoryResult) string, dryRun bool,
) (graph.MemoryResult, error) {
	s.pieces++
	s.searched = b.Searched
	result := graph.MemoryResult{
		Nodes: make([]graph.NodeResult, len(b.Nodes)), Relationships: make([]graph.RelationshipResult, len(b.Relationships)),
	}
	if s.lost {
		return graph.MemoryResult{}, graph.ErrUnavailable
	}
	if b.Also != nil {
		if err := b.Also(nil, nil); err != nil {
			return graph.MemoryResult{}, err
		}
	}
	if !dryRun {
		s.marks = append(s.marks, graph.ImportMark{ID: mark.ID, Seq: mark.Seq, Report: report(result)})
	}
	return result, nil
}

func (s *scripted) Preferences(context.Context, graph.Scope) ([]preference.Preference, error) {
	return s.preferences, nil
}

func (s *scripted) SetPreferences(context.Context, graph.Scope, []preference.Preference) error {
	if s.lost {
		return graph.ErrUnavailable
	}
	return nil
}

func (s *scripted) runImport(t *testing.T, file string, o ImportOptions) (*Report, error) {
	t.Helper()
	r, err := NewReader(strings.NewReader(file), Kith)
	if err != nil {
		t.Fatal(err)
	}
	return Import(t.Context(), ImportStores{Memory: s, Statements: s, Refusals: s, Reviews: s, Preferences: s, Chats: s}, graph.Scope{TeamID: "t"}, r, o)
}

const (
	aNode       = `{"node":{"kind":"concept","entity_key":"a","name":"a"}}` + "\n"
	aPreference = `{"preference":{"user_id":"u1","key":"k","value":1}}` + "\n"
)

func TestRefusedPreferencesStopAStrictImport(t *testing.T) {
	full := make([]preference.Preference, bounds.Preferences)
	for n := range full {
		full[n] = preference.Preference{Key: fmt.Sprint(n), Value: []byte("1")}
	}
	for _, file := range []string{aPreference, aPreference + strings.ReplaceAll(aPreference, "u1", "u2") + aNode} {
		s := &scripted{vast: vast{TB: t}, preferences: full}
		report, err := s.runImport(t, file, ImportOptions{Strict: true})
		if !errors.Is(err, ErrStopped) || report.Preferences.Refused != 1 || s.pieces != 0 {
			t.Errorf("%v, %+v, %d pieces", err, report, s.pieces)
		}
	}
}

// A line that names an empty user is refused, also in a file of another system: its content does not become another user's.
func TestAnEmptyUserIsNotEverybody(t *testing.T) {
	s := &scripted{vast: vast{TB: t}}
	report, err := s.runImport(t, strings.ReplaceAll(aPreference, "u1", ""), ImportOptions{})
	if err != nil || report.Preferences.Refused != 1 || s.pieces != 0 {
		t.Errorf("a preference: %v, %+v", err, report)
	}
	read := readAll(t, Mem0, strings.NewReader(`{"results":[{"id":"1","memory":"likes tea","user_id":""},{"id":"2","memory":"likes rain","user_id":null}]}`))
	if all := strings.Join(read, "\n"); !strings.Contains(all, "must not be empty") || strings.Contains(all, "tea") || !strings.Contains(all, "rain") {
		t.Errorf("mem0: %s", all)
	}
}

// A node that is repeated after relationships to it does not end a batch.
func TestNodesSaidAgainMakeNoPieces(t *testing.T) {
	var file strings.Builder
	for n := range 300 {
		_, _ = fmt.Fprintf(&file, `{"node":{"kind":"person","entity_key":"me","name":"me"}}`+"\n"+
			`{"node":{"kind":"concept","entity_key":"c%d","name":"c%d"}}`+"\n"+`{"relationship":{"from":"me","to":"c%d","type":"relates_to"}}`+"\n", n, n, n)
	}
	s := &scripted{vast: vast{TB: t}}
	if _, err := s.runImport(t, file.String(), ImportOptions{}); err != nil || s.pieces != 1 {
		t.Errorf("%d pieces, %v", s.pieces, err)
	}
}

// What a file has of a node that was merged into another one since does not become the other's: the team finds it by its own key.
func TestKeysOfMergedNodesStay(t *testing.T) {
	i := &importer{aliases: keytable.New()}
	defer func() { _ = i.aliases.Close() }()
	b := &batch{RestoreBatch: graph.RestoreBatch{Nodes: []graph.NodeWrite{
		{EntityKey: "by name"}, {EntityKey: "merged", History: &graph.History{}}, {EntityKey: "owner", History: &graph.History{OwnerGenerated: graph.Some(true)}},
	}}}
	result := graph.MemoryResult{Nodes: []graph.NodeResult{{EntityKey: "a", Status: graph.Updated}, {EntityKey: "a", Status: graph.Unchanged}, {EntityKey: "a", Status: graph.Unchanged}}}
	if err := i.recordAliases(b, result); err != nil {
		t.Fatal(err)
	}
	keys := []string{"by name", "merged", "owner"}
	if err := i.followAliases(&keys[0], &keys[1], &keys[2]); err != nil || !slices.Equal(keys, []string{"a", "merged", "a"}) {
		t.Errorf("keys %q %v", keys, err)
	}
}
