package loader

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"kith/graph"
	"kith/internal/cache"
	"kith/internal/fault"
	"kith/memory/preference"
	"kith/memory/replay"
	"kith/memory/statement"
)

// AgentContext is the context of an agent at the start of a conversation. Optional parts are omitted if empty.
type AgentContext struct {
	User                *User                `json:"user,omitempty"`
	Relationships       []OwnerRelationship  `json:"relationships,omitempty" doc:"at most 10, the strongest first"`
	RecentContext       *RecentContext       `json:"recent_context,omitempty"`
	Focus               *Focus               `json:"focus,omitempty"`
	Degraded            []Section            `json:"degraded,omitempty" doc:"what could not be loaded and is missing"`
	Temporal            *Temporal            `json:"temporal,omitempty"`
	CurrentConversation *CurrentConversation `json:"current_conversation,omitempty"`
	Meta                *Meta                `json:"meta,omitempty"`
	Warnings            []string             `json:"warnings,omitempty"`
	Receipt             *Receipt             `json:"receipt,omitempty" doc:"only with explain; with format=text nothing else"`
}

// User describes the user.
type User struct {
	UserID       string                  `json:"user_id"`
	Owner        *ContextNode            `json:"owner_person_node"`
	Preferences  []preference.Preference `json:"preferences"`
	Statements   []statement.Statement   `json:"statements" doc:"what the user said: at most 50 standing instructions and preferences, then at most 60 facts and plans"`
	CoreBeliefs  []ContextNode           `json:"core_beliefs" doc:"at most 10"`
	PrimaryGoals []ContextNode           `json:"primary_goals" doc:"at most 5"`
}

// RecentContext holds the sources of the last week.
type RecentContext struct {
	Sources []RecentSource `json:"sources" doc:"at most 20, the newest first"`
}

// Answer is a rendered context: Head followed by Tail. Head is shared with other answers and must not be changed.
type Answer struct {
	Head, Tail  []byte
	ContentType string
	ETag        string // weak: same memory, same hour

	At     time.Time // the moment of a context that can be asked for again; zero: it is not kept
	Replay Replay    // how a context of the past was answered; empty: of the present
}

// Body returns the whole answer.
func (a Answer) Body() []byte { return slices.Concat(a.Head, a.Tail) }

// Context loads a user's context, or takes it from the cache. current, if any, is put into the answer.
// Errors: fault.InvalidError, fault.ErrNotFound (the focus), graph.ErrUnavailable.
func (l *Loader) Context(ctx context.Context, r Request, current *CurrentConversation) (Answer, error) {
	if r.Format == "" {
		r.Format = JSON
	}
	if err := r.validateAt(l.options.Now()); err != nil {
		return Answer{}, err
	}
	said, err := "", error(nil)
	if current != nil && (r.Format == Text || r.Explain) {
		if said, r.reserved, err = current.text(r.MaxTokens); err != nil {
			return Answer{}, err
		}
	}
	if r.Explain {
		return graph.AtCurrentKeys(ctx, l.store, r.Scope, []*string{&r.FocusID}, func() (Answer, error) { return l.explain(ctx, &r, current, said) })
	}
	if r.AsOf != nil {
		return l.past(ctx, &r)
	}
	asked := r.view()
	kept, raw, err := l.loadCached(ctx, &r, asked)
	if err != nil {
		return Answer{}, err
	}
	at, recorded := l.options.Replays.Served(r.Scope, asked, replay.Entry{Sum: kept.Whole, Raw: raw, Made: kept.Made})
	if !recorded {
		at = l.options.Now()
	}
	answer, err := l.finish(r, kept, at, current)
	answer.Tail = append(answer.Tail, said...)
	if recorded {
		answer.At = at
	}
	return answer, err
}

// UserText returns the context of the scope's user as text for a prompt.
func (l *Loader) UserText(ctx context.Context, scope graph.Scope, maxTokens int) (string, error) {
	answer, err := l.Context(ctx, Request{Scope: scope, Format: Text, MaxTokens: maxTokens}, nil)
	return string(answer.Body()), err
}

