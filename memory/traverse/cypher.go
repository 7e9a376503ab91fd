package traverse

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"kith/cypher/guard"
	"kith/graph"
	"kith/graph/neo"
	"kith/internal/fault"
)

// Bounds of a statement that a caller writes.
const (
	cypherRows   = 1000
	cypherBytes  = 1 << 20 // of the rows as JSON
	cypherTime   = 2 * time.Second
	planTime     = 5 * time.Second // for the first statement of a form
	briefTime    = 200 * time.Millisecond
	cypherAtOnce = 4   // of one team
	plansAtOnce  = 2   // of all teams together: the database does not count the memory of the planner
	cypherFetch  = 250 // rows that the database sends at once
)

// hiddenProperties are the properties that callers may not read: the tenant, and what Kith stores to find and rank.
var hiddenProperties = append([]string{ //nolint:gochecknoglobals // a constant list
	"team_id", "vector", "embedding", "vector_scope", "vector_seq", "embed_due", "search_scope", "search_name", "near", "natural_key", "node_key", "type_word",
	"owner_key", "owner_of", "salience_at", "decay_rate", "node_salience", "node_salience_at", "node_decay_rate", "node_until", "rank_until", "start_unknown", "ranked", "hub_key", "hub_types", "hub_from", "hub_to",
	"next_seq", "story_due", "notes_expire_at", "mention_weight", "owner_generated", "former_key", "merged_keys", "merged_from", "expires_at", "ends_at", "is_dirty", "created_by", "written",
	"last_update_source", "distinct_source_days", "decay_gradient", "recall_frequency", "last_recall_interval",
}, graph.PlaceNames...)

// cypherRules are the rules of the guard.
var cypherRules = func() guard.Rules { //nolint:gochecknoglobals // constant
	r := guard.Rules{
		Base: graph.MemoryLabel, Hidden: hiddenProperties, Rows: cypherRows, Indexes: map[string]*guard.Index{},
		Index: &guard.Index{Label: graph.MemoryLabel, Further: []string{"entity_key"}},
		Named: &guard.Index{Label: graph.MemoryLabel, Further: []string{"search_name"}}, NameKey: graph.NameKey,
	}
	r.Words = &guard.Words{Type: graph.RelatedType, Property: "type_word", Fixed: graph.NeverWord}
	for _, k := range graph.Kinds {
		r.Indexes[k.Label] = &guard.Index{Label: graph.MemoryLabel, Further: []string{"natural_key"}, Prefix: k.Name + graph.KeySeparator, Unnamed: k == graph.SystemEntityKind}
	}
	r.Stored = longestTexts()
	r.Indexes[graph.MessageKind.Label] = &guard.Index{Label: graph.MessageKind.Label, Further: []string{"source_key", "seq"}}
	return r
}()

// Records is the result of a caller's statement.
type Records struct {
	Columns   []string            `json:"columns" doc:"names, as in the statement"`
	Rows      [][]json.RawMessage `json:"rows" doc:"one value for each column; a node is as in GET /v1/nodes, a path is a list of alternating nodes and relationships"`
	Truncated bool                `json:"truncated" doc:"there are more rows than an answer may have"`
}

// Cypher runs a statement of a caller within what the scope may see. It returns the table and the nodes in it. It returns an
// InvalidError for a statement that is not allowed, takes too long or fails, or ErrBusy or ErrUnavailable. The error text never
// contains stored data.
func (s *Store) Cypher(ctx context.Context, scope graph.Scope, text string, parameters map[string]any) (Records, graph.Recall, error) {
	rules, heap := cypherRules, s.heapSize(ctx)
	rules.Memory = valuesOf(heap)
	g, err := guard.Rewrite(text, parameters, rules)
	if err != nil {
		return Records{}, graph.Recall{}, invalidCypher("%s", err)
	}
	start := time.Now()
	ctx, end := s.db.Trace(ctx, "cypher")
	t := &tableReader{store: s, scope: scope, table: Records{Columns: g.Columns, Rows: [][]json.RawMessage{}}}
	err = s.guarded(ctx, scope, g, parameters, t)
	if !errors.Is(err, graph.ErrBusy) {
		s.db.Observe("cypher", time.Since(start), err)
	}
	end(err)
	if err != nil {
		return Records{}, graph.Recall{}, err
	}
	return t.table, t.recall, nil
}

// guarded runs a statement that the guard has written, in a transaction that only reads and is always rolled back.
func (s *Store) guarded(ctx context.Context, scope graph.Scope, g guard.Statement, parameters map[string]any, t *tableReader) error {
	sent := map[string]any{"k": guardParameters(scope, g), "c": callerParameters(g, parameters)}
	text, known := s.plans.known(g.Text)
	if !known {
		err := s.admitted(ctx, &s.planning, scope.TeamID, 1, plansAtOnce, func() error {
			return s.reading(ctx, scope.TeamID, planTime, func(ctx context.Context, tx neo4j.ExplicitTransaction) (err error) {
				text, err = s.plans.check(ctx, tx, g, sent)
				return err
			})
		})
		if err != nil {
			return err
		}
	}
	heap := s.heapSize(ctx)
	return s.admitted(ctx, &s.gate, scope.TeamID, g.Bytes+rowsOf(heap), heap/allOfHeap, func() error {
		return s.reading(ctx, scope.TeamID, cypherTime, func(ctx context.Context, tx neo4j.ExplicitTransaction) error {
			return t.read(ctx, tx, text, sent)
		})
	})
}

