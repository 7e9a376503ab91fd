package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"kith/graph/cursors"
	"kith/graph/neo"
	"kith/graph/trust"
	"kith/internal/fault"
)

var (
	findTrust    = neo.Load[trustFound]("trust_find")
	setTrust     = neo.Load[float64]("trust_set")
	setRule      = neo.Load[neo.None]("trust_rule_set")
	deleteRule   = neo.Load[int64]("trust_rule_delete")
	listRules    = neo.Load[TrustRule]("trust_rule_list")
	createReview = neo.Load[string]("review_create")
	listReviews  = neo.Load[reviewRow]("review_list")
	getReview    = neo.Load[reviewRow]("review_get")
	decideReview = neo.Load[string]("review_decide")
)

// Waiting is the status of an item that is not stored until somebody decides about its write.
const Waiting Status = "waiting"

// Decisions about a write that waits.
const (
	Confirmed = "confirmed"
	Declined  = "refused"
)

// ReviewStates are the states of reviews.
var ReviewStates = []string{string(Waiting), Confirmed, Declined}

// maxWaiting is the most writes of a user that wait.
const maxWaiting = 10_000

// tooManyWait is the reason why one more write cannot wait.
const tooManyWait = "10,000 writes of the user wait for a review already"

// maxHeld is the most bytes of what waits of one write.
const maxHeld = 1 << 20

// trustFound has the settings of a team: its least trust, and the decision about an origin and author.
type trustFound struct {
	MinTrust                 *float64
	Origin, Author, Decision string
}

// Review is a write whose trust is less than its team wants. Nothing of it is in the memory before somebody confirms it.
type Review struct {
	Key         string          `json:"key"`
	UserID      *string         `json:"user_id"`
	State       string          `json:"state" enum:"waiting,confirmed,refused"`
	Origin      string          `json:"origin,omitempty" enum:"user,assistant,tool,external,import"`
	Author      string          `json:"author,omitempty"`
	Trust       float64         `json:"trust"`
	DerivedFrom []string        `json:"derived_from,omitempty" doc:"entity keys of sources"`
	Write       json.RawMessage `json:"write" doc:"the nodes and relationships, as in POST /v1/memory"`
	CreatedAt   time.Time       `json:"created_at"`
	DecidedAt   *time.Time      `json:"decided_at"`
}

// reviewRow is a row of review_list and review_get.
type reviewRow struct {
	Key, UserID, State, Origin, Author string
	Trust                              float64
	Sources                            []string
	Body                               string
	CreatedAt                          time.Time
	DecidedAt                          *time.Time
}

func (r *reviewRow) view() Review {
	v := Review{
		Key: r.Key, State: r.State, Origin: r.Origin, Author: r.Author, Trust: r.Trust, DerivedFrom: r.Sources, Write: json.RawMessage(r.Body),
		CreatedAt: r.CreatedAt, DecidedAt: r.DecidedAt,
	}
	if r.UserID != "" {
		v.UserID = &r.UserID
	}
	return v
}

// TrustRule is a decision about all further writes of an origin and author. UserID is empty for the memory that a team shares.
type TrustRule struct {
	UserID    string    `json:"user_id"`
	Origin    string    `json:"origin,omitempty" doc:"absent: of keys that have a trust only" enum:"user,assistant,tool,external,import"`
	Author    string    `json:"author,omitempty"`
	Decision  string    `json:"decision" enum:"confirmed,refused"`
	CreatedAt time.Time `json:"created_at"`
}

// hold finds out below which trust the facts of the write wait, and what somebody has decided about those who tell them.
func (j *memoryJob) hold() error {
	if j.write.restoring || j.confirming {
		return nil
	}
	var asked []any
	seen := map[[2]string]bool{}
	j.eachFact(func(b belief, _ Status) {
		for _, t := range b.tellers {
			if who := [2]string{t.origin, t.author}; !seen[who] {
				seen[who], asked = true, append(asked, []any{t.origin, t.author})
			}
		}
	})
	if len(asked) == 0 {
		return nil
	}
	set, err := findTrust.Exec(j.tx, map[string]any{"team_id": j.scope.TeamID, "user_id": j.scope.UserID, "tellers": asked})
	if err != nil {
		return err
	}
	j.bound, j.decided = trust.Least, map[[2]string]string{}
	for _, found := range set {
		if found.MinTrust != nil {
			j.bound = *found.MinTrust
		}
		j.decided[[2]string{found.Origin, found.Author}] = found.Decision
	}
	return nil
}

// decision returns what somebody has decided about all writes of a teller.
func (j *memoryJob) decision(t teller) string {
	return j.decided[[2]string{t.origin, t.author}]
}

// isDeclined reports whether somebody has refused all writes of a teller of a fact.
func (j *memoryJob) isDeclined(b belief) bool {
	return slices.ContainsFunc(b.tellers, func(t teller) bool { return j.decision(t) == Declined })
}