// loadCached returns the part of a context that does not depend on the time of the answer, from the cache if it is
// there, and its bytes there. It finds the focus by its current key too.
func (l *Loader) loadCached(ctx context.Context, r *Request, view string) (k cachedContext, raw []byte, err error) {
	asked := r.FocusID
	raw, err = graph.AtCurrentKeys(ctx, l.store, r.Scope, []*string{&r.FocusID}, func() ([]byte, error) {
		if r.FocusID != asked {
			view = r.view()
		}
		return l.cache.Get(ctx, r.Scope.TeamID, r.Scope.UserID, view, func(ctx context.Context) ([]byte, bool, error) {
			return l.make(ctx, r)
		})
	})
	if err != nil {
		return cachedContext{}, nil, err
	}
	if k, err = decodeCached(raw); err != nil {
		return cachedContext{}, nil, fmt.Errorf("context: %w", err)
	}
	return k, raw, nil
}

// reading has what was read for a context.
type reading struct {
	cachedContext // without its body

	query    SectionQuery
	now      time.Time
	found    *Sections
	degraded []Section
	left     []NotShown
	count    func(text string) (int, error) // tokens
}

// read loads the sections of a context.
func (l *Loader) read(ctx context.Context, r *Request) (*reading, error) {
	now, begun := l.options.Now(), time.Now()
	q := SectionQuery{Now: now, AsOf: r.AsOf, FocusKey: r.FocusID, ConversationID: r.ConversationID}
	q.FocusKind, _ = graph.KindOf(r.FocusKind)
	found, degraded, err := l.load(ctx, r.Scope, withBorder(r.sections()), q)
	if err != nil {
		return nil, err
	}
	if r.FocusID != "" && found.Focus == nil {
		return nil, fmt.Errorf("focus: %w", fault.ErrNotFound)
	}
	place, _ := cachedContext{Zone: zonePreference(found.Preferences)}.place("")
	found.Statements = statement.Current(found.Statements, r.moment(now), place)
	read := &reading{
		count: l.counts.Of(r.Scope.TeamID + "\x00" + r.Scope.UserID), query: q, now: r.moment(now), found: found, degraded: degraded, left: notShown(r, found),
	}
	read.Zone, read.Temporal = zonePreference(found.Preferences), slices.Contains(r.parts(), temporalPart)
	read.Made, read.Erased = begun, r.erased
	read.Nothing = len(read.left) == 0 && nothingKnown(r, found, degraded)
	if last := found.LastConversation; last != nil {
		read.HasLast, read.LastStarted = true, last.StartedAt
		if last.ContextType != nil {
			read.LastType = *last.ContextType
		}
	}
	return read, nil
}

// text returns the text of the context without its closing part.
func (read *reading) text(r *Request) *textContext {
	t := textOf(r, read.found, read.now, read.count)
	t.notes = textNotes(r, read.left, read.Nothing, read.degraded)
	return t
}

// fit returns which lines of the text are cut to keep the budget.
func (read *reading) fit(r *Request, t *textContext) (fitted, error) {
	if r.MaxTokens == 0 {
		return fitted{}, nil
	}
	reserved, err := r.reserve(read.closing(r, read.now))
	if err != nil {
		return fitted{}, err
	}
	return t.fitBudget(r.MaxTokens - reserved)
}

// make loads and renders the part of a context that does not depend on the time of the answer.
func (l *Loader) make(ctx context.Context, r *Request) (raw []byte, keep bool, err error) {
	read, err := l.read(ctx, r)
	if err != nil {
		return nil, false, err
	}
	if read.Body, err = read.body(r); err != nil {
		return nil, false, fmt.Errorf("context: %w", err)
	}
	read.Sum = sum(read.Body)
	read.Whole = read.whole()
	if !read.found.Border.IsZero() {
		cache.Until(ctx, read.found.Border)
	}
	return read.encode(), len(read.degraded) == 0, nil
}

// body renders the part of a context that does not depend on the time of the answer.
func (read *reading) body(r *Request) ([]byte, error) {
	if r.Format == JSON {
		return renderJSON(r, read.found, read.degraded, read.left)
	}
	t := read.text(r)
	f, err := read.fit(r, t)
	if err != nil {
		return nil, err
	}
	return []byte(t.render(f.order[:f.cut], nil)), nil
}

