package graph

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"kith/graph/neo"
	"kith/graph/searchscope"
	"kith/graph/trust"
	"kith/internal/fault"
)

var (
	countWithdrawal  = neo.Load[withdrawalCount]("withdrawal_count")
	findWithdrawn    = neo.Load[withdrawnFacts]("withdrawal_facts")
	addWithdrawal    = neo.Load[neo.None]("withdrawal_add")
	lastWithdrawal   = neo.Load[withdrawalPart]("withdrawal_last")
	leaveWithdrawal  = neo.Load[neo.None]("withdrawal_left")
	deleteWithdrawal = neo.Load[neo.None]("withdrawal_delete")
)

const (
	// withdrawnAtOnce is the most nodes, and the most relationships, of one transaction of a withdrawal.
	withdrawnAtOnce = 1000
	// withdrawnCounted is the most nodes, and the most relationships, that a report counts.
	withdrawnCounted = 200_000
)

// Withdrawal reports what goes, or has gone, with a source that was found to be bad.
type Withdrawal struct {
	Source               string   `json:"source"`
	Messages             int64    `json:"messages" doc:"of the source, which is deleted"`
	Nodes                int64    `json:"nodes" doc:"that rest on the source alone: deleted; counted up to 200,000"`
	Relationships        int64    `json:"relationships" doc:"that rest on the source alone: deleted; counted up to 200,000"`
	LoweredNodes         int64    `json:"lowered_nodes" doc:"that rest on others too: their trust is what the others tell"`
	LoweredRelationships int64    `json:"lowered_relationships"`
	Names                []string `json:"names" doc:"of at most 20 of the deleted nodes"`
	Kept                 int64    `json:"kept,omitempty" doc:"of an undo: what could not be restored, as its name or key is in use again, it was purged, or it has other texts since"`

	RestorableUntil *time.Time `json:"restorable_until,omitempty" doc:"until when it can be undone"`
}

// withdrawalCount is the row of withdrawal_count.
type withdrawalCount struct {
	Nodes, Relationships, LoweredNodes, LoweredRelationships, Messages int64
	Names                                                              []string
}

// withdrawnFacts is the row of withdrawal_facts.
type withdrawnFacts struct {
	Nodes         []withdrawnNode
	Relationships []withdrawnRelationship
}

// withdrawnNode is a node in the order of withdrawal_facts, with its user; empty if it is shared.
type withdrawnNode struct{ Key, UserID string }

// ofOne returns the facts of one user: of the first fact, relationships before nodes. Without facts it returns the owner of the source.
func (f *withdrawnFacts) ofOne(owner string) (userID string, nodes []string, relationships []withdrawnRelationship) {
	userID = owner
	switch {
	case len(f.Relationships) > 0:
		userID = f.Relationships[0].userID()
	case len(f.Nodes) > 0:
		userID = f.Nodes[0].UserID
	}
	for _, n := range f.Nodes {
		if n.UserID == userID {
			nodes = append(nodes, n.Key)
		}
	}
	for _, r := range f.Relationships {
		if r.userID() == userID {
			relationships = append(relationships, r)
		}
	}
	return userID, nodes, relationships
}

// withdrawnRelationship is a relationship in the order of withdrawal_facts.
type withdrawnRelationship struct {
	Key, From, Type, To string
	Properties          Properties
}

func (r *withdrawnRelationship) userID() string { return r.Properties.Text("user_id") }

// withdrawalPart lists what one transaction has withdrawn of a user, or of what is shared: kinds and keys of nodes, keys of relationships, and facts with less trust as
// JSON.
type withdrawalPart struct {
	Part                          int64
	UserID                        *string
	Nodes, Relationships, Lowered []string
}

// lowered is a fact that lost evidence.
type lowered struct {
	Key          string   `json:"key"`
	Relationship bool     `json:"relationship,omitempty"`
	Evidence     []string `json:"evidence"`
	Texts        string   `json:"texts,omitempty"` // the hash of its texts, for which the evidence counts
}

