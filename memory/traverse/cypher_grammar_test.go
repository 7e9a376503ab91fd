package traverse

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// grammar makes random statements, of usual and unusual forms, that the guard may accept.
type grammar struct {
	*rapid.T
	nodes, links, paths, values []string // known names
	made                        int
	function                    bool // shortest paths are written as functions; Neo4j does not take both forms together
	room                        int  // relationships that may still be matched
}

func (g *grammar) pick(label string, of ...string) string {
	return rapid.SampledFrom(of).Draw(g.T, label)
}

func (g *grammar) chance(percent int) bool {
	return rapid.IntRange(0, 99).Draw(g.T, "chance") < percent
}

func (g *grammar) name(prefix string) string {
	g.made++
	return fmt.Sprintf("%s%d", prefix, g.made)
}

// inside makes an expression with a scope for its own names.
func (g *grammar) inside(make func() string) string {
	was := *g
	text := make()
	g.nodes, g.links, g.paths, g.values = was.nodes, was.links, was.paths, was.values
	return text
}

func (g *grammar) statement() string {
	g.room = 6
	g.function = g.chance(20)
	if g.chance(8) {
		return g.inside(func() string { return g.single(1) }) + g.pick("union", " UNION ", " UNION ALL ") + g.inside(func() string { return g.single(1) })
	}
	return g.single(0)
}

// single makes one part of a statement with that many columns; 0: any number.
func (g *grammar) single(columns int) string {
	clauses := []string{g.match()}
	for range rapid.IntRange(0, 2).Draw(g.T, "clauses") {
		switch g.pick("clause", "match", "with", "unwind", "call", "optional") {
		case "match":
			clauses = append(clauses, g.match())
		case "optional":
			clauses = append(clauses, "OPTIONAL "+g.match())
		case "with":
			clauses = append(clauses, g.with())
		case "unwind":
			v := g.name("u")
			clauses = append(clauses, "UNWIND "+g.list(1)+" AS "+v)
			g.values = append(g.values, v)
		case "call":
			v := g.name("s")
			clauses = append(clauses, g.inside(func() string {
				return "CALL (*) { " + g.match() + " RETURN " + g.pick("aggregate", "count(*)", "collect("+g.value(1)+")", "max("+g.value(1)+")") + " AS " + v + " }"
			}))
			g.values = append(g.values, v)
		}
	}
	return strings.Join(append(clauses, g.result(columns)), " ")
}

func (g *grammar) with() string {
	distinct, items, kept := "", []string{}, [4][]string{}
	keep := func(i int, all []string) {
		for _, name := range all {
			if g.chance(70) {
				items, kept[i] = append(items, name), append(kept[i], name)
			}
		}
	}
	keep(0, g.nodes)
	keep(1, g.links)
	keep(2, g.paths)
	keep(3, g.values)
	v := g.name("v")
	items = append(items, g.pick("item", g.value(1), "count(*)", "collect("+g.value(1)+")")+" AS "+v)
	if g.chance(20) {
		distinct = "DISTINCT "
	}
	text := "WITH " + distinct + strings.Join(items, ", ")
	kept[3] = append(kept[3], v)
	g.nodes, g.links, g.paths, g.values = kept[0], kept[1], kept[2], kept[3]
	if g.chance(20) {
		text += " ORDER BY " + v + " LIMIT " + g.pick("limit", "1", "3")
	}
	if g.chance(40) {
		text += " WHERE " + g.condition(2)
	}
	return text
}

func (g *grammar) result(columns int) string {
	text := "RETURN "
	if g.chance(20) {
		text += "DISTINCT "
	}
	if columns == 0 {
		columns = rapid.IntRange(1, 3).Draw(g.T, "columns")
	}
	var items, names []string
	for i := range columns {
		item := g.value(2)
		if g.chance(15) {
			item = g.pick("aggregate", "count(*)", "count(DISTINCT "+item+")", "collect("+item+")", "min("+item+")")
		}
		names = append(names, fmt.Sprintf("c%d", i))
		items = append(items, item+" AS "+names[i])
	}
	text += strings.Join(items, ", ")
	if g.chance(50) {
		text += " ORDER BY " + strings.Join(names, ", ")
	}
	if g.chance(20) {
		text += " SKIP 1 LIMIT 3"
	}
	return text
}

