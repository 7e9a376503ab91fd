package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kith/exchange"
	"kith/memory/statement"
)

// statements returns the statements of a user by key, with closed ones.
func (c caller) statements(t *testing.T, user string) (all []statement.Statement) {
	t.Helper()
	var page struct{ Statements []statement.Statement }
	r := c.do(t, http.MethodGet, "/v1/users/"+user+"/statements?closed=true&limit=200", "")
	if err := json.Unmarshal(r.body, &page); err != nil || r.status != http.StatusOK {
		t.Fatalf("statements: %d %s", r.status, r.body)
	}
	return page.Statements
}

// decide confirms or refuses the statement with a text.
func (c caller) decide(t *testing.T, user, text, state string) {
	t.Helper()
	all := c.statements(t, user)
	n := slices.IndexFunc(all, func(s statement.Statement) bool { return s.Text == text })
	if n < 0 {
		t.Fatalf("no statement %q: %+v", text, all)
	}
	c.changeStatements(t, user, fmt.Sprintf(`{"statements":[{"key":%q,"state":%q}]}`, all[n].Key, state))
}

func (c caller) changeStatements(t *testing.T, user, body string) {
	t.Helper()
	if r := c.do(t, http.MethodPatch, "/v1/users/"+user+"/statements", body); r.status != http.StatusNoContent {
		t.Fatalf("statements: %d %s", r.status, r.body)
	}
}

// saySomething gives a team statements in all states, of two users.
func saySomething(t *testing.T, c caller) {
	t.Helper()
	say := func(user, source, day string, texts ...string) {
		t.Helper()
		var messages []string
		for n, text := range texts { // keys in another order than the messages, so that an import reads them in another
			messages = append(messages, fmt.Sprintf(`{"entity_key":"m%d-%s","role":"user","text":%q,"at":"2026-%sT08:0%d:00Z"}`, 9-n, source, text, day, n))
		}
		c.must(t, http.MethodPost, "/v1/sources", fmt.Sprintf(`{"user_id":%q,"entity_key":%q,"started_at":"2026-%sT08:00:00Z","messages":[%s]}`,
			user, source, day, strings.Join(messages, ",")))
	}
	say("u1", "s3", "01-01", "😀 I live in Lyon.", "I love jazz.", "I can't stand loud rooms.", "I work at Siemens.", "I love tea.")
	say("u1", "s2", "02-01", "I really love jazz.", "Forget that I work at Siemens.", "Always answer in metric units when I ask about distances.")
	say("u1", "s1", "03-01", "I moved to Porto.", "I love jazz.", "I really love tea.", "I never eat fish.")
	say("u2", "s4", "03-01", "I love jazz.", "I live in Lyon.")
	c.decide(t, "u1", "I love jazz.", statement.Confirmed)
	c.decide(t, "u1", "I can't stand loud rooms.", statement.Refused)
	c.must(t, http.MethodDelete, "/v1/nodes/message/m6-s1?user_id=u1", "") // "I never eat fish."
	c.changeStatements(t, "u2", `{"paused":true}`)
	say("u2", "s5", "04-01", "I love opera.")
}

// TestStatementsAreMoved checks that a copy has the statements that the file says, however the messages would be searched.
func TestStatementsAreMoved(t *testing.T) {
	t.Parallel()
	s := shared(t)
	from, to := s.team(t), s.team(t)
	saySomething(t, from)
	file := from.exported(t)
	all := from.statements(t, "u1")
	var states []string
	for _, s := range all {
		states = append(states, fmt.Sprintf("%s %s %d %v", s.Text, s.State, s.Renewals, s.ValidTo != nil))
	}
	slices.Sort(states)
	want := []string{
		"Always answer in metric units when I ask about distances. active 0 false", "I can't stand loud rooms. refused 0 false",
		"I love jazz. confirmed 2 false", "I love tea. active 1 false", "I moved to Porto. active 0 false", "I never eat fish. active 0 false",
		"I work at Siemens. active 0 true", "😀 I live in Lyon. active 0 true",
	}
	if diff := cmp.Diff(want, states); diff != "" {
		t.Fatalf("statements (-want +got):\n%s", diff)
	}

	dry := to.importComplete(t, file, "dry_run", "true")
	first := to.importComplete(t, file)
	if got := []exchange.Counts{dry.Statements, first.Statements}; got[0] != counted(9, 0, 0, 0) || got[1] != got[0] {
		t.Errorf("counts of the dry run and the import: %+v", got)
	}
	gone := func(s statement.Statement) bool { return s.Text == "I never eat fish." } // with its message
	for _, user := range []string{"u1", "u2"} {
		if diff := cmp.Diff(slices.DeleteFunc(from.statements(t, user), gone), to.statements(t, user)); diff != "" {
			t.Errorf("statements of %s (-original +copy):\n%s", user, diff)
		}
		context := "/v1/context?sections=user&user_id=" + user
		a, b := from.must(t, http.MethodGet, context, ""), to.must(t, http.MethodGet, context, "")
		if diff := cmp.Diff(at(a, "user", "statements"), at(b, "user", "statements")); diff != "" || at(a, "user", "statements", 0) == nil {
			t.Errorf("context of %s (-original +copy):\n%s", user, diff)
		}
	}
	again := to.importComplete(t, file)
	if again.Statements != counted(0, 0, 9, 0) {
		t.Errorf("imported again: %+v", again.Statements)
	}
	if diff := cmp.Diff(strings.Split(file, "\n"), strings.Split(to.exported(t), "\n")); diff != "" {
		t.Errorf("exports (-original +copy):\n%s", diff)
	}
}