// renderJSON writes the object without its closing brace: the parts of the moment follow.
func renderJSON(r *Request, found *Sections, degraded []Section, left []NotShown) ([]byte, error) {
	object := map[string]any{}
	order := []string{}
	put := func(name string, value any) {
		object[name] = value
		order = append(order, name)
	}
	for _, part := range r.parts() {
		switch part {
		case userPart:
			put(part, User{
				UserID: r.Scope.UserID, Owner: found.Owner, Preferences: notNil(found.Preferences), Statements: notNil(found.Statements),
				CoreBeliefs: notNil(found.CoreBeliefs), PrimaryGoals: notNil(found.PrimaryGoals),
			})
		case relationshipsPart:
			put(part, notNil(found.Relationships))
		case recentPart:
			put(part, RecentContext{Sources: notNil(found.Sources)})
		}
	}
	if found.Focus != nil {
		put("focus", found.Focus)
	}
	if len(left) > 0 || r.AsOf != nil {
		put("meta", Meta{NotShown: notNil(left), Compacted: r.AsOf != nil})
	}
	if len(degraded) > 0 {
		put("degraded", degraded)
	}
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	for i, name := range order {
		body.WriteString(string("{,"[min(i, 1)]) + strconv.Quote(name) + ":")
		if err := encoder.Encode(object[name]); err != nil {
			return nil, err
		}
		body.Truncate(body.Len() - 1) // the encoder's newline
	}
	if len(order) == 0 {
		body.WriteByte('{')
	}
	return body.Bytes(), nil
}

// notNil returns an empty list for nil, which is written as [] and not as null.
func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// finish adds what depends on the time of the answer: the time, the conversation just opened, warnings.
func (l *Loader) finish(r Request, k cachedContext, now time.Time, current *CurrentConversation) (Answer, error) {
	if r.Format == Text {
		place, _ := k.place(r.TimeZone)
		return Answer{Head: k.Body, Tail: []byte(k.closing(&r, now)), ETag: k.etag(k.temporal(now, place), now), ContentType: "text/markdown; charset=utf-8"}, nil
	}
	return k.object(&r, now, current, nil)
}

// object returns the answer as an object: what depends on the time of the answer follows the body.
func (k cachedContext) object(r *Request, now time.Time, current *CurrentConversation, receipt *Receipt) (Answer, error) {
	place, warnings := k.place(r.TimeZone)
	if k.Nothing {
		warnings = append(warnings, NothingKnown)
	}
	if k.Erased {
		warnings = append(warnings, erasedWarning)
	}
	t := k.temporal(now, place)
	answer := Answer{Head: k.Body, ETag: k.etag(t, now), ContentType: "application/json"}
	tail := &tail{first: k.Body[len(k.Body)-1] == '{'}
	if k.Temporal {
		tail.add(temporalPart, t.MarshalJSON)
	}
	if current != nil {
		tail.add("current_conversation", func() ([]byte, error) { return json.Marshal(current) })
	}
	if len(warnings) > 0 {
		tail.add("warnings", func() ([]byte, error) { return json.Marshal(warnings) })
	}
	if receipt != nil {
		tail.add("receipt", func() ([]byte, error) { return json.Marshal(receipt) })
	}
	answer.Tail = tail.close()
	return answer, tail.err
}

// tail collects the last fields of an object.
type tail struct {
	bytes []byte
	first bool // no field was written before
	err   error
}

func (t *tail) add(name string, marshal func() ([]byte, error)) {
	raw, err := marshal()
	if err != nil && t.err == nil {
		t.err = err
	}
	if !t.first {
		t.bytes = append(t.bytes, ',')
	}
	t.first = false
	t.bytes = append(append(append(t.bytes, '"'), name...), '"', ':')
	t.bytes = append(t.bytes, raw...)
}

// close ends the object.
func (t *tail) close() []byte { return append(t.bytes, '}') }

// sum returns a hash of a body for its ETag.
func sum(body []byte) string {
	s := sha256.Sum256(body)
	return hex.EncodeToString(s[:12])
}

func zonePreference(preferences []preference.Preference) string {
	for _, p := range preferences {
		if p.Key == preference.TimeZone {
			return PlainValue(p.Value) // what is not a string is reported as an unknown zone
		}
	}
	return ""
}
