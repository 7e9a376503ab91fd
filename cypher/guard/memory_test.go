package guard

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

const lists = "[a IN range(1, 2500) | [b IN range(1, 90) | {a: a, b: b, c: [a, b], d: toString(a)}]]"

// joinedTo returns a text several times, with its number in place of #.
func joinedTo(separator string, n int, text string) string {
	var all []string
	for i := range n {
		all = append(all, strings.ReplaceAll(text, "#", fmt.Sprint(i)))
	}
	return strings.Join(all, separator)
}

// What the expressions of a statement make is counted together, wherever they stand.
func TestGuardCountsBytes(t *testing.T) {
	t.Parallel()
	some := "[a IN range(1, 3000) | {a: a, b: toString(a)}]" // a fifth of what is allowed
	for name, text := range map[string]string{
		"six lists":          "WITH " + joinedTo(", ", 6, lists+" AS l#") + " RETURN " + joinedTo(" + ", 6, "size(l#)") + " AS s",
		"one of them":        "WITH " + lists + " AS l RETURN size(l) AS s",
		"ten lists of texts": "WITH " + joinedTo(", ", 10, "[a IN range(1, 10000) | toString(a * 7)] AS l#") + " RETURN " + joinedTo(" + ", 10, "size(l#)") + " AS s",
		"columns":            "RETURN " + joinedTo(", ", 9, some+" AS l#"),
		"union":              joinedTo(" UNION ALL ", 9, "RETURN "+some+" AS l"),
		"calls":              joinedTo(" ", 9, "CALL () { RETURN "+some+" AS l# }") + " RETURN l0",
		"clauses":            joinedTo(" ", 9, "WITH *, "+some+" AS l#") + " RETURN l0",
		"subqueries":         "RETURN " + joinedTo(", ", 9, "COLLECT { RETURN "+some+" } AS l#"),
		"one expression":     "RETURN [" + joinedTo(", ", 9, some) + "] AS l",
		"a map":              "RETURN {" + joinedTo(", ", 9, "k#: "+some) + "} AS l",
		"a sum":              "RETURN " + joinedTo(" + ", 9, some) + " AS l",
		"order":              "MATCH (n) RETURN n.name ORDER BY " + joinedTo(", ", 9, "size("+some+" + [#])") + ", " + joinedTo(", ", 9, some+"[#]"),
		"reduce":             "RETURN " + joinedTo(", ", 9, "reduce(l = [], a IN range(1, 9000) | l + [{a: a}]) AS l#"),
		"texts":              "WITH $long AS l RETURN " + joinedTo(", ", 30, "l + '#' AS l#"),
		"replace":            "RETURN " + joinedTo(", ", 9, "replace($long, '1', '12345678') AS l#"),
		"split":              "RETURN [a IN range(1, 3) | split($long, '')] AS l, [a IN range(1, 100) | split($long, '11')] AS k",
		"times":              "RETURN " + joinedTo(", ", 9, "[a IN range(1, 9000) | duration({days: a})] AS l#"),
		"points":             "RETURN " + joinedTo(", ", 9, "[a IN range(1, 9000) | point({x: a, y: a})] AS l#"),
		"properties":         "MATCH " + joinedTo(", ", 1, "(n)") + " RETURN " + joinedTo(", ", 30, "properties(n) AS p#"),
		"projections":        "MATCH (n) RETURN " + joinedTo(", ", 30, "n {.*} AS p#"),
		"nested lists":       "RETURN [a IN range(1, 900) | [b IN range(1, 300) | a]] AS l",
		"lists of lists":     "RETURN " + joinedTo(", ", 12, "[a IN range(1, 9000) | [[[a]]]] AS l#"),
	} {
		if r := refusalOf(t, text); r == nil || !strings.Contains(r.Message, "too large") {
			t.Errorf("%s: %v", name, r)
		}
	}
}

