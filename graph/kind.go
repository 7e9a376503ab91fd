package graph

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Kind is the kind of a node: its wire name and its label.
type Kind struct {
	Name  string // person
	Label string // Person
	group group
	named string // the field that has, or else provides, the name; empty: name itself
}

type group int

const (
	knowledgeGroup group = iota // natural keys; what contexts are about
	episodeGroup                // sources and messages: what was said
	projectGroup
	systemGroup
	itemGroup  // values of programs, which contexts do not show
	storyGroup // formed by maintenance, not by callers
)

// The kinds that have rules of their own.
var (
	PersonKind       = Kind{Name: "person", Label: "Person"}
	ConceptKind      = Kind{Name: "concept", Label: "Concept"}
	EntityKind       = Kind{Name: "entity", Label: "Entity"}
	SourceKind       = Kind{Name: "source", Label: "Source", group: episodeGroup}
	MessageKind      = Kind{Name: "message", Label: "Message", group: episodeGroup}
	SystemEntityKind = Kind{Name: "system_entity", Label: "SystemEntity", group: systemGroup}
	StorylineKind    = Kind{Name: "storyline", Label: "Storyline", group: storyGroup}
	macroKind        = Kind{Name: "macro", Label: "Macro", group: storyGroup}
)

// Kinds are all kinds of the memory.
var Kinds = []Kind{
	PersonKind, ConceptKind, EntityKind, SourceKind, MessageKind,
	{Name: "project", Label: "Project", group: projectGroup},
	{Name: "task", Label: "Task", group: projectGroup, named: "title"},
	{Name: "plan", Label: "Plan", group: projectGroup},
	{Name: "goal", Label: "Goal", group: projectGroup},
	{Name: "milestone", Label: "Milestone", group: projectGroup, named: "title"},
	{Name: "document", Label: "Document", group: projectGroup, named: "title"},
	{Name: "output", Label: "Output", group: projectGroup},
	{Name: "risk", Label: "Risk", group: projectGroup, named: "title"},
	{Name: "decision", Label: "Decision", group: projectGroup, named: "title"},
	{Name: "requirement", Label: "Requirement", group: projectGroup, named: "text"},
	{Name: "signal", Label: "Signal", group: projectGroup, named: "channel"},
	{Name: "insight", Label: "Insight", group: projectGroup, named: "title"},
	SystemEntityKind, ItemKind, StorylineKind, macroKind,
}

// KindOf returns the kind with a wire name.
func KindOf(name string) (Kind, bool) {
	return findKind(func(k Kind) bool { return k.Name == name })
}

// KindOfLabel returns the kind with a label; the zero Kind if there is none.
func KindOfLabel(label string) Kind {
	k, _ := findKind(func(k Kind) bool { return k.Label == label })
	return k
}

func findKind(match func(Kind) bool) (Kind, bool) {
	i := slices.IndexFunc(Kinds, match)
	if i < 0 {
		return Kind{}, false
	}
	return Kinds[i], true
}

// FocusKinds are the kinds that a context can have in focus.
var FocusKinds = []string{PersonKind.Name, ConceptKind.Name, EntityKind.Name}

// KindNames returns the names of all kinds, for an error message.
func KindNames() string {
	names := make([]string, len(Kinds))
	for i, k := range Kinds {
		names[i] = k.Name
	}
	return strings.Join(names, ", ")
}

// WritableKinds returns the kinds that callers write.
func WritableKinds() []string {
	var names []string
	for _, k := range Kinds {
		if k.group != storyGroup {
			names = append(names, k.Name)
		}
	}
	return names
}

// hasNaturalKey reports whether callers can find nodes of the kind without their entity keys.
func (k Kind) hasNaturalKey() bool {
	return k.group == knowledgeGroup || k.group == systemGroup || k.group == itemGroup
}

// isKnowledge reports whether a label belongs to persons, concepts or entities.
func isKnowledge(label string) bool {
	k := KindOfLabel(label)
	return k.Name != "" && k.group == knowledgeGroup
}

// canonical returns a person's name in the form in which it is compared: lower case, single blanks.
func canonical(name string) string { return strings.ToLower(strings.Join(strings.Fields(name), " ")) }

// PlainName returns a name in the form in which names are compared: in Unicode's NFC, without blanks at its ends. Names are
// stored as they were given.
func PlainName(name string) string { return norm.NFC.String(strings.TrimSpace(name)) }

// KeySeparator separates the parts of a natural key. Names have no control characters.
const KeySeparator = "\x1f"

// naturalKey returns the key that identifies a node without its entity key, within one user or the shared part of a team. It has
// a person's canonical name, a concept's name, an entity's name and type, a system entity's system and name, or an item's namespace
// and name. Names of persons,
// concepts and entities are compared as PlainName returns them, names in a system as they are. Nodes of other kinds have their
// entity key instead, so that this one index lists the nodes of every kind. Messages are listed by their source and have none.
func naturalKey(kind Kind, p Properties) string {
	var name string
	switch kind {
	case MessageKind:
		return ""
	case PersonKind:
		name = PlainName(p.Text("canonical_name"))
	case ConceptKind:
		name = PlainName(p.Text("name"))
	case EntityKind:
		name = PlainName(p.Text("name")) + KeySeparator + PlainName(p.Text("type"))
	case SystemEntityKind:
		name = p.Text("system") + KeySeparator + p.Text("name")
	case ItemKind:
		name = itemKey(p.Texts("namespace"), p.Text("name"))
	case StorylineKind, macroKind: // one for each user and anchor
		name = p.Text("anchor_key")
	default:
		name = p.Text("entity_key")
	}
	return ListPrefix(kind, p.Text("user_id")) + name
}

// ListPrefix returns the prefix of the natural keys of one kind that are private to a user, or shared if userID is empty.
func ListPrefix(kind Kind, userID string) string {
	return kind.Name + KeySeparator + userID + KeySeparator
}

// PrefixEnd returns the first text after all texts that begin with a list's prefix.
func PrefixEnd(prefix string) string { return strings.TrimSuffix(prefix, KeySeparator) + " " }

// isGoalText reports whether a concept that no caller marked is a goal: its name or description contains "goal".
func isGoalText(name, description string) bool {
	return strings.Contains(strings.ToLower(name), "goal") || strings.Contains(strings.ToLower(description), "goal")
}
