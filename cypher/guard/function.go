package guard

import (
	"slices"
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// functions holds the functions that callers may use, by lower-case name, in Neo4j's spelling. All are pure.
var functions = byLowerName(
	// of values
	"coalesce", "nullIf", "head", "last", "tail", "size", "length", "reverse", "range", "isEmpty", "valueType",
	"toString", "toStringOrNull", "toStringList", "toInteger", "toIntegerOrNull", "toFloat", "toFloatOrNull",
	"toBoolean", "toBooleanOrNull", "toBooleanList", "char_length", "character_length",
	// of nodes, relationships and paths
	"type", "labels", "keys", "properties", "nodes", "relationships", "startNode", "endNode",
	// of texts
	"toLower", "toUpper", "lower", "upper", "trim", "btrim", "lTrim", "rTrim", "replace", "split", "substring", "left", "right",
	"normalize",
	// of numbers
	"abs", "ceil", "floor", "round", "sign", "sqrt", "exp", "log", "log10", "e", "pi", "sin", "cos", "tan", "cot", "asin", "acos",
	"atan", "atan2", "degrees", "radians", "haversin", "isNaN",
	// of groups
	"count", "sum", "avg", "min", "max", "collect", "stDev", "stDevP", "percentileCont", "percentileDisc",
	// of times and places
	"date", "datetime", "localdatetime", "time", "localtime", "duration", "timestamp",
	"date.truncate", "datetime.truncate", "localdatetime.truncate", "time.truncate", "localtime.truncate",
	"datetime.fromEpoch", "datetime.fromEpochMillis", "duration.between", "duration.inMonths", "duration.inDays", "duration.inSeconds",
	"point", "point.distance", "point.withinBBox",
)

// aggregates holds the functions that aggregate rows.
var aggregates = []string{"count", "sum", "avg", "min", "max", "collect", "stDev", "stDevP", "percentileCont", "percentileDisc"}

// isAggregate reports whether a column aggregates rows.
func isAggregate(i item) bool {
	found := false
	walk(i.value, func(e expr) {
		c, ok := e.(*call)
		found = found || ok && slices.Contains(aggregates, functions[strings.ToLower(c.name)])
	})
	return found
}

func byLowerName(all ...string) map[string]string {
	m := make(map[string]string, len(all))
	for _, name := range all {
		m[strings.ToLower(name)] = name
	}
	return m
}

// instead holds the advice for functions that callers may not use.
var instead = map[string]string{
	"id": noIDs, "elementid": noIDs, "exists": "write x.name IS NOT NULL, or EXISTS { (a)-->(b) } for a pattern",
	"rand": noChance, "randomuuid": noChance, "distance": "write point.distance(a, b)", "rels": "write relationships(path)",
	"length": "", "lcase": "write toLower(…)", "ucase": "write toUpper(…)", "toint": "write toInteger(…)", "filter": noFilter, "extract": noExtract,
	"len": "write size(…)", "substr": "write substring(…)", "now": "write datetime()", "current_date": "write date()", "concat": "write a + b",
	"ifnull": "write coalesce(…)", "contains": "write a CONTAINS b", "degree": "write COUNT { (n)--() }",
	"tointegerlist": "write [x IN list | toInteger(x)]", "tofloatlist": "write [x IN list | toFloat(x)]",
	"linenumber": "nothing is read from files", "file": "nothing is read from files",
}

const (
	noIDs     = "Neo4j's own ids are not for use: write x.entity_key for a node, x.key for a relationship"
	noChance  = "what comes back must not depend on chance: leave it out"
	noFilter  = "write [x IN list WHERE …]"
	noExtract = "write [x IN list | …]"
)

// function scopes a call.
func (s *scoper) function(e *call, known names) expr {
	name, ok := functions[e.name]
	if !ok {
		what := instead[e.name]
		if what == "" {
			what = "allowed are those that GET /v1/schema names, such as toLower, size, coalesce, collect and date"
		}
		s.refuse(e.at, "the function is not allowed: %s", what)
	}
	if e.name = name; name == "round" && len(e.args) > 1 {
		s.digits(e)
	}
	if !slices.Contains(aggregates, name) && e.distinct {
		s.refuse(e.at, "DISTINCT stands only in functions of groups, such as count(DISTINCT x)")
	}
	if sub, ok := patternOf(e); ok && name == "size" { // the older way to count
		sub.kind = "COUNT"
		return s.expr(sub, known)
	}
	if l := len(e.args); name == "replace" && l == 3 && constantOf(e.args[2], s.given) == nil {
		s.refuse(e.at, "the third value of replace must be a text or a parameter")
	}
	constant := !slices.ContainsFunc(e.args, func(arg expr) bool { _, ok := arg.(*literal); return !ok })
	s.exprs(e.args, known)
	switch {
	case name == "type" && len(e.args) == 1:
		return s.typeOf(e.args[0])
	case name == "keys" && len(e.args) == 1:
		return s.without(e, "hidden", true)
	case name == "labels" && len(e.args) == 1:
		return s.without(e, "labels", false)
	case name == "properties" && len(e.args) == 1:
		return s.properties(e)
	case name == "range" && len(e.args) >= 2 && !constant:
		return s.bounded(e)
	}
	return e
}

// patternOf returns the pattern that is the only argument of a call.
func patternOf(e *call) (*subquery, bool) {
	if len(e.args) != 1 {
		return nil, false
	}
	sub, ok := e.args[0].(*subquery)
	return sub, ok && sub.pattern
}

// digits bounds the digits of round: each takes memory.
func (s *scoper) digits(e *call) {
	if n, ok := wholeNumber(constantOf(e.args[1], s.given)); !ok || n < 0 || n > 15 {
		s.refuse(e.at, "the second value of round must be a number from 0 to 15")
	}
}

// without returns a list without the elements that are, or are not, in a list of the guard.
func (s *scoper) without(e *call, own string, hide bool) expr {
	const x = "#name" // always the same, so that Neo4j recognises the expression in ORDER BY
	var where expr = &binary{operator: "IN", left: &variable{name: x}, right: s.own(own)}
	if hide {
		where = &unary{operator: "NOT", of: where}
	}
	return &comprehension{name: x, list: e, where: where}
}

// properties returns the map of all properties, with masks over the hidden ones.
func (s *scoper) properties(e *call) expr {
	const x = "#of"
	p := &projection{of: x, items: append([]projected{{all: true}}, s.masks()...)}
	return &call{name: "head", args: []expr{&comprehension{name: x, list: &listExpr{[]expr{e.args[0]}}, value: p}}}
}

// bounded returns a range that fails, by a step of 0, when it is too long.
func (s *scoper) bounded(e *call) expr {
	args := &listExpr{slices.Clone(e.args)}
	return once(args, func(x expr) expr {
		arg := func(i int) expr { return &indexOf{of: x, index: &literal{int64(i)}} }
		number := func(i int) expr { return &call{name: "toFloat", args: []expr{arg(i)}} } // as floats, so that the difference cannot overflow
		span := &call{name: "abs", args: []expr{&binary{operator: "-", left: number(1), right: number(0)}}}
		step := expr(&literal{int64(1)})
		if len(e.args) > 2 {
			step = arg(2)
		}
		return &call{name: "range", args: []expr{arg(0), arg(1), &caseExpr{
			branches:  [][2]expr{{&comparison{first: span, rest: []compared{{">", s.literal(&literal{int64(maxRange)})}}}, &literal{int64(0)}}},
			otherwise: step,
		}}}
	})
}
