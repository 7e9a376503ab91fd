package guard

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

var testRules = Rules{
	Base: "Memory", Hidden: []string{"team_id", "embedding"}, Rows: 1000,
	Indexes: map[string]*Index{
		"Person":  {Label: "Memory", Further: []string{"natural_key"}, Prefix: "person\x1f"},
		"Concept": {Label: "Memory", Further: []string{"natural_key"}, Prefix: "concept\x1f"},
		"Message": {Label: "Message", Further: []string{"source_key", "seq"}},
	},
	Index: &Index{Label: "Memory", Further: []string{"entity_key"}},
	Named: &Index{Label: "Memory", Further: []string{"search_name"}}, NameKey: strings.ToLower,
}

var testParameters = map[string]any{"name": "Ada", "n": int64(2), "list": []any{"a", "b"}, "map": map[string]any{"a": int64(1)}, "k": "mine", "team": "t", "long": strings.Repeat("1", 250_000)}

func refusalOf(t *testing.T, text string) *Refusal {
	t.Helper()
	_, err := Rewrite(text, testParameters, testRules)
	var r *Refusal
	if err != nil && !errors.As(err, &r) {
		t.Fatalf("%.200q: not a refusal: %v", text, err)
	}
	return r
}

// What is not allowed, with a part of the advice: who reads it is to know what to write instead.
func TestGuardRefuses(t *testing.T) {
	t.Parallel()
	for text, advice := range map[string]string{
		"CREATE (n:Person)":                                         "POST /v1/memory",
		"MATCH (n) SET n.x = 1 RETURN n":                            "POST /v1/memory",
		"MATCH (n) DETACH DELETE n":                                 "POST /v1/memory",
		"MATCH (n) CALL (n) { SET n.x = 1 RETURN 1 AS y } RETURN y": "POST /v1/memory",
		"MATCH (n) fOrEaCh (x IN [1] | SET n.x = x)":                "POST /v1/memory",
		"DROP INDEX x":                                              "POST /v1/memory",
		"SHOW DATABASES":                                            "GET /v1/schema",
		"LOAD CSV FROM 'file:///etc/passwd' AS l RETURN l":          "files",
		"USE neo4j MATCH (n) RETURN n":                              "one graph",
		"EXPLAIN MATCH (n) RETURN n":                                "plans",
		"CYPHER runtime=slotted MATCH (n) RETURN n":                 "CYPHER",
		"CALL db.labels()":                                          "procedures",
		"MATCH (n) CALL { CALL db.labels() YIELD label RETURN label } RETURN label":      "procedures",
		"MATCH (n) USING INDEX n:Person(name) RETURN n":                                  "hints",
		"MATCH (n) RETURN id(n)":                                                         "entity_key",
		"MATCH (n) RETURN elementId(n)":                                                  "entity_key",
		"RETURN rand()":                                                                  "chance",
		"RETURN apoc.version()":                                                          "GET /v1/schema",
		"RETURN `apoc`.`version`()":                                                      "backticks",
		"RETURN 1; RETURN 2":                                                             "one statement",
		"MATCH (n) RETURN n.team_id":                                                     "not for reading",
		"MATCH (n) WHERE n.embedding IS NULL RETURN 1":                                   "not for reading",
		"MATCH (n {team_id: 'x'}) RETURN n":                                              "not for reading",
		"MATCH (n) RETURN n {.team_id}":                                                  "not for reading",
		"MATCH (n) RETURN n['team_id']":                                                  "not for reading",
		"MATCH (a)-[*]->(b) RETURN b":                                                    "upper bound",
		"MATCH (a)-->+(b) RETURN b":                                                      "upper bound",
		"MATCH p = shortestPath((a)-[*]-(b)) RETURN p":                                   "upper bound",
		"MATCH (a)-[*1..7]->(b) RETURN b":                                                "at most 6",
		"MATCH (a)-[*..6]-(b)-[*..6]-(c)-[*..6]-(d)-[*..6]-(e) RETURN e":                 "at most 18",
		"MATCH (a), (b), (c), (d), (e) RETURN 1":                                         "nothing in common",
		"MATCH (n) WHERE n.name =~ '(a+)+$' RETURN n":                                    "CONTAINS",
		"MATCH (n) WHERE n.name =~ n.pattern RETURN n":                                   "CONTAINS",
		"MATCH (n) WHERE n.name =~ '(a|b)+' RETURN n":                                    "CONTAINS",
		"MATCH (n) WHERE n.name =~ '(a)(b)' RETURN n":                                    "CONTAINS",
		"MATCH (n) WHERE n.name =~ '.*\\\\bada\\\\b.*' RETURN n":                         "CONTAINS",
		"MATCH (n) WHERE n.name =~ '(a|b*).*' RETURN n":                                  "CONTAINS",
		"MATCH (n) WHERE n.name =~ 'a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q|r|s|t|u' RETURN n": "CONTAINS",
		"MATCH (n $map) RETURN n":                                                        "{name: $name}",
		"MATCH (n:$($name)) RETURN n":                                                    "$",
		"MATCH (n:$name) RETURN n":                                                       "write their names",
		"MATCH (n) RETURN n LIMIT COUNT { (m) }":                                         "whole number",
		"MATCH (n) RETURN n LIMIT -1":                                                    "whole number",
		"MATCH (n) RETURN n LIMIT $name":                                                 "whole number",
		"MATCH (n) RETURN $missing":                                                      "is not given",
		"MATCH (n) RETURN m":                                                             "not known here",
		"MATCH (n)":                                                                      "RETURN",
		"":                                                                               "clause",
		"RETURN 'abc":                                                                    "never ends",
		"RETURN 1 /* abc":                                                                "never ends",
		"RETURN `abc":                                                                    "never ends",
		"RETURN 1 // \\u000A":                                                            "comments",
		"RETURN '\\uD800'":                                                               "half a character",
		"RETURN `a``b`":                                                                  "backticks",
		"RETURN 1 AS `a\\u0060b`":                                                        "plain name",
		"RETURN 1 AS ` x`":                                                               "plain name",
		"RETURN 9223372036854775808":                                                     "64 bits",
		"RETURN 1e999":                                                                   "64 bits",
		"RETURN 1 = = 2":                                                                 "value",
		"RETURN 1 == 2":                                                                  "write =",
		"RETURN 1 != 2":                                                                  "write <>",
		"RET\u200bURN 1":                                                                 "invisible",
		"RETURN 1\x00":                                                                   "control",
		"RETURN \xff":                                                                    "UTF-8",
		"RETURN " + strings.Repeat("(", 8000) + "1":                                      "brackets",
		"RETURN " + strings.Repeat("[", 4000) + strings.Repeat("]", 4000):                                                    "brackets",
		"RETURN " + strings.Repeat("1+", 3000) + "1":                                                                         "words and signs",
		"RETURN '" + strings.Repeat("a", 9000) + "'":                                                                         "bytes",
		"RETURN " + strings.Repeat("-", 500) + "1":                                                                           "within each other",
		"RETURN " + strings.Repeat("NOT ", 300) + "true":                                                                     "within each other",
		"MATCH (n) WHERE " + strings.Repeat("EXISTS { MATCH (n) WHERE ", 5) + "true" + strings.Repeat(" }", 5) + " RETURN n": "subqueries",
		"RETURN range(1, 2000000000)":                                                                                        "range",
		"RETURN [a IN range(1,1000) | [b IN range(1,1000) | [c IN range(1,1000) | a*b*c]]]":                                  "loops",
		"RETURN size([x IN range(1, 5000) | $long + toString(x)])":                                                           "too large",
		"RETURN size([x IN range(1, 10000) WHERE size(split($long, '')) > x])":                                               "too many elements",
		"RETURN size([x IN range(1, 30) WHERE $long CONTAINS $long + toString(x)])":                                          "too many elements",
		"RETURN toInteger($long)":                                                                                            "digits",
		"RETURN toFloat('1' + $long) AS a, toIntegerList(['1'])":                                                             "toInteger(x)",
		"RETURN reduce(l = [], x IN range(1, 10000) | [l])":                                                                  "within itself",
		strings.Repeat("MATCH (n:Person) WITH count(n) AS c ", 40) + "RETURN c":                                              "more than 32",
		"RETURN reduce(s = 'a', x IN range(1, 40) | s + s)":                                                                  "more than once",
		"RETURN reduce(s = 0, x IN [1] | reduce(t = 0, y IN [1] | t + s))":                                                   "reduce",
		"WITH 'a' AS s " + strings.Repeat("WITH s + s AS s ", 40) + "RETURN s":                                               "too large",
		"WITH [1] AS s " + strings.Repeat("WITH s + s AS s ", 40) + "RETURN s":                                               "too large",
		"MATCH (n) RETURN replace(n.name, 'a', n.description)":                                                               "third value",
		"RETURN round(1.5, 1000000000)":                                                                                      "0 to 15",
		"MATCH (n) WHERE " + strings.Repeat("n.a = 1 XOR ", 8) + "true RETURN n":                                             "XOR",
		"MATCH (a)-->(b)-->(c)-->(d)-->(e)-->(f)-->(g)-->(h)-->(i) RETURN 1":                                                 "matched together",
		"MATCH (n:" + strings.Repeat("Person|", 20) + "Person) RETURN n":                                                     "labels",
		"MATCH (a) OPTIONAL MATCH (a)-->(b) WHERE 1 / b.x > 0 RETURN b":                                                      "OPTIONAL MATCH",
		"MATCH p = shortestPath((a)-[*..3]-(b)) WHERE size(nodes(p)) > toInteger(a.x) RETURN p":                              "plain",
		"MATCH (a)((x)-->(y) WHERE 1 / x.v > 0){1,2}(b) RETURN b":                                                            "plain",
		"MATCH (n) FILTER n.x = 1 RETURN n":                                                                                  "WHERE",
		"MATCH REPEATABLE ELEMENTS (a)-->(b) RETURN b":                                                                       "leave it out",
		"MATCH (n) CALL (n) { RETURN 1 AS x } IN TRANSACTIONS RETURN x":                                                      "TRANSACTIONS",
		"MATCH (n) RETURN n.name AS x, n.state AS x":                                                                         "same name",
		"MATCH (n) WITH n.name RETURN 1":                                                                                     "AS name",
		"RETURN 1 AS a UNION RETURN 2 AS b":                                                                                  "same columns",
		"MATCH (n) RETURN exists(n.name)":                                                                                    "IS NOT NULL",
		"RETURN s'{1}'":                                                                                                      "not expected",
	} {
		r := refusalOf(t, text)
		switch {
		case r == nil:
			t.Errorf("%.120q is accepted", text)
		case !strings.Contains(r.Message, advice):
			t.Errorf("%.120q: %q says nothing of %q", text, r, advice)
		case r.Line < 1 || r.Column < 1 || r.Offset > len(text):
			t.Errorf("%.120q: is nowhere: %+v", text, r)
		}
	}
}