// textsHash returns a hash of the texts of a fact.
func (p Properties) textsHash() string {
	texts := []any{p["name"]}
	for _, name := range factTexts {
		texts = append(texts, p[name])
	}
	raw, _ := json.Marshal(texts) //nolint:errchkjson // texts always encode
	hash := sha256.Sum256(raw)
	return hex.EncodeToString(hash[:])
}

// lost returns the evidence that a fact lost, if it still has the texts for which it counts.
func (l lowered) lost(p Properties) ([]string, bool) {
	return l.Evidence, l.Texts == "" || l.Texts == p.textsHash()
}

// withdrawalQuery returns the query that finds what rests on a source.
func withdrawalQuery(teamID, key string) string {
	return "+search_scope:" + searchscope.Source(teamID, key)
}

// WithdrawalReport returns what would go with a source. It returns ErrNotFound for an unknown source, and an InvalidError for one that
// the team shares if the scope is of a user.
func (s *Store) WithdrawalReport(ctx context.Context, scope Scope, key string) (Withdrawal, error) {
	source, err := s.Source(ctx, scope, key)
	if err != nil {
		return Withdrawal{}, err
	}
	if err := mayWithdraw(scope, source.UserID); err != nil {
		return Withdrawal{}, err
	}
	return s.withdrawalReport(ctx, scope, &source)
}

// mayWithdraw refuses that somebody who acts for a user withdraws a source of another one, which participants may read, or a shared
// one: facts of other users may rest on it.
func mayWithdraw(scope Scope, owner *string) error {
	switch {
	case scope.UserID == "":
		return nil
	case owner == nil:
		return fault.Invalid(fault.At("user_id"), fault.Contrary, "must not be given, and the key must not be bound to a user: the team shares the source, and facts of others may rest on it")
	case *owner != scope.UserID:
		return fmt.Errorf("source: %w", fault.ErrNotFound)
	}
	return nil
}

func (s *Store) withdrawalReport(ctx context.Context, scope Scope, source *Source) (Withdrawal, error) {
	n, err := countWithdrawal.ReadOne(ctx, s.db, map[string]any{
		"team_id": scope.TeamID, "user_id": source.UserID, "source_key": source.EntityKey, "query": withdrawalQuery(scope.TeamID, source.EntityKey), "limit": withdrawnCounted,
	})
	if n.Names == nil {
		n.Names = []string{}
	}
	return Withdrawal{
		Source: source.EntityKey, Messages: n.Messages, Nodes: n.Nodes, Relationships: n.Relationships,
		LoweredNodes: n.LoweredNodes, LoweredRelationships: n.LoweredRelationships, Names: n.Names,
	}, err
}

// Withdraw deletes a source that was found to be bad, and what rests on it alone; what rests on others too loses its share. Up to a
// thousand nodes and relationships go in one transaction. Of more, each thousand does, and of a shared source those of each user:
// nothing new can rest on the source from the first one on, and another call continues what was interrupted. It can be undone as long as
// deleted nodes are kept. It returns the errors of WithdrawalReport.
func (s *Store) Withdraw(ctx context.Context, scope Scope, key string) (Withdrawal, error) {
	report, err := s.WithdrawalReport(ctx, scope, key)
	if err != nil {
		return Withdrawal{}, err
	}
	until := s.Now().Add(s.options.KeepDeleted)
	report.RestorableUntil = &until
	for done := false; !done; {
		err := s.Transaction(ctx, "source_withdraw", func(t *Tx) (err error) {
			done, err = t.withdraw(scope, key)
			return err
		})
		if err != nil {
			return Withdrawal{}, err
		}
	}
	return report, nil
}

