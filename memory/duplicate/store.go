package duplicate

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"kith/graph"
	"kith/graph/cursors"
	"kith/graph/neo"
	"kith/internal/fault"
	"kith/memory/feed"
)

var (
	listProposals = neo.Load[listed]("duplicate_list")
	listRefusals  = neo.Load[refused]("duplicate_refused")
	findEnds      = neo.Load[end]("duplicate_ends")
	refusePairs   = neo.Load[int64]("duplicate_refuse")
	admitPairs    = neo.Load[int64]("duplicate_admit")
)

// Store lists proposals and keeps refusals. It is safe for concurrent use.
type Store struct {
	db    *neo.DB
	graph *graph.Store
	feeds *feed.Store

	mu      sync.Mutex
	changed map[string]bool // teams at which the worker looks next, at most teamPage
}

// NewStore returns the store of the proposals in a memory's database.
func NewStore(g *graph.Store, feeds *feed.Store) *Store {
	return &Store{db: g.DB(), graph: g, feeds: feeds, changed: map[string]bool{}}
}

// Changed has the worker of this process look at a team before others. It never waits. Beyond a hundred, teams are found in their turn.
func (s *Store) Changed(team string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.changed) < teamPage {
		s.changed[team] = true
	}
}

// takeChanged returns the teams that were reported since the last call.
func (s *Store) takeChanged() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	teams := slices.Sorted(maps.Keys(s.changed))
	clear(s.changed)
	return teams
}

// Kinds are the kinds of nodes that are compared.
var Kinds = []string{graph.PersonKind.Name, graph.ConceptKind.Name, graph.EntityKind.Name}

// Proposal is a pair of nodes that may be one, or that somebody has said are two.
type Proposal struct {
	Kind        string     `json:"kind"`
	Nodes       []PairNode `json:"nodes" doc:"the two"`
	Probability *float64   `json:"probability,omitempty" doc:"that they are one; not of a refused pair"`
	Reasons     []Reason   `json:"reasons,omitempty" doc:"why, the strongest first"`
	ProposedAt  *time.Time `json:"proposed_at,omitempty"`
	RefusedAt   *time.Time `json:"refused_at,omitempty"`
}

// PairNode is one of the two nodes.
type PairNode struct {
	EntityKey   string  `json:"entity_key"`
	UserID      *string `json:"user_id" doc:"whose memory it is; null: shared by the team"`
	Name        string  `json:"name"`
	Type        string  `json:"type,omitempty"`
	Description string  `json:"description,omitempty"`
}

// proposedRow is a node of a row, in the order of duplicate_list.
type proposedRow struct {
	EntityKey               string
	UserID                  *string
	Name, Type, Description string
}

func (p proposedRow) node() PairNode { return PairNode(p) }

// listed is a row of duplicate_list.
type listed struct {
	Pair, Kind    string
	Probability   float64
	Reasons       []string
	Weights       []float64
	ProposedAt    time.Time
	First, Second proposedRow
}

func (l *listed) proposal() Proposal {
	p := Proposal{Kind: l.Kind, Nodes: []PairNode{l.First.node(), l.Second.node()}, Probability: &l.Probability, Reasons: []Reason{}, ProposedAt: &l.ProposedAt}
	for i, code := range l.Reasons {
		if i < len(l.Weights) {
			p.Reasons = append(p.Reasons, Reason{code, reasonWords[code], l.Weights[i]})
		}
	}
	return p
}

// refused is a row of duplicate_refused.
type refused struct {
	Pair, Kind    string
	RefusedAt     time.Time
	First, Second proposedRow
}

// end is a row of duplicate_ends.
type end struct {
	EntityKey string
	Labels    graph.Labels
	UserID    *string
}

func (e *end) user() string {
	if e.UserID == nil {
		return ""
	}
	return *e.UserID
}

// Query asks for pairs of nodes.
type Query struct {
	Kind           string // empty: all
	MinProbability float64
	Refused        bool // those that were refused
	Cursor         string
	Limit          int
}

// Page is a page of pairs, with the cursor of the next page; empty after the last.
type Page struct {
	Proposals []Proposal
	Next      string
}

const pageCursor = "duplicate"

// users returns whose pairs a scope sees.
func users(scope graph.Scope) []string {
	if scope.UserID == "" {
		return []string{""}
	}
	return []string{"", scope.UserID}
}

// Proposals lists the pairs of the memory that the scope sees: proposals by how probable they are, refused pairs by their keys. It
// returns an InvalidError for a bad cursor.
func (s *Store) Proposals(ctx context.Context, scope graph.Scope, q Query) (Page, error) {
	before, after, err := place(q)
	if err != nil {
		return Page{}, err
	}
	params := map[string]any{"team_id": scope.TeamID, "users": users(scope), "kind": nil, "after": after, "limit": q.Limit + 1}
	if q.Kind != "" {
		params["kind"] = q.Kind
	}
	page := Page{Proposals: []Proposal{}}
	if q.Refused {
		rows, err := listRefusals.Read(ctx, s.db, params)
		for i := range rows {
			if i == q.Limit {
				page.Next = cursorOf(q, 0, rows[i-1].Pair)
				break
			}
			r := &rows[i]
			page.Proposals = append(page.Proposals, Proposal{Kind: r.Kind, Nodes: []PairNode{r.First.node(), r.Second.node()}, RefusedAt: &r.RefusedAt})
		}
		return page, err
	}
	params["min_probability"], params["before"] = q.MinProbability, before
	rows, err := listProposals.Read(ctx, s.db, params)
	for i := range rows {
		if i == q.Limit {
			page.Next = cursorOf(q, rows[i-1].Probability, rows[i-1].Pair)
			break
		}
		page.Proposals = append(page.Proposals, rows[i].proposal())
	}
	return page, err
}

