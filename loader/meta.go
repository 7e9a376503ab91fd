package loader

import (
	"fmt"
	"slices"
	"strings"
)

// Meta counts memories that are known but not shown.
type Meta struct {
	NotShown  []NotShown `json:"not_shown"`
	Compacted bool       `json:"compacted,omitempty" doc:"a context of the past that was put together from what is stored now, because what was answered then is not kept"`
}

// NotShown counts memories of a section that the context omits, by reason.
type NotShown struct {
	Section string `json:"section" enum:"core_beliefs,primary_goals,relationships,recent_context,reviews" doc:"reviews: writes that wait for a review"`
	Count   int64  `json:"count"`
	AtLeast bool   `json:"at_least,omitempty" doc:"not all were counted"`
	Reason  string `json:"reason" enum:"no_room,faded,archived,older_than_7_days,low_trust" doc:"faded: salience below 0.01; explore finds faded and archived ones with include_archived, others without"`
}

// Why memories are not shown.
const (
	noRoom   = "no_room"
	faded    = "faded"
	archived = "archived"
	tooOld   = "older_than_7_days"
	lowTrust = "low_trust"
)

// mostOlder is the most older conversations counted, and those with too little trust, and reviews.
const mostOlder = 1000

// Notes on a context of the past.
const (
	compactedNote = "what was answered then is not kept: this is put together from what is stored now"
	erasedWarning = "the memory was erased after this moment: this is put together from what is left"
)

// NothingKnown is the warning for a user without memories to show.
const NothingKnown = "nothing is stored for this user_id that a context could show: check how it is spelled, or write the first memories"

// notShown counts what is known of the requested parts and not in the context.
func notShown(r *Request, found *Sections) []NotShown {
	var all []NotShown
	add := func(section string, count int64, atLeast bool, reason string) {
		if count > 0 {
			all = append(all, NotShown{section, count, atLeast, reason})
		}
	}
	if known := found.Known; known != nil {
		counts := func(section string, k KnownCounts, shown int64) {
			add(section, k.Present-shown, known.AtLeast, noRoom)
			add(section, k.Faded, known.AtLeast, faded)
			add(section, k.Archived, known.AtLeast, archived)
		}
		if slices.Contains(r.parts(), userPart) {
			counts(string(CoreBeliefsSection), known.Beliefs, countShown(found.CoreBeliefs, found.Relationships, isBelief))
			counts(string(PrimaryGoalsSection), known.Goals, countShown(found.PrimaryGoals, found.Relationships, isGoal))
		}
		counts(relationshipsPart, known.Others, 0)
	}
	add(recentPart, found.OlderConversations, found.OlderConversations == mostOlder, tooOld)
	if r.AsOf == nil {
		add(recentPart, found.Distrusted, found.Distrusted == mostOlder, lowTrust)
		add("reviews", found.Waiting, found.Waiting == mostOlder, lowTrust)
	}
	return all
}

func isGoal(n *ContextNode) bool { return n.IsGoal }

// isBelief reports whether a concept counts as a belief, as in the statements.
func isBelief(n *ContextNode) bool { return !n.IsGoal && n.TTLPolicy == "keep_forever" }

// countShown counts the user's own nodes of a kind that the context shows, each once.
func countShown(section []ContextNode, relationships []OwnerRelationship, is func(*ContextNode) bool) (count int64) {
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

// nothingKnown reports whether a complete context has nothing to show.
func nothingKnown(r *Request, found *Sections, degraded []Section) bool {
	return len(r.parts()) == len(Parts) && r.AsOf == nil && len(degraded) == 0 && found.Owner == nil && found.LastConversation == nil &&
		len(found.Preferences)+len(found.Statements)+len(found.CoreBeliefs)+len(found.PrimaryGoals)+len(found.Relationships) == 0
}

// notShownLine returns these counts as a line of text; empty if there are none.
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
		more = append(more, Counted(int(n), "more memory", "more memories")+" ("+strings.Join(parts, ", ")+")")
	}
	if n := count[tooOld]; n > 0 {
		more = append(more, Counted(int(n), "older conversation", "older conversations"))
	}
	line := ""
	if len(more) > 0 {
		line = "_Also known: " + atLeast + strings.Join(more, " and ") + "; explore finds them"
		if count[faded]+count[archived] > 0 {
			line += ", faded and archived ones with include_archived"
		}
		line += "._"
	}
	if n := count[lowTrust]; n > 0 {
		if line != "" {
			line += " "
		}
		line += fmt.Sprintf("_Left out for too little trust: %d._", n)
	}
	return line
}
