package handlers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/fault"
	"kith/loader"
	"kith/loader/ontology"
	"kith/memory/consolidation"
	"kith/memory/duplicate"
	"kith/memory/erasure"
	"kith/memory/feed"
	"kith/memory/preference"
	"kith/memory/user"
)

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

func (f *fakes) ExportSomeNodes(context.Context, string, []string, func(*graph.NodeWrite) error) error {
	return f.err
}

func (f *fakes) ExportSomeRelationships(context.Context, string, []graph.ExportLink, func(*graph.RelationshipWrite) error) error {
	return f.err
}

func (f *fakes) ExportSomeVersions(context.Context, string, []string, func(*graph.VersionLine) error) error {
	return f.err
}

func (f *fakes) ExportLinks(context.Context, string, []string, int) ([]graph.ExportLink, error) {
	return nil, f.err
}

// noChanges is a feed without changes, as far as an export asks it.
type noChanges struct{ changeFeed }

func (noChanges) Start(context.Context, string, string) (feed.Position, error) {
	return feed.Position{Seq: 1}, nil
}

func (noChanges) Read(_ context.Context, _ graph.Scope, r feed.Range, _ feed.Filter, _ int) (feed.Batch, error) {
	return feed.Batch{Next: r.From}, nil
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

func (f *fakes) Ontology(_ context.Context, r ontology.Request) (loader.Answer, error) {
	f.ask("ontology %s of %s %s %s, remembered %t", r.ContextType, r.ProjectID, r.FocusKind, r.FocusID, r.Remembered)
	return loader.Answer{Head: []byte(`{"type":"global"}`), ContentType: "application/json", ETag: `W/"1"`}, f.err
}

func (f *fakes) Prompt(_ context.Context, r ontology.PromptRequest) (*ontology.Prompt, error) {
	o := &r.Ontology
	f.ask("prompt of %s for %q, focus %s %s %s, remembered %t", o.ContextType, o.Scope.UserID, o.ProjectID, o.FocusKind, o.FocusID, o.Remembered)
	return &ontology.Prompt{}, f.err
}

func (f *fakes) Linked(context.Context, ontology.LinkedRequest) (loader.Answer, error) {
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

func (f *fakes) EraseUser(ctx context.Context, _ graph.Scope, beside erasure.Beside) (erasure.Receipt, error) {
	if deadline, ok := ctx.Deadline(); !ok || time.Until(deadline) < 30*time.Minute {
		return erasure.Receipt{}, errors.New("an erasure has the deadline of a request")
	}
	if f.err != nil {
		return erasure.Receipt{}, f.err
	}
	return eraseBeside(ctx, erasure.Receipt{Nodes: 2, Preferences: 1}, beside)
}

func (f *fakes) EraseTeam(ctx context.Context, _ string, beside erasure.Beside) (erasure.Receipt, error) {
	return eraseBeside(ctx, erasure.Receipt{Nodes: 3}, beside)
}

// eraseBeside erases what is not the memory's, as the store of erasures does.
func eraseBeside(ctx context.Context, r erasure.Receipt, beside erasure.Beside) (erasure.Receipt, error) {
	erased, err := beside.Preferences(ctx)
	r.Preferences += erased
	if err == nil {
		err = beside.Last(ctx)
	}
	return r, err
}