func (g *grammar) match() string {
	text := "MATCH " + g.path(true)
	if g.room > 1 && g.chance(15) && !strings.Contains(text, "hortest") && !strings.Contains(text, "SHORTEST") && !strings.Contains(text, "ANY") {
		text += ", " + g.path(false)
	}
	if g.chance(35) {
		text += " WHERE " + g.condition(2)
	}
	return text
}

func (g *grammar) optional() string { return g.pick("optional", "", "", "OPTIONAL ") }

// path makes a pattern of a MATCH.
func (g *grammar) path(selectors bool) string {
	if selectors && g.room > 1 && g.chance(25) {
		return g.chosen()
	}
	text := g.node(true)
	for range rapid.IntRange(0, min(2, g.room)).Draw(g.T, "relationships") {
		g.room--
		text += g.link(true) + g.node(true)
	}
	if g.chance(20) {
		p := g.name("p")
		g.paths = append(g.paths, p)
		return p + " = " + text
	}
	return text
}

// chosen makes a path with a selector.
func (g *grammar) chosen() string {
	p := g.name("p")
	g.room--
	text := ""
	if g.function {
		r := g.pick("repeat", "[*..3]", "[:relates_to*1..3]", "[:relates_to|thinks_about*..4]", "[*..2]")
		text = g.pick("function", "shortestPath", "allShortestPaths") + "((a" + p + ":Person)-" + r + g.pick("end", "-", "->") + "(b" + p + ":" +
			g.pick("other", "Concept", "Entity", "Source") + "))"
		g.nodes = append(g.nodes, "a"+p, "b"+p)
	} else {
		selector := g.pick("selector", "ANY SHORTEST ", "SHORTEST 1 ", "SHORTEST 2 ", "ALL SHORTEST ", "SHORTEST 1 GROUPS ", "ANY ", "ANY 2 ")
		r := g.pick("repeat", "-->{1,3}", "-[:relates_to]-{1,2}", "--{0,2}", "-[:thinks_about|relates_to]->{1,3}", " ((x"+p+")-->(y"+p+")){1,2} ")
		text = selector + g.node(true) + r + g.node(true)
		if g.chance(40) {
			text += g.pick("more", "-->", "--", "-[:relates_to]->") + g.node(true)
		}
	}
	g.paths = append(g.paths, p)
	return p + " = " + text
}

func (g *grammar) label() string {
	return g.pick("label", "Person", "Concept", "Person", "Concept", "Person|Concept", "!Person", "Memory", "%", "Source", "Entity", "Message",
		"Entity&!Concept", "Unknown")
}

// node makes a node of a pattern. A named one is known from then on.
func (g *grammar) node(named bool) string {
	text := ""
	switch {
	case len(g.nodes) > 0 && g.chance(35):
		return "(" + g.pick("known", g.nodes...) + ")"
	case named && g.chance(80):
		text = g.name("n")
	}
	name := text
	if g.chance(50) {
		text += ":" + g.label()
	}
	if g.chance(6) {
		text += " {" + g.pick("property", "name: 'a p1'", "name: 'a c2'", "state: 'active'", "entity_key: 'c1'", "is_owner: true") + "}"
	}
	if name != "" && g.chance(10) {
		text += " WHERE " + g.plain(name)
	}
	if name != "" {
		g.nodes = append(g.nodes, name)
	}
	return "(" + text + ")"
}

