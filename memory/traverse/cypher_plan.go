package traverse

import (
	"context"
	"errors"
	"maps"
	"regexp"
	"strings"
	"sync"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"kith/cypher"
	"kith/cypher/guard"
	"kith/graph/neo"
)

// keptPlans is the most shapes of statements in the cache.
const (
	keptPlans = 1024
	keptText  = 16 << 10 // longer statements are planned each time
)

// maxPlanned is how often a statement is planned at most, until its plan reads no data of other teams.
const maxPlanned = 4

// plans caches which statements of callers the database plans with allowed operators only. It is safe for concurrent use.
type plans struct {
	mu   sync.Mutex
	seen map[string]string // the text to send, by the text that the guard has written
}

// operators are the allowed operators of a plan. They read from indexes of a team or along relationships, or work on rows.
var operators = setOf( //nolint:gochecknoglobals // a constant set
	"AntiConditionalApply", "AntiSemiApply", "Apply", "Argument", "AssertSameNode", "AssertSameRelationship", "CacheProperties",
	"CartesianProduct", "ConditionalApply", "Distinct", "Eager", "EagerAggregation", "EmptyRow", "ErrorPlan", "Expand(All)", "Expand(Into)", "Filter",
	"LeftOuterHashJoin", "LetAntiSemiApply", "LetSelectOrAntiSemiApply", "LetSelectOrSemiApply", "LetSemiApply", "Limit",
	"MultiNodeIndexSeek", "NodeHashJoin", "NodeIndexSeek", "NodeIndexSeekByRange", "NodeLeftOuterHashJoin", "NodeRightOuterHashJoin",
	"NodeUniqueIndexSeek", "NodeUniqueIndexSeekByRange", "Optional", "OptionalExpand(All)", "OptionalExpand(Into)", "OrderedAggregation", "OrderedDistinct",
	"OrderedUnion", "PartialSort", "PartialTop", "ProduceResults", "Projection", "ProjectEndpoints", "BidirectionalRepeat(Trail)", "Repeat(Trail)",
	"Repeat(All, Trail)", "Repeat(Into, Trail)", // since Neo4j 2025
	"RepeatOptions", "RightOuterHashJoin", "RollUpApply", "SelectOrAntiSemiApply", "SelectOrSemiApply", "SemiApply", "ShortestPath", "Skip",
	"Sort", "StatefulShortestPath(All)", "StatefulShortestPath(Into)", "StatefulShortestPath(All, Walk)", "StatefulShortestPath(Into, Walk)", "Top", "Top1WithTies", "TriadicBuild", "TriadicFilter", "TriadicSelection", "Union",
	"Unwind", "ValueHashJoin", "VarLengthExpand(All)",
	"VarLengthExpand(Into)", "VarLengthExpand(Pruning)", "VarLengthExpand(Pruning,BFS,All)", "VarLengthExpand(Pruning,BFS,Into)",
)

func setOf(all ...string) map[string]bool {
	set := make(map[string]bool, len(all))
	for _, name := range all {
		set[name] = true
	}
	return set
}

// known returns the text to send for a statement that was checked before.
func (p *plans) known(shape string) (text string, seen bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	text, seen = p.seen[shape]
	return text, seen
}

// check has the database plan a statement, and returns the text to send. If the plan scans all nodes with a label or all
// relationships of a type, of whatever team, check rewrites the statement: it then finds the nodes by an index of the team.
func (p *plans) check(ctx context.Context, tx neo4j.ExplicitTransaction, g guard.Statement, parameters map[string]any) (string, error) {
	text, seek := g.Text, map[string]bool{}
	for range maxPlanned {
		plan, err := explain(ctx, tx, text, parameters)
		if err != nil {
			return "", err
		}
		scanned := map[string]bool{}
		if err := scans(plan, scanned); err != nil {
			return "", err
		}
		if len(scanned) == 0 {
			p.keep(g.Text, text)
			return text, nil
		}
		known := len(seek)
		maps.Copy(seek, scanned)
		switch text = g.Seeking(seek); {
		case len(seek) > known:
		case isSmall(plan):
			return text, nil // not cached: the plan changes when there is more data
		default:
			return "", errScans
		}
	}
	return "", errScans
}

// errScans means that a statement cannot be answered from the team's data alone.
var errScans = invalidCypher("the database cannot answer it from your data alone: " +
	"give the nodes a label, such as (n:Person), or an entity_key, and name the types of relationships")

func (p *plans) keep(shape, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(shape) > keptText {
		return
	}
	if p.seen == nil || len(p.seen) >= keptPlans {
		p.seen = map[string]string{}
	}
	p.seen[shape] = text
}

func explain(ctx context.Context, tx neo4j.ExplicitTransaction, text string, parameters map[string]any) (neo.Operator, error) {
	result, err := tx.Run(ctx, "EXPLAIN "+cypher.Language+text, parameters)
	if err != nil {
		return neo.Operator{}, planFault(err)
	}
	summary, err := result.Consume(ctx)
	if err != nil {
		return neo.Operator{}, planFault(err)
	}
	return neo.PlanOf(summary.Plan()), nil
}

// madeName matches names made by the database or the guard. The database makes a new name each time it plans.
var madeName = regexp.MustCompile("`?( *UNNAMED[0-9]+| *\\w+@[0-9]+|#[a-z]*[0-9]*)`?")

// planFault returns the error for a statement that the database does not plan. The message depends on the statement alone.
func planFault(err error) error {
	var db *neo4j.Neo4jError
	if !errors.As(err, &db) || !strings.HasPrefix(db.Code, "Neo.ClientError.Statement.") {
		return err
	}
	message, _, _ := strings.Cut(db.Msg, "\n")
	message, _, _ = strings.Cut(message, " (line ")
	message = strings.Join(strings.Fields(madeName.ReplaceAllString(message, " something without a name")), " ")
	return invalidCypher("the database rejects the statement: %s. See GET /v1/schema", strings.TrimSuffix(message, "."))
}

// scans collects the nodes at which a plan reads data of other teams. It returns an error for an operator that is not allowed.
func scans(plan neo.Operator, nodes map[string]bool) (err error) {
	plan.Each(func(o neo.Operator) {
		switch m := scannedNode.FindStringSubmatch(o.Details); {
		case !strings.Contains(o.Name, "Scan"):
			if !operators[o.Name] {
				err = invalidCypher("the database would use an operator that is not allowed (%s): rewrite the statement", o.Name)
			}
		case m == nil:
			err = errScans
		default:
			nodes[m[1]] = true
		}
	})
	return err
}

// smallScan is the most nodes or relationships, of all teams together, whose scan reveals nothing by its duration.
const smallScan = 1000

// isSmall reports whether all scans of the plan are small.
func isSmall(plan neo.Operator) bool {
	small := true
	plan.Each(func(o neo.Operator) { small = small && (!strings.Contains(o.Name, "Scan") || o.Rows <= smallScan) })
	return small
}

// scannedNode finds the first node in the details of a scan: n:Person, or (n)-[r:likes]->(m).
var scannedNode = regexp.MustCompile("^(?:[A-Z ]+ INDEX )?\\(?`?([^`:)]+)`?")
