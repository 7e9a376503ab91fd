package loader

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"kith/graph"
	"kith/internal/fault"
)

// Why says whether the text of a context shows a node, and by which rules.
type Why struct {
	Key      string       `json:"key"`
	Kind     string       `json:"kind" enum:"person,concept,entity,source"`
	Shown    bool         `json:"shown"`
	Spans    []Span       `json:"spans" doc:"the parts of the text that show it"`
	Sections []WhySection `json:"sections" doc:"the sections that show nodes of its kind"`
}

// WhySection says whether a node is in a section: all conditions must hold.
type WhySection struct {
	Section    string      `json:"section" enum:"owner,core_beliefs,primary_goals,relationships,sources"`
	Shown      bool        `json:"shown"`
	Conditions []Condition `json:"conditions"`
}

// Condition is a rule of a section, with what it found of a node.
type Condition struct {
	Rule   string `json:"rule"`
	Value  string `json:"value" doc:"of the node"`
	Holds  bool   `json:"holds"`
	Change string `json:"change,omitempty" doc:"what would make it hold"`
}

// WhyRequest asks why a user's context shows a node, or does not.
type WhyRequest struct {
	Scope     graph.Scope
	Key       string // entity key
	MaxTokens int    // of the text; 0: no budget
}

// Why explains whether the text of a context shows a node. Errors: fault.InvalidError, fault.ErrNotFound, graph.ErrUnavailable.
func (l *Loader) Why(ctx context.Context, q WhyRequest) (*Why, error) {
	f := &fault.List{}
	CheckEntityKey(f, fault.At("key"), q.Key)
	if err := f.Err(); err != nil {
		return nil, err
	}
	r := Request{Scope: q.Scope, Format: Text, MaxTokens: q.MaxTokens}
	if err := r.Validate(); err != nil {
		return nil, err
	}
	return graph.AtCurrentKeys(ctx, l.store, q.Scope, []*string{&q.Key}, func() (*Why, error) {
		read, err := l.read(ctx, &r)
		if err != nil {
			return nil, err
		}
		out, err := account(&r, read, read.text(&r), "")
		if err != nil {
			return nil, err
		}
		n, err := l.store.Node(ctx, q.Scope, q.Key, read.query)
		if err != nil {
			return nil, err
		}
		return (&reasons{&n, read, out}).why(), nil
	})
}

// reasons finds out why a context shows a node, or does not.
type reasons struct {
	node *graph.NodeView
	read *reading
	text *Receipt
}

func (w *reasons) why() *Why {
	n := w.node
	out := &Why{Key: n.EntityKey, Kind: n.Kind, Spans: []Span{}}
	for i := range w.text.Spans {
		if s := &w.text.Spans[i]; s.Key == n.EntityKey && s.Kind != "note" {
			out.Spans = append(out.Spans, *s)
			out.Shown = out.Shown || s.Part != NowPart
		}
	}
	switch n.Kind {
	case "person":
		out.Sections = append(out.Sections, w.section("owner", w.owner()))
	case "concept":
		out.Sections = append(out.Sections, w.section("core_beliefs", w.belief()), w.section("primary_goals", w.goal()))
	case "source":
		out.Sections = append(out.Sections, w.section("sources", w.source()))
	}
	if n.Kind != "source" {
		out.Sections = append(out.Sections, w.section("relationships", w.relationship()))
	}
	return out
}

// section adds whether the node has a place in the section, and room within the budget. is has the conditions on the node itself.
func (w *reasons) section(section string, is []Condition) WhySection {
	out := WhySection{Section: section, Conditions: is}
	item := w.find(section)
	left := slices.IndexFunc(w.text.LeftOut, func(l LeftOut) bool { return l.Section == section && l.Key == w.node.EntityKey })
	if section != "owner" {
		place := Condition{Rule: "it is one of the first of the section", Value: "others rank before it", Holds: item != nil || left >= 0}
		switch {
		case item != nil:
			place.Value = fmt.Sprintf("%d of %d", item.Rank, item.Of)
		case left >= 0:
			place.Value = fmt.Sprintf("%d of %d", w.text.LeftOut[left].Rank, w.text.LeftOut[left].Of)
		case !allHold(is):
			place.Value = "it is not in the section"
		default:
			place.Change = w.overtake(section)
		}
		out.Conditions = append(out.Conditions, place)
	}
	if w.text.MaxTokens > 0 {
		fits := Condition{Rule: "it fits into max_tokens", Value: strconv.Itoa(w.text.MaxTokens), Holds: left < 0}
		if left >= 0 {
			fits.Change = fmt.Sprintf("max_tokens of %d or more", w.text.LeftOut[left].BackAt)
		}
		out.Conditions = append(out.Conditions, fits)
	}
	out.Shown = allHold(out.Conditions)
	return out
}

func allHold(all []Condition) bool {
	return !slices.ContainsFunc(all, func(c Condition) bool { return !c.Holds })
}

// find returns the line that shows the node in a section; nil without one.
func (w *reasons) find(section string) *Item {
	for i := range w.text.Spans {
		if s := &w.text.Spans[i]; s.Section == section && s.Key == w.node.EntityKey {
			return &s.Item
		}
	}
	return nil
}

