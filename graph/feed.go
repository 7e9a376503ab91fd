package graph

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"kith/graph/pack"
)

// Op names what a change did to a record.
type Op string

// The operations of changes.
const (
	CreatedOp  Op = "created"
	UpdatedOp  Op = "updated"
	DeletedOp  Op = "deleted"
	RestoredOp Op = "restored"
)

// Names of the records in the feed of changes that are not nodes.
const (
	RelationshipRecord       = "relationship"
	SystemRecord             = "system"
	SystemRelationshipRecord = "system_relationship"
	StatementRecord          = "statement"
	PreferenceRecord         = "preference"
)

// PlaceRecord is the kind of former places of entities and relationships in their systems.
const PlaceRecord = "place"

// FeedItem is one change of a commit. Version is 0 for records without versions. A relationship has a type and its ends.
type FeedItem struct {
	Op        Op
	Kind, Key string
	Version   int64

	Type, From, To string
}

func (i FeedItem) text() string {
	fields := []string{string(i.Op), i.Kind, i.Key, strconv.FormatInt(i.Version, 10)}
	if i.Type != "" {
		fields = append(fields, i.Type, i.From, i.To)
	}
	return strings.Join(fields, KeySeparator)
}

// itemFrom reads a stored item.
func itemFrom(text string) FeedItem {
	fields := append(strings.Split(text, KeySeparator), make([]string, 7)...)
	version, _ := strconv.ParseInt(fields[3], 10, 64)
	return FeedItem{Op: Op(fields[0]), Kind: fields[1], Key: fields[2], Version: version, Type: fields[4], From: fields[5], To: fields[6]}
}

const (
	commitItems = 500 // of a stored commit at most
	plainItems  = 200 // bytes of the items of a commit that is not compressed
)

// feed collects what a transaction changes, in order for each user.
type feed struct{ items map[string][]FeedItem }

// record adds a change of a user's memory; user is empty for shared memory. A record that the transaction created stays created
// when it changes again, and one that is taken back is dropped.
func (f *feed) record(user string, item FeedItem) {
	if f.items == nil {
		f.items = map[string][]FeedItem{}
	}
	f.items[user] = append(f.items[user], item)
}

// drop takes back the change of a relationship.
func (f *feed) drop(key string) {
	for user, items := range f.items {
		for i := range items {
			if items[i].Kind == RelationshipRecord && items[i].Key == key {
				f.items[user] = append(items[:i:i], items[i+1:]...)
				return
			}
		}
	}
}

// rows returns the commits that team_commit stores.
func (f *feed) rows() (rows []map[string]any, err error) {
	for _, user := range slices.Sorted(maps.Keys(f.items)) {
		sortChanges(f.items[user])
		for items := f.items[user]; len(items) > 0; {
			n := min(len(items), commitItems)
			texts := make([]string, n)
			for i := range texts {
				texts[i] = items[i].text()
			}
			row := map[string]any{"items": texts, "packed": nil, "user_id": nil}
			if text := strings.Join(texts, "\n"); len(text) > plainItems {
				row["items"] = nil
				if row["packed"], err = pack.Pack([]byte(text)); err != nil {
					return nil, err
				}
			}
			if user != "" {
				row["user_id"] = user
			}
			rows, items = append(rows, row), items[n:]
		}
	}
	return rows, nil
}

// sortChanges sorts what was updated, deleted or restored together. The rest of what a write touches is found in the order of the store, which
// depends on what other users keep there: the feed must not show it. What was created stays in the order in which it was written.
func sortChanges(items []FeedItem) {
	for len(items) > 0 {
		n := slices.IndexFunc(items, func(i FeedItem) bool { return i.Op != items[0].Op })
		if n < 0 {
			n = len(items)
		}
		if items[0].Op != CreatedOp {
			slices.SortStableFunc(items[:n], func(a, b FeedItem) int {
				return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.From, b.From), cmp.Compare(a.Type, b.Type), cmp.Compare(a.To, b.To), cmp.Compare(a.Key, b.Key))
			})
		}
		items = items[n:]
	}
}

// FeedItems reads the items of a stored commit, which may be compressed.
func FeedItems(texts []string, packed []byte) ([]FeedItem, error) {
	if len(packed) > 0 {
		raw, err := pack.Unpack(packed)
		if err != nil {
			return nil, err
		}
		texts = strings.Split(string(raw), "\n")
	}
	items := make([]FeedItem, len(texts))
	for i, text := range texts {
		items[i] = itemFrom(text)
	}
	return items, nil
}

// Record adds a change to the feed of the transaction's team, for a write that its statement does not describe.
func (t *Tx) Record(user string, item FeedItem) { t.feed.record(user, item) }

// RecordChanges adds changes that were committed without the feed to the feed of a team.
func (s *Store) RecordChanges(ctx context.Context, teamID string, record func(*Tx)) error {
	return s.Transaction(ctx, "feed_record", func(t *Tx) error {
		t.Changes(nil)
		record(t)
		return t.commit(teamID)
	})
}
