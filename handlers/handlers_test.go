package handlers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"kith/auth"
	"kith/consolidation"
	"kith/duplicate"
	"kith/erasure"
	"kith/graph"
	"kith/internal/fault"
	"kith/internal/golden"
	"kith/loader"
	"kith/preference"
	"kith/statement"
	"kith/traverse"
	"kith/user"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakes answer with err, where it is set, and with nothing otherwise.
type fakes struct {
	owner     *string // of all sources
	err       error
	principal auth.Principal
	verify    error
	changed   []string
	kept      kept
	panics    bool
	asked     []string // what the store was asked for
	repeated  bool
	forgotten []graph.Scope
	sections  []string // of a context
}

// ask notes what the store is asked for.
func (f *fakes) ask(format string, args ...any) {
	f.asked = append(f.asked, fmt.Sprintf(format, args...))
}

func (f *fakes) Write(_ context.Context, s graph.Scope, w *graph.MemoryWrite) (graph.MemoryResult, error) {
	if f.panics {
		panic("secret")
	}
	f.ask("write for %q with key %q", s.UserID, w.IdempotencyKey)
	return graph.MemoryResult{Repeated: f.repeated}, f.err
}

func (f *fakes) WriteSource(_ context.Context, s graph.Scope, w *graph.SourceWrite) (graph.SourceResult, error) {
	f.ask("write source for %q with key %q", s.UserID, w.IdempotencyKey)
	return graph.SourceResult{UserID: "u1", Repeated: f.repeated}, f.err
}

func (f *fakes) AppendMessages(context.Context, graph.Scope, string, []graph.MessageWrite) (graph.SourceResult, error) {
	return graph.SourceResult{UserID: "u1"}, f.err
}

func (f *fakes) PopMessages(context.Context, graph.Scope, string, int64) ([]graph.Message, error) {
	return []graph.Message{}, f.err
}

func (f *fakes) EndConversation(context.Context, graph.Scope, string, *graph.ConversationEnd) (graph.SourceResult, error) {
	return graph.SourceResult{UserID: "u1"}, f.err
}

func (f *fakes) Source(context.Context, graph.Scope, string) (graph.Source, error) {
	return graph.Source{UserID: f.owner, MessageCount: 3, Focus: &graph.ConversationFocus{ProjectID: "kept", FocusKind: "task", FocusID: "t"}}, f.err
}

func (f *fakes) LastMessages(context.Context, graph.Scope, string, int64) ([]graph.Message, error) {
	return []graph.Message{{EntityKey: "m-1", Role: "user", Text: "Hello"}}, nil
}

func (f *fakes) Messages(_ context.Context, _ graph.Scope, _ string, from, limit int64) ([]graph.Message, error) {
	messages := make([]graph.Message, min(limit, 3-from))
	for i := range messages {
		messages[i].Seq = from + int64(i)
	}
	return messages, f.err
}

func (f *fakes) Conversations(_ context.Context, s graph.Scope, cursor string, limit int) (graph.ConversationPage, error) {
	f.ask("conversations of %q of %s, %d from %q", s.UserID, s.TeamID, limit, cursor)
	return graph.ConversationPage{Conversations: []graph.Source{}, Next: "more"}, f.err
}

func (f *fakes) Users(_ context.Context, team, cursor string, limit int) (user.Page, error) {
	f.ask("users of %s, %d from %q", team, limit, cursor)
	return user.Page{Users: []user.User{}, Next: "more"}, f.err
}

func (f *fakes) QuotaOf(_ context.Context, team string) (graph.QuotaShares, error) {
	f.ask("quota of %s", team)
	return graph.QuotaShares{}, f.err
}

func (f *fakes) Node(_ context.Context, s graph.Scope, k graph.Kind, key string, q graph.NodeQuery) (graph.NodeView, error) {
	f.ask("%s %q for %q, %d relationships, as of %v", k.Name, key, s.UserID, q.Relationships, q.AsOf)
	return graph.NodeView{Notes: []graph.Note{}}, f.err
}

func (f *fakes) Nodes(_ context.Context, s graph.Scope, l graph.NodeList) (graph.NodePage, error) {
	f.ask("list of %s for %q, %d from %q, of %q, deleted %t, state %q", l.Kind.Name, s.UserID, l.Limit, l.Cursor, l.ProjectID, l.Deleted, l.State)
	return graph.NodePage{Nodes: []graph.NodeView{}, Next: "more"}, f.err
}