// harmless are forms that agents write.
var harmless = []string{
	"match (n) return n",
	"MATCH (n) RETURN count(*)",
	"MATCH (n:Person {name: $name}) RETURN n.name;",
	"MATCH (a)-[r:knows|likes]->(b) WHERE r.since > 2000 AND NOT b:Person RETURN type(r), b",
	"MATCH (a)-[:knows*1..3]->(b) RETURN DISTINCT b.name",
	"MATCH (a)-[:knows]->{1,3}(b) RETURN b",
	"MATCH (a) ((x)-[:knows]->(y)){1,2} (b) RETURN [n IN x | n.name]",
	"MATCH p = shortestPath((a:Person)-[*..6]-(b:Concept)) WHERE all(r IN relationships(p) WHERE r.state = 'active') RETURN p",
	"MATCH p = ALL SHORTEST (a:Person)-->{1,4}(b) RETURN length(p)",
	"MATCH (n) WHERE EXISTS { (n)-->(:Person) } RETURN n",
	"MATCH (n) RETURN COLLECT { MATCH (n)-->(m) RETURN m.name } AS names, COUNT { (n)-->() } AS c",
	"MATCH (n) RETURN [(n)-->(m) WHERE m.name IS NOT NULL | m.name] AS names",
	"MATCH (n) WHERE (n)-->() AND NOT (n)<--(:Person) RETURN n",
	"MATCH (n) RETURN size((n)-->()) AS degree",
	"MATCH (n) RETURN all(x IN [1] WHERE x > 0)",
	"MATCH (n) WITH n, count(*) AS c WHERE c > 1 RETURN n.name ORDER BY c DESC SKIP $n LIMIT $n * 2",
	"UNWIND $list AS x RETURN x UNION ALL RETURN 'c' AS x",
	"MATCH (n) CALL (n) { MATCH (n)-->(m) RETURN count(m) AS c } RETURN n, c",
	"MATCH (n) CALL { WITH n MATCH (n)-->(m) RETURN count(m) AS c } RETURN n, c",
	"MATCH (n) RETURN CASE n.x WHEN 1 THEN 'a' ELSE 'b' END AS y, CASE WHEN n.x > 1 THEN 1 END AS z",
	"MATCH (n) RETURN n {.*, a: 1, m: n.name} AS map, keys(n), labels(n), properties(n)",
	"RETURN reduce(s = 0, x IN [1, 2] | s + x) AS s, [x IN range(1, 5) WHERE x % 2 = 0 | x ^ 2] AS l",
	"RETURN -$n AS a, -(1 + 2) AS b, 3--3 AS c, .5 AS d, 0x1F AS e, 1e3 AS f, 'it\\'s \\u00e9' AS g",
	"RETURN 1 < 2 <= 3 AS a, NOT true XOR false AS b, [1, 2, 3][0..2] AS c, $map.a AS d, $list[0] AS e",
	"RETURN date() - duration('P7D') AS d, datetime({epochMillis: 1}) AS t, point.distance(point({x: 1, y: 2}), point({x: 1, y: 3})) AS p",
	"MATCH (n) WHERE n.name =~ '(?i).*ada.*' RETURN n",
	"MATCH (n) WHERE n.name =~ '(?i).*(ada|bo).*' RETURN n",
	"MATCH (n) WHERE n.name =~ '^(?:Ada|Bo)$' OR n.name =~ 'v1\\\\.2.*|.*\\\\(old\\\\)' RETURN n",
	"MATCH (n) WHERE toLower(n.name) CONTAINS 'ada' OR n.name STARTS WITH 'A' RETURN n",
	"MATCH (a)<-->(b) RETURN a",
	"MATCH (n) RETURN 'zero\u200dwidth and no\u00a0break' AS text",
	"MATCH (`odd name`:Person) RETURN `odd name`.name AS `another one`",
	"MATCH (order:Person) RETURN order.type AS type, order.limit AS `limit`",
	"MATCH (n) RETURN n.name /* a comment */ // another\n",
	"OPTIONAL MATCH (n:Nobody) RETURN n",
	"WITH 1 AS x RETURN *",
	"MATCH (a) RETURN a.k, $k, $team",
}

