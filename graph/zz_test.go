package graph

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"kith/cypher"
)

func TestZZPlan(t *testing.T) {
	e := fresh(t)
	e.walk()
	rep := func(n int, f func(i int) string, sep string) string {
		var p []string
		for i := range n {
			p = append(p, f(i))
		}
		return strings.Join(p, sep)
	}
	nest := func(n int, open func(i int) string, mid, close string) string {
		return rep(n, open, "") + mid + strings.Repeat(close, n)
	}
	for name, f := range map[string]func(n int) string{
		"altern": func(n int) string {
			return "MATCH (c) WHERE " + nest(min(n, 28), func(i int) string {
				if i%2 == 0 {
					return fmt.Sprintf("c.name = 'x%d' AND (", i)
				}
				return fmt.Sprintf("c.state = 'x%d' OR (", i)
			}, "c.name = 'z'", ")") + " RETURN count(*) AS c"
		},
		"pairs": func(n int) string {
			return "MATCH (c) WHERE " + rep(n, func(i int) string {
				return fmt.Sprintf("(c.name = 'x%d' AND c.state = 'y%d' AND c.type = 'z%d')", i, i, i)
			}, " OR ") + " RETURN count(*) AS c"
		},
		"nestpairs": func(n int) string {
			return "MATCH (c) WHERE (" + rep(n, func(i int) string { return fmt.Sprintf("(c.name = 'x%d' AND c.state = 'y%d')", i, i) }, " OR ") + ") AND NOT (" + rep(n, func(i int) string { return fmt.Sprintf("(c.name = 'x%d' OR c.state = 'y%d')", i, i) }, " AND ") + ") RETURN count(*) AS c"
		},
		"altlabels": func(n int) string {
			return "MATCH (c:" + nest(min(n, 28), func(i int) string {
				if i%2 == 0 {
					return fmt.Sprintf("A%d&(", i)
				}
				return fmt.Sprintf("B%d|!(", i)
			}, "C", ")") + ") RETURN count(*) AS c"
		},
		"andorlab": func(n int) string {
			return "MATCH (c:" + rep(n, func(i int) string { return fmt.Sprintf("(A%d|B%d)", i, i) }, "&") + ") RETURN count(*) AS c"
		},
		"typeor": func(n int) string {
			return "MATCH (c)-[:" + rep(n, func(i int) string { return fmt.Sprintf("t%d", i) }, "|") + "]->(d) RETURN count(*) AS c"
		},
		"with": func(n int) string {
			return rep(n, func(i int) string { return fmt.Sprintf("MATCH (c)-->(d%d) WITH c", i) }, " ") + " RETURN count(*) AS c"
		},
		"case": func(n int) string {
			return "MATCH (c) WHERE " + nest(min(n, 28), func(i int) string { return "CASE WHEN c.name = 'a' THEN true ELSE " }, "false", " END") + " RETURN count(*) AS c"
		},
		"lists": func(n int) string {
			return "RETURN " + nest(min(n, 28), func(i int) string { return fmt.Sprintf("[x%d IN [1] WHERE x%d IN ", i, i) }, "[1]", "]") + " AS c"
		},
		"lists2": func(n int) string {
			return "RETURN " + nest(min(n, 28), func(i int) string { return fmt.Sprintf("size([x%d IN ", i) }, "[1]", "])") + " AS c"
		},
		"paren": func(n int) string {
			return "RETURN " + nest(min(n, 28), func(i int) string { return "(-(1 + " }, "1", "))") + " AS c"
		},
		"maps": func(n int) string {
			return "MATCH (c) RETURN " + nest(min(n, 28), func(i int) string { return "c {.name, x: " }, "1", "}") + " AS c"
		},
		"listexists": func(n int) string {
			return "MATCH (c) WHERE " + nest(min(n, 4), func(i int) string {
				return fmt.Sprintf("EXISTS { MATCH (c)-->(a%d) WHERE all(x IN [1,2] WHERE x > 0 AND (x < 5 OR ", i)
			}, "true", ")) }") + " RETURN count(*) AS c"
		},
		"comps": func(n int) string {
			return "MATCH (c) RETURN " + nest(min(n, 4), func(i int) string { return fmt.Sprintf("[(c)-->(a%d) | ", i) }, "1", "]") + " AS c"
		},
		"collects": func(n int) string {
			return "MATCH (c) RETURN " + nest(min(n, 4), func(i int) string {
				return fmt.Sprintf("COLLECT { MATCH (c)-->(a%d) WHERE a%d.name = 'x' OR size(a%d.name) > 3 RETURN {x: ", i, i, i)
			}, "1", "} }") + " AS c"
		},
		"callnest": func(n int) string {
			return "MATCH (c) " + nest(min(n, 10), func(i int) string { return fmt.Sprintf("CALL (*) { MATCH (c)-->(a%d) ", i) }, "RETURN 1 AS y", "RETURN y AS y }") + " RETURN count(*) AS c"
		},
	} {
		var out []string
		for _, n := range []int{2, 5, 8, 12, 16, 24, 40} {
			start := time.Now()
			_, _, err := e.store.Cypher(t.Context(), e.as("u"), f(n), nil)
			took := time.Since(start).Seconds()
			msg := ""
			if err != nil {
				msg = err.Error()[:min(90, len(err.Error()))]
			}
			out = append(out, fmt.Sprintf("%d: %.2f %s", n, took, msg))
			if took > 3 || err != nil {
				break
			}
		}
		fmt.Println(name, strings.Join(out, " | "))
	}
}

func TestZZOne(t *testing.T) {
	e := fresh(t)
	e.walk()
	for _, text := range []string{
		"MATCH (c:A0&(B1|!(A2&(B3|!C)))) RETURN count(*) AS c",
		"MATCH (c)-->(d1) WITH c MATCH (c)-->(d2) WITH c MATCH (c)-->(d3) WITH c MATCH (c)-->(d4) WITH c MATCH (c)-->(d5) WITH c MATCH (c)-->(d6) WITH c MATCH (c)-->(d7) WITH c MATCH (c)-->(d8) WITH c RETURN count(*) AS c",
	} {
		g, err := cypher.Guard(text, nil, cypherRules)
		if err != nil {
			t.Fatal(err)
		}
		session := e.store.session(t.Context(), neo4j.AccessModeRead)
		tx, _ := session.BeginTransaction(t.Context())
		for _, seek := range []map[string]bool{{}, {"c": true}} {
			start := time.Now()
			plan, err := explain(t.Context(), tx, g.Seeking(seek), map[string]any{"k": guardParameters(e.as("u"), g), "c": map[string]any{}})
			fmt.Println(time.Since(start), plan, err)
		}
	}
}
