package guard

import "strings"

// maxAlternatives is the maximum number of texts in a regular expression.
const maxAlternatives = 20

// place is a text and its position in another one: anywhere, at the end, at the beginning, or all of it.
type place struct {
	text          string
	before, after bool // other text may precede or follow
}

// pattern rewrites regular expressions that only state positions of texts as text predicates: others may take
// exponential time.
func (s *scoper) pattern(e *binary, known names) expr {
	text, ok := "", false
	switch r := e.right.(type) {
	case *literal:
		text, ok = r.value.(string)
	case *paramExpr:
		s.parameter(r)
		text, ok = s.given[r.name].(string)
	}
	left := s.expr(e.left, known)
	text, fold := strings.CutPrefix(text, "(?i)")
	places := placesOf(text)
	if !ok || len(places) == 0 || len(places) > maxAlternatives {
		s.refuse(e.at, "regular expressions are only allowed as '(?i).*text.*' or '(?i).*(one|other).*': write CONTAINS, STARTS WITH or ENDS WITH, with toLower() on both sides where case does not matter")
	}
	return once(left, func(left expr) expr { // null when the value is not a text
		of := left
		if fold {
			of = &call{name: "toLower", args: []expr{left}}
		}
		var any expr
		for _, p := range places {
			sought := s.literal(&literal{p.text})
			if fold {
				sought = &call{name: "toLower", args: []expr{sought}}
			}
			if one := p.in(of, sought); any == nil {
				any = one
			} else {
				any = &binary{operator: "OR", left: any, right: one}
			}
		}
		return &caseExpr{branches: [][2]expr{{&unary{operator: "IS :: STRING NOT NULL", of: left}, any}}}
	})
}

// in returns the condition that the text stands in another.
func (p place) in(text, sought expr) expr {
	switch {
	case p.before && p.after:
		return &binary{operator: "CONTAINS", left: text, right: sought}
	case p.before:
		return &binary{operator: "ENDS WITH", left: text, right: sought}
	case p.after:
		return &binary{operator: "STARTS WITH", left: text, right: sought}
	}
	return &comparison{first: text, rest: []compared{{"=", sought}}}
}

// placesOf parses a regular expression made of alternatives such as ^.*text.*$ or .*(one|other); nil for any other.
func placesOf(regex string) (all []place) {
	for _, branch := range alternatives(regex) {
		branch = strings.TrimPrefix(branch, "^")
		if cut, anchored := strings.CutSuffix(branch, "$"); anchored && !strings.HasSuffix(cut, `\`) {
			branch = cut
		}
		rest, before := strings.CutPrefix(branch, ".*")
		rest, after := strings.CutSuffix(rest, ".*")
		texts := []string{rest}
		inner, isGroup := grouped(rest)
		switch {
		case isGroup && !before && !after:
			nested := placesOf(inner)
			if nested == nil {
				return nil
			}
			all, texts = append(all, nested...), nil
		case isGroup:
			texts = alternatives(inner)
		}
		for _, t := range texts {
			text, ok := plain(t)
			if !ok {
				return nil
			}
			all = append(all, place{text, before, after})
		}
	}
	return all
}

// grouped returns the content of brackets around a whole text.
func grouped(text string) (string, bool) {
	inner, open := strings.CutPrefix(text, "(")
	inner, closed := strings.CutSuffix(inner, ")")
	return strings.TrimPrefix(inner, "?:"), open && closed
}

// alternatives splits a regular expression at the bars outside of brackets.
func alternatives(regex string) (all []string) {
	depth, start := 0, 0
	for i := 0; i < len(regex); i++ {
		switch regex[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			depth--
		case '|':
			if depth == 0 {
				all, start = append(all, regex[start:i]), i+1
			}
		}
	}
	return append(all, regex[start:])
}

// plain returns the text of a regular expression without operators; a backslash before punctuation counts as part of
// the text.
func plain(regex string) (string, bool) {
	const operators = `^$.|?*+()[]{}\`
	var b strings.Builder
	for i := 0; i < len(regex); i++ {
		switch c := regex[i]; {
		case c == '\\' && i+1 < len(regex) && strings.IndexByte(operators+"-/ '\"", regex[i+1]) >= 0:
			i++
			b.WriteByte(regex[i])
		case strings.IndexByte(operators, c) >= 0:
			return "", false
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), true
}