func TestGuardAccepts(t *testing.T) {
	t.Parallel()
	for _, text := range harmless {
		if r := refusalOf(t, text); r != nil {
			t.Errorf("%s: %v", text, r)
		}
	}
}

// What is sent has no text, number, comment or odd name of the caller's: only parameters, and names in backticks.
func TestGuardSendsNothingAsItIs(t *testing.T) {
	t.Parallel()
	g, err := Rewrite("MATCH (n:Person {name: 'mary'}) /* secret */ WHERE n.x = 4711 RETURN n.y + ' text' // more", nil, testRules)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"mary", "4711", "secret", "more", " text"} {
		if strings.Contains(g.Text, part) {
			t.Errorf("%q is sent in %s", part, g.Text)
		}
	}
	if len(g.Literals) != 4 || len(g.Columns) != 1 || g.Columns[0] != "n.y + ' text'" {
		t.Errorf("got %v of %v", g.Literals, g.Columns)
	}
}

// A walk begins where it finds least: at a name, else at a kind.
func TestGuardBeginsAtAnIndex(t *testing.T) {
	t.Parallel()
	for text, hint := range map[string]string{
		"MATCH (p:Person {name: $name})-->(c:Concept) RETURN c":              "`p`:`Memory`(`team_id`, `search_name`)",
		"MATCH (p:Person)-->(c:Concept) WHERE 'Ada' = c.name RETURN c":       "`c`:`Memory`(`team_id`, `search_name`)",
		"MATCH (p)-->(c:Concept) RETURN c":                                   "`c`:`Memory`(`team_id`, `natural_key`)",
		"MATCH (p)-->(c) RETURN c":                                           "`p`:`Memory`(`team_id`, `entity_key`)",
		"MATCH (p {name: 'Ada'})-->(c) RETURN c":                             "`p`:`Memory`(`team_id`, `entity_key`)",
		"MATCH (p:Message {name: 'Ada'})-->(c) RETURN c":                     "`p`:`Message`(`team_id`, `source_key`, `seq`)",
		"MATCH (p:Person|Concept {name: 'Ada'})-->(c) RETURN c":              "`p`:`Memory`(`team_id`, `entity_key`)",
		"MATCH (p:Person)-->(c {entity_key: 'x'}) RETURN c":                  "",
		"MATCH (p:Person {name: 'Ada'}) MATCH (p)-->(c:Concept) RETURN c":    "`p`:`Memory`(`team_id`, `search_name`)",
		"MATCH (p:Person) WHERE p.name = 'Ada' OR p.name = 'Grace' RETURN p": "`p`:`Memory`(`team_id`, `natural_key`)",
		"MATCH (p:Nobody)-->(c) RETURN c":                                    "`p`:`Memory`(`team_id`, `natural_key`)",
	} {
		g, err := Rewrite(text, testParameters, testRules)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if strings.Count(g.Text, "USING INDEX SEEK") != min(1, len(hint)) || !strings.Contains(g.Text, hint) {
			t.Errorf("%s: %s", text, g.Text)
		}
	}
}

