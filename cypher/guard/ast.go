package guard

// The tree of a statement, as the parser returns it. Offsets are byte offsets into the caller's text.

// query is one or more parts, joined by UNION.
type query struct {
	parts []singleQuery
	all   []bool // of each part after the first: UNION ALL, not UNION
}

type singleQuery struct{ clauses []clause }

type clause interface{ isClause() }

type (
	matchClause struct {
		optional bool
		patterns []pathPattern
		where    expr
		at       int
	}
	unwindClause struct {
		list expr
		as   string
		at   int
	}
	// withClause is WITH, or RETURN in last position.
	withClause struct {
		isReturn bool
		distinct bool
		star     bool
		items    []item
		orderBy  []order
		skip     expr
		limit    expr
		where    expr
		at       int
	}
	callClause struct {
		optional bool
		imports  []string // nil when everything is imported (CALL (*)) or the body has its own WITH
		star     bool
		scoped   bool // imports in brackets; otherwise the body begins with WITH
		body     query
		at       int
	}
)

func (*matchClause) isClause()  {}
func (*unwindClause) isClause() {}
func (*withClause) isClause()   {}
func (*callClause) isClause()   {}

// item is one column. Without a name it has its text as its name.
type item struct {
	value expr
	name  string
	named bool
	at    int
}

type order struct {
	value      expr
	descending bool
}

// pathPattern is a path of a MATCH or of a pattern expression.
type pathPattern struct {
	name     string
	selector selector
	parts    []pathPart // alternating nodes and relationships; a group may stand between two nodes
	at       int
}

// selector says which paths Neo4j returns.
type selector struct {
	kind  selectorKind
	count int64
}

type selectorKind uint8

const (
	allPaths selectorKind = iota
	shortestPathFunction
	allShortestPathsFunction
	anyPaths       // ANY, ANY k
	shortestPaths  // SHORTEST k, ANY SHORTEST
	allShortest    // ALL SHORTEST
	shortestGroups // SHORTEST k GROUPS
)

// pathPart is a *nodePattern, a *relPattern or a *groupPattern.
type pathPart interface{ isPathPart() }

type nodePattern struct {
	name       string
	labels     labelExpr
	properties *mapExpr
	where      expr
	index      *Index // the index that finds the node; nil when the node is bound elsewhere
	prefix     expr   // the first value of the index
	key        expr   // the value of the name index
	start      bool   // the walk along its pattern begins here
	at         int
}

type direction uint8

const (
	eitherWay direction = iota
	outgoing
	incoming
)

type relPattern struct {
	name       string
	types      labelExpr
	properties *mapExpr
	where      expr
	direction  direction
	repeat     *repeat
	at         int
}

// repeat is the number of repetitions of a relationship or group. Without an upper bound most is -1.
type repeat struct {
	least int64
	most  int64
	stars bool // written *1..3, not {1,3}
	at    int
}

type groupPattern struct {
	parts  []pathPart
	where  expr
	repeat repeat
	at     int
}

func (*nodePattern) isPathPart()  {}
func (*relPattern) isPathPart()   {}
func (*groupPattern) isPathPart() {}

// labelExpr is a label or type expression; nil: any.
type labelExpr interface{ isLabel() }

type (
	labelName struct{ name string }
	labelAny  struct{} // %
	labelNot  struct{ of labelExpr }
	labelAnd  struct{ of []labelExpr }
	labelOr   struct{ of []labelExpr }
)

func (labelName) isLabel() {}
func (labelAny) isLabel()  {}
func (labelNot) isLabel()  {}
func (labelAnd) isLabel()  {}
func (labelOr) isLabel()   {}

// expr is one of the types below.
type expr interface{ isExpr() }

type (
	// literal is nil, a bool, an int64, a float64 or a string.
	literal   struct{ value any }
	paramExpr struct {
		name string
		at   int
	}
	variable struct {
		name string
		at   int
	}
	propertyOf struct {
		of   expr
		name string
		at   int
	}
	indexOf struct {
		of, index expr
		at        int
	}
	sliceOf struct {
		of, from, to expr // from and to may be nil
	}
	listExpr struct{ items []expr }
	mapExpr  struct {
		keys   []string
		values []expr
		at     int
	}
	// projection is a map of some of a node's, a relationship's or a map's properties.
	projection struct {
		of    string
		items []projected
		at    int
	}
	unary struct {
		operator string // NOT, -, +, IS NULL, IS NOT NULL
		of       expr
		at       int
	}
	binary struct {
		operator    string
		left, right expr
		at          int
	}
	// comparison is a chain such as 1 < a <= 3.
	comparison struct {
		first expr
		rest  []compared
		at    int
	}
	hasLabels struct {
		of     expr
		labels labelExpr
		at     int
	}
	call struct {
		name     string // in lower case
		distinct bool
		star     bool // count(*)
		args     []expr
		at       int
	}
	caseExpr struct {
		of        expr // nil when each branch has its own condition
		branches  [][2]expr
		otherwise expr
	}
	// comprehension is [x IN list WHERE p | e].
	comprehension struct {
		name               string
		list, where, value expr
		at                 int
	}
	// quantified is all(x IN list WHERE p), any, none or single.
	quantified struct {
		kind        string // all, any, none, single
		name        string
		list, where expr
		at          int
	}
	reduction struct {
		total, name         string
		start, list, result expr
		at                  int
	}
	// patternList is [(a)-->(b) WHERE p | e].
	patternList struct {
		pattern      pathPattern
		where, value expr
		at           int
	}
	// subquery is EXISTS, COUNT or COLLECT { … }, or a pattern used as a condition.
	subquery struct {
		kind    string
		body    query
		pattern bool // written as a bare pattern
		at      int
	}
)

type projected struct {
	name  string
	value expr // nil for .name
	all   bool // .*
}

type compared struct {
	operator string
	value    expr
}

func (*literal) isExpr()       {}
func (*paramExpr) isExpr()     {}
func (*variable) isExpr()      {}
func (*propertyOf) isExpr()    {}
func (*indexOf) isExpr()       {}
func (*sliceOf) isExpr()       {}
func (*listExpr) isExpr()      {}
func (*mapExpr) isExpr()       {}
func (*projection) isExpr()    {}
func (*unary) isExpr()         {}
func (*binary) isExpr()        {}
func (*comparison) isExpr()    {}
func (*hasLabels) isExpr()     {}
func (*call) isExpr()          {}
func (*caseExpr) isExpr()      {}
func (*comprehension) isExpr() {}
func (*quantified) isExpr()    {}
func (*reduction) isExpr()     {}
func (*patternList) isExpr()   {}
func (*subquery) isExpr()      {}