// overtake says which value would bring the node into a section that is full.
func (w *reasons) overtake(section string) string {
	var last *Item
	for i := range w.text.Spans {
		if s := &w.text.Spans[i]; s.Section == section && s.Part == LinePart {
			last = &s.Item
		}
	}
	if last == nil || last.Value == nil {
		return ""
	}
	if *last.Value >= 1 {
		return "use of it, while those before it are not used: each has the highest " + strings.ReplaceAll(last.By, "_", " ")
	}
	return fmt.Sprintf("a %s above %s", strings.ReplaceAll(last.By, "_", " "), strconv.FormatFloat(*last.Value, 'f', -1, 64))
}

func (w *reasons) owner() []Condition {
	return []Condition{{"it is the person of the user", yesOrNo(w.isOwner()), w.isOwner(), ""}}
}

func (w *reasons) isOwner() bool {
	return w.read.found.Owner != nil && w.read.found.Owner.EntityKey == w.node.EntityKey
}

func yesOrNo(v bool) string {
	if v {
		return "yes"
	}
	return "no"
}

// own is the condition that a node is the user's own.
func (w *reasons) own() Condition {
	if w.node.UserID == nil {
		return Condition{"it is the user's own", "shared", false, "write it again with the user's user_id"}
	}
	return Condition{"it is the user's own", "yes", true, ""}
}

func (w *reasons) belief() []Condition {
	n, has := w.node, 0
	for i := range w.read.found.CoreBeliefs {
		if !w.read.found.CoreBeliefs[i].Filled {
			has++
		}
	}
	state := Condition{Rule: "its state is core; or active or candidate and it is no goal, while fewer than 10 are core", Value: n.State, Change: "state core"}
	if n.State == "core" || has < 10 && !n.IsGoal && n.State != "archived" {
		state.Holds, state.Change = true, ""
	} else if n.IsGoal {
		state.Value += ", a goal"
	}
	kept := Condition{"its ttl_policy is keep_forever", n.TTLPolicy, n.TTLPolicy == "keep_forever", ""}
	if !kept.Holds {
		kept.Change = "ttl_policy keep_forever"
	}
	return []Condition{w.own(), kept, state}
}

func (w *reasons) goal() []Condition {
	n, used := w.node, 0
	for i := range w.read.found.PrimaryGoals {
		if !w.read.found.PrimaryGoals[i].Filled {
			used++
		}
	}
	goal := Condition{"it is a goal", yesOrNo(n.IsGoal), n.IsGoal, ""}
	if !goal.Holds {
		goal.Change = "is_goal true"
	}
	recent := n.LastAccessedAt != nil && n.LastAccessedAt.After(w.read.now.Add(-graph.Week))
	inUse := Condition{Rule: "it is active or core and was accessed in the last 7 days; or it is not archived, while fewer than 5 are", Value: n.State + ", accessed " + dayOrNever(n.LastAccessedAt)}
	inUse.Holds = n.State != "archived" && (recent && n.State != "candidate" || used < 5)
	switch {
	case n.State == "archived":
		inUse.Change = "state active"
	case !inUse.Holds:
		inUse.Change = "an access, such as a mention"
	}
	return []Condition{w.own(), goal, inUse}
}

func dayOrNever(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return t.Format(time.DateOnly)
}

func (w *reasons) source() []Condition {
	n := w.node
	is := Condition{"it is a conversation", n.ContentType.Value, n.ContentType.Value == "conversation", ""}
	began := n.StartedAt.Value
	recent := Condition{"it began in the last 7 days", dayOrNever(&began), began.After(w.read.now.Add(-graph.Week)), ""}
	return []Condition{w.own(), is, recent}
}

// relationship has the conditions of the section of relationships, which is filled with nodes that have no relationship of its types.
func (w *reasons) relationship() []Condition {
	n, strong := w.node, 0
	for i := range w.read.found.Relationships {
		if !w.read.found.Relationships[i].Filled {
			strong++
		}
	}
	kind := w.strongest()
	related := Condition{
		Rule:   "it has a current relationship to the user, of the types " + strings.Join(ownerTypes, ", ") + "; or fewer than 10 nodes have one, and it is no goal and no permanent concept",
		Value:  cmp.Or(kind, "no relationship"),
		Holds:  kind != "" || strong < 10 && !n.IsGoal && (n.Kind != "concept" || n.TTLPolicy != "keep_forever"),
		Change: "",
	}
	if !related.Holds {
		related.Change = "a relationship of one of these types"
	}
	present := Condition{"it is not archived", n.State, n.State != "archived", ""}
	if !present.Holds {
		present.Change = "state active"
	}
	other := Condition{"it is not the user", yesOrNo(!w.isOwner()), !w.isOwner(), ""}
	return []Condition{other, present, related}
}

// ownerTypes are the types of relationships by which nodes are the user's, as in the statement.
var ownerTypes = []string{"has_relationship_with", "thinks_about", "relates_to", "involves", "associated_with", "engages_with", "connected_to"}

// strongest returns the type of the node's strongest relationship to the user of these types; empty: there is none.
func (w *reasons) strongest() string {
	for i := range w.node.Relationships {
		r := &w.node.Relationships[i]
		if w.read.found.Owner != nil && r.Node != nil && r.Node.EntityKey == w.read.found.Owner.EntityKey && slices.Contains(ownerTypes, r.Type) {
			return r.Type
		}
	}
	return ""
}
