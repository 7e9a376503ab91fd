package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"kith/graph/neo"
	"kith/graph/trust"
	"kith/internal/bounds"
	"kith/internal/fault"
)

var (
	exportReviews  = neo.Load[reviewRow]("export_reviews")
	exportRules    = neo.Load[TrustRule]("export_trust_rules")
	knownReviews   = neo.Load[reviewsKnown]("review_known")
	restoreReviews = neo.Load[int64]("review_restore")
	restoreRules   = neo.Load[int64]("trust_rule_restore")
)

// reviewsKnown has the users of stored reviews by key, and how many writes of some users wait.
type reviewsKnown struct {
	Reviews []struct{ Key, UserID string }
	Counts  []struct {
		UserID  string
		Waiting int64
	}
}

// HeldWrite has the items of a write that wait for a review.
type HeldWrite struct {
	Nodes         []NodeWrite         `json:"nodes,omitempty"`
	Relationships []RelationshipWrite `json:"relationships,omitempty"`
}

// ReviewLine is a review in an export. A null user is the team.
type ReviewLine struct {
	UserID      Optional[string] `json:"user_id,omitzero"`
	Key         string           `json:"key"`
	State       string           `json:"state"`
	Origin      string           `json:"origin,omitempty"`
	Author      string           `json:"author,omitempty"`
	Trust       float64          `json:"trust"`
	DerivedFrom []string         `json:"derived_from,omitempty"`
	Write       HeldWrite        `json:"write"`
	CreatedAt   time.Time        `json:"created_at"`
	DecidedAt   *time.Time       `json:"decided_at,omitempty"`
}

// TrustRuleLine is a decision about all further writes of an origin and author in an export. A null user is the team.
type TrustRuleLine struct {
	UserID    Optional[string] `json:"user_id,omitzero"`
	Origin    string           `json:"origin,omitempty"`
	Author    string           `json:"author,omitempty"`
	Decision  string           `json:"decision"`
	CreatedAt time.Time        `json:"created_at"`
}

// Rows of one read: a review may have a megabyte.
const (
	exportedReviews = 20
	exportedRules   = 1000
)

// userOrTeam returns the user of a line.
func userOrTeam(user string) Optional[string] {
	if user == "" {
		return Null[string]()
	}
	return Some(user)
}

func (r *reviewRow) line() (*ReviewLine, error) {
	l := &ReviewLine{
		UserID: userOrTeam(r.UserID), Key: r.Key, State: r.State, Origin: r.Origin, Author: r.Author, Trust: r.Trust, DerivedFrom: r.Sources,
		CreatedAt: r.CreatedAt.UTC(),
	}
	if r.DecidedAt != nil {
		at := r.DecidedAt.UTC()
		l.DecidedAt = &at
	}
	if err := json.Unmarshal([]byte(r.Body), &l.Write); err != nil {
		return nil, fmt.Errorf("review %s: %w", r.Key, err)
	}
	return l, nil
}

// ExportReviews reads the reviews of a team by key. It stops at the first error of visit and returns it.
func (s *Store) ExportReviews(ctx context.Context, teamID string, visit func(*ReviewLine) error) error {
	return s.eachReview(ctx, teamID, func(r *reviewRow) error {
		l, err := r.line()
		if err != nil {
			return err
		}
		return visit(l)
	})
}

func (s *Store) eachReview(ctx context.Context, teamID string, visit func(*reviewRow) error) error {
	for after := ""; ; {
		rows, err := exportReviews.Read(ctx, s.db, map[string]any{"team_id": teamID, "after": after, "limit": exportedReviews})
		if err != nil {
			return err
		}
		for i := range rows {
			after = rows[i].Key
			if err := visit(&rows[i]); err != nil {
				return err
			}
		}
		if len(rows) < exportedReviews {
			return nil
		}
	}
}

