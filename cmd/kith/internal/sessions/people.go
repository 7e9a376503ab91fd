package sessions

import (
	"fmt"
	"slices"
	"time"

	"kith/graph"
)

// speakerUser is a user of the import, with the people in the sessions written so far.
type speakerUser struct {
	id, name string
	others   []*acquaintance
}

type acquaintance struct {
	name        string
	sessions    int
	first, last time.Time
}

// personsWrite returns the request that writes the persons of a session to a speaker's memory.
func personsWrite(s *session, speaker string) *graph.MemoryWrite {
	user := speakerUserID(s.conversation, speaker)
	w := &graph.MemoryWrite{UserID: user, Strict: true}
	for _, name := range s.speakers() {
		w.Nodes = append(w.Nodes, graph.NodeWrite{
			Kind: "person", EntityKey: personKey(user, name), Name: graph.Some(name), State: graph.Some("active"),
			IsOwner: graph.Some(name == speaker),
		})
	}
	return w
}

// addSession counts a session with others, and reports whether it has persons that are not stored yet.
func (u *speakerUser) addSession(s *session) (news bool) {
	from, to := s.timeRange()
	news = len(u.others) == 0 // the person of the user
	for _, name := range s.speakers() {
		if name == u.name {
			continue
		}
		at := slices.IndexFunc(u.others, func(a *acquaintance) bool { return a.name == name })
		if at < 0 {
			at, news = len(u.others), true
			u.others = append(u.others, &acquaintance{name: name, first: from, last: to})
		}
		a := u.others[at]
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

// String describes how often and when the two talked.
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
