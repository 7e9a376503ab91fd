// Package trust has the origins of stored texts, and how far each is believed.
package trust

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// The origins of a source, and of what rests on it.
const (
	User      = "user"      // the user's own words
	Assistant = "assistant" // an assistant's words
	Tool      = "tool"      // what a tool returned
	External  = "external"  // a mail or document of others
	Import    = "import"    // a file from another system
)

// Origins are all origins.
var Origins = []string{User, Assistant, Tool, External, Import}

// Of returns the trust of an origin for which nobody has set another one.
func Of(origin string) float64 {
	switch origin {
	case Assistant:
		return 0.8
	case Import:
		return 0.7
	case Tool:
		return 0.5
	case External:
		return 0.4
	}
	return 1
}

const (
	// Plain is the trust from which on a text is shown like the user's own. Below it, it is quoted with its origin.
	Plain = 0.6
	// Quoted is the most trust of a text that is quoted.
	Quoted = Plain - 0.01
	// Least is the trust below which nothing is stored, shown or found, unless a team or a search asks for another bound.
	Least = 0.2

	// instructs is the factor of a text of others that reads like an instruction to the agent. A mail is below Least with it.
	instructs = 0.25
)

// OfSource returns the origin of a source whose writer names none.
func OfSource(contentType, sourceType string) string {
	switch {
	case contentType == "email", contentType == "slack-thread", sourceType == "email", sourceType == "slack-thread":
		return External
	case sourceType == "text-import":
		return Import
	}
	return User
}

// roles are the usual words for the role of a message, and the role of each.
var roles = map[string]string{ //nolint:gochecknoglobals // a constant map
	"user": "user", "human": "user",
	"assistant": "assistant", "ai": "assistant", "model": "assistant", "bot": "assistant",
	"tool": "tool", "function": "function", "tool_result": "tool_result", "system": "system", "developer": "developer",
}

// RoleOf returns the role of a message by the word that its program has for it, in any case: user for human, and assistant for ai, model
// and bot. Roles are free texts: another one stays.
func RoleOf(word string) string {
	if role, known := roles[usualForm(word)]; known {
		return role
	}
	return word
}

func usualForm(word string) string { return strings.ToLower(strings.TrimSpace(word)) }

// OfRole returns the origin of a message by its role, in a source of an origin: also in a user's conversation tools return what
// others wrote.
func OfRole(role, source string) string {
	switch RoleOf(role) {
	case "assistant":
		if Of(source) > Of(Assistant) {
			return Assistant
		}
	case "tool", "function", "tool_result":
		if Of(source) > Of(Tool) {
			return Tool
		}
	}
	return source
}

// IsRole reports whether a role of a message is one of the usual words. Roles are free texts: another one is a text of its writer.
func IsRole(role string) bool {
	_, known := roles[usualForm(role)]
	return known
}

// Marked returns the trust of a text of others that reads like an instruction to the agent, from the trust that it has otherwise.
func Marked(t float64) float64 { return t * instructs }

// Weight returns the factor of a trust in the score of a search: 1 from Plain on.
func Weight(t float64) float64 { return min(1, t/Plain) }

// Evidence is the support that one write gives to a fact: the sources from which it derived the fact (none: a caller told it), and the origin,
// author and trust of the least believed of these. The origin is empty if a caller set a trust only. Evidence of one origin and author
// does not confirm each other. Evidence of parts tells some properties of a fact only: with sources what rests on them, without sources
// what a believed caller gave. It has the origin and trust that the fact had then.
type Evidence struct {
	Sources []string
	Origin  string
	Author  string
	Trust   float64
	Parts   []string // nil: the whole fact
}

// Neither keys nor authors have these characters.
const (
	separator    = "\x1f"
	keySeparator = "\x1e"
)

// Text returns the stored form of evidence.
func (e Evidence) Text() string {
	parts := []string{strings.Join(e.Sources, keySeparator), e.Origin, strconv.FormatFloat(e.Trust, 'f', -1, 64), e.Author}
	if len(e.Parts) > 0 {
		parts = append(parts, strings.Join(e.Parts, keySeparator))
	}
	return strings.Join(parts, separator)
}

// Texts returns the stored form of all evidence of a fact.
func Texts(all []Evidence) []string {
	texts := make([]string, len(all))
	for i, e := range all {
		texts[i] = e.Text()
	}
	return texts
}

// RestsOn reports whether evidence was derived from a source.
func (e Evidence) RestsOn(source string) bool { return slices.Contains(e.Sources, source) }