func (f *fakes) Namespaces(_ context.Context, s graph.Scope, l graph.NamespaceList) (graph.NamespacePage, error) {
	f.ask("namespaces for %q, %d from %q, %q … %q, depth %d", s.UserID, l.Limit, l.Cursor, l.Prefix, l.Suffix, l.MaxDepth)
	return graph.NamespacePage{Namespaces: [][]string{{"a"}}, Next: "more"}, f.err
}

func (f *fakes) NodeVersions(_ context.Context, s graph.Scope, kind graph.Kind, key, cursor string, limit int) (graph.VersionPage, error) {
	f.ask("versions of %s %q for %q, %d from %q", kind.Name, key, s.UserID, limit, cursor)
	return graph.VersionPage{Versions: []graph.Version{}, Next: "more"}, f.err
}

func (f *fakes) NodeChanges(_ context.Context, s graph.Scope, kind graph.Kind, key string, p graph.ChangePeriod) (graph.ChangeList, error) {
	f.ask("changes of %s %q for %q since %s until %s, %d", kind.Name, key, s.UserID, p.Since.Format(time.DateOnly), p.Until.Format(time.DateOnly), p.Limit)
	return graph.ChangeList{Node: graph.NodeRef{EntityKey: key, Kind: kind.Name}, Changes: []graph.NodeChange{}}, f.err
}

func (f *fakes) NodeMentions(_ context.Context, s graph.Scope, kind graph.Kind, key, cursor string, limit int) (graph.MentionPage, error) {
	f.ask("mentions of %s %q for %q, %d from %q", kind.Name, key, s.UserID, limit, cursor)
	return graph.MentionPage{Mentions: []graph.Mention{}, Next: "more"}, f.err
}

func (f *fakes) PatchNode(_ context.Context, s graph.Scope, w graph.NodeWrite, q graph.NodeQuery) (graph.NodeView, error) {
	f.ask("patch %s %q for %q: %s, %t, %d relationships", w.Kind, w.EntityKey, s.UserID, w.Description.Value, w.UserID.Given, q.Relationships)
	return graph.NodeView{}, f.err
}

func (f *fakes) DeleteNode(_ context.Context, s graph.Scope, k graph.Kind, key string, version int64) (graph.Deletion, error) {
	f.ask("delete %s %q for %q in version %d", k.Name, key, s.UserID, version)
	return graph.Deletion{}, f.err
}

func (f *fakes) RestoreNode(context.Context, graph.Scope, graph.Kind, string) (graph.NodeView, error) {
	return graph.NodeView{}, f.err
}

func (f *fakes) MergeNodes(_ context.Context, s graph.Scope, kind graph.Kind, key string, w graph.MergeWrite) (graph.Merge, error) {
	f.ask("merge %s %q into %q for %q", kind.Name, w.Other, key, s.UserID)
	return graph.Merge{}, f.err
}

func (f *fakes) RestoreNodeVersion(_ context.Context, s graph.Scope, kind graph.Kind, key string, version int64) (graph.NodeView, error) {
	f.ask("restore version %d of %s %q for %q", version, kind.Name, key, s.UserID)
	return graph.NodeView{}, f.err
}

func (f *fakes) RestoreRelationshipVersion(_ context.Context, s graph.Scope, key string, version int64) (graph.RelationshipView, error) {
	f.ask("restore version %d of %q for %q", version, key, s.UserID)
	return graph.RelationshipView{}, f.err
}

func (f *fakes) AddNotes(context.Context, graph.Scope, graph.Kind, string, []graph.NoteWrite) ([]graph.Note, error) {
	return []graph.Note{}, f.err
}

func (f *fakes) DeleteNote(context.Context, graph.Scope, graph.Kind, string, string) ([]graph.Note, error) {
	return []graph.Note{}, f.err
}

func (f *fakes) Relationships(context.Context, graph.Scope, graph.RelationshipList) (graph.RelationshipPage, error) {
	return graph.RelationshipPage{}, f.err
}

func (f *fakes) RelationshipMentions(context.Context, graph.Scope, string, string, int) (graph.MentionPage, error) {
	return graph.MentionPage{}, f.err
}

func (f *fakes) RelationshipVersions(context.Context, graph.Scope, string, string, int) (graph.VersionPage, error) {
	return graph.VersionPage{Versions: []graph.Version{}}, f.err
}

