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
)

// AgentContext is what an agent knows at the start of a conversation (S1-2). CurrentConversation is there when a
// conversation was opened, Focus when one was asked for, Degraded and Warnings when there is something to say.
type AgentContext struct {
	User                *User                     `json:"user,omitempty"`
	Relationships       []graph.OwnerRelationship `json:"relationships" doc:"at most 10, the strongest first"`
	RecentContext       *RecentContext            `json:"recent_context,omitempty"`
	Focus               *graph.Focus              `json:"focus,omitempty"`
	Degraded            []graph.Section           `json:"degraded,omitempty" doc:"what could not be loaded and is missing"`
	Temporal            *Temporal                 `json:"temporal,omitempty"`
	CurrentConversation *CurrentConversation      `json:"current_conversation,omitempty"`
	Warnings            []string                  `json:"warnings,omitempty"`
}

// User is who the user is (S1-3).
type User struct {
	UserID       string             `json:"user_id"`
	Owner        *graph.Node        `json:"owner_person_node"`
	Preferences  []graph.Preference `json:"preferences"`
	CoreBeliefs  []graph.Node       `json:"core_beliefs" doc:"at most 10"`
	PrimaryGoals []graph.Node       `json:"primary_goals" doc:"at most 5"`
}

// RecentContext is the last week (S1-11).
type RecentContext struct {
	Sources []graph.RecentSource `json:"sources" doc:"at most 20, the newest first"`
}

// CurrentConversation is the one just opened; it is never read from the graph (S1-14).
type CurrentConversation struct {
	ConversationID string          `json:"conversation_id"`
	Messages       []graph.Message `json:"messages"`
	StartedAt      time.Time       `json:"started_at"`
}

// Answer is a context as it is sent.
type Answer struct {
	Body        []byte
	ContentType string
	ETag        string // weak: the same memory, told at the same hour
}

// Context loads a user's context, or takes it from the cache. current, if any, is put into the answer.
// Errors: graph.InvalidError, graph.ErrNotFound (the focus), graph.ErrUnavailable.
func (l *Loader) Context(ctx context.Context, r Request, current *CurrentConversation) (Answer, error) {
	if r.Format == "" {
		r.Format = JSON
	}
	if err := r.Validate(); err != nil {
		return Answer{}, err
	}
	raw, err := l.cache.Get(ctx, r.Scope.TeamID, r.Scope.UserID, r.view(), func(ctx context.Context) ([]byte, bool, error) {
		return l.make(ctx, r)
	})
	if err != nil {
		return Answer{}, err
	}
	kept, err := decodeKept(raw)
	if err != nil {
		return Answer{}, fmt.Errorf("context: %w", err)
	}
	return l.finish(r, kept, current)
}

// make loads and renders what does not depend on the moment of the answer.
func (l *Loader) make(ctx context.Context, r Request) (raw []byte, keep bool, err error) {
	q := graph.SectionQuery{Now: l.options.Now(), FocusKey: r.FocusID}
	q.FocusKind, _ = graph.KindOf(r.FocusKind)
	found, degraded, err := l.load(ctx, r.Scope, r.sections(), q)
	if err != nil {
		return nil, false, err
	}
	if r.FocusID != "" && found.Focus == nil {
		return nil, false, fmt.Errorf("focus: %w", graph.ErrNotFound)
	}
	k := kept{Zone: zonePreference(found.Preferences), Temporal: slices.Contains(r.parts(), temporalPart)}
	if last := found.LastConversation; last != nil {
		k.HasLast, k.LastStarted = true, last.StartedAt
		if last.ContextType != nil {
			k.LastType = *last.ContextType
		}
	}
	if r.Format == Text {
		k.Body, err = renderText(r, found, degraded, k.closing(r, q.Now))
	} else {
		k.Body, err = renderJSON(r, found, degraded)
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
	now := l.options.Now()
	place, warnings := k.place(r.TimeZone)
	t := k.temporal(now, place)
	answer := Answer{ETag: k.etag(t, place, now), ContentType: "application/json"}
	if r.Format == Text {
		answer.ContentType = "text/markdown; charset=utf-8"
		answer.Body = append(bytes.Clone(k.Body), k.closing(r, now)...)
		return answer, nil
	}
	body := make([]byte, 0, len(k.Body)+512)
	body = append(body, k.Body...)
	var err error
	if k.Temporal {
		body, err = appendField(body, temporalPart, t)
	}
	if err == nil && current != nil {
		body, err = appendField(body, "current_conversation", current)
	}
	if err == nil && len(warnings) > 0 {
		body, err = appendField(body, "warnings", warnings)
	}
	answer.Body = append(body, '}')
	return answer, err
}

func appendField(body []byte, name string, value any) ([]byte, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	if body[len(body)-1] != '{' {
		body = append(body, ',')
	}
	body = append(append(append(body, '"'), name...), '"', ':')
	return append(body, raw...), nil
}

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