// Parse reads stored evidence. What is malformed counts for nothing.
func Parse(texts []string) []Evidence {
	var all []Evidence
	for _, text := range texts {
		parts := strings.SplitN(text, separator, 5)
		if len(parts) < 4 {
			continue
		}
		t, err := strconv.ParseFloat(parts[2], 64)
		if err != nil || !(t >= 0 && t <= 1) || parts[1] != "" && !slices.Contains(Origins, parts[1]) {
			continue
		}
		e := Evidence{Origin: parts[1], Author: parts[3], Trust: t}
		if parts[0] != "" {
			e.Sources = strings.Split(parts[0], keySeparator)
		}
		if len(parts) > 4 {
			e.Parts = strings.Split(parts[4], keySeparator)
		}
		all = append(all, e)
	}
	return all
}

const (
	// perOrigin is the most that further authors of one origin add to the most believed one.
	perOrigin = 0.15
	digits    = 1e4
)

// Combine returns the trust of what several sources tell, and its origin: that of the most believed. Authors of one origin add up to
// perOrigin, and never more than a text needs to be shown plainly, because an attacker has many addresses. Origins count as
// independent of each other: the fact is wrong only if all of them are (noisy or; Pearl, Probabilistic Reasoning in Intelligent
// Systems, 1988). Evidence of parts adds nothing. Alone it leaves a rest that nobody tells any more: the fact is quoted.
func Combine(all []Evidence) (t float64, origin string) {
	if rest, isAlone := leastPart(all); isAlone {
		return min(rest.Trust, Quoted), rest.Origin
	}
	doubt, best := 1.0, -1.0
	for _, o := range append([]string{""}, Origins...) {
		most, authors := 0.0, map[string]bool{}
		for _, e := range all {
			if e.Origin == o && len(e.Parts) == 0 {
				most = max(most, e.Trust)
				authors[e.Author] = true
			}
		}
		if len(authors) == 0 {
			continue
		}
		believed := min(1, most+perOrigin*(1-1/float64(len(authors))))
		if most < Plain {
			believed = min(believed, Quoted)
		}
		if most > best {
			best, origin = most, o
		}
		doubt *= 1 - believed
	}
	return Round(1 - doubt), origin
}

// leastPart returns the least believed evidence of parts, and whether there is no other.
func leastPart(all []Evidence) (least Evidence, isAlone bool) {
	for i, e := range all {
		if len(e.Parts) == 0 {
			return Evidence{}, false
		}
		if i == 0 || e.Trust < least.Trust {
			least = e
		}
	}
	return least, len(all) > 0
}

// Round returns a trust as it is stored, with four digits.
func Round(t float64) float64 { return math.Round(t*digits) / digits }

// Add returns evidence with more, in the order of its stored form, at most MaxEvidence. What the same sources tell again, or the same
// teller without sources, is no further evidence: the more believed one stays.
func Add(all []Evidence, more Evidence) []Evidence {
	all = slices.Clone(all)
	if i := slices.IndexFunc(all, more.repeats); i < 0 {
		all = append(all, more)
	} else if all[i].Trust < more.Trust {
		all[i] = more
	}
	if len(all) > MaxEvidence {
		slices.SortStableFunc(all, func(a, b Evidence) int {
			return cmp.Or(cmp.Compare(b.callers(), a.callers()), cmp.Compare(b.Trust, a.Trust))
		})
		all = all[:MaxEvidence]
	}
	slices.SortFunc(all, func(a, b Evidence) int { return cmp.Compare(a.Text(), b.Text()) })
	return all
}

// IsCallers reports whether evidence names what a believed caller gave of a fact that is believed less.
func (e Evidence) IsCallers() bool { return len(e.Parts) > 0 && len(e.Sources) == 0 }

// callers is 1 for what a believed caller gave, which is kept before all else, and otherwise 0.
func (e Evidence) callers() int {
	if e.IsCallers() {
		return 1
	}
	return 0
}

// repeats reports whether evidence tells what other evidence of the same tellers has told.
func (e Evidence) repeats(other Evidence) bool {
	if e.IsCallers() || (len(e.Parts) > 0) != (len(other.Parts) > 0) {
		return slices.Equal(e.Sources, other.Sources) && slices.Equal(e.Parts, other.Parts)
	}
	if len(e.Sources) > 0 || len(other.Sources) > 0 {
		return slices.Equal(e.Sources, other.Sources)
	}
	return e.Origin == other.Origin && e.Author == other.Author
}

// MaxEvidence is the most evidence that is kept of a fact: what is believed most.
const MaxEvidence = 50