func (f *fakes) Relationship(context.Context, graph.Scope, string, *time.Time) (graph.RelationshipView, error) {
	return graph.RelationshipView{}, f.err
}

func (f *fakes) SetFocus(_ context.Context, s graph.Scope, key string, focus *graph.ConversationFocus) (graph.SourceResult, error) {
	f.ask("focus of %q for %q: %+v", key, s.UserID, focus)
	return graph.SourceResult{UserID: "u1"}, f.err
}

func (f *fakes) Link(context.Context, graph.Scope, *graph.EdgesWrite) (graph.EdgesResult, error) {
	return graph.EdgesResult{}, nil
}

func (f *fakes) DeleteRelationship(context.Context, graph.Scope, string, int64) (graph.Deletion, error) {
	return graph.Deletion{}, f.err
}

func (f *fakes) RestoreRelationship(context.Context, graph.Scope, string) (graph.RelationshipView, error) {
	return graph.RelationshipView{}, f.err
}

func (f *fakes) AddRelationshipNotes(context.Context, graph.Scope, string, []graph.NoteWrite) ([]graph.Note, error) {
	return []graph.Note{}, f.err
}

func (f *fakes) DeleteRelationshipNote(context.Context, graph.Scope, string, string) ([]graph.Note, error) {
	return []graph.Note{}, f.err
}

func (f *fakes) ExportNodes(context.Context, string, func(*graph.NodeWrite) error) error {
	return f.err
}

func (f *fakes) ExportVersions(context.Context, string, func(*graph.VersionLine) error) error {
	return f.err
}

func (f *fakes) ExportRelationships(context.Context, string, func(*graph.RelationshipWrite) error) error {
	return f.err
}

func (f *fakes) TeamPreferences(context.Context, string, string, string, int) ([]preference.OfUser, error) {
	return nil, f.err
}

func (f *fakes) Restore(context.Context, graph.Scope, *graph.RestoreBatch, graph.ImportMark, func(graph.MemoryResult) string, bool) (graph.MemoryResult, error) {
	return graph.MemoryResult{}, f.err
}

func (f *fakes) CheckNode(*graph.NodeWrite, graph.Scope) []fault.FieldError      { return nil }
func (f *fakes) CheckVersion(*graph.VersionLine, graph.Scope) []fault.FieldError { return nil }

func (f *fakes) CheckRelationship(*graph.RelationshipWrite) []fault.FieldError { return nil }
func (f *fakes) EndImport(context.Context, graph.Scope, string) error          { return f.err }
func (f *fakes) ImportProgress(context.Context, graph.Scope, string) (graph.ImportMark, error) {
	return graph.ImportMark{}, f.err
}

func (f *fakes) Recalled(scope graph.Scope, _ graph.Recall) {
	f.changed = append(f.changed, scope.TeamID+" recalled")
}

func (f *fakes) Candidates(_ context.Context, scope graph.Scope, cursor string, limit int) (consolidation.Page, error) {
	f.ask("%s %s %s %d", scope.TeamID, scope.UserID, cursor, limit)
	return consolidation.Page{Candidates: []consolidation.Candidate{}}, f.err
}

func (f *fakes) Proposals(_ context.Context, scope graph.Scope, q duplicate.Query) (duplicate.Page, error) {
	f.ask("%s %s %s %v %v %s %d", scope.TeamID, scope.UserID, q.Kind, q.MinProbability, q.Refused, q.Cursor, q.Limit)
	return duplicate.Page{Proposals: []duplicate.Proposal{}}, f.err
}

func (f *fakes) Refuse(_ context.Context, scope graph.Scope, refuse, admit []duplicate.Pair) error {
	f.ask("%s %s %v %v", scope.TeamID, scope.UserID, refuse, admit)
	return f.err
}

func (f *fakes) ExportRefusals(context.Context, string, func(*duplicate.Line) error) error {
	return f.err
}

func (f *fakes) RestoreRefusals(context.Context, graph.Scope, []duplicate.Line, *graph.RestorePlan) (int64, []int, error) {
	return 0, nil, f.err
}

// fakeTrust is fakes as far as an export and an import ask it; no test here calls the rest.
type fakeTrust struct {
	*fakes
	uncalledTrust
}

type uncalledTrust struct{ trustStore }

func (f *fakes) ExportReviews(context.Context, string, func(*graph.ReviewLine) error) error {
	return f.err
}