// withdraw withdraws the next facts of a source, and the source itself after the last. It reports whether it did.
func (t *Tx) withdraw(scope Scope, key string) (done bool, err error) {
	source, err := t.lock(scope, SourceKind, key)
	if err != nil {
		return false, err
	}
	owner := Scope{TeamID: scope.TeamID, UserID: source.user()}
	now := t.store.Now()
	facts, err := findWithdrawn.ExecOne(t, map[string]any{
		"team_id": scope.TeamID, "user_id": owner.User(), "source_key": source.key(), "query": withdrawalQuery(scope.TeamID, source.key()), "limit": withdrawnAtOnce,
	})
	if err != nil {
		return false, err
	}
	userID, nodes, relationships := facts.ofOne(owner.UserID)
	whose := Scope{TeamID: scope.TeamID, UserID: userID}
	t.Changes([]string{owner.UserID, whose.UserID}, source.key())
	part := withdrawalPart{Nodes: []string{}, Relationships: []string{}, Lowered: []string{}}
	all, err := t.withdrawRelationships(whose, source.key(), relationships, &part)
	if err != nil {
		return false, err
	}
	// A deleted node hides its relationships: these go first.
	if len(relationships) == len(facts.Relationships) && len(relationships) < withdrawnAtOnce {
		allNodes, err := t.withdrawNodes(whose, source.key(), nodes, &part)
		if err != nil {
			return false, err
		}
		done = all && allNodes && len(nodes) == len(facts.Nodes) && len(nodes) < withdrawnAtOnce
	}
	if !done && len(part.Nodes)+len(part.Relationships)+len(part.Lowered) == 0 {
		return false, neo.ErrRace // others have changed all that was listed
	}
	last, err := lastWithdrawal.Exec(t, map[string]any{"team_id": scope.TeamID, "source_key": source.key()})
	if err != nil {
		return false, err
	}
	next := int64(1)
	if len(last) > 0 {
		next = last[0].Part + 1
	}
	if err := addWithdrawal.Run(t, map[string]any{
		"team_id": scope.TeamID, "user_id": whose.User(), "source_key": source.key(), "part": next, "nodes": part.Nodes,
		"relationships": part.Relationships, "lowered": part.Lowered, "now": now,
	}); err != nil {
		return false, err
	}
	marked := []map[string]any{source.row(Properties{"withdrawn_at": now, "version": source.version() + 1, "updated_at": now})}
	if err := t.writeRows(updateNodes, scope.TeamID, marked); err != nil || !done {
		return false, err
	}
	_, err = t.deleteNodes(owner, now, source)
	return true, err
}

// withdrawNodes reports whether it found all of the nodes. One that was merged since they were listed is another one now.
func (t *Tx) withdrawNodes(scope Scope, source string, keys []string, part *withdrawalPart) (all bool, err error) {
	found, err := t.find(scope.TeamID, lookups{entityKeys: keys})
	if err != nil {
		return false, err
	}
	all = true
	var (
		rows []map[string]any
		bad  []*stored
	)
	for _, key := range keys {
		n := found.byKey[key]
		if n == nil || n.key() != key {
			all = false
			continue
		}
		left, gone := n.withoutSource(source)
		if len(gone) == 0 {
			continue
		}
		if len(left) == 0 {
			bad = append(bad, n)
			part.Nodes = append(part.Nodes, n.kind.Name+"/"+key)
			continue
		}
		rows = append(rows, t.reweighed(scope.TeamID, n, left, mostWithout(n.Properties, gone)))
		part.lower(lowered{Key: key, Evidence: trust.Texts(gone), Texts: n.textsHash()})
	}
	if _, err := t.deleteNodes(scope, t.store.Now(), bad...); err != nil {
		return false, err
	}
	return all, t.writeRows(updateNodes, scope.TeamID, rows)
}

// mostWithout returns the most trust that a fact has without some of its evidence: it does not rise, and is quoted if a text of it has
// nobody left who tells it.
func mostWithout(p Properties, gone []trust.Evidence) float64 {
	if slices.ContainsFunc(gone, func(e trust.Evidence) bool { return len(e.Parts) > 0 }) {
		return min(TrustIn(p), trust.Quoted)
	}
	return TrustIn(p)
}

// reweighed returns the row that sets what a node rests on, with at most a trust.
func (t *Tx) reweighed(teamID string, n *stored, evidence []trust.Evidence, most float64) map[string]any {
	next := &stored{n.kind, n.clone()}
	next.putEvidence(evidence)
	next.Properties["trust"] = min(TrustIn(next.Properties), most)
	next.putSearchScope(teamID)
	return n.row(t.reweighedTo(n.Properties, next.Properties))
}

