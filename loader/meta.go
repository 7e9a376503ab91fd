package loader

import (
	"fmt"
	"slices"
	"strings"

	"kith/graph"
)

// Meta says what is known and not shown.
type Meta struct {
	NotShown []NotShown `json:"not_shown"`
}

// NotShown counts memories of a section that the context leaves out, by reason.
type NotShown struct {
	Section string `json:"section" enum:"core_beliefs,primary_goals,relationships,recent_context"`
	Count   int64  `json:"count"`
	AtLeast bool   `json:"at_least,omitempty" doc:"not all were counted"`
	Reason  string `json:"reason" enum:"no_room,faded,archived,older_than_7_days" doc:"faded: the salience has decayed below 0.01; faded and archived memories are found by explore with include_archived, all others without"`
}

// Why memories are not shown.
const (
	noRoom   = "no_room"
	faded    = "faded"
	archived = "archived"
	tooOld   = "older_than_7_days"
)

// mostOlder is how many older conversations are counted.
const mostOlder = 1000

// NothingKnown warns of a user of whom a context can show nothing.
const NothingKnown = "nothing is stored for this user_id that a context could show: check how it is spelled, or write the first memories"

// notShown lists what is known of the parts wanted and not in the context.
func notShown(r Request, found *graph.Sections) []NotShown {
	var all []NotShown
	add := func(section string, count int64, atLeast bool, reason string) {
		if count > 0 {
			all = append(all, NotShown{section, count, atLeast, reason})
		}
	}
	if known := found.Known; known != nil {
		counts := func(section string, k graph.KnownCounts, shown int64) {
			add(section, k.Present-shown, known.AtLeast, noRoom)
			add(section, k.Faded, known.AtLeast, faded)
			add(section, k.Archived, known.AtLeast, archived)
		}
		if slices.Contains(r.parts(), userPart) {
			counts(string(graph.CoreBeliefsSection), known.Beliefs, shownOf(found.CoreBeliefs, found.Relationships, isBelief))
			counts(string(graph.PrimaryGoalsSection), known.Goals, shownOf(found.PrimaryGoals, found.Relationships, isGoal))
		}
		counts(relationshipsPart, known.Others, 0)
	}
	add(recentPart, found.OlderConversations, found.OlderConversations == mostOlder, tooOld)
	return all
}

func isGoal(n *graph.ContextNode) bool { return n.IsGoal }

// isBelief says whether a concept is counted as a belief: as statements do.
func isBelief(n *graph.ContextNode) bool { return !n.IsGoal && n.TTLPolicy == "keep_forever" }

// shownOf counts the user's own nodes of a kind that the context shows, each once.
func shownOf(section []graph.ContextNode, relationships []graph.OwnerRelationship, is func(*graph.ContextNode) bool) (count int64) {
	keys := map[string]bool{}
	for i := range section {
		keys[section[i].EntityKey] = true
	}
	for i := range relationships {
		if r := &relationships[i]; r.NodeType == "Concept" && r.Node.UserID != nil && is(&r.Node) {
			keys[r.Node.EntityKey] = true
		}
	}
	return int64(len(keys))
}

// nothingKnown says whether a context that was asked for as a whole has nothing to show, and nothing is left out.
func nothingKnown(r Request, found *graph.Sections, degraded []graph.Section) bool {
	return len(r.parts()) == len(Parts) && r.AsOf == nil && len(degraded) == 0 && found.Owner == nil && found.LastConversation == nil &&
		len(found.Preferences)+len(found.CoreBeliefs)+len(found.PrimaryGoals)+len(found.Relationships)+len(notShown(r, found)) == 0
}

// notShownLine tells of the same in a line of the text; empty: there is nothing to tell.
func notShownLine(all []NotShown) string {
	count, atLeast := map[string]int64{}, ""
	for _, n := range all {
		count[n.Reason] += n.Count
		if n.AtLeast {
			atLeast = "at least "
		}
	}
	var more, parts []string
	for _, reason := range []struct{ is, words string }{{noRoom, "%d without room here"}, {faded, "%d faded"}, {archived, "%d archived"}} {
		if n := count[reason.is]; n > 0 {
			parts = append(parts, fmt.Sprintf(reason.words, n))
		}
	}
	if n := count[noRoom] + count[faded] + count[archived]; n > 0 {
		more = append(more, counted(int(n), "more memory", "more memories")+" ("+strings.Join(parts, ", ")+")")
	}
	if n := count[tooOld]; n > 0 {
		more = append(more, counted(int(n), "older conversation", "older conversations"))
	}
	if len(more) == 0 {
		return ""
	}
	line := "_Also known: " + atLeast + strings.Join(more, " and ") + "; explore finds them"
	if count[faded]+count[archived] > 0 {
		line += ", faded and archived ones with include_archived"
	}
	return line + "._"
}
