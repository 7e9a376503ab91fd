package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"kith/graph"
)

// importer writes sessions into the memories of their speakers.
type importer struct {
	api    *apiClient
	only   string // the one speaker whose memory is written; empty: everybody's
	now    time.Time
	report func(line int, message string)
	users  []*importUser // in the order of their first session
	byID   map[string]*importUser
	names  map[[2]string]string // conversation and name in lower case → name
	totals importTotals
}

// importUser is a user of the import, with the people of the sessions written so far.
type importUser struct {
	id, name string
	others   []*acquaintance
}

type acquaintance struct {
	name        string
	sessions    int
	first, last time.Time
}

func newImporter(api *apiClient, only string, now time.Time, report func(line int, message string)) *importer {
	return &importer{
		api: api, only: only, now: now, report: report,
		byID: map[string]*importUser{}, names: map[[2]string]string{},
	}
}

// write stores a session in the memory of each of its speakers, or, if it has a fault, in none.
func (i *importer) write(ctx context.Context, s *importSession) error {
	if !s.faulty {
		s.spread()
		s.faulty = !i.check(s)
	}
	if s.faulty {
		i.totals.leftOut++
		return nil
	}
	for _, speaker := range s.speakers() {
		if i.only != "" && i.only != speaker {
			continue
		}
		if err := i.writeFor(ctx, s, speaker); err != nil {
			return err
		}
	}
	i.totals.sessions++
	i.totals.messages += len(s.turns)
	return nil
}

func (i *importer) check(s *importSession) bool {
	for _, speaker := range s.speakers() {
		at := [2]string{s.conversation, strings.ToLower(strings.Join(strings.Fields(speaker), " "))}
		if other, ok := i.names[at]; ok && other != speaker {
			i.report(s.line, "the session has a speaker whose name differs from another's only in capitals or blanks")
			return false
		}
		i.names[at] = speaker
	}
	for _, speaker := range s.speakers() {
		if (i.only == "" || i.only == speaker) && !s.check(speaker, personsOf(s, speaker), i.now, i.report) {
			return false
		}
	}
	return true
}

// personsOf are a user's own person and the others of a session.
func personsOf(s *importSession, speaker string) *graph.MemoryWrite {
	user := userOf(s.conversation, speaker)
	w := &graph.MemoryWrite{UserID: user, Strict: true}
	for _, name := range s.speakers() {
		w.Nodes = append(w.Nodes, graph.NodeWrite{
			Kind: "person", EntityKey: personKey(user, name), Name: graph.Some(name), State: graph.Some("active"),
			IsOwner: graph.Some(name == speaker),
		})
	}
	return w
}

// writeFor stores a session in one speaker's memory.
func (i *importer) writeFor(ctx context.Context, s *importSession, speaker string) error {
	user := i.user(s, speaker)
	if user.meet(s) { // else all persons are stored
		if err := i.api.call(ctx, http.MethodPost, "/v1/memory", personsOf(s, speaker), nil); err != nil {
			return err
		}
	}
	fresh, changed := false, false
	for _, chunk := range s.sources(speaker) {
		var result graph.SourceResult
		if err := i.api.call(ctx, http.MethodPost, "/v1/sources", &chunk, &result); err != nil {
			return err
		}
		fresh = fresh || result.Status == graph.Created
		changed = i.totals.stored.count(result.Messages) || changed || result.Status != graph.Unchanged
	}
	i.totals.sources.add(fresh, changed)
	return nil
}

// count adds messages, and says whether any is new.
func (c *outcomeCounts) count(messages []graph.MessageResult) (anyNew bool) {
	for _, m := range messages {
		isNew := m.Status == graph.Created
		c.add(isNew, isNew)
		anyNew = anyNew || isNew
	}
	return anyNew
}

func (c *outcomeCounts) add(fresh, changed bool) {
	switch {
	case fresh:
		c.created++
	case changed:
		c.updated++
	default:
		c.unchanged++
	}
}

func (i *importer) user(s *importSession, speaker string) *importUser {
	id := userOf(s.conversation, speaker)
	user := i.byID[id]
	if user == nil {
		user = &importUser{id: id, name: speaker}
		i.byID[id], i.users = user, append(i.users, user)
	}
	return user
}

// meet counts a session with others, and says whether the memory has to be told of persons.
func (u *importUser) meet(s *importSession) (news bool) {
	from, to := s.span()
	news = len(u.others) == 0 // the user's own person
	for _, name := range s.speakers() {
		if name == u.name {
			continue
		}
		a := u.acquaintance(name)
		if a == nil {
			a = &acquaintance{name: name, first: from, last: to}
			u.others, news = append(u.others, a), true
		}
		a.sessions++
		if from.Before(a.first) {
			a.first = from
		}
		if to.After(a.last) {
			a.last = to
		}
	}
	return news
}

func (u *importUser) acquaintance(name string) *acquaintance {
	for _, a := range u.others {
		if a.name == name {
			return a
		}
	}
	return nil
}

// writeRelationships stores, once all sessions are known, how each user knows the others.
func (i *importer) writeRelationships(ctx context.Context) error {
	for _, user := range i.users {
		w := &graph.MemoryWrite{UserID: user.id, Strict: true}
		for _, a := range user.others {
			w.Relationships = append(w.Relationships, graph.RelationshipWrite{
				From: personKey(user.id, user.name), To: personKey(user.id, a.name), Type: "has_relationship_with",
				Description: graph.Some(a.String()), State: graph.Some("active"), ValidFrom: graph.Some(a.first),
			})
		}
		if len(w.Relationships) == 0 {
			continue
		}
		if err := i.api.call(ctx, http.MethodPost, "/v1/memory", w, nil); err != nil {
			return fmt.Errorf("the relationships of a user: %w", err)
		}
	}
	return nil
}

// String says how often and when the two talked.
func (a *acquaintance) String() string {
	first, last := a.first.Format(time.DateOnly), a.last.Format(time.DateOnly)
	switch {
	case a.sessions == 1:
		return "talked in 1 session on " + first
	case first == last:
		return fmt.Sprintf("talked in %d sessions on %s", a.sessions, first)
	}
	return fmt.Sprintf("talked in %d sessions from %s to %s", a.sessions, first, last)
}