// isHeld reports whether a fact waits, as it has too little trust, unless somebody has decided about all writes of each teller with too
// little.
func (j *memoryJob) isHeld(b belief) bool {
	if b.Trust >= j.bound || j.isDeclined(b) {
		return false
	}
	doubted := slices.DeleteFunc(slices.Clone(b.tellers), func(t teller) bool { return t.trust >= j.bound })
	if len(doubted) == 0 {
		doubted = b.tellers
	}
	return slices.ContainsFunc(doubted, func(t teller) bool { return j.decision(t) != Confirmed })
}

// eachFact visits how far each fact of the write is believed, with what has become of it.
func (j *memoryJob) eachFact(visit func(b belief, status Status)) {
	for i := range j.write.Nodes {
		if w := &j.write.Nodes[i]; w.kind().isFact() {
			visit(w.believed(j), j.result.Nodes[i].Status)
		}
	}
	for i := range j.write.Relationships {
		if w := &j.write.Relationships[i]; searchable(w.Type) {
			visit(w.believed(j), j.result.Relationships[i].Status)
		}
	}
}

// leastHeld returns the belief of the fact with the least trust of those that wait.
func (j *memoryJob) leastHeld() (least belief) {
	found := false
	j.eachFact(func(b belief, status Status) {
		if status == Waiting && (!found || b.Trust < least.Trust) {
			least, found = b, true
		}
	})
	return least
}

// awaitReview stores the items of the write that wait for a decision.
func (j *memoryJob) awaitReview() error {
	if j.bound == 0 {
		return nil
	}
	waiting := HeldWrite{}
	for i := range j.write.Nodes {
		if j.result.Nodes[i].Status == Waiting {
			waiting.Nodes = append(waiting.Nodes, j.write.Nodes[i])
			j.users = append(j.users, owner(&j.write.Nodes[i], j.scope))
		}
	}
	for i := range j.write.Relationships {
		if j.result.Relationships[i].Status == Waiting {
			waiting.Relationships = append(waiting.Relationships, j.write.Relationships[i])
		}
	}
	if len(waiting.Nodes)+len(waiting.Relationships) == 0 {
		return nil
	}
	body, err := waiting.body()
	if err != nil {
		return err
	}
	least := j.leastHeld()
	j.result.Review = uuid.Must(uuid.NewV7()).String()
	stored, err := createReview.Exec(j.tx, map[string]any{
		"team_id": j.scope.TeamID, "user_id": j.scope.UserID, "key": j.result.Review, "state": string(Waiting), "most": maxWaiting,
		"properties": map[string]any{
			"origin": least.Origin, "author": least.Author, "trust": least.Trust, "sources": least.Sources, "body": body, "created_at": j.now,
		},
	})
	if err == nil && len(stored) == 0 {
		err = fmt.Errorf("%s: %w", tooManyWait, fault.ErrConflict)
	}
	j.users = append(j.users, j.scope.UserID)
	return err
}

// body returns the items as they are stored. It returns an InvalidError if they are too many for a line of an export.
func (w *HeldWrite) body() (string, error) {
	raw, err := json.Marshal(w)
	if err != nil {
		return "", fmt.Errorf("review: %w", err)
	}
	f := &Faults{}
	f.Bytes(fault.At("nodes"), len(raw), maxHeld)
	return string(raw), f.Err()
}

// ReviewList selects reviews, the newest first.
type ReviewList struct {
	State  string // empty: waiting
	Cursor string
	Limit  int
}

// ReviewPage is a page of reviews, and the cursor of the next one; empty after the last.
type ReviewPage struct {
	Reviews []Review
	Next    string
}

const reviewCursor = "review" + KeySeparator

// Reviews lists the writes that wait for the scope's user, or for all of a team without one. It returns an InvalidError for a bad
// cursor.
func (s *Store) Reviews(ctx context.Context, scope Scope, l ReviewList) (ReviewPage, error) {
	after, err := cursors.Decode(l.Cursor)
	if err != nil {
		return ReviewPage{}, err
	}
	before, ok := strings.CutPrefix(after, reviewCursor)
	switch {
	case l.Cursor == "":
		before = "\uffff"
	case !ok:
		return ReviewPage{}, cursors.Invalid()
	}
	if l.State == "" {
		l.State = string(Waiting)
	}
	rows, err := listReviews.Read(ctx, s.db, map[string]any{
		"team_id": scope.TeamID, "user_id": scope.User(), "state": l.State, "before": before, "limit": l.Limit + 1,
	})
	page := ReviewPage{Reviews: []Review{}}
	for i := range rows[:min(len(rows), l.Limit)] {
		page.Reviews = append(page.Reviews, rows[i].view())
	}
	if len(rows) > l.Limit {
		page.Next = cursors.Encode(reviewCursor + rows[l.Limit-1].Key)
	}
	return page, err
}

// Review returns a review that the scope may see, or ErrNotFound.
func (s *Store) Review(ctx context.Context, scope Scope, key string) (Review, error) {
	row, err := getReview.ReadOne(ctx, s.db, map[string]any{"team_id": scope.TeamID, "user_id": scope.User(), "key": key})
	return row.view(), err
}