func (g *grammar) link(named bool) string {
	text := ""
	name := ""
	if named && g.chance(35) {
		name = g.name("r")
		text = name
	}
	if g.chance(50) {
		text += g.pick("type", ":relates_to", ":thinks_about", ":relates_to|thinks_about", ":relates_to", ":mentions", ":!mentions", ":nothing")
	}
	repeats := g.chance(15) && !strings.Contains(text, "!")
	if repeats {
		text += g.pick("repeat", "*1..2", "*..3", "*2", "*0..2")
	} else if g.chance(8) {
		text += " {state: 'active'}"
	}
	if name != "" && !repeats {
		g.links = append(g.links, name)
	}
	return g.pick("begin", "-[", "-[", "-[", "<-[") + text + g.pick("end", "]-", "]-", "]->")
}

// plain makes a condition that may stand in a pattern.
func (g *grammar) plain(x string) string {
	return g.pick("plain", x+".salience > 0.4", x+".name CONTAINS 'c'", x+".user_id IS NULL", x+".state = 'active'", x+".name <> 'a p1'",
		x+".description STARTS WITH 'the'")
}

// any returns one of the names, or a default without names.
func (g *grammar) any(names []string, without string) string {
	if len(names) == 0 {
		return without
	}
	return g.pick("name", names...)
}

// value makes an expression of any type. Some fail.
func (g *grammar) value(depth int) string {
	n := g.any(g.nodes, "null")
	switch g.pick("value", "property", "property", "node", "link", "literal", "text", "number", "list", "map", "case", "count", "element", "value", "hidden") {
	case "property":
		return n + "." + g.pick("property", "name", "state", "salience", "description", "created_at", "user_id", "nothing", "participants")
	case "node":
		return g.pick("of node", "labels("+n+")", "keys("+n+")", "properties("+n+").name", n+" {.name, .state}", n+" {.*}.name", "size(keys("+n+"))",
			n+"['na' + 'me']", n)
	case "link":
		r := g.any(g.links, "null")
		return g.pick("of link", "type("+r+")", r+".description", "startNode("+r+").name", "endNode("+r+").name", "properties("+r+").key", r+".salience")
	case "literal":
		return g.pick("literal", "1", "'a'", "null", "true", "2.5", "$word", "$number")
	case "text":
		return g.pick("function", "toLower", "toUpper", "trim", "reverse") + "(toString(" + n + ".name))"
	case "number":
		return g.pick("number", "size("+n+".name)", "1 / size("+n+".name)", n+".salience * 2", "10 % size("+n+".state)", "toInteger("+n+".salience * 10) / 3",
			"abs("+n+".salience - 1)", "length("+g.any(g.paths, "null")+")")
	case "list":
		return g.list(depth)
	case "map":
		return "{a: " + n + ".name, b: " + g.any(g.values, "1") + "}"
	case "case":
		if depth > 0 {
			return "CASE WHEN " + g.condition(depth-1) + " THEN " + g.value(depth-1) + " ELSE " + g.value(depth-1) + " END"
		}
	case "count":
		if depth > 0 && g.room > 0 {
			return g.inside(func() string {
				return g.pick("subquery", "COUNT { ", "EXISTS { ") + g.path(false) + " WHERE " + g.condition(depth-1) + " }"
			})
		}
	case "element":
		return "[" + n + ".name, " + n + ".state][" + g.pick("index", "0", "1", "-1", "size("+n+".name)", "5") + "]"
	case "value":
		return g.any(g.values, "0")
	}
	return "coalesce(" + n + ".name, '-')"
}

