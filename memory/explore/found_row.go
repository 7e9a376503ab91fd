package explore

import (
	"cmp"
	"time"

	"kith/cypher"
	"kith/graph"
	"kith/graph/neo"
	"kith/graph/trust"
)

// findDetails finds what is known of found records.
var findDetails = neo.As[detailsRow](cypher.LoadCombined("found", "found_messages", "found_sources", "found_nodes", "found_relationships", "found_stories"))

// detailsRow is the row of all details.
type detailsRow struct {
	Messages      []messageRow
	Sources       []sourceDetailsRow
	Linked        []Linked
	Titled        []titledRow
	Nodes         []foundNodeRow
	Relationships []surroundingsRow
	Storylines    []storylineRow
	Macros        []macroRow
}

// messageRow is a message with the data of its source's state.
type messageRow struct {
	Key, Source         string
	Seq                 int64
	Role, Name, Text    string
	At                  time.Time
	Salience, DecayRate float64
	SalienceAt          int64
	State               string
	EndsAt              *time.Time
	Trust               any
	Origin              string // of the source
}

// sourceDetailsRow is a source with its mentions.
type sourceDetailsRow struct {
	Key, Name, Summary, ContentType string
	ContextType                     *string
	SourceType                      string
	StartedAt                       time.Time
	EndedAt                         *time.Time
	Salience, DecayRate             float64
	SalienceAt                      int64
	State                           string
	EndsAt                          *time.Time
	Mentions                        []graph.NodeRef
	UserID                          *string
	Trust                           any
	Origin                          string
}

// titledRow is a source with a name.
type titledRow struct{ Key, Name string }

// foundNodeRow is a node.
type foundNodeRow struct {
	Labels     graph.Labels
	Properties graph.Properties
}

// surroundingsRow is a node with its relationships.
type surroundingsRow struct {
	Key, Name string
	Labels    graph.Labels
	Links     []describedLinkRow
	Trust     any
	Origin    string
}

// describedLinkRow is a list of a relationship of a node. Description is of the other end.
type describedLinkRow struct {
	Outgoing    bool
	Type, Key   string
	Labels      graph.Labels
	Name        string
	Description string
	Properties  graph.Properties
	Trust       any // of the other end, as its origin
	Origin      string
}

// storylineRow is a storyline with its subject and sources.
type storylineRow struct {
	Key, Name, Description string
	SourceCount            int64
	FirstAt, LastAt        *time.Time
	Anchors                []graph.NodeRef
	Sources                []SourceLine
	SourceKeys, Macros     []string
}

// macroRow is a macro with its root and storylines.
type macroRow struct {
	Key, Name, Description      string
	StorylineCount, SourceCount int64
	FirstAt, LastAt             *time.Time
	Anchors                     []graph.NodeRef
	Storylines                  []StorylineLine
}

func (r *detailsRow) details(now time.Time) Details {
	d := Details{Linked: r.Linked}
	for i := range r.Messages {
		d.Messages = append(d.Messages, r.Messages[i].message(now))
	}
	for i := range r.Sources {
		d.Sources = append(d.Sources, r.Sources[i].details(now))
	}
	for _, t := range r.Titled {
		d.Titled = append(d.Titled, SourceText{Key: t.Key, Name: t.Name})
	}
	for _, n := range r.Nodes {
		d.Nodes = append(d.Nodes, graph.NewNodeView(n.Labels.Kind(), n.Properties, now))
	}
	for i := range r.Relationships {
		d.Around = append(d.Around, r.Relationships[i].surroundings(now))
	}
	for i := range r.Storylines {
		d.Storylines = append(d.Storylines, r.Storylines[i].storyline())
	}
	for i := range r.Macros {
		d.Macros = append(d.Macros, r.Macros[i].macro())
	}
	return d
}

func (r *sourceDetailsRow) details(now time.Time) SourceDetails {
	salience, state := graph.Lifetime{Salience: r.Salience, DecayRate: r.DecayRate, SalienceAt: r.SalienceAt, State: r.State, EndsAt: r.EndsAt}.At(now)
	return SourceDetails{
		Source: graph.Source{
			EntityKey: r.Key, UserID: r.UserID, Summary: r.Summary, ContentType: r.ContentType, ContextType: r.ContextType, SourceType: r.SourceType,
			StartedAt: r.StartedAt, EndedAt: r.EndedAt,
		},
		Name: r.Name, Salience: salience, State: state, Mentions: r.Mentions, Told: trust.NewTold(r.Trust, r.Origin),
	}
}

func (r *messageRow) message(now time.Time) SaidMessage {
	_, state := graph.Lifetime{Salience: r.Salience, DecayRate: r.DecayRate, SalienceAt: r.SalienceAt, State: r.State, EndsAt: r.EndsAt}.At(now)
	told := trust.NewTold(r.Trust, trust.OfRole(r.Role, cmp.Or(r.Origin, trust.User)))
	return SaidMessage{Source: r.Source, SourceState: state, Told: told, Message: graph.Message{
		EntityKey: r.Key, Seq: r.Seq, Role: r.Role, Name: r.Name, Text: r.Text, At: r.At,
	}}
}

func (r *surroundingsRow) surroundings(now time.Time) Surroundings {
	s := Surroundings{
		Node:  graph.NodeRef{EntityKey: r.Key, Kind: r.Labels.Kind().Name, Name: r.Name, Told: trust.NewTold(r.Trust, r.Origin)},
		Links: make([]graph.RelationshipView, len(r.Links)),
	}
	for i, l := range r.Links {
		other := graph.NodeRef{EntityKey: l.Key, Kind: l.Labels.Kind().Name, Name: l.Name, Told: trust.NewTold(l.Trust, l.Origin)}
		s.Others = append(s.Others, OtherEnd{l.Description, other.Told})
		s.Links[i] = graph.NewLinkView(r.Key, l.Outgoing, l.Type, other, l.Properties, now)
	}
	return s
}

// anchorTold returns how far the name of a storyline or macro is believed: like that of its anchor, from which it is.
func anchorTold(anchor *graph.NodeRef) trust.Told {
	if anchor == nil {
		return trust.Told{}
	}
	return anchor.Told
}

// anchor returns the first of the nodes that a storyline or macro is about; nil: none.
func anchor(anchors []graph.NodeRef) *graph.NodeRef {
	if len(anchors) == 0 {
		return nil
	}
	return &anchors[0]
}

func (r *storylineRow) storyline() Storyline {
	return Storyline{
		EntityKey: r.Key, Name: r.Name, Description: r.Description, SourceCount: r.SourceCount,
		FirstAt: r.FirstAt, LastAt: r.LastAt, Anchor: anchor(r.Anchors), Sources: r.Sources, SourceKeys: r.SourceKeys, Macros: r.Macros,
	}
}

func (r *macroRow) macro() Macro {
	return Macro{
		EntityKey: r.Key, Name: r.Name, Description: r.Description, StorylineCount: r.StorylineCount, SourceCount: r.SourceCount,
		FirstAt: r.FirstAt, LastAt: r.LastAt, Anchor: anchor(r.Anchors), Storylines: r.Storylines,
	}
}
