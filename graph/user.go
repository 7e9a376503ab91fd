package graph

import (
	"context"
	"slices"
	"strings"
	"time"
)

// User is a user of a team: how much the user has of its own, and when that last changed or was recalled.
type User struct {
	UserID         string     `json:"user_id"`
	Nodes          int64      `json:"nodes" doc:"private nodes of all kinds, without messages"`
	Conversations  int64      `json:"conversations"`
	Messages       int64      `json:"messages" doc:"in all sources"`
	Chats          int64      `json:"chats" doc:"chat trees"`
	LastActivityAt *time.Time `json:"last_activity_at" doc:"the latest write to or recall of the user's nodes and chats; null: the user has preferences alone"`
	Partial        bool       `json:"partial,omitempty" doc:"the counts are lower bounds: the user has more than 10,000 nodes of one kind"`
}

// UserPage is a page of users, and the cursor of the next one; empty after the last.
type UserPage struct {
	Users []User
	Next  string
}

const (
	userCursor  = "user" + keySeparator
	mostCounted = 10_000 // nodes of each kind
)

// Users lists users of a team by id, in the order of Unicode code points: those with nodes, chats or preferences in this
// database. InvalidError for a cursor that no page had.
func (s *Store) Users(ctx context.Context, teamID, cursor string, limit int) (UserPage, error) {
	after, err := decodeCursor(cursor)
	if err != nil {
		return UserPage{}, err
	}
	after, ok := strings.CutPrefix(after, userCursor)
	if cursor != "" && (!ok || after == "") {
		return UserPage{}, badCursor()
	}
	ids, err := s.userIDs(ctx, teamID, after, limit+1)
	if err != nil || len(ids) == 0 {
		return UserPage{Users: []User{}}, err
	}
	page := UserPage{}
	if len(ids) > limit {
		ids = ids[:limit]
		page.Next = encodeCursor(userCursor + ids[limit-1])
	}
	page.Users, err = s.countUsers(ctx, teamID, ids)
	return page, err
}

// userIDs returns the next ids. Each is found by its own look into the indexes, however much the users have.
func (s *Store) userIDs(ctx context.Context, teamID, after string, limit int) (ids []string, err error) {
	for len(ids) < limit {
		lists := kindLists(func(k Kind) (string, string) { return prefixEnd(listPrefix(k, after)), k.Name + " " })
		row, err := s.readOne(ctx, "user_next", map[string]any{"team_id": teamID, "after_user": after, "lists": lists})
		if err != nil {
			return nil, err
		}
		found := texts(row.Values[0])
		if len(found) == 0 {
			break
		}
		after = slices.Min(found)
		ids = append(ids, after)
	}
	return ids, nil
}

// kindLists are stretches of natural keys, one of each kind that callers write.
func kindLists(stretch func(Kind) (after, end string)) (lists []map[string]any) {
	for _, k := range Kinds {
		if k != messageKind && k.group != storyGroup {
			after, end := stretch(k)
			lists = append(lists, map[string]any{"after": after, "end": end})
		}
	}
	return lists
}

func (s *Store) countUsers(ctx context.Context, teamID string, ids []string) ([]User, error) {
	users := make([]map[string]any, len(ids))
	for i, id := range ids {
		users[i] = map[string]any{"id": id, "lists": kindLists(func(k Kind) (string, string) {
			prefix := listPrefix(k, id)
			return prefix, prefixEnd(prefix)
		})}
	}
	rows, err := s.read(ctx, s.queries["user_counts"], map[string]any{"team_id": teamID, "users": users, "most": mostCounted})
	if err != nil {
		return nil, err
	}
	counted := make([]User, len(rows))
	for i, row := range rows {
		v := row.Values
		counted[i] = User{
			UserID: text(v[0]), Nodes: integer(v[1]), Conversations: integer(v[2]), Messages: integer(v[3]), Chats: integer(v[4]),
			LastActivityAt: latestOf(optionalMoment(v[5]), optionalMoment(v[6]), optionalMillis(v[7])), Partial: truth(v[8]),
		}
	}
	slices.SortFunc(counted, func(a, b User) int { return strings.Compare(a.UserID, b.UserID) })
	return counted, nil
}

// latestOf is the latest of some times; nil where there are none.
func latestOf(times ...*time.Time) (last *time.Time) {
	for _, t := range times {
		if t != nil && (last == nil || t.After(*last)) {
			last = t
		}
	}
	return last
}
