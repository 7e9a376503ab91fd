package statement_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kith/graph"
	"kith/memory/statement"
)

// exported returns the statements of the team as lines.
func (e *env) exported() (all []statement.Line) {
	e.Helper()
	err := e.statements.ExportStatements(e.Context(), e.Team, func(l *statement.Line) error {
		all = append(all, *l)
		return nil
	})
	if err != nil {
		e.Fatal(err)
	}
	return all
}

// restore imports lines for a scope, and returns what became of each: a status, or the field of the fault.
func (e *env) restore(scope graph.Scope, lines ...statement.Line) (results []string) {
	e.Helper()
	return e.restorePiece(scope, graph.RestoreBatch{}, lines...)
}

// restorePiece is restore as a piece of an import, a dry run if it has a plan.
func (e *env) restorePiece(scope graph.Scope, batch graph.RestoreBatch, lines ...statement.Line) (results []string) {
	e.Helper()
	var passed []statement.Line
	var places []int
	for i, l := range lines {
		fields := e.statements.CheckStatement(&l, scope)
		if results = append(results, ""); len(fields) > 0 {
			results[i] = fields[0].Path.String()
			continue
		}
		passed, places = append(passed, l), append(places, i)
	}
	batch.Also = func(t *graph.Tx, planned func(string) (graph.Properties, error)) error {
		found, err := e.statements.RestoreStatements(t, scope, passed, planned)
		for i, r := range found {
			results[places[i]] = string(r.Status)
			if r.Status == graph.Refused {
				results[places[i]] = r.Field
			}
		}
		return err
	}
	_, err := e.Store.Restore(e.Context(), scope, &batch, graph.ImportMark{}, func(graph.MemoryResult) string { return "" }, batch.Plan != nil)
	if err != nil {
		e.Fatal(err)
	}
	return results
}

func (e *env) team() graph.Scope { return graph.Scope{TeamID: e.Team} }

func (e *env) decide(user, key, state string) {
	e.Helper()
	if err := e.statements.Decide(e.Context(), e.As(user), []statement.Decision{{Key: key, State: state}}); err != nil {
		e.Fatal(err)
	}
}

// TestExportAndRestore checks that a statement replaces what a search found, and that contexts show what the lines say.
func TestExportAndRestore(t *testing.T) {
	e := fresh(t)
	e.say("u1", "s1", "I love jazz.", "I can't stand loud rooms.", "I live in Lyon.")
	e.say("u2", "s2", "😀 I love jazz.", "I really love jazz.")
	e.say("u1", "s3", "I moved to Porto.", "I work at Siemens.")
	if _, err := e.Store.DeleteNode(t.Context(), e.As("u1"), graph.MessageKind, messageOf(e, "I work at Siemens."), 0); err != nil {
		t.Fatal(err)
	}
	lines := e.exported()
	e.Same("exported", 5, len(lines))
	e.Same("by user and key", true, slices.IsSortedFunc(lines, func(a, b statement.Line) int {
		return strings.Compare(a.UserID.Value+"\x00"+a.Key, b.UserID.Value+"\x00"+b.Key)
	}))
	e.Same("again", []string{"unchanged", "unchanged", "unchanged", "unchanged", "unchanged"}, e.restore(e.team(), lines...))
	e.ChangedUsers()
	for i := range lines {
		switch l := &lines[i]; {
		case l.Text == "I love jazz." && l.UserID.Value == "u1":
			l.State, l.Renewals, l.RenewedAt = statement.Refused, 4, &e.Now
		case l.Text == "I live in Lyon.":
			e.Same("closed", true, l.ValidTo != nil)
			l.State = statement.Confirmed
		case l.Renewals == 1:
			l.State, l.Confidence = statement.Candidate, 0
		}
	}
	e.Same("changed", 3, len(slices.DeleteFunc(e.restore(e.team(), lines...), func(r string) bool { return r != "updated" })))
	e.Same("changed for", []string{"u1", "u2"}, e.ChangedUsers())
	e.Same("lines", lines, e.exported())
	e.Same("shown", []string{"I can't stand loud rooms.", "I moved to Porto."}, e.sorted("u1"))
	e.Same("of the other user", []string{"😀 I love jazz."}, e.shown("u2"))
	// What a caller decides about a closed statement does not show it again.
	for _, l := range lines {
		if l.ValidTo != nil {
			e.decide("u1", l.Key, statement.Confirmed)
		}
	}
	e.Same("shown after a decision", []string{"I can't stand loud rooms.", "I moved to Porto."}, e.sorted("u1"))
}

