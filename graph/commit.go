package graph

import (
	"context"
	"slices"

	"kith/graph/neo"
)

// Change describes what a transaction has changed, or may have: when the answer to a commit is lost, nobody knows.
type Change struct {
	Team  string
	Users []string // whose memory it is; the empty string stands for the memory that the team shares
	IDs   []string // keys of changed records, for an audit log; incomplete for large writes
	// Contexts reports whether the contexts of the users may differ now.
	Contexts bool
	Feed     bool // the feed of the team has it
}

var (
	commitTeam   = neo.Load[chargedQuota]("team_commit")
	trimVersions = neo.Load[neo.None]("former_trim")
)

// commit deletes the versions that are too many, and adds what a transaction has stored to the usage of its team, and what it has
// changed to the team's feed. It is the last step of the transaction: writers of the same team in all processes wait for each other
// from here on. It returns ErrQuota if the quota is exceeded.
func (t *Tx) commit(team string) error {
	if len(t.trimmed) > 0 {
		if err := trimVersions.Run(t, map[string]any{"team_id": team, "keys": t.trimmed, "kept": keptVersions}); err != nil {
			return err
		}
	}
	all := t.added.plus(t.former)
	rows, err := t.feed.rows()
	if err != nil {
		return err
	}
	t.feed = feed{}
	t.change.Feed = t.change.Feed || len(rows) > 0
	if len(rows) == 0 && all == (amount{}) {
		return t.storeBorders(team)
	}
	var usage []map[string]any
	if all != (amount{}) {
		usage = append(usage, all.row())
	}
	charged, err := t.end(team, usage, rows)
	if err == nil {
		err = t.storeBorders(team)
	}
	if err == nil {
		err = t.checkRings(team)
	}
	if err != nil || usage == nil {
		return err
	}
	return t.check(charged)
}

// end runs team_commit.
func (t *Tx) end(team string, usage, rows []map[string]any) (chargedQuota, error) {
	written := any(nil)
	if text := t.writer.Text(); text != "" {
		written = text
	}
	return commitTeam.ExecOne(t, map[string]any{
		"team_id": team, "usage": usage, "rows": rows, "at": t.store.Now().UnixMilli(), "written": written,
	})
}

// contextFree names the transactions that no context shows. Any other transaction that does not report its users, see
// Tx.Changes, counts as a change of all memory of its team, so that a new one cannot leave old contexts behind.
var contextFree = map[string]bool{ //nolint:gochecknoglobals // a constant table
	"api_key_create": true, "api_key_revoke": true, "api_key_touch": true,
	"chat_tree_create": true, "chat_tree_change": true, "chat_tree_delete": true, "chat_turn_create": true, "chat_turn_change": true,
	"chat_turn_answer": true, "chat_turn_delete": true, "chat_lease_renew": true, "import_chats": true,
	"embedding_save": true, "embedding_pause": true, "embedding_begin": true, "embedding_renew": true,
	"lease_take": true, "lease_end": true, "log_fill": true,
	"quota_empty": true, "quota_set": true, "quota_stale": true, "search_renew": true, "name_renew": true, "rank_renew": true, "hub_set": true, "hub_mark": true,
	"import_forget": true, "schema_version_set": true, "story_put_off": true, "system_write": true,
}

// Changes reports whose contexts the transaction may change, and the keys of what it changes. Without users it changes no
// context.
func (t *Tx) Changes(users []string, ids ...string) {
	t.reported = true
	t.change.Contexts = t.change.Contexts || len(users) > 0
	t.Notes(users, ids...)
}

// Notes adds users and keys to the report of the transaction that no context shows.
func (t *Tx) Notes(users []string, ids ...string) {
	t.change.Users, t.change.IDs = append(t.change.Users, users...), append(t.change.IDs, ids...)
}

// done returns the change of a transaction whose work is done.
func (t *Tx) done(name string) Change {
	c := t.change
	c.Team = t.Team()
	if !t.reported && !contextFree[name] && c.Team != "" {
		c.Users, c.Contexts = append(c.Users, ""), true
	}
	return c
}

// with returns both changes together.
func (c Change) with(other Change) Change {
	return Change{
		Team: max(c.Team, other.Team), Users: Distinct(slices.Concat(c.Users, other.Users)),
		IDs: slices.Concat(c.IDs, other.IDs), Contexts: c.Contexts || other.Contexts,
		Feed: c.Feed || other.Feed,
	}
}

// report calls the listener after a commit that happened or may have happened.
func (s *Store) report(ctx context.Context, c Change) {
	if c.Team != "" && (c.Feed || len(c.Users)+len(c.IDs) > 0) {
		s.options.Changed(ctx, c)
	}
}