// TestPausesAreMoved checks that a copy searches no messages that the original would not search.
func TestPausesAreMoved(t *testing.T) {
	t.Parallel()
	s := shared(t)
	from, to := s.team(t), s.team(t)
	for _, user := range []string{"u1", "u2", "u3"} {
		from.must(t, http.MethodPost, "/v1/sources", fmt.Sprintf(`{"user_id":%q,"entity_key":"s-%[1]s","messages":[{"role":"user","text":"I love tea."}]}`, user))
	}
	from.changeStatements(t, "u2", `{"paused":true}`)
	from.changeStatements(t, "u3", `{"paused":true,"conversation_id":"s-u3"}`)
	file := from.exported(t)
	if first, again := to.importComplete(t, file), to.importComplete(t, file); first.Pauses != counted(1, 0, 0, 0) || again.Pauses != counted(0, 0, 1, 0) {
		t.Errorf("pauses: %+v, then %+v", first.Pauses, again.Pauses)
	}
	if copied := to.exported(t); copied != file {
		t.Errorf("the export of the copy differs: %s", cmp.Diff(strings.Split(file, "\n"), strings.Split(copied, "\n")))
	}
	for user, want := range map[string]int{"u1": 2, "u2": 1, "u3": 1} {
		to.must(t, http.MethodPost, "/v1/conversations/s-"+user+"/messages", fmt.Sprintf(`{"user_id":%q,"messages":[{"role":"user","text":"I can't stand loud rooms."}]}`, user))
		if got := to.statements(t, user); len(got) != want {
			t.Errorf("%s: %d statements, want %d", user, len(got), want)
		}
	}
}

// TestStatementsComeLater imports messages alone, which are searched, and their statements afterwards.
func TestStatementsComeLater(t *testing.T) {
	t.Parallel()
	s := shared(t)
	from, to := s.team(t), s.team(t)
	saySomething(t, from)
	var nodes, statements []string
	for line := range strings.Lines(from.exported(t)) {
		switch {
		case strings.HasPrefix(line, `{"statement"`):
			statements = append(statements, line)
		case strings.HasPrefix(line, `{"node"`):
			nodes = append(nodes, line)
		}
	}
	to.importComplete(t, strings.Join(nodes, ""))
	if len(to.statements(t, "u1")) == 0 {
		t.Fatal("the messages were not searched")
	}
	// Before the import a context is read, which must not stay.
	to.must(t, http.MethodGet, "/v1/context?sections=user&user_id=u1", "")
	report := to.importComplete(t, strings.Join(statements, ""))
	if c := report.Statements; c.Created+c.Updated+c.Unchanged != int64(len(statements)) || c.Updated == 0 {
		t.Errorf("%+v", c)
	}
	copied := map[string]statement.Statement{}
	for _, s := range to.statements(t, "u1") {
		copied[s.Key] = s
	}
	for _, s := range from.statements(t, "u1") {
		if diff := cmp.Diff(s, copied[s.Key]); s.Text != "I never eat fish." && diff != "" {
			t.Errorf("%s (-original +copy):\n%s", s.Text, diff)
		}
	}
	shown := fmt.Sprint(at(to.must(t, http.MethodGet, "/v1/context?sections=user&user_id=u1", ""), "user", "statements"))
	if strings.Contains(shown, "loud rooms") || strings.Contains(shown, "Lyon") || strings.Count(shown, "jazz") != 1 || !strings.Contains(shown, "Porto") {
		t.Errorf("the context shows %s", shown)
	}
	// A line of another user, or of a message that is not there, is refused with its place.
	bad := strings.ReplaceAll(statements[0], `"u1"`, `"u2"`) + `{"statement":{"user_id":"u1","key":"x#0","at":7}}` + "\n" + statements[0]
	report, _ = to.imported(t, bad)
	var refused []string
	for _, r := range report.Refused {
		refused = append(refused, fmt.Sprintf("%d %s", r.Line, r.Location))
	}
	if diff := cmp.Diff([]string{"1 message", "2 "}, refused); diff != "" || report.Statements != counted(0, 0, 1, 2) {
		t.Errorf("%+v (-want +got):\n%s%+v", report.Statements, diff, report.Refused)
	}
}