// messageOf returns the key of the message with a statement.
func messageOf(e *env, text string) string {
	e.Helper()
	for _, l := range e.exported() {
		if l.Text == text {
			return l.Message
		}
	}
	e.Fatalf("no statement %q", text)
	return ""
}

func TestRefusedLines(t *testing.T) {
	e := fresh(t)
	e.say("u1", "s1", "I love jazz.")
	e.say("u2", "s2", "I love jazz.")
	w := &graph.SourceWrite{EntityKey: "s3", Messages: []graph.MessageWrite{{EntityKey: "m-agent", Role: "assistant", Text: "I love jazz."}}}
	if _, err := e.Store.WriteSource(t.Context(), e.As("u1"), w); err != nil {
		t.Fatal(err)
	}
	before := e.exported()
	other, late := before[1].Message, e.Now.AddDate(1, 0, 0)
	for n, test := range []struct {
		field  string
		change func(l *statement.Line)
	}{
		{"kind", func(l *statement.Line) { l.Kind = "forget" }},
		{"polarity", func(l *statement.Line) { l.Polarity = "" }},
		{"state", func(l *statement.Line) { l.State = "closed" }},
		{"confidence", func(l *statement.Line) { l.Confidence = 1.5 }},
		{"renewals", func(l *statement.Line) { l.Renewals = -1 }},
		{"key", func(l *statement.Line) { l.Key = "" }},
		{"key", func(l *statement.Line) { l.Key = strings.Repeat("k", 301) }},
		{"key", func(l *statement.Line) { l.Key = before[1].Key }},
		{"text", func(l *statement.Line) { l.Text = strings.Repeat("x", 3_001) }},
		{"text", func(l *statement.Line) { l.Text = " " }},
		{"subject", func(l *statement.Line) { l.Subject = strings.Repeat("x", 1_001) }},
		{"topic", func(l *statement.Line) { l.Topic = "standing " + strings.Repeat("x", 1_001) }},
		{"topic", func(l *statement.Line) { l.Topic = "facts jazz" }},
		{"topic", func(l *statement.Line) { l.Topic = "standing a\x00b" }},
		{"from", func(l *statement.Line) { l.From = -1 }},
		{"from", func(l *statement.Line) { l.From = 1 << 62 }},
		{"to", func(l *statement.Line) { l.To = l.From }},
		{"to", func(l *statement.Line) { l.To = 13 }},
		{"message", func(l *statement.Line) { l.Message = "" }},
		{"message", func(l *statement.Line) { l.Message, l.Key = "gone", "gone#0" }},
		{"message", func(l *statement.Line) { l.Message, l.Key = other, other+"#0" }},
		{"message", func(l *statement.Line) { l.Message, l.Key = "m-agent", "m-agent#0" }},
		{"source", func(l *statement.Line) { l.Source = "s2" }},
		{"at", func(l *statement.Line) { l.At = time.Time{} }},
		{"renewed_at", func(l *statement.Line) { l.RenewedAt = &time.Time{} }},
		{"valid_to", func(l *statement.Line) { l.ValidTo = &late }},
		{"user_id", func(l *statement.Line) { l.UserID = graph.Some("") }},
		{"user_id", func(l *statement.Line) { l.UserID = graph.Null[string]() }},
		{"user_id", func(l *statement.Line) { l.UserID = graph.Some("u2") }},
	} {
		l := before[0]
		test.change(&l)
		e.Same(fmt.Sprintf("line %d", n), []string{test.field}, e.restore(e.As("u1"), l))
	}
	e.say("u1", "s4", "\U0001f600 I love opera.")
	l := e.exported()[len(before)-1]
	if l.To++; l.Text != "\U0001f600 I love opera." {
		t.Fatal(l)
	}
	e.Same("characters are counted, not halves of them", []string{"to"}, e.restore(e.As("u1"), l))
	before = e.exported()
	l = before[0]
	l.UserID = graph.Optional[string]{}
	e.Same("no user, for a user and for the team", []string{"unchanged", "user_id"}, append(e.restore(e.As("u1"), l), e.restore(e.team(), l)...))
	e.Same("stored", before, e.exported())
}

