package guard

import (
	"math"
	"slices"
)

// argument bounds one argument of a function.
func (c *coster) argument(e *call, i int, known extents) work {
	w := c.expr(&e.args[i], known)
	switch functions[e.name] {
	case "toInteger", "toIntegerOrNull", "toFloat", "toFloatOrNull":
		if text, ok := constantOf(e.args[i], c.given).(string); ok && len(text) > maxDigits {
			c.refuse(e.at, "a number has at most %d digits", maxDigits)
		}
		return c.limited(&e.args[i], w, min(maxDigits, soughtFor/c.rounds))
	case "split", "replace":
		if i > 0 || functions[e.name] == "split" && c.rounds > fewElements {
			return c.sought(&e.args[i], w)
		}
	case "coalesce", "head", "last", "nullIf":
		if _, isList := e.args[i].(*variable); isList && w.isList {
			return w
		}
		if c.rounds > fewElements {
			return c.limited(&e.args[i], w, passedOn/c.rounds)
		}
		return w
	case "type", "nodes", "relationships", "startNode", "endNode", "labels", "keys", "properties", "range":
		return w
	}
	if isAggregate(item{value: e}) {
		return w
	}
	return c.handled(&e.args[i], w)
}

// function bounds the result and the work of a call.
func (c *coster) function(e *call, known extents) work {
	w := c.called(e, known)
	switch name := functions[e.name]; name {
	case "head", "last", "coalesce", "nullIf", "min", "max", "type", "startNode", "endNode":
		return w // the value exists already
	case "collect":
		w.kept = 0 // Neo4j counts the memory
		return w
	case "tail", "reverse", "range":
		return w.makes(viewBytes+bytesOf(w.texts), true)
	case "labels", "keys", "nodes", "relationships", "toStringList", "toBooleanList", "split":
		return w.makes(listBytes+(cellBytes+textBytes)*w.cells+charBytes*w.texts, false)
	case "properties":
		return w.makes(nodeBytes+charBytes*w.texts, true)
	default:
		if w.extent == oneValue {
			return w.makes(timeBytes, false)
		}
		return w.makes(bytesOf(w.texts), false)
	}
}

// called returns the size of a call's result.
func (c *coster) called(e *call, known extents) work {
	var w work
	args := make([]extent, max(len(e.args), 3))
	for i := range e.args {
		x := c.argument(e, i, known)
		args[i] = x.extent
		if functions[e.name] == "coalesce" {
			w = w.either(x)
			continue
		}
		w = c.joined(w, x)
	}
	largest, first := w.extent, args[0]
	w.steps += callEffort(functions[e.name], largest, first, args[1])
	switch functions[e.name] {
	case "labels":
		w.extent = oneValue.times(10)
	case "keys":
		w.extent = oneValue.times(200)
	case "properties":
		w.extent = extent{math.Inf(1), first.cells + 200, first.grown, manyStored, false, false, false}
	case "nodes", "relationships":
		w.extent = extent{sumHops + 1, sumHops + 1, 1, perStored, true, true, true}
	case "collect":
		w.extent = first.collected(unknown)
	case "split":
		pieces := first.texts + 1
		if by, ok := constantOf(e.args[min(1, len(e.args)-1)], c.given).(string); ok && by != "" {
			pieces = first.texts/float64(len([]rune(by))) + 1
		}
		w.extent = extent{math.Inf(1), pieces, first.grown, first.texts, true, false, false}
	case "range":
		n := c.rangeLength(e.args)
		if n > maxRange {
			c.refuse(e.at, "the range has more than %d numbers: ask for fewer", maxRange)
		}
		w.extent = oneValue.times(n)
		w.isOpen = !c.isConstant(e.args)
	case "replace":
		w.extent = text(first.grown * c.replaced(e.args))
	case "tail", "reverse", "toStringList", "toBooleanList":
		w.extent = first
	case "head", "last", "coalesce", "nullIf", "min", "max":
		w.extent = extent{math.Inf(1), largest.cells, largest.grown, largest.texts, false, false, largest.isNode}
	case "normalize":
		w.extent = text(10 * first.grown)
	case "toString", "toStringOrNull", "toLower", "toUpper", "lower", "upper", "trim", "btrim", "lTrim", "rTrim", "substring", "left", "right":
		w.extent = text(first.grown)
	default:
		w.extent = oneValue
	}
	return w
}

// callEffort returns the steps that a function takes for its arguments.
func callEffort(function string, largest, first, second extent) float64 {
	switch function {
	case "head", "last", "coalesce", "type", "nodes", "relationships", "startNode", "endNode", "collect", "count":
		return 0
	case "size", "length":
		return 100 * largest.grown // counts the characters of a text
	case "split", "replace":
		return largest.effort() + first.texts*second.texts/perStep + first.texts/perPiece
	case "normalize":
		return 10 * largest.effort()
	}
	return largest.effort() // reads all of its arguments
}

// replaced returns by how many times replace can lengthen a text.
func (c *coster) replaced(args []expr) float64 {
	if len(args) < 3 {
		return 1
	}
	by, ok := constantOf(args[2], c.given).(string)
	if !ok {
		return 1
	}
	of, _ := constantOf(args[1], c.given).(string)
	return max(1, float64(len(by))/float64(max(1, len(of)))+1)
}

// constantOf returns the value of a literal or a parameter; nil for other expressions.
func constantOf(e expr, given map[string]any) any {
	switch e := e.(type) {
	case *literal:
		return e.value
	case *paramExpr:
		return given[e.name]
	}
	return nil
}

// rangeLength returns the number of elements of range(…), or its maximum when that is unknown.
func (c *coster) rangeLength(args []expr) float64 {
	if len(args) < 2 {
		return 0
	}
	from, ok := wholeNumber(constantOf(args[0], c.given))
	to, also := wholeNumber(constantOf(args[1], c.given))
	step, third := int64(1), true
	if len(args) > 2 {
		step, third = wholeNumber(constantOf(args[2], c.given))
	}
	if !ok || !also || !third || step == 0 {
		return maxRange
	}
	return max(0, math.Floor((float64(to)-float64(from))/float64(step))+1)
}

// isConstant reports whether all values are known before the statement runs.
func (c *coster) isConstant(args []expr) bool {
	return !slices.ContainsFunc(args, func(e expr) bool { return constantOf(e, c.given) == nil })
}