// reweighedTo returns what changes of a fact whose evidence is another.
func (t *Tx) reweighedTo(old, next Properties) Properties {
	changed := old.changesTo(next)
	changed["version"], changed["updated_at"] = version(old)+1, t.store.Now()
	return changed
}

func (p *withdrawalPart) lower(l lowered) {
	text, _ := json.Marshal(l) //nolint:errchkjson // texts always encode
	p.Lowered = append(p.Lowered, string(text))
}

// withdrawRelationships reports whether it found all of the relationships, as withdrawNodes does.
func (t *Tx) withdrawRelationships(scope Scope, source string, listed []withdrawnRelationship, part *withdrawalPart) (all bool, err error) {
	if len(listed) == 0 {
		return true, nil
	}
	relationships, ends, _, err := t.lockEnds(scope.TeamID, listed)
	if err != nil {
		return false, err
	}
	var rows, bad []map[string]any
	withKey := map[string]*withdrawnRelationship{}
	for i := range relationships {
		r := &relationships[i]
		left, gone := r.Properties.withoutSource(source)
		if len(gone) == 0 {
			continue
		}
		if len(left) > 0 {
			rows = append(rows, t.reweighedRelationship(scope, r, left, mostWithout(r.Properties, gone)))
			part.lower(lowered{Key: r.Key, Relationship: true, Evidence: trust.Texts(gone), Texts: r.Properties.textsHash()})
			continue
		}
		withKey[r.Key] = r
		bad = append(bad, map[string]any{"from": r.From, "to": r.To, "key": r.Key})
	}
	deleted, err := deleteRelationship.Exec(t, map[string]any{"team_id": scope.TeamID, "rows": bad, "now": t.store.Now(), "user_id": scope.User()})
	if err != nil {
		return false, err
	}
	var mentions []map[string]any
	for _, key := range deleted {
		r := withKey[key]
		part.Relationships = append(part.Relationships, key)
		if r.Type == mentionsType {
			mentions = append(mentions, endedMention(r.To, r.Properties))
		}
		t.Record(r.Properties.Text("user_id"), relationshipChange(DeletedOp, key, r.Type, r.From, r.To, r.Properties))
	}
	if err := t.recountMentions(scope.TeamID, nil, mentions); err != nil {
		return false, err
	}
	if err := t.settle(scope.TeamID, ends); err != nil {
		return false, err
	}
	return len(relationships) == len(listed), t.writeRows(updateRelationships, scope.TeamID, rows)
}

// reweighedRelationship returns the row that sets what a relationship rests on, with at most a trust.
func (t *Tx) reweighedRelationship(scope Scope, r *withdrawnRelationship, evidence []trust.Evidence, most float64) map[string]any {
	next := r.Properties.clone()
	next.putEvidence(evidence)
	next["trust"] = min(TrustIn(next), most)
	next.putRelationshipScope(scope.TeamID, r.Properties.Text("user_id"), r.Type)
	return updatedRelationshipRow(r.From, r.Type, r.To, r.Properties, t.reweighedTo(r.Properties, next))
}

// lockEnds locks the ends of relationships, and returns those relationships that are stored then, with their properties, and the keys
// and the nodes of all ends.
func (t *Tx) lockEnds(teamID string, relationships []withdrawnRelationship) (stored []withdrawnRelationship, ends []string, found known, err error) {
	rows := make([]map[string]any, len(relationships))
	for i := range relationships {
		r := &relationships[i]
		rows[i] = findRow(r.From, r.Type, r.To)
		rows[i]["position"], rows[i]["key"] = i, r.Key
		ends = append(ends, r.From, r.To)
	}
	ends = Distinct(ends)
	if found, err = t.find(teamID, lookups{ends: ends}); err != nil {
		return nil, nil, known{}, err
	}
	candidates, err := findRelationships.Exec(t, map[string]any{"team_id": teamID, "rows": rows})
	if err != nil {
		return nil, nil, known{}, err
	}
	for _, c := range candidates {
		r := relationships[c.Position]
		if c.Properties.Text("key") == r.Key {
			r.Properties = c.Properties
			stored = append(stored, r)
		}
	}
	return stored, ends, found, nil
}