func (f *fakes) ExportTrustRules(context.Context, string, func(*graph.TrustRuleLine) error) error {
	return f.err
}

func (f *fakes) CheckReview(*graph.ReviewLine, graph.Scope) []fault.FieldError { return nil }

func (f *fakes) CheckTrustRule(*graph.TrustRuleLine, graph.Scope) []fault.FieldError { return nil }

func (f *fakes) RestoreReviews(context.Context, graph.Scope, []graph.ReviewLine, bool) (int64, map[int]fault.FieldError, error) {
	return 0, nil, f.err
}

func (f *fakes) RestoreTrustRules(context.Context, graph.Scope, []graph.TrustRuleLine, bool) (int64, error) {
	return 0, f.err
}

func (f *fakes) Consolidate(_ context.Context, scope graph.Scope, c *consolidation.Consolidation) (consolidation.Result, error) {
	f.ask("%s %s %v %v", scope.TeamID, scope.UserID, c.EntityKeys, c.Strict)
	return consolidation.Result{Sources: []graph.NodeResult{}, Warnings: []string{}}, f.err
}

func (f *fakes) Preferences(context.Context, graph.Scope) ([]preference.Preference, error) {
	return []preference.Preference{}, f.err
}

func (f *fakes) PreferencesAt(_ context.Context, scope graph.Scope, at time.Time) ([]preference.Preference, error) {
	f.ask("preferences of %s at %s", scope.UserID, at.Format(time.DateOnly))
	return []preference.Preference{}, f.err
}

func (f *fakes) PreferenceVersions(_ context.Context, scope graph.Scope, key, cursor string, limit int) (preference.VersionPage, error) {
	f.ask("%d versions of %s of %s after %q", limit, key, scope.UserID, cursor)
	return preference.VersionPage{Versions: []preference.ValueVersion{{Key: key, Value: []byte("1")}}, Next: "next"}, f.err
}

func (f *fakes) SetPreferences(context.Context, graph.Scope, []preference.Preference) error {
	return f.err
}

func (f *fakes) ReplacePreferences(context.Context, graph.Scope, []preference.Preference) error {
	return f.err
}

func (f *fakes) SetPreference(_ context.Context, scope graph.Scope, p preference.Preference) error {
	f.ask("set %s to %s for %s", p.Key, p.Value, scope.UserID)
	return f.err
}

func (f *fakes) DeletePreference(_ context.Context, scope graph.Scope, key string) error {
	f.ask("delete %s of %s", key, scope.UserID)
	return f.err
}

func (f *fakes) Ontology(_ context.Context, r loader.OntologyRequest) (loader.Answer, error) {
	f.ask("ontology %s of %s %s %s, remembered %t", r.ContextType, r.ProjectID, r.FocusKind, r.FocusID, r.Remembered)
	return loader.Answer{Head: []byte(`{"type":"global"}`), ContentType: "application/json", ETag: `W/"1"`}, f.err
}

func (f *fakes) Prompt(_ context.Context, r loader.PromptRequest) (*loader.Prompt, error) {
	o := &r.Ontology
	f.ask("prompt of %s for %q, focus %s %s %s, remembered %t", o.ContextType, o.Scope.UserID, o.ProjectID, o.FocusKind, o.FocusID, o.Remembered)
	return &loader.Prompt{}, f.err
}

func (f *fakes) Linked(context.Context, loader.LinkedRequest) (loader.Answer, error) {
	return loader.Answer{Head: []byte(`{"source":{}}`), ContentType: "application/json", ETag: `W/"1"`}, f.err
}

func (f *fakes) Context(_ context.Context, r loader.Request, _ *loader.CurrentConversation) (loader.Answer, error) {
	f.sections = r.Sections
	return loader.Answer{Head: []byte(`{"a":1`), Tail: []byte("}"), ContentType: jsonType, ETag: `W/"1"`}, f.err
}

func (f *fakes) Why(_ context.Context, q loader.WhyRequest) (*loader.Why, error) {
	return &loader.Why{Key: q.Key, Kind: "concept", Spans: []loader.Span{}, Sections: []loader.WhySection{}}, f.err
}

func (f *fakes) Verify(context.Context, string) (auth.Principal, error) { return f.principal, f.verify }

func (f *fakes) Create(context.Context, auth.Spec) (string, string, error) {
	return "kith_x", "id", f.err
}
func (f *fakes) List(context.Context, string) ([]auth.APIKey, error) { return nil, f.err }
func (f *fakes) Revoke(context.Context, string, string) error        { return f.err }