// admitted calls do when the gate admits it. Its place stays taken as long as the database may still run the statement.
func (s *Store) admitted(ctx context.Context, g *gate, team string, weight, room int64, do func() error) error {
	leave, err := g.enter(ctx, team, weight, room)
	if err != nil {
		return err
	}
	unwatch := s.watch() //nolint:contextcheck // one watch serves all running statements, and outlives each of them
	err = do()
	gone := func() { leave(); unwatch() }
	if ended := err == nil || ctx.Err() == nil && !errors.Is(err, errTooLong) && !errors.Is(err, graph.ErrUnavailable); ended {
		gone()
	} else {
		time.AfterFunc(cypherTime, gone) // the database may need more time to end it
	}
	return err
}

// reading calls do for a team in a read transaction that is rolled back, and that ends after limit.
func (s *Store) reading(outer context.Context, team string, limit time.Duration, do func(ctx context.Context, tx neo4j.ExplicitTransaction) error) error {
	ctx, cancel := context.WithTimeout(outer, limit+limit/8) // the database gives up first
	defer cancel()
	session := s.db.Session(ctx, neo4j.AccessModeRead, team, cypherFetch)
	defer briefly(ctx, session.Close)
	tx, err := session.BeginTransaction(ctx, neo4j.WithTxTimeout(limit), neo4j.WithTxMetadata(neo.Metadata("cypher")))
	if err == nil {
		defer briefly(ctx, tx.Rollback)
		err = do(ctx, tx)
	}
	if err != nil && ctx.Err() != nil && outer.Err() == nil {
		return tooLongCypher() // the driver may report it as a fault of the connection
	}
	return cypherFault(err)
}

// briefly ends a transaction or session. If that takes too long because the database is still sending, the connection is closed.
func briefly(ctx context.Context, end func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), briefTime)
	defer cancel()
	_ = end(ctx) // nothing was written
}

func guardParameters(scope graph.Scope, g guard.Statement) map[string]any {
	labels := []string{graph.MemoryLabel}
	for _, k := range graph.Kinds {
		labels = append(labels, k.Label)
	}
	g.Literals["team"], g.Literals["user"], g.Literals["cap"] = scope.TeamID, scope.User(), int64(math.MaxInt64/2) // and what SKIP adds to it
	g.Literals["hidden"], g.Literals["labels"], g.Literals["mask"] = hiddenProperties, labels, mask
	return g.Literals
}

func callerParameters(g guard.Statement, parameters map[string]any) map[string]any {
	used := map[string]any{}
	for _, name := range g.Used {
		used[name] = parameters[name]
	}
	return used
}

func invalidCypher(format string, args ...any) error {
	return fault.Invalid(fault.At("cypher"), "", format, args...)
}

// errTooLong means that a statement ran out of time.
var errTooLong = errors.New("statement timed out")

func tooLongCypher() error { return fmt.Errorf("%w: %w", errTooLong, invalidCypher(tooLong)) }

// cypherFaults are the messages for the error codes of the database.
var cypherFaults = []struct{ code, message string }{ //nolint:gochecknoglobals // a constant table
	{"Neo.ClientError.Statement.ArithmeticError", "a calculation failed: a division by 0, or a number that does not fit into 64 bits"},
	{"Neo.ClientError.Statement.ArgumentError", "a function got a value that it does not take, a range has a step of 0, " +
		"a range, or a list within a loop, is longer than 10,000 items (300 in a nested loop), " +
		"or a text that is searched, converted to a number or used within a loop is too long: " +
		"ask for fewer items, or use UNWIND and MATCH"},
	{"Neo.ClientError.Statement.TypeError", "a value has the wrong type for what is done with it: " +
		"see GET /v1/schema for the types of properties, and convert with toString(), toInteger() or toFloat()"},
	{"Neo.ClientError.Statement.SyntaxError", badValue},
	{"Neo.ClientError.Statement.EntityNotFound", "something was deleted while the statement ran: try again"},
	{"Neo.ClientError.Transaction.TransactionTimedOut", tooLong},
	{"Neo.TransientError.Transaction.Terminated", tooMuch},
	{"Neo.ClientError.Transaction.Terminated", tooMuch}, // ended by Kith
	{"Neo.TransientError.Transaction.LockClientStopped", tooLong},
	{"Neo.TransientError.General.MemoryPoolOutOfMemoryError", tooMuch},
	{"Neo.TransientError.General.OutOfMemoryError", tooMuch},
	{"Neo.ClientError.Statement.", "a value cannot be used as the statement uses it"},
	{"Neo.ClientError.Procedure.ProcedureCallFailed", badValue},
	{"Neo.DatabaseError.Statement.", badValue + "; shortestPath(…) between all of some nodes needs WHERE a <> b"},
	{"Neo.DatabaseError.General.", badValue},
}

const badValue = "a function of dates, texts or numbers got null or a value that it does not take: test … IS NOT NULL before it"

const tooMuch = "the statement needs too much memory: collect, group and sort fewer rows at once, or put a LIMIT before it"

const tooLong = "the statement did not end within 2 seconds: " +
	"begin with nodes of a known name or entity_key, follow fewer relationships, or set a LIMIT before what is costly"

// cypherFault returns the error for a failed statement. Its message contains no stored data.
func cypherFault(err error) error {
	var db *neo4j.Neo4jError
	switch {
	case err == nil || errors.Is(err, fault.ErrInvalid):
		return err
	case errors.As(err, &db):
		for _, f := range cypherFaults {
			switch {
			case !strings.HasPrefix(db.Code, f.code):
			case f.message == tooLong:
				return tooLongCypher()
			default:
				return invalidCypher("%s", f.message)
			}
		}
	}
	return neo.Translate("cypher", err)
}