// TestDryRun checks that a dry run knows the messages of its earlier pieces, and stores nothing.
func TestDryRun(t *testing.T) {
	e := fresh(t)
	e.say("u1", "s1", "I love jazz.")
	l := e.exported()[0]
	plan := graph.NewRestorePlan()
	t.Cleanup(func() { _ = plan.Close() })
	var nodes []graph.NodeWrite
	err := json.Unmarshal([]byte(`[{"kind":"source","entity_key":"s2","user_id":"u1","started_at":"2026-01-01T00:00:00Z"},
		{"kind":"message","entity_key":"m2","user_id":"u1","source_key":"s2","role":"user","text":"\ud83d\ude00 I love tea."}]`), &nodes)
	if err != nil {
		t.Fatal(err)
	}
	l.Source, l.Message, l.Key, l.To = "s2", "m2", "m2#0", 13
	e.Same("with its message", []string{"created"}, e.restorePiece(e.team(), graph.RestoreBatch{Nodes: nodes, Plan: plan, Searched: true}, l))
	long, other := l, l
	long.To++
	other.UserID = graph.Some("u2")
	e.Same("after its message", []string{"created", "to", "message"}, e.restorePiece(e.team(), graph.RestoreBatch{Plan: plan}, l, long, other))
	e.Same("stored", 1, len(e.exported()))
	e.Same("without a plan", []string{"message"}, e.restore(e.team(), l))
}

// TestMemoriesPutTogether checks that of what holds about the same thing the last said stays open, however often it is imported.
func TestMemoriesPutTogether(t *testing.T) {
	e := fresh(t)
	e.say("u1", "s1", "I live in Lyon.")
	lyon := e.exported()[0]
	e.say("u1", "s2", "I moved to Porto.")
	porto := e.exported()
	porto = slices.DeleteFunc(porto, func(l statement.Line) bool { return l.Key == lyon.Key })
	e.Same("an older memory", []string{"unchanged"}, e.restore(e.team(), lyon))
	e.Same("shown", []string{"I moved to Porto."}, e.shown("u1"))
	again := e.Now.Add(time.Hour)
	e.Now = e.Now.Add(2 * time.Hour)
	lyon.Renewals, lyon.RenewedAt = 1, &again
	for _, want := range []string{"updated", "unchanged"} {
		e.Same("said again later", []string{want}, e.restore(e.team(), lyon))
		e.Same("shown then", []string{"I live in Lyon."}, e.shown("u1"))
	}
	e.Same("both in one file", []string{"updated", "unchanged"}, e.restore(e.team(), append(porto, lyon)...))
	e.Same("shown at last", []string{"I live in Lyon."}, e.shown("u1"))
}

// TestPagesOfAnExport exports more than one read has, of several users.
func TestPagesOfAnExport(t *testing.T) {
	e := fresh(t)
	for _, user := range []string{"a", "b", "z\U0001f600", "z\ufffd"} {
		var texts []string
		for n := range 130 {
			texts = append(texts, fmt.Sprintf("I love number%d. I always avoid place%d.", n, n))
		}
		e.say(user, "s-"+user, texts...)
	}
	seen := map[string]bool{}
	var users []string
	for _, l := range e.exported() {
		seen[l.Key] = true
		if n := len(users); n == 0 || users[n-1] != l.UserID.Value {
			users = append(users, l.UserID.Value)
		}
	}
	e.Same("users", []string{"a", "b", "z\ufffd", "z\U0001f600"}, users)
	if len(seen) < 1000 {
		t.Errorf("%d statements", len(seen))
	}
}
