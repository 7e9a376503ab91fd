package sessions

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	client "kith/clients/go"
	"kith/graph"
)

// importer writes sessions into the memories of their speakers.
type importer struct {
	api         *client.Client
	onlySpeaker string // the only speaker whose memory is written; empty: all
	now         time.Time
	report      func(line int, message string)
	users       []*speakerUser // in the order of their first session
	byID        map[string]*speakerUser
	names       map[[2]string]string // conversation and name in lower case → name
	totals      Totals
}

func newImporter(api *client.Client, only string, now time.Time, report func(line int, message string)) *importer {
	return &importer{
		api: api, onlySpeaker: only, now: now, report: report,
		byID: map[string]*speakerUser{}, names: map[[2]string]string{},
	}
}

// write stores a session in the memory of each of its speakers. It skips a session with a fault.
func (i *importer) write(ctx context.Context, s *session) error {
	if !s.faulty {
		s.spreadTimes()
		s.faulty = !i.check(s)
	}
	if s.faulty {
		i.totals.Skipped++
		return nil
	}
	speakers := i.selectedSpeakers(s)
	for _, speaker := range speakers {
		if err := i.writeFor(ctx, s, speaker); err != nil {
			return err
		}
	}
	if len(speakers) > 0 {
		i.totals.Sessions++
		i.totals.Messages += len(s.turns)
	}
	return nil
}

// selectedSpeakers returns the speakers of a session whose memories are written.
func (i *importer) selectedSpeakers(s *session) []string {
	speakers := s.speakers()
	switch {
	case i.onlySpeaker == "":
		return speakers
	case slices.Contains(speakers, i.onlySpeaker):
		return []string{i.onlySpeaker}
	}
	return nil
}

func (i *importer) check(s *session) bool {
	for _, speaker := range s.speakers() {
		at := [2]string{s.conversation, strings.ToLower(strings.Join(strings.Fields(speaker), " "))}
		if other, ok := i.names[at]; ok && other != speaker {
			i.report(s.line, "two speakers have names that differ only in case or white space")
			return false
		}
		i.names[at] = speaker
	}
	for _, speaker := range i.selectedSpeakers(s) {
		if !s.check(speaker, personsWrite(s, speaker), i.now, i.report) {
			return false
		}
	}
	return true
}

// writeFor stores a session in one speaker's memory.
func (i *importer) writeFor(ctx context.Context, s *session, speaker string) error {
	user := i.user(s, speaker)
	if user.addSession(s) { // otherwise all persons are stored already
		if err := i.api.Call(ctx, http.MethodPost, "/v1/memory", personsWrite(s, speaker), nil); err != nil {
			return err
		}
	}
	created, changed := false, false
	for _, chunk := range s.sourceWrites(speaker) {
		var result graph.SourceResult
		if err := i.api.Call(ctx, http.MethodPost, "/v1/sources", &chunk, &result); err != nil {
			return err
		}
		created = created || result.Status == graph.Created
		changed = i.totals.Stored.count(result.Messages) || changed || result.Status != graph.Unchanged
	}
	i.totals.Sources.add(created, changed)
	return nil
}

// count adds messages, and reports whether any is new.
func (c *Counts) count(messages []graph.MessageResult) (anyNew bool) {
	for _, m := range messages {
		isNew := m.Status == graph.Created
		c.add(isNew, isNew)
		anyNew = anyNew || isNew
	}
	return anyNew
}

func (c *Counts) add(created, changed bool) {
	switch {
	case created:
		c.Created++
	case changed:
		c.Updated++
	default:
		c.Unchanged++
	}
}

func (i *importer) user(s *session, speaker string) *speakerUser {
	id := speakerUserID(s.conversation, speaker)
	user := i.byID[id]
	if user == nil {
		user = &speakerUser{id: id, name: speaker}
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
		if err := i.api.Call(ctx, http.MethodPost, "/v1/memory", w, nil); err != nil {
			return fmt.Errorf("write relationships: %w", err)
		}
	}
	return nil
}
