package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"kith/graph"
)

// importer writes sessions into the memories of their speakers.
type importer struct {
	api    *apiClient
	only   string // the only speaker whose memory is written; empty: all
	now    time.Time
	report func(line int, message string)
	users  []*importUser // in the order of their first session
	byID   map[string]*importUser
	names  map[[2]string]string // conversation and name in lower case → name
	totals importTotals
}

func newImporter(api *apiClient, only string, now time.Time, report func(line int, message string)) *importer {
	return &importer{
		api: api, only: only, now: now, report: report,
		byID: map[string]*importUser{}, names: map[[2]string]string{},
	}
}

// write stores a session in the memory of each of its speakers. It skips a session with a fault.
func (i *importer) write(ctx context.Context, s *importSession) error {
	if !s.faulty {
		s.spread()
		s.faulty = !i.check(s)
	}
	if s.faulty {
		i.totals.leftOut++
		return nil
	}
	speakers := i.wanted(s)
	for _, speaker := range speakers {
		if err := i.writeFor(ctx, s, speaker); err != nil {
			return err
		}
	}
	if len(speakers) > 0 {
		i.totals.sessions++
		i.totals.messages += len(s.turns)
	}
	return nil
}

// selectedSpeakers returns the speakers of a session whose memories are written.
func (i *importer) wanted(s *importSession) []string {
	speakers := s.speakers()
	switch {
	case i.only == "":
		return speakers
	case slices.Contains(speakers, i.only):
		return []string{i.only}
	}
	return nil
}

func (i *importer) check(s *importSession) bool {
	for _, speaker := range s.speakers() {
		at := [2]string{s.conversation, strings.ToLower(strings.Join(strings.Fields(speaker), " "))}
		if other, ok := i.names[at]; ok && other != speaker {
			i.report(s.line, "two speakers have names that differ only in case or white space")
			return false
		}
		i.names[at] = speaker
	}
	for _, speaker := range i.wanted(s) {
		if !s.check(speaker, personsOf(s, speaker), i.now, i.report) {
			return false
		}
	}
	return true
}

// writeFor stores a session in one speaker's memory.
func (i *importer) writeFor(ctx context.Context, s *importSession, speaker string) error {
	user := i.user(s, speaker)
	if user.meet(s) { // otherwise all persons are stored already
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

// count adds messages, and reports whether any is new.
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

// writeRelationships stores the relationships of each user to the others, when all sessions are known.
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
			return fmt.Errorf("write relationships: %w", err)
		}
	}
	return nil
}