// ExportTrustRules reads the decisions of a team about further writes, by user, origin and author. It stops at the first error of visit
// and returns it.
func (s *Store) ExportTrustRules(ctx context.Context, teamID string, visit func(*TrustRuleLine) error) error {
	params := map[string]any{"team_id": teamID, "after_user": "", "after": nil, "limit": exportedRules}
	for {
		rows, err := exportRules.Read(ctx, s.db, params)
		if err != nil {
			return err
		}
		for i := range rows {
			r := &rows[i]
			params["after_user"], params["after"] = r.UserID, []string{r.UserID, r.Origin, r.Author}
			if err := visit(&TrustRuleLine{userOrTeam(r.UserID), r.Origin, r.Author, r.Decision, r.CreatedAt.UTC()}); err != nil {
				return err
			}
		}
		if len(rows) < exportedRules {
			return nil
		}
	}
}

// CheckReview returns the faults of a review of an import that can be found without the database.
func (s *Store) CheckReview(l *ReviewLine, scope Scope) []fault.FieldError {
	f, now := &Faults{}, s.Now()
	whose := scope.Imported(&f.List, l.UserID)
	if id, err := uuid.Parse(l.Key); err != nil || id.String() != l.Key {
		f.Add(fault.At("key"), fault.Malformed, "must be a UUID")
	}
	f.OneOf(fault.At("state"), l.State, ReviewStates...)
	checkTold(f, l.Origin, l.Author)
	f.Share(fault.At("trust"), l.Trust)
	checkDerivedFrom(f, l.DerivedFrom)
	f.Past(fault.At("created_at"), l.CreatedAt, now)
	switch at := fault.At("decided_at"); {
	case l.DecidedAt == nil && l.State != string(Waiting):
		f.Required(at)
	case l.DecidedAt == nil:
	case l.State == string(Waiting):
		f.Add(at, fault.NotAllowed, "must be omitted: the write waits")
	case l.DecidedAt.Before(l.CreatedAt):
		f.Add(at, fault.OutOfRange, "must not be before created_at")
	default:
		f.Past(at, *l.DecidedAt, now)
	}
	f.Append(fault.Fields(fault.Under(l.Write.check(whose, scope, now), fault.At("write")))...)
	return f.Fields()
}

// check checks the items as those of a write of a caller. Whose they are was checked before, or the decision about them would write for
// another user.
func (w *HeldWrite) check(whose, scope Scope, now time.Time) error {
	f := &Faults{}
	if len(w.Nodes)+len(w.Relationships) == 0 {
		f.Required(fault.At("nodes"))
		return f.Err()
	}
	if err := (&MemoryWrite{Nodes: w.Nodes, Relationships: w.Relationships}).Validate(whose, now); err != nil {
		return err
	}
	for i := range w.Nodes {
		n, at := &w.Nodes[i], fault.At("nodes").Index(i)
		if !n.kind().isFact() {
			f.Add(at.Field("kind"), fault.NotAllowed, "never waits for a review")
		}
		if user := owner(n, whose); user != "" && scope.UserID != "" && user != scope.UserID {
			f.Add(at.Field("user_id"), fault.NotAllowed, "must be the user that the import is for")
		}
	}
	if _, err := w.body(); err != nil {
		return err
	}
	return f.Err()
}

// CheckTrustRule returns the faults of a rule of an import.
func (s *Store) CheckTrustRule(l *TrustRuleLine, scope Scope) []fault.FieldError {
	f := &Faults{}
	scope.Imported(&f.List, l.UserID)
	checkTold(f, l.Origin, l.Author)
	f.OneOf(fault.At("decision"), l.Decision, Confirmed, Declined)
	f.Past(fault.At("created_at"), l.CreatedAt, s.Now())
	return f.Fields()
}

// checkTold checks who told something. Both are empty for a key that has only a trust.
func checkTold(f *Faults, origin, author string) {
	f.OptionalOneOf(fault.At("origin"), origin, trust.Origins...)
	f.Text(fault.At("author"), author, bounds.NameLength)
}