// A parameter that is called like one of the guard's is another one.
func TestGuardKeepsParametersApart(t *testing.T) {
	t.Parallel()
	g, err := Rewrite("RETURN $k AS a, $team AS b", testParameters, testRules)
	if err != nil || g.Text != "RETURN $`c`.`k` AS `a`, $`c`.`team` AS `b` LIMIT 1001" || fmt.Sprint(g.Used) != "[k team]" {
		t.Errorf("%s, used %v: %v", g.Text, g.Used, err)
	}
}

func TestUnaryBindsAsInCypher(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"RETURN NOT 1 = 2 AS x":        "RETURN (NOT (1 = 2)) AS `x`",
		"RETURN -2 ^ 2 AS x":           "RETURN (-2 ^ 2) AS `x`",
		"RETURN 2 ^ 3 ^ 2 AS x":        "RETURN ((2 ^ 3) ^ 2) AS `x`",
		"RETURN 1 + 2 * 3 - 4 AS x":    "RETURN ((1 + (2 * 3)) - 4) AS `x`",
		"RETURN a OR b AND NOT c AS x": "RETURN (`a` OR (`b` AND (NOT `c`))) AS `x`",
		"RETURN 1 < 2 = 3 AS x":        "RETURN (1 < 2 = 3) AS `x`",
		"RETURN a.b IS NULL AS x":      "RETURN (`a`.`b` IS NULL) AS `x`",
		"RETURN a + b IN c AS x":       "RETURN ((`a` + `b`) IN `c`) AS `x`",
		"RETURN 'it\\'s' AS x":         "RETURN 'it\\'s' AS `x`",
	} {
		q, r := read(text)
		if r != nil {
			t.Errorf("%s: %v", text, r)
		} else if got := printed(q, nil); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// What is long takes longer, but not more than that: each statement has about ten times the text of the one before it.
func TestGuardTakesLinearTime(t *testing.T) {
	t.Parallel()
	for name, repeat := range map[string]string{
		"conditions": "n.a = 1 AND ", "comprehensions": "size([x IN [1] | x]) = 1 AND ", "names": "n.a%d = 1 AND ", "nested patterns": "size([(n)-->(b) WHERE [(b)-->(c) | 1] = [] | 1]) = 0 AND ",
	} {
		took := func(n int) time.Duration {
			text := "MATCH (n) WHERE " + strings.Repeat(strings.ReplaceAll(repeat, "%d", ""), n) + "true RETURN n"
			best := time.Hour
			for range 20 {
				start := time.Now()
				_, _ = Rewrite(text, nil, testRules)
				best = min(best, time.Since(start))
			}
			return best
		}
		if few, many := took(3), took(30); many > 40*few {
			t.Errorf("%s: %v for 3, %v for 30", name, few, many)
		}
	}
}

func FuzzGuard(f *testing.F) {
	for _, text := range harmless {
		f.Add(text)
	}
	f.Add("MATCH (a) RETURN '\\u0060, [(a)-->(x) | x.team_id] AS leak //'")
	f.Add("WITH [0] AS l, 0 AS i RETURN l[l[l[l[l[l[l[i]]]]]]] AS x")
	f.Fuzz(func(t *testing.T, text string) {
		q, refused := read(text)
		if refused != nil {
			return
		}
		once := printed(q, nil)
		if len(once) <= maxText {
			again, refused := read(once)
			if refused != nil {
				if !strings.Contains(refused.Message, "more than") && !strings.Contains(refused.Message, "too m") { // brackets that were not there
					t.Fatalf("%q is printed as %q, which is refused: %v", text, once, refused)
				}
			} else if twice := printed(again, nil); twice != once {
				t.Fatalf("%q is printed as %q, and then as %q", text, once, twice)
			}
		}
		g, err := Rewrite(text, testParameters, testRules)
		if err != nil {
			return
		}
		if len(g.Text) > maxPrinted || strings.ContainsAny(g.Text, "\\;'") || strings.Contains(g.Text, "//") || strings.Contains(g.Text, "/*") {
			t.Fatalf("%q is sent as %q", text, g.Text)
		}
	})
}

func BenchmarkGuard(b *testing.B) {
	for name, text := range map[string]string{
		"typical": "MATCH (p:Person {name: $name})-[r:thinks_about]->(c:Concept) WHERE r.valid_to IS NULL AND toLower(c.name) CONTAINS 'go' RETURN c.name, r.description ORDER BY r.salience DESC LIMIT 10",
		"long":    "MATCH (n) WHERE " + strings.Repeat("n.name = 'somebody' OR ", 200) + "true RETURN n",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Rewrite(text, testParameters, testRules); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
