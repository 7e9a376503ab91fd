package graph

import (
	"slices"
	"strings"
)

// Relationship types that Kith itself writes or reads in a special way.
const (
	mentionsType   = "mentions"    // source → person, concept or entity
	HasMessageType = "has_message" // source → message; not for callers
	aboutType      = "about"       // storyline → its anchor
	includesType   = "includes"    // storyline → source
	rootedInType   = "rooted_in"   // macro → its anchor
	groupsType     = "groups"      // macro → storyline

	ContextDocumentType = "has_context_document" // project → the document that describes it
)

// Vocabulary lists the built-in relationship types; callers may add others.
var Vocabulary = append([]string{
	"has_relationship_with", "thinks_about", "relates_to", "involves", "associated_with", "engages_with", "connected_to",
	mentionsType, "produced", aboutType, includesType, rootedInType, groupsType,
	"belongs_to_plan", "supports_goal", "depends_on", "targets_milestone", "references", "produces", "requires",
	"achieved_by", "blocks", "threatens", "mitigates", "addresses", "addressed_in", "documented_in",
}, containmentTypes...)

// containmentTypes state that one thing is part of another; they must not form a ring.
var containmentTypes = []string{
	"contains", "has_plan", "has_task", "has_goal", "has_document", "has_output", "has_risk", "has_milestone", "has_metric",
	"has_requirement", "has_source", "has_decision", ContextDocumentType, "has_part",
}

// swapped has the deprecated types that are stored in the opposite direction, with their replacements.
// belongs_to_plan and achieved_by are deprecated too, but stored as given.
var swapped = map[string]string{
	"part_of": "contains", "referenced_by": "references", "produced_by": "produces", "mitigated_by": "mitigates",
}

// Swapped reports whether relationships of a type are stored in the opposite direction.
func Swapped(relationship string) bool { return swapped[relationship] != "" }

// stateKeys has the known values of state_key by kind, in the order of the work. Others are stored with a warning.
var stateKeys = map[string][]string{
	"project": {"planning", "active", "completed", "cancelled"}, "task": {"todo", "in_progress", "blocked", "done"},
	"plan": {"draft", "active", "completed"}, "goal": {"draft", "active", "achieved", "abandoned"},
	"milestone": {"pending", "in_progress", "completed", "missed"}, "document": {"draft", "review", "published"},
	"output": {"draft", "in_progress", "review", "published"}, "risk": {"identified", "mitigated", "occurred", "closed"},
	"decision": {"pending", "made", "deferred", "reversed"},
}

// StateKeys returns the known values of state_key of a kind; nil if it has none.
func StateKeys(kind Kind) []string { return slices.Clone(stateKeys[kind.Name]) }

// IsStateKey reports whether a state_key is one of the known values of a kind. Others are texts of their writer.
func IsStateKey(kind, state string) bool { return slices.Contains(stateKeys[kind], state) }

// isKnownState reports whether a state_key is one of the known values of any kind.
func isKnownState(state string) bool {
	for _, known := range stateKeys {
		if slices.Contains(known, state) {
			return true
		}
	}
	return false
}

// usualTypes has the types that are usual between two kinds of knowledge, in either direction.
var usualTypes = map[[2]string][]string{
	{"person", "person"}:  {"has_relationship_with"},
	{"person", "concept"}: {"engages_with", "thinks_about"},
	{"person", "entity"}:  {"associated_with"},
	{"concept", "entity"}: {"involves"},
	{"entity", "entity"}:  {"connected_to"},
}

// unusual returns the usual type between two kinds if the given type is usual between other kinds; otherwise empty.
// relates_to fits any kinds.
func unusual(from, to Kind, relationship string) string {
	usual := usualBetween(from, to)
	if usual == nil || slices.Contains(usual, relationship) {
		return ""
	}
	for _, types := range usualTypes {
		if slices.Contains(types, relationship) {
			return usual[0]
		}
	}
	return ""
}

// usualBetween returns the usual types between two kinds; nil if there are none.
func usualBetween(from, to Kind) []string {
	if usual := usualTypes[[2]string{from.Name, to.Name}]; usual != nil {
		return usual
	}
	return usualTypes[[2]string{to.Name, from.Name}]
}

// fittingTypes returns the types that may be proposed between two kinds of knowledge: the usual ones and relates_to.
func fittingTypes(from, to Kind) []string {
	return append(slices.Clone(usualBetween(from, to)), "relates_to")
}

// parents has the kinds that contain a kind, the nearest first.
var parents = map[string][]string{
	"goal": {"project"}, "milestone": {"goal", "project"}, "plan": {"milestone", "goal", "project"},
	"task": {"plan", "milestone", "goal", "project"}, "document": {"document", "project"},
	"output": {"project"}, "source": {"project"},
	"risk":        {"task", "plan", "milestone", "goal", "project"},
	"decision":    {"task", "plan", "milestone", "goal", "project"},
	"requirement": {"task", "milestone", "plan", "decision", "project"},
}

// contained returns the kind that a type of the form has_KIND leads to; empty for other types.
func contained(relationship string) string {
	if relationship == ContextDocumentType {
		return "document"
	}
	kind, ok := strings.CutPrefix(relationship, "has_")
	if !ok || parents[kind] == nil {
		return ""
	}
	return kind
}

// Words for attitude and proximity 1 to 5, by relationship type.
var (
	attitudes = map[string][5]string{
		"has_relationship_with": {"hostile", "unfriendly", "neutral", "friendly", "close"},
		"engages_with":          {"dislikes", "skeptical", "neutral", "interested", "passionate"},
		"associated_with":       {"negative-view", "unfavorable", "neutral", "favorable", "strongly-positive"},
		"relates_to":            {"contradicts", "conflicts", "independent", "complementary", "integral"},
		"involves":              {"peripheral", "minor", "relevant", "important", "central"},
		"connected_to":          {"adversarial", "competing", "independent", "cooperative", "integrated"},
	}
	proximities = map[string][5]string{
		"has_relationship_with": {"stranger", "acquaintance", "familiar", "known-well", "intimate-knowledge"},
		"engages_with":          {"unfamiliar", "aware", "understands", "experienced", "expert"},
		"associated_with":       {"distant", "aware-of", "familiar-with", "involved-with", "deeply-connected"},
		"relates_to":            {"loosely-related", "somewhat-related", "related", "closely-related", "inseparable"},
		"involves":              {"tangential", "mentioned", "involved", "key-component", "essential"},
		"connected_to":          {"distantly-connected", "indirectly-connected", "connected", "closely-linked", "tightly-coupled"},
	}
)

// word returns the word for a grade from 1 to 5; empty if the type has none.
func word(words map[string][5]string, relationship string, grade *int64) string {
	if relationship == "thinks_about" { // its older name
		relationship = "engages_with"
	}
	scale, ok := words[relationship]
	if !ok || grade == nil || *grade < 1 || *grade > 5 {
		return ""
	}
	return scale[*grade-1]
}