// ReviewDecision is a decision about a write that waits.
type ReviewDecision struct {
	State  string `json:"state" oneof:"confirmed refused" doc:"confirmed: it is written now, as by the caller; refused: it never is"`
	Always bool   `json:"always,omitempty" doc:"decides about all further writes of the same origin and author, too: confirmed ones are stored with the trust that they have"`
}

// Decide confirms or refuses a write that waits. What is confirmed is stored as the caller's own write, in the same transaction; the
// result says what of it. It returns ErrNotFound, and ErrConflict for a review that was decided before.
func (s *Store) Decide(ctx context.Context, scope Scope, key string, d ReviewDecision) (Review, MemoryResult, error) {
	f := &Faults{}
	f.OneOf(fault.At("state"), d.State, Confirmed, Declined)
	if err := f.Err(); err != nil {
		return Review{}, MemoryResult{}, err
	}
	review, err := s.Review(ctx, scope, key)
	if err != nil {
		return Review{}, MemoryResult{}, err
	}
	whose := scope
	if review.UserID != nil {
		whose.UserID = *review.UserID
	}
	var waiting MemoryWrite
	if err := json.Unmarshal(review.Write, &waiting); err != nil {
		return Review{}, MemoryResult{}, fmt.Errorf("decide: %w", err)
	}
	if err := s.admitTypes(ctx, waiting.Relationships); err != nil {
		return Review{}, MemoryResult{}, err
	}
	var result MemoryResult
	err = s.Transaction(ctx, "memory_write", func(t *Tx) error {
		now := s.Now()
		result = MemoryResult{Nodes: []NodeResult{}, Relationships: []RelationshipResult{}, Warnings: []string{}}
		t.Changes([]string{whose.UserID})
		decided, err := decideReview.Exec(t, map[string]any{"team_id": scope.TeamID, "key": key, "state": d.State, "now": now})
		switch {
		case err != nil:
			return err
		case len(decided) == 0:
			return fmt.Errorf("review: was decided before: %w", fault.ErrConflict)
		}
		review.State, review.DecidedAt = d.State, &now
		if d.Always {
			if err := setRule.Run(t, map[string]any{
				"team_id": scope.TeamID, "user_id": whose.UserID, "origin": review.Origin, "author": review.Author, "decision": d.State, "now": now,
			}); err != nil {
				return err
			}
		}
		if d.State == Declined {
			return nil
		}
		job := (&batch{MemoryWrite: waiting}).job(t, whose, now)
		job.confirming = true
		err = job.run()
		result = job.result
		return err
	})
	return review, result, err
}

// MinTrust returns the least trust of a team's writes.
func (s *Store) MinTrust(ctx context.Context, teamID string) (float64, error) {
	set, err := findTrust.ReadOne(ctx, s.db, map[string]any{"team_id": teamID, "user_id": "", "tellers": []any{[]any{"", ""}}})
	if err != nil || set.MinTrust == nil {
		return trust.Least, err
	}
	return *set.MinTrust, nil
}

// SetMinTrust sets the least trust of a team's writes: those with less wait for a review. It returns an InvalidError outside 0 to 1.
func (s *Store) SetMinTrust(ctx context.Context, teamID string, least float64) error {
	f := &Faults{}
	f.Share(fault.At("min_trust"), least)
	if err := f.Err(); err != nil {
		return err
	}
	return s.Transaction(ctx, "trust_set", func(t *Tx) error {
		t.Changes(nil)
		_, err := setTrust.ExecOne(t, map[string]any{"team_id": teamID, "min_trust": least, "now": s.Now()})
		return err
	})
}

// TrustRules returns the decisions about further writes for the scope's user, or for all of a team without one.
func (s *Store) TrustRules(ctx context.Context, scope Scope) ([]TrustRule, error) {
	return listRules.Read(ctx, s.db, map[string]any{"team_id": scope.TeamID, "user_id": scope.User()})
}

// DeleteTrustRule lets further writes of an origin and author wait again. It returns ErrNotFound if nothing was decided about them.
func (s *Store) DeleteTrustRule(ctx context.Context, scope Scope, origin, author string) error {
	f := &Faults{}
	checkTold(f, origin, author)
	if err := f.Err(); err != nil {
		return err
	}
	return s.Transaction(ctx, "trust_rule_delete", func(t *Tx) error {
		t.Changes(nil)
		deleted, err := deleteRule.ExecOne(t, map[string]any{"team_id": scope.TeamID, "user_id": scope.UserID, "origin": origin, "author": author})
		if err == nil && deleted == 0 {
			err = fmt.Errorf("rule: %w", fault.ErrNotFound)
		}
		return err
	})
}

// nodeWaits reports whether a node of the write waits for a review.
func (j *memoryJob) nodeWaits(w *NodeWrite) bool {
	return w.kind().isFact() && !j.asRestored(w.History) && j.isHeld(w.believed(j))
}

// relationshipWaits reports whether a relationship of the write waits for a review: as it has little trust, or an end waits.
func (j *memoryJob) relationshipWaits(w *RelationshipWrite) bool {
	waits := func(key string) bool { return j.found.byKey[key] == nil && j.waiting[key] }
	return waits(w.From) || waits(w.To) || j.isHeld(w.believed(j))
}