func (g *grammar) list(depth int) string {
	n := g.any(g.nodes, "null")
	p := g.any(g.paths, "null")
	x := g.name("x")
	switch g.pick("list", "literal", "path", "relationships", "comprehension", "pattern", "collect", "labels", "range", "reduce") {
	case "path":
		return "[" + x + " IN nodes(" + p + ") | " + x + ".name]"
	case "relationships":
		return "[" + x + " IN relationships(" + p + ") WHERE " + x + ".salience > 0.1 | type(" + x + ")]"
	case "comprehension":
		return "[" + x + " IN [1, 2, 3] WHERE " + x + " > 1 | " + x + " + size(" + n + ".name)]"
	case "pattern":
		if depth > 0 && g.room > 0 {
			g.room--
			return g.inside(func() string {
				m := g.name("m")
				return "[(" + g.any(g.nodes, ":Concept") + ")" + g.link(false) + "(" + m + ") WHERE " + g.plain(m) + " | " + m + ".name]"
			})
		}
	case "collect":
		if depth > 0 && g.room > 0 {
			return g.inside(func() string {
				if g.chance(30) {
					return "COLLECT { CALL (*) { " + g.optional() + g.match() + " RETURN " + g.value(0) + " AS z } RETURN z AS y ORDER BY y LIMIT 3 }"
				}
				return "COLLECT { " + g.optional() + g.match() + " RETURN " + g.value(0) + " AS y ORDER BY y LIMIT 3 }"
			})
		}
	case "labels":
		return "labels(" + n + ")"
	case "range":
		return "range(0, size(" + n + ".name) % 5)"
	case "reduce":
		return "[reduce(t = 0, " + x + " IN [1, 2] | t + " + x + ")]"
	}
	return "[1, " + n + ".name, null]"
}

// condition makes a condition of any kind. Some fail on some nodes.
func (g *grammar) condition(depth int) string {
	n := g.any(g.nodes, "null")
	if depth == 0 {
		return g.plain(n)
	}
	switch g.pick("condition", "plain", "plain", "and", "or", "not", "pattern", "exists", "any", "label", "fails", "in", "regex", "same", "path", "chain") {
	case "and":
		return "(" + g.condition(depth-1) + " AND " + g.condition(depth-1) + ")"
	case "or":
		return "(" + g.condition(depth-1) + g.pick("operator", " OR ", " OR ", " XOR ") + g.condition(depth-1) + ")"
	case "not":
		return "NOT " + g.condition(depth-1)
	case "pattern":
		if len(g.nodes) > 0 && g.room > 0 {
			g.room--
			return "(" + n + ")" + g.link(false) + "(" + g.pick("end", "", ":"+g.label(), g.any(g.nodes, ""), "{name: 'a c1'}") + ")"
		}
	case "exists":
		if g.room > 0 {
			return g.inside(func() string {
				if g.chance(30) {
					return "EXISTS { CALL (*) { " + g.match() + " RETURN " + g.value(0) + " AS z } WITH z WHERE z IS NOT NULL RETURN z }"
				}
				return "EXISTS { " + g.optional() + g.match() + " }"
			})
		}
	case "any":
		x := g.name("x")
		return g.pick("quantifier", "all", "any", "none", "single") + "(" + x + " IN " + g.list(depth-1) + " WHERE " + x + " IS NOT NULL)"
	case "label":
		return "(" + n + ":" + g.label() + ")"
	case "fails":
		return g.pick("fails", "1 / size("+n+".name) >= 0", "1 / (size("+n+".name) - 4) > 0", "toInteger("+n+".name) IS NULL", "size("+n+".participants) > 0",
			"["+n+".name][size("+n+".name)] IS NULL", n+".salience / 0.5 > 1")
	case "in":
		return n + ".name IN ['a p1', 'a c1', 'a h1', $word]"
	case "regex":
		part := g.pick("part", "C", "h", "1", "(c|2)", "^a (p|h).*$|.*1")
		if strings.HasPrefix(part, "^") {
			return n + ".name =~ '" + part + "'"
		}
		return n + ".name =~ '(?i).*" + part + ".*'"
	case "same":
		return n + g.pick("operator", " = ", " <> ") + g.any(g.nodes, "null")
	case "path":
		x := g.name("x")
		return "all(" + x + " IN relationships(" + g.any(g.paths, "null") + ") WHERE " + x + ".salience > 0.05)"
	case "chain":
		return "0.1 < " + n + ".salience <= " + g.any(g.nodes, "null") + ".salience"
	}
	return g.plain(n)
}