// userIn returns the user of a line in the scope of an import; empty for the team.
func userIn(scope Scope, user Optional[string]) string {
	if user.Given {
		return user.Value
	}
	return scope.UserID
}

// RestoreReviews stores reviews that CheckReview has passed. What is stored stays, and nothing of them is written. It returns how many
// are new, and the faults of those that it refuses, by their places.
func (s *Store) RestoreReviews(ctx context.Context, scope Scope, lines []ReviewLine, dryRun bool) (created int64, refused map[int]fault.FieldError, err error) {
	var keys, users []string
	for i := range lines {
		keys, users = append(keys, lines[i].Key), append(users, userIn(scope, lines[i].UserID))
	}
	users = Distinct(users)
	err = s.TryTransaction(ctx, "import_reviews", dryRun, func(t *Tx) error {
		t.Changes(users)
		known, err := knownReviews.ExecOne(t, map[string]any{"team_id": scope.TeamID, "keys": Distinct(keys), "users": users, "most": maxWaiting})
		if err != nil {
			return err
		}
		owners, waiting := map[string]string{}, map[string]int64{}
		for _, r := range known.Reviews {
			owners[r.Key] = r.UserID
		}
		for _, c := range known.Counts {
			waiting[c.UserID] = c.Waiting
		}
		refused = map[int]fault.FieldError{}
		var rows []map[string]any
		for i := range lines {
			l, user := &lines[i], userIn(scope, lines[i].UserID)
			of, isStored := owners[l.Key]
			switch isWaiting := l.State == string(Waiting); {
			case isStored && of != user:
				refused[i] = fault.FieldError{Path: fault.At("key"), Code: fault.Conflict, Message: "is already in use"}
				continue
			case isStored:
				continue
			case isWaiting && waiting[user] >= maxWaiting:
				refused[i] = fault.FieldError{Path: fault.At("state"), Code: fault.Conflict, Message: tooManyWait}
				continue
			case isWaiting:
				waiting[user]++
			}
			owners[l.Key] = user
			row, err := l.row(user)
			if err != nil {
				return err
			}
			rows = append(rows, row)
		}
		created = int64(len(rows))
		if created == 0 {
			return nil
		}
		_, err = restoreReviews.ExecOne(t, map[string]any{"team_id": scope.TeamID, "rows": rows})
		return err
	})
	return created, refused, err
}

// row returns the row of a review of a user.
func (l *ReviewLine) row(user string) (map[string]any, error) {
	body, err := l.Write.body()
	p := map[string]any{
		"user_id": user, "state": l.State, "origin": l.Origin, "author": l.Author, "trust": l.Trust, "sources": l.DerivedFrom, "body": body,
		"created_at": l.CreatedAt.UTC(),
	}
	if l.DecidedAt != nil {
		p["decided_at"] = l.DecidedAt.UTC()
	}
	return map[string]any{"key": l.Key, "properties": p}, err
}

// RestoreTrustRules stores rules that CheckTrustRule has passed, and returns how many are new. A stored decision stays.
func (s *Store) RestoreTrustRules(ctx context.Context, scope Scope, lines []TrustRuleLine, dryRun bool) (created int64, err error) {
	var (
		rows  []map[string]any
		users []string
		seen  [][3]string
	)
	for i := range lines {
		l, user := &lines[i], userIn(scope, lines[i].UserID)
		if of := [3]string{user, l.Origin, l.Author}; !slices.Contains(seen, of) {
			seen, users = append(seen, of), append(users, user)
			rows = append(rows, map[string]any{"user_id": user, "origin": l.Origin, "author": l.Author, "decision": l.Decision, "created_at": l.CreatedAt.UTC()})
		}
	}
	err = s.TryTransaction(ctx, "import_reviews", dryRun, func(t *Tx) (err error) {
		t.Changes(Distinct(users))
		created, err = restoreRules.ExecOne(t, map[string]any{"team_id": scope.TeamID, "rows": rows})
		return err
	})
	return created, err
}