func (f *fakes) Forget() { f.changed = append(f.changed, "keys") }

func (f *fakes) EraseUser(ctx context.Context, _ graph.Scope, last func(context.Context) error) (erasure.Receipt, error) {
	if deadline, ok := ctx.Deadline(); !ok || time.Until(deadline) < 30*time.Minute {
		return erasure.Receipt{}, errors.New("an erasure has the deadline of a request")
	}
	if f.err != nil {
		return erasure.Receipt{}, f.err
	}
	return erasure.Receipt{Nodes: 2, Preferences: 1}, last(ctx)
}

func (f *fakes) EraseTeam(ctx context.Context, _ string, last func(context.Context) error) (erasure.Receipt, error) {
	return erasure.Receipt{Nodes: 3}, last(ctx)
}

func newAPI(f *fakes) http.Handler {
	return New(servicesOf(f), Options{Build: Build{Version: "test", Commit: "abc", Date: "2026-11-22T10:00:00Z"}})
}

// noStatements is the store of a team without statements. Other calls than the export fail.
type noStatements struct{ statementStore }

func (noStatements) ExportStatements(context.Context, string, func(*statement.Line) error) error {
	return nil
}

func (noStatements) ExportPauses(context.Context, string, func(*statement.PauseLine) error) error {
	return nil
}

func servicesOf(f *fakes) Services {
	if f.principal.TeamID == "" {
		f.principal = auth.Principal{TeamID: "t", Scopes: auth.Scopes}
	}
	return Services{Memory: f, Nodes: f, Relationships: f, Sources: f, Consolidations: f, Duplicates: f, Trust: fakeTrust{fakes: f}, Users: f, Quotas: f, Systems: f, ChatStore: f, Transfers: f, Preferences: struct {
		*fakes
		*kept
	}{f, &f.kept}, Statements: noStatements{}, Erasure: f, Kept: &f.kept, Contexts: f, Explorer: explorerOf(f), Traverser: traverse.New(memory{f}, func(traverse.Mode, traverse.Outcome) {}), Chats: f, Keys: f, Recalls: f, Ready: func(context.Context) error { return f.err }}
}

func ask(h http.Handler, method, path, body string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, path, strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer x")
	if body != "" {
		request.Header.Set("Content-Type", jsonType)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, request)
	return w
}

// The contract changes only on purpose.
func TestContractGolden(t *testing.T) {
	t.Parallel()
	w := ask(newAPI(&fakes{}), http.MethodGet, "/openapi.json", "")
	var indented bytes.Buffer
	if err := json.Indent(&indented, w.Body.Bytes(), "", "  "); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/openapi.json", indented.String())
}

