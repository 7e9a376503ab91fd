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

	"kith/graph"
)

// AgentContext is what an agent knows at the start of a conversation (S1-2). CurrentConversation is there when a
// conversation was opened, Focus when one was asked for, Meta, Degraded and Warnings when there is something to say.
type AgentContext struct {
	User                *User                     `json:"user,omitempty"`
	Relationships       []graph.OwnerRelationship `json:"relationships,omitempty" doc:"at most 10, the strongest first"`
	RecentContext       *RecentContext            `json:"recent_context,omitempty"`
	Focus               *graph.Focus              `json:"focus,omitempty"`
	Degraded            []graph.Section           `json:"degraded,omitempty" doc:"what could not be loaded and is missing"`
	Temporal            *Temporal                 `json:"temporal,omitempty"`
	CurrentConversation *CurrentConversation      `json:"current_conversation,omitempty"`
	Meta                *Meta                     `json:"meta,omitempty"`
	Warnings            []string                  `json:"warnings,omitempty"`
}

// User is who the user is (S1-3).
type User struct {
	UserID       string              `json:"user_id"`
	Owner        *graph.ContextNode  `json:"owner_person_node"`
	Preferences  []graph.Preference  `json:"preferences"`
	CoreBeliefs  []graph.ContextNode `json:"core_beliefs" doc:"at most 10"`
	PrimaryGoals []graph.ContextNode `json:"primary_goals" doc:"at most 5"`
}

// RecentContext is the last week (S1-11).
type RecentContext struct {
	Sources []graph.RecentSource `json:"sources" doc:"at most 20, the newest first"`
}

// Answer is a context as it is sent: Head and then Tail. Head is shared with other answers: do not change it.
type Answer struct {
	Head, Tail  []byte
	ContentType string
	ETag        string // weak: the same memory, told at the same hour
}

// Body is the answer as a whole.
func (a Answer) Body() []byte { return slices.Concat(a.Head, a.Tail) }

// Context loads a user's context, or takes it from the cache. current, if any, is put into the answer.
// Errors: graph.InvalidError, graph.ErrNotFound (the focus), graph.ErrUnavailable.
func (l *Loader) Context(ctx context.Context, r Request, current *CurrentConversation) (Answer, error) {
	if r.Format == "" {
		r.Format = JSON
	}
	if err := r.Validate(); err != nil {
		return Answer{}, err
	}
	said, err := "", error(nil)
	if current != nil && r.Format == Text {
		if said, r.reserved, err = current.text(r.MaxTokens); err != nil {
			return Answer{}, err
		}
	}
	kept, err := graph.AtCurrentKeys(ctx, l.store, r.Scope, []*string{&r.FocusID}, func() (kept, error) { return l.kept(ctx, r) })
	if err != nil {
		return Answer{}, err
	}
	answer, err := l.finish(r, kept, current)
	answer.Tail = append(answer.Tail, said...)
	return answer, err
}

// kept is what does not depend on the moment of the answer.
func (l *Loader) kept(ctx context.Context, r Request) (kept, error) {
	raw, err := l.cache.Get(ctx, r.Scope.TeamID, r.Scope.UserID, r.view(), func(ctx context.Context) ([]byte, bool, error) {
		return l.make(ctx, r)
	})
	if err != nil {
		return kept{}, err
	}
	k, err := decodeKept(raw)
	if err != nil {
		return kept{}, fmt.Errorf("context: %w", err)
	}
	return k, nil
}

// make loads and renders what does not depend on the moment of the answer.
func (l *Loader) make(ctx context.Context, r Request) (raw []byte, keep bool, err error) {
	q := graph.SectionQuery{Now: l.options.Now(), AsOf: r.AsOf, FocusKey: r.FocusID, ConversationID: r.ConversationID}
	q.FocusKind, _ = graph.KindOf(r.FocusKind)
	found, degraded, err := l.load(ctx, r.Scope, r.sections(), q)
	if err != nil {
		return nil, false, err
	}
	if r.FocusID != "" && found.Focus == nil {
		return nil, false, fmt.Errorf("focus: %w", graph.ErrNotFound)
	}
	k := kept{
		Zone: zonePreference(found.Preferences), Temporal: slices.Contains(r.parts(), temporalPart), Nothing: nothingKnown(r, found, degraded),
	}
	if last := found.LastConversation; last != nil {
		k.HasLast, k.LastStarted = true, last.StartedAt
		if last.ContextType != nil {
			k.LastType = *last.ContextType
		}
	}
	if r.Format == JSON {
		k.Body, err = renderJSON(r, found, degraded)
	} else {
		k.Body, err = renderText(r, found, degraded, k.closing(r, r.moment(q.Now)))
	}
	if err != nil {
		return nil, false, fmt.Errorf("context: %w", err)
	}
	k.Sum = sum(k.Body)
	return k.encode(), len(degraded) == 0, nil
}

// renderJSON writes the object without its closing brace: the parts of the moment follow.
func renderJSON(r Request, found *graph.Sections, degraded []graph.Section) ([]byte, error) {
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
				UserID: r.Scope.UserID, Owner: found.Owner, Preferences: notNil(found.Preferences),
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
	if left := notShown(r, found); len(left) > 0 {
		put("meta", Meta{left})
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

// notNil makes an empty list [] and not null.
func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// finish adds what belongs to the moment: time, the conversation just opened, warnings.
func (l *Loader) finish(r Request, k kept, current *CurrentConversation) (Answer, error) {
	now := r.moment(l.options.Now())
	place, warnings := k.place(r.TimeZone)
	if k.Nothing {
		warnings = append(warnings, NothingKnown)
	}
	t := k.temporal(now, place)
	answer := Answer{Head: k.Body, ETag: k.etag(t, now), ContentType: "application/json"}
	if r.Format == Text {
		answer.ContentType = "text/markdown; charset=utf-8"
		answer.Tail = []byte(k.closing(r, now))
		return answer, nil
	}
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
	answer.Tail = tail.close()
	return answer, tail.err
}

// tail are the last fields of an object.
type tail struct {
	bytes []byte
	first bool // no field stands before
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

// sum is what tells two bodies apart in an ETag.
func sum(body []byte) string {
	s := sha256.Sum256(body)
	return hex.EncodeToString(s[:12])
}

func zonePreference(preferences []graph.Preference) string {
	for _, p := range preferences {
		if p.Key == graph.TimeZonePreference {
			var name string
			if json.Unmarshal(p.Value, &name) != nil {
				return string(p.Value) // not a text: an unknown zone, and told so
			}
			return name
		}
	}
	return ""
}