func cursorOf(q Query, probability float64, pair string) string {
	return cursors.Encode(strings.Join([]string{pageCursor, strconv.FormatBool(q.Refused), strconv.FormatFloat(probability, 'g', -1, 64), pair}, "\n"))
}

// place returns the probability and the pair behind which a page begins.
func place(q Query) (before float64, after string, err error) {
	if q.Cursor == "" {
		return 2, "", nil
	}
	text, err := cursors.Decode(q.Cursor)
	if err != nil {
		return 0, "", err
	}
	parts := strings.SplitN(text, "\n", 4)
	if len(parts) != 4 || parts[0] != pageCursor || parts[1] != strconv.FormatBool(q.Refused) {
		return 0, "", cursors.Invalid()
	}
	if before, err = strconv.ParseFloat(parts[2], 64); err != nil {
		return 0, "", cursors.Invalid()
	}
	return before, parts[3], nil
}

// Pair names two nodes.
type Pair struct {
	First  string `json:"first" minLength:"1" maxLength:"256" doc:"entity_key of one"`
	Second string `json:"second" minLength:"1" maxLength:"256" doc:"entity_key of the other"`
}

// key returns what identifies the pair; its nodes in any order.
func (p Pair) key() string {
	if p.Second < p.First {
		p.First, p.Second = p.Second, p.First
	}
	return p.First + graph.KeySeparator + p.Second
}

// MaxPairs is the maximum number of pairs in one call of Refuse.
const MaxPairs = 20

// Refuse remembers that the nodes of some pairs are two, and that it is open again whether those of others are. It returns an
// InvalidError for pairs that cannot be one anyway, and ErrNotFound if the scope does not see a node.
func (s *Store) Refuse(ctx context.Context, scope graph.Scope, refuse, admit []Pair) error {
	err := s.graph.Transaction(ctx, "duplicate_refuse", func(t *graph.Tx) error {
		rows, err := s.rows(t, scope, fault.At("refuse"), refuse)
		if err != nil {
			return err
		}
		open, err := s.rows(t, scope, fault.At("admit"), admit)
		if err != nil {
			return err
		}
		t.Changes(nil, keysOf(slices.Concat(refuse, admit))...)
		if _, err := s.keep(t, scope.TeamID, rows); err != nil || len(open) == 0 {
			return err
		}
		pairs := make([]string, len(admit))
		for i, p := range admit {
			pairs[i] = p.key()
		}
		return admitPairs.Run(t, map[string]any{"team_id": scope.TeamID, "pairs": pairs})
	})
	if err == nil && len(admit) > 0 {
		_, err = s.examine(ctx, scope.TeamID, batch{keys: graph.Distinct(keysOf(admit))})
	}
	return err
}

// keep stores the rows of refused pairs and returns how many were not refused before.
func (s *Store) keep(t *graph.Tx, team string, rows []map[string]any) (int64, error) {
	if len(rows) == 0 {
		return 0, nil
	}
	return refusePairs.ExecOne(t, map[string]any{"team_id": team, "rows": rows})
}

func keysOf(pairs []Pair) (keys []string) {
	for _, p := range pairs {
		keys = append(keys, p.First, p.Second)
	}
	return keys
}

// rows returns the rows of refused pairs.
func (s *Store) rows(t *graph.Tx, scope graph.Scope, at fault.Path, pairs []Pair) ([]map[string]any, error) {
	if len(pairs) == 0 {
		return nil, nil
	}
	found, err := findEnds.Exec(t, map[string]any{"team_id": scope.TeamID, "entity_keys": graph.Distinct(keysOf(pairs))})
	if err != nil {
		return nil, err
	}
	ends := map[string]*end{}
	for i := range found {
		if user := found[i].user(); user == "" || user == scope.UserID {
			ends[found[i].EntityKey] = &found[i]
		}
	}
	rows := make([]map[string]any, len(pairs))
	for i, p := range pairs {
		first, second := ends[p.First], ends[p.Second]
		switch {
		case first == nil || second == nil:
			return nil, fmt.Errorf("duplicate: %w", fault.ErrNotFound)
		case p.First == p.Second:
			return nil, fault.Invalid(at.Index(i), fault.Contrary, "is one node")
		case first.Labels != second.Labels || first.user() != second.user():
			return nil, fault.Invalid(at.Index(i), fault.Contrary, "are of two kinds or users: they are never proposed")
		}
		rows[i] = row(p, first.Labels.Kind().Name, first.user())
		rows[i]["refused_at"] = s.graph.Now()
	}
	return rows, nil
}

// row returns the fields that proposals and refusals have.
func row(p Pair, kind, user string) map[string]any {
	if p.Second < p.First {
		p.First, p.Second = p.Second, p.First
	}
	r := map[string]any{"pair": p.key(), "first_key": p.First, "second_key": p.Second, "kind": kind, "of_user": user, "user_id": nil}
	if user != "" {
		r["user_id"] = user
	}
	return r
}