// Every error has one status and one body, whatever operation it comes from.
func TestErrorsGolden(t *testing.T) {
	t.Parallel()
	invalid := &fault.InvalidError{Fields: []fault.FieldError{{Path: fault.At("nodes").Index(3).Field("name"), Message: "must not be blank"}}}
	var all strings.Builder
	for _, c := range []struct {
		what string
		f    fakes
	}{
		{"invalid", fakes{err: invalid}},
		{"not found", fakes{err: fmt.Errorf("x: %w", fault.ErrNotFound)}},
		{"conflict", fakes{err: fmt.Errorf("append: the conversation has ended: %w", fault.ErrConflict)}},
		{"unavailable", fakes{err: fmt.Errorf("secret: %w", graph.ErrUnavailable)}},
		{"deadline", fakes{err: context.DeadlineExceeded}},
		{"unknown", fakes{err: errors.New("secret")}},
		{"panic", fakes{panics: true}},
		{"no key", fakes{verify: auth.ErrUnauthorized}},
		{"too many wrong keys", fakes{verify: auth.ErrAttempts}},
		{"key store away", fakes{verify: graph.ErrUnavailable}},
		{"read only", fakes{principal: auth.Principal{TeamID: "t", Scopes: []string{auth.Read}}}},
	} {
		w := ask(newAPI(&c.f), http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[]}`)
		fmt.Fprintf(&all, "%s: %d %s retry-after=%q\n%s\n", c.what, w.Code, w.Header().Get("Content-Type"), w.Header().Get("Retry-After"), strings.TrimSpace(w.Body.String()))
	}
	golden.Check(t, "testdata/errors.txt", all.String())
	if strings.Contains(all.String(), "secret") {
		t.Error("an inner error came out")
	}
}

// A list may be given in either form in which clients write one, and what is given empty is not taken for left out.
func TestQuery(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]struct {
		status   int
		location string
		sections []string
	}{
		"":                                    {status: http.StatusOK},
		"?sections=user,temporal":             {status: http.StatusOK, sections: []string{"user", "temporal"}},
		"?sections=user&sections=temporal":    {status: http.StatusOK, sections: []string{"user", "temporal"}},
		"?user_id=&max_tokens=100":            {status: http.StatusUnprocessableEntity, location: "query.user_id"},
		"?max_tokens=":                        {status: http.StatusUnprocessableEntity, location: "query.max_tokens"},
		"?format&user_id=u1":                  {status: http.StatusUnprocessableEntity, location: "query.format"},
		"?as_of=&user_id=u1&max_tokens=12345": {status: http.StatusUnprocessableEntity, location: "query.as_of"},
	} {
		f := &fakes{}
		w := ask(newAPI(f), http.MethodGet, "/v1/context"+query, "")
		if w.Code != want.status || !strings.Contains(w.Body.String(), want.location) || !slices.Equal(f.sections, want.sections) {
			t.Errorf("%q: %d %s, sections %v", query, w.Code, w.Body, f.sections)
		}
	}
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	api := newAPI(&fakes{})
	for given, kept := range map[string]bool{"abc-1": true, "": false, "has blank": false, "bad\x01": false, strings.Repeat("x", 200): false} {
		request := httptest.NewRequest(http.MethodGet, "/livez", nil)
		request.Header.Set(requestIDHeader, given)
		w := httptest.NewRecorder()
		api.ServeHTTP(w, request)
		if got := w.Header().Get(requestIDHeader); got == "" || (got == given) != kept {
			t.Errorf("given %q, answered %q", given, got)
		}
	}
}

func TestReadiness(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		h      http.Handler
		path   string
		status int
		says   string
	}{
		{newAPI(&fakes{}), "/readyz", 200, `{"ready":true,"version":"test","commit":"abc","date":"2026-11-22T10:00:00Z"}`},
		{newAPI(&fakes{err: graph.ErrUnavailable}), "/readyz", 503, `{"ready":false,"version":"test","commit":"abc","date":"2026-11-22T10:00:00Z"}`},
		{newAPI(&fakes{err: graph.ErrUnavailable}), "/livez", 200, "ok\n"},
		{Starting(Build{Version: "next"}), "/readyz", 503, `{"ready":false,"version":"next","commit":"","date":""}`},
		{Starting(Build{}), "/livez", 200, "ok\n"},
		{Starting(Build{}), "/v1/context", 503, ""},
	} {
		w := ask(c.h, http.MethodGet, c.path, "")
		if w.Code != c.status || (c.status == 503) != (w.Header().Get("Retry-After") != "") {
			t.Errorf("%s: %d, want %d; Retry-After %q", c.path, w.Code, c.status, w.Header().Get("Retry-After"))
		}
		if c.says != "" && w.Body.String() != c.says {
			t.Errorf("%s: %s, want %s", c.path, w.Body, c.says)
		}
	}
}

func TestMessagesArePaged(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/v1/conversations/c":                "null",
		"/v1/conversations/c?limit=2":        "2",
		"/v1/conversations/c?limit=2&from=2": "null",
	} {
		var answer struct{ Next json.RawMessage }
		w := ask(newAPI(&fakes{}), http.MethodGet, path, "")
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || string(answer.Next) != want {
			t.Errorf("%s: next %s, want %s (%v)", path, answer.Next, want, err)
		}
	}
}

// TestParticipantsReadNoMessages checks that a user who takes part in another user's source gets it without its messages.
func TestParticipantsReadNoMessages(t *testing.T) {
	t.Parallel()
	for owner, want := range map[string]int{"u1": 0, "u2": 3} {
		var answer struct{ Messages []graph.Message }
		f := &fakes{principal: auth.Principal{TeamID: "t", UserID: "u2", Scopes: auth.Scopes}, owner: &owner}
		w := ask(newAPI(f), http.MethodGet, "/v1/conversations/c", "")
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusOK || answer.Messages == nil || len(answer.Messages) != want {
			t.Errorf("of %s: %d, %d messages, want %d (%v)", owner, w.Code, len(answer.Messages), want, err)
		}
	}
}
