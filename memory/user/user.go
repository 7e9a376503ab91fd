package user

import (
	"context"
	"slices"
	"strings"
	"time"

	"kith/graph"
	"kith/graph/cursors"
	"kith/graph/neo"
)

// User is a user of a team, with the amount of private data and the time of the last change or recall.
type User struct {
	UserID         string     `json:"user_id"`
	Nodes          int64      `json:"nodes" doc:"private nodes of all kinds, without messages"`
	Conversations  int64      `json:"conversations"`
	Messages       int64      `json:"messages" doc:"in all sources"`
	Chats          int64      `json:"chats" doc:"chat trees"`
	LastActivityAt *time.Time `json:"last_activity_at" doc:"last write to or recall of the user's nodes and chats; null: the user has only preferences"`
	Partial        bool       `json:"partial,omitempty" doc:"the counts are lower bounds: the user has more than 10,000 nodes of one kind"`
}

// Page is a page of users and the cursor of the next one; empty after the last.
type Page struct {
	Users []User
	Next  string
}

const (
	userCursor  = "user" + graph.KeySeparator
	mostCounted = 10_000 // nodes of each kind
)

var (
	findNextUsers = neo.Load[[]string]("user_next")
	countUsers    = neo.Load[userCounts]("user_counts")
)

// userCounts is the amount of a user's data and the times of its last changes.
type userCounts struct {
	UserID                                string
	Nodes, Conversations, Messages, Chats int64
	ChangedAt, RecalledAt                 *time.Time
	ChattedAt                             *time.Time `neo:"chatted_at_ms"`
	Partial                               bool
}

// Users returns users of a team by id, in the order of Unicode code points: those with nodes, chats or preferences in
// this database. Error: InvalidError for an invalid cursor.
func (s *Store) Users(ctx context.Context, teamID, cursor string, limit int) (Page, error) {
	after, err := cursors.Decode(cursor)
	if err != nil {
		return Page{}, err
	}
	after, ok := strings.CutPrefix(after, userCursor)
	if cursor != "" && (!ok || after == "") {
		return Page{}, cursors.Invalid()
	}
	ids, err := s.userIDs(ctx, teamID, after+lowest, limit+1)
	if err != nil || len(ids) == 0 {
		return Page{Users: []User{}}, err
	}
	page := Page{}
	if len(ids) > limit {
		ids = ids[:limit]
		page.Next = cursors.Encode(userCursor + ids[limit-1])
	}
	page.Users, err = s.countUsers(ctx, teamID, ids)
	return page, err
}

// UserIDs returns the first ids of users of a team with a prefix, in order.
func (s *Store) UserIDs(ctx context.Context, teamID, beginning string, limit int) ([]string, error) {
	ids, err := s.userIDs(ctx, teamID, max(beginning, lowest), limit)
	if end := slices.IndexFunc(ids, func(id string) bool { return !strings.HasPrefix(id, beginning) }); end >= 0 {
		ids = ids[:end]
	}
	return ids, err
}

// lowest is the lowest character of an id: an id followed by it is the next possible id.
const lowest = " "

// userIDs returns the next ids from one on. Each id is found by its own index lookup, however much data the users
// have.
func (s *Store) userIDs(ctx context.Context, teamID, from string, limit int) (ids []string, err error) {
	for len(ids) < limit {
		lists := kindLists(func(k graph.Kind) (string, string) { return k.Name + graph.KeySeparator + from, k.Name + lowest })
		found, err := findNextUsers.ReadOne(ctx, s.db, map[string]any{"team_id": teamID, "from_user": from, "lists": lists})
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			break
		}
		first := slices.Min(found)
		ids, from = append(ids, first), first+lowest
	}
	return ids, nil
}

// kindLists returns ranges of natural keys, one for each kind that callers write.
func kindLists(stretch func(graph.Kind) (after, end string)) (lists []map[string]any) {
	for _, name := range graph.WritableKinds() {
		if k, _ := graph.KindOf(name); k != graph.MessageKind {
			after, end := stretch(k)
			lists = append(lists, map[string]any{"after": after, "end": end})
		}
	}
	return lists
}

func (s *Store) countUsers(ctx context.Context, teamID string, ids []string) ([]User, error) {
	users := make([]map[string]any, len(ids))
	for i, id := range ids {
		users[i] = map[string]any{"id": id, "lists": kindLists(func(k graph.Kind) (string, string) {
			prefix := graph.ListPrefix(k, id)
			return prefix, graph.PrefixEnd(prefix)
		})}
	}
	rows, err := countUsers.Read(ctx, s.db, map[string]any{"team_id": teamID, "users": users, "most": mostCounted})
	if err != nil {
		return nil, err
	}
	counted := make([]User, len(rows))
	for i, row := range rows {
		counted[i] = User{
			UserID: row.UserID, Nodes: row.Nodes, Conversations: row.Conversations, Messages: row.Messages, Chats: row.Chats,
			LastActivityAt: latestOf(row.ChangedAt, row.RecalledAt, row.ChattedAt), Partial: row.Partial,
		}
	}
	slices.SortFunc(counted, func(a, b User) int { return strings.Compare(a.UserID, b.UserID) })
	return counted, nil
}

// latestOf returns the latest of some times; nil if there are none.
func latestOf(times ...*time.Time) (last *time.Time) {
	for _, t := range times {
		if t != nil && (last == nil || t.After(*last)) {
			last = t
		}
	}
	return last
}
