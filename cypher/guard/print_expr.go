package guard

import (
	"math"
	"strconv"
	"strings"
)

func (p *printer) expr(e expr) {
	switch e := e.(type) {
	case *literal:
		p.literal(e.value)
	case *paramExpr:
		p.write("$")
		p.name(e.name)
	case *variable:
		p.name(e.name)
	case *propertyOf:
		p.operand(e.of)
		p.write(".")
		p.name(e.name)
	case *indexOf:
		p.operand(e.of)
		p.write("[")
		p.expr(e.index)
		p.write("]")
	case *sliceOf:
		p.slice(e)
	case *listExpr:
		p.write("[")
		p.exprs(e.items)
		p.write("]")
	case *mapExpr:
		p.mapOf(e)
	case *projection:
		p.projection(e)
	case *unary:
		p.unary(e)
	case *binary:
		p.write("(")
		p.expr(e.left)
		p.write(" ", e.operator, " ")
		p.expr(e.right)
		p.write(")")
	case *comparison:
		p.comparison(e)
	case *hasLabels:
		p.write("(")
		p.operand(e.of)
		p.write(":")
		p.labels(e.labels)
		p.write(")")
	case *call:
		p.function(e)
	case *caseExpr:
		p.caseOf(e)
	default:
		p.scoped(e)
	}
}

func (p *printer) slice(e *sliceOf) {
	p.operand(e.of)
	p.write("[")
	p.maybe(e.from)
	p.write("..")
	p.maybe(e.to)
	p.write("]")
}

func (p *printer) comparison(e *comparison) {
	p.write("(")
	p.expr(e.first)
	for _, c := range e.rest {
		p.write(" ", c.operator, " ")
		p.expr(c.value)
	}
	p.write(")")
}

// scoped writes the expressions that declare names.
func (p *printer) scoped(e expr) {
	switch e := e.(type) {
	case *comprehension:
		p.write("[")
		p.element(e.name, e.list, e.where)
		if e.value != nil {
			p.write(" | ")
			p.expr(e.value)
		}
		p.write("]")
	case *quantified:
		p.write(e.kind, "(")
		p.element(e.name, e.list, e.where)
		p.write(")")
	case *reduction:
		p.write("reduce(")
		p.name(e.total)
		p.write(" = ")
		p.expr(e.start)
		p.write(", ")
		p.element(e.name, e.list, nil)
		p.write(" | ")
		p.expr(e.result)
		p.write(")")
	case *patternList:
		p.write("[")
		p.path(&e.pattern)
		p.where(e.where)
		p.write(" | ")
		p.expr(e.value)
		p.write("]")
	case *subquery:
		p.write(e.kind, " { ")
		p.query(e.body)
		p.write(" }")
	}
}

func (p *printer) element(name string, list, where expr) {
	p.name(name)
	p.write(" IN ")
	p.expr(list)
	p.where(where)
}

func (p *printer) exprs(all []expr) {
	for i, e := range all {
		p.comma(i)
		p.expr(e)
	}
}

// maybe writes an optional expression.
func (p *printer) maybe(e expr) {
	if e != nil {
		p.expr(e)
	}
}

// operand writes the operand of a property or an element. Only names and bracketed expressions may stand alone.
func (p *printer) operand(e expr) {
	switch e.(type) {
	case *variable, *paramExpr, *propertyOf, *indexOf, *sliceOf, *call:
		p.expr(e)
	default:
		p.write("(")
		p.expr(e)
		p.write(")")
	}
}

func (p *printer) unary(e *unary) {
	p.write("(")
	if strings.HasPrefix(e.operator, "IS") {
		p.expr(e.of)
		p.write(" ", e.operator)
	} else {
		p.write(e.operator, " ")
		p.expr(e.of)
	}
	p.write(")")
}

func (p *printer) mapOf(e *mapExpr) {
	p.write("{")
	for i, key := range e.keys {
		p.comma(i)
		p.name(key)
		p.write(": ")
		p.expr(e.values[i])
	}
	p.write("}")
}

func (p *printer) projection(e *projection) {
	p.name(e.of)
	p.write(" {")
	for i, item := range e.items {
		p.comma(i)
		switch {
		case item.all:
			p.write(".*")
		case item.value == nil:
			p.write(".")
			p.name(item.name)
		default:
			p.name(item.name)
			p.write(": ")
			p.expr(item.value)
		}
	}
	p.write("}")
}

func (p *printer) function(e *call) {
	p.write(e.name, "(")
	if e.distinct {
		p.write("DISTINCT ")
	}
	if e.star {
		p.write("*")
	}
	p.exprs(e.args)
	p.write(")")
}

func (p *printer) caseOf(e *caseExpr) {
	p.write("CASE ")
	if e.of != nil {
		p.expr(e.of)
		p.write(" ")
	}
	for _, b := range e.branches {
		p.write("WHEN ")
		p.expr(b[0])
		p.write(" THEN ")
		p.expr(b[1])
		p.write(" ")
	}
	if e.otherwise != nil {
		p.write("ELSE ")
		p.expr(e.otherwise)
		p.write(" ")
	}
	p.write("END")
}

func (p *printer) literal(value any) {
	switch v := value.(type) {
	case nil:
		p.write("null")
	case bool:
		p.write(strconv.FormatBool(v))
	case int64:
		p.write(strconv.FormatInt(v, 10))
	case float64:
		p.float(v)
	case string:
		p.text(v)
	}
}

func (p *printer) float(f float64) {
	switch {
	case math.IsNaN(f):
		p.write("NaN")
	case math.IsInf(f, 1):
		p.write("INF")
	case math.IsInf(f, -1):
		p.write("-INF")
	default:
		text := strconv.FormatFloat(f, 'g', -1, 64)
		if !strings.ContainsAny(text, ".e") {
			text += ".0"
		}
		p.write(text)
	}
}

// text writes a string, with everything but letters, digits and spaces escaped.
func (p *printer) text(s string) {
	p.write("'")
	for _, c := range s {
		switch {
		case c == '\'' || c == '\\':
			p.write("\\", string(c))
		case c < ' ' || c == 0x7f:
			p.write(`\u`, strings.ToUpper(strconv.FormatInt(0x10000+int64(c), 16)[1:]))
		default:
			p.WriteRune(c)
		}
	}
	p.write("'")
}