// What agents do with lists stays allowed, and is bounded when it runs where its size is not known before.
func TestGuardAllowsLists(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"MATCH (n) WITH collect(n) AS ns RETURN [x IN ns | x.name] AS names, [x IN ns | x {.name, .description, .state}] AS maps",
		"MATCH (n) WITH collect(n) AS ns RETURN [x IN ns | x {.*}] AS maps, [x IN ns WHERE x.name CONTAINS 'a'] AS some",
		"MATCH (a)-->(b) WITH a, collect({name: b.name, text: b.description}) AS l RETURN a.name, [x IN l | x.name + ': ' + x.text] AS texts",
		"MATCH (n) WITH collect(n.name) AS l RETURN reduce(s = '', x IN l | s + x + ', ') AS s, [x IN l | split(x, ' ')[0]] AS first",
		"MATCH p = (a)-->(b) RETURN [n IN nodes(p) | n.name], [r IN relationships(p) | type(r)], [i IN range(0, size(nodes(p)) - 1) | nodes(p)[i].description]",
		"UNWIND range(1, 1000) AS i RETURN {i: i, l: [x IN range(1, 300) | {x: x, i: i}]} AS m",
		"RETURN [x IN range(1, 1000) | {a: x, b: x, c: x, d: toString(x), e: [x, x]}] AS l",
		"MATCH (n) RETURN " + joinedTo(", ", 30, "n.p#"),
		"MATCH (n) RETURN " + joinedTo(" + ' ' + ", 6, "n.p#") + " AS a, " + joinedTo(" + ' ' + ", 6, "n.q#") + " AS b",
		"MATCH (n) WITH collect(n) AS a MATCH (m) WITH a, collect(m) AS b RETURN [x IN a | [y IN b | {x: x.name, y: y.name}]] AS l",
	} {
		g, err := Rewrite(text, testParameters, testRules)
		if err != nil || g.Bytes <= 0 || g.Bytes > defaultMemory {
			t.Errorf("%d bytes, %v: %s", g.Bytes, err, text)
		}
	}
}

// Where the number of elements shows only when the statement runs, it asks for it, with all loops around.
func TestGuardWatchesListsOfUnknownLength(t *testing.T) {
	t.Parallel()
	g, err := Rewrite("MATCH (n) WITH collect(n) AS ns RETURN [x IN ns | [y IN ns | {x: x, y: y, d: y.description}]] AS l", testParameters, testRules)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"size(`#l1`) * size(`#l2`)) > $`k`", "* size(`#l1`)) * size(`#l2`)) > $`k`"} {
		if !strings.Contains(g.Text, part) {
			t.Errorf("%s has no %s", g.Text, part)
		}
	}
}

// The rules say how much a statement may take.
func TestGuardKeepsToItsMemory(t *testing.T) {
	t.Parallel()
	rules := testRules
	for _, rules.Memory = range []int64{1 << 20, 8 << 20, 64 << 20} {
		most := 0
		for n := 100; n <= 10_000; n += 100 {
			text := fmt.Sprintf("RETURN %s", joinedTo(", ", 20, fmt.Sprintf("[a IN range(1, %d) | {a: a}] AS l#", n)))
			g, err := Rewrite(text, nil, rules)
			if g.Bytes > rules.Memory {
				t.Fatalf("%d bytes of %d", g.Bytes, rules.Memory)
			}
			if err == nil {
				most = n
			}
		}
		if made := int64(most) * 20 * 220; made > rules.Memory || most < 10_000 && made < rules.Memory/3 {
			t.Errorf("%d elements in %d bytes", most, rules.Memory)
		}
	}
}

// More in a statement is never counted as less, and what is allowed stays within the account.
func TestGuardAccountGrows(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		value := randomValue(random, 3)
		one, err := Rewrite("RETURN "+value+" AS a", testParameters, testRules)
		if err != nil {
			continue
		}
		for _, more := range []string{"RETURN " + value + " AS a, " + value + " AS b", "RETURN [" + value + "] AS a", "RETURN {a: " + value + "} AS a", "WITH " + value + " AS a RETURN a, [1, 2] AS b"} {
			g, err := Rewrite(more, testParameters, testRules)
			var r *Refusal
			if err != nil && !errors.As(err, &r) || err == nil && (g.Bytes < one.Bytes || g.Bytes > defaultMemory) {
				t.Fatalf("%d bytes for %s, %d for %s (%v)", one.Bytes, value, g.Bytes, more, err)
			}
		}
	}
}

// randomValue returns an expression that makes lists, maps or texts.
func randomValue(random *rand.Rand, depth int) string {
	inner := func() string {
		if depth == 0 {
			return []string{"1", "'text'", "$name", "$list", "x"}[random.IntN(4)]
		}
		return randomValue(random, depth-1)
	}
	n := []int{3, 30, 300, 3000}[random.IntN(4)]
	forms := []string{
		"[x IN range(1, %d) | %s]", "[x IN range(1, %d) WHERE x > 1 | [x, %s]]", "reduce(l = [], x IN range(1, %d) | l + [%s])",
		"[x IN range(1, %d) | {a: x, b: %s}]", "[x IN range(1, %d) | toString(x) + toString(size([%s]))]", "size([x IN range(1, %d) | %s])",
	}
	return fmt.Sprintf(forms[random.IntN(len(forms))], n, inner())
}

func FuzzGuardAccount(f *testing.F) {
	for _, text := range slices.Concat(harmless, []string{"WITH " + lists + " AS l RETURN l"}) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := Rewrite(text, testParameters, testRules)
		if err == nil && (g.Bytes < 0 || g.Bytes > defaultMemory) {
			t.Fatalf("%q takes %d bytes", text, g.Bytes)
		}
	})
}
