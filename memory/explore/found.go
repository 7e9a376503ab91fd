package explore

import (
	"context"
	"slices"
	"time"

	"kith/graph"
	"kith/graph/trust"
)

// Wanted names the details that a search needs, by entity key. The answer omits what the scope may not see and what no longer
// exists.
type Wanted struct {
	Messages []string
	Sources  []string
	Nodes    []string
	Names    []string // find sources that have one of these names (NameKey)
	Seeds    []Seed   // find sources to which these lead
	Around   []string // nodes whose relationships are read
	Stories  []string // storylines and macros; those of sources and nodes come with them

	Relationships RelationshipFilter
	Since, Until  *time.Time // of sources by name or from seeds
	Previews      int        // sources of a storyline
	Archived      bool       // also archived storylines, and archived sources of storylines
	LeastTrust    float64    // of a source of a storyline that is shown
}

// Seed is a source that stands for those that mention the same nodes, in the ranking of an ask.
type Seed struct {
	Ask    int
	Key    string
	Weight float64
}

// RelationshipFilter selects relationships. A nil or empty field selects all.
type RelationshipFilter struct {
	Types, Without                                       []string
	MinAttitude, MaxAttitude, MinProximity, MaxProximity *int64
}

// Lets reports whether the filter selects a relationship.
func (f *RelationshipFilter) Lets(r *graph.RelationshipView) bool {
	within := func(grade, least, most *int64) bool {
		if least == nil && most == nil {
			return true
		}
		return grade != nil && (least == nil || *grade >= *least) && (most == nil || *grade <= *most)
	}
	return (len(f.Types) == 0 || slices.Contains(f.Types, r.Type)) && !slices.Contains(f.Without, r.Type) &&
		within(r.Attitude, f.MinAttitude, f.MaxAttitude) && within(r.Proximity, f.MinProximity, f.MaxProximity)
}

// Details holds what is known of found records.
type Details struct {
	Messages   []SaidMessage // in no order, as all lists here
	Sources    []SourceDetails
	Linked     []Linked
	Titled     []SourceText // sources by name, without text
	Nodes      []graph.NodeView
	Around     []Surroundings
	Storylines []Storyline
	Macros     []Macro
}

// SaidMessage is a message and the key of its source.
type SaidMessage struct {
	graph.Message
	Told        trust.Told // with the origin of its source
	Source      string
	SourceState string
}

// SourceDetails is a source with the nodes it mentions, the most salient first.
type SourceDetails struct {
	graph.Source
	trust.Told
	Name     string
	Salience float64
	State    string
	Mentions []graph.NodeRef
}

// Linked is a source to which seeds lead: its score, and the names of the nodes on the way.
type Linked struct {
	Ask  int
	Key  string
	Gain float64
	Via  []string
}

// Surroundings are the most salient relationships of a node, and what is at their other ends.
type Surroundings struct {
	Node   graph.NodeRef
	Links  []graph.RelationshipView
	Others []OtherEnd
}

// OtherEnd is the description of a linked node.
type OtherEnd struct {
	Description string
	trust.Told
}

// Storyline is a storyline with the newest of its sources.
type Storyline struct {
	EntityKey, Name, Description string
	SourceCount                  int64
	FirstAt, LastAt              *time.Time
	Anchor                       *graph.NodeRef
	Sources                      []SourceLine
	SourceKeys                   []string // of the newest 50
	Macros                       []string
}

// SourceLine is a source in short.
type SourceLine struct {
	EntityKey, Summary string
	StartedAt          time.Time
	Trust              any
	Origin             string
}

// Macro groups storylines.
type Macro struct {
	EntityKey, Name, Description string
	StorylineCount, SourceCount  int64
	FirstAt, LastAt              *time.Time
	Anchor                       *graph.NodeRef
	Storylines                   []StorylineLine
}

// StorylineLine is a storyline in short.
type StorylineLine struct {
	EntityKey, Name, Description string
	SourceCount                  int64
	Anchors                      []graph.NodeRef
}

// Bounds of what is read around found records.
const (
	mentionedShown = 10
	linksWalked    = 200 // relationships of one node that are read
	linksShown     = 20  // relationships of one node that are returned
	storiesRead    = 100
)

// Details reads more about found records, in one round trip.
func (s *Store) Details(ctx context.Context, scope graph.Scope, w Wanted) (Details, error) {
	now := s.graph.Now()
	params := w.params(scope)
	params["now"] = now
	rows, err := findDetails.Read(ctx, s.db, params)
	if err != nil || len(rows) == 0 {
		return Details{}, err
	}
	return rows[0].details(now), nil
}

func (w *Wanted) params(scope graph.Scope) map[string]any {
	list := func(keys []string) []string {
		if keys == nil {
			return []string{}
		}
		return keys
	}
	f, types := w.Relationships, any(nil)
	if len(f.Types) > 0 {
		types = f.Types
	}
	grade := func(g *int64) any {
		if g == nil {
			return nil
		}
		return *g
	}
	seeds := make([]map[string]any, len(w.Seeds))
	for i, s := range w.Seeds {
		seeds[i] = map[string]any{"ask": s.Ask, "key": s.Key, "weight": s.Weight}
	}
	return map[string]any{
		"names": list(w.Names), "seeds": seeds, "degree_limit": linkDegree, "link_limit": linkLimit,
		"since": utc(w.Since), "until": utc(w.Until),
		"team_id": scope.TeamID, "user_id": scope.User(), "message_keys": list(w.Messages), "source_keys": list(w.Sources),
		"node_keys": list(w.Nodes), "around_keys": list(w.Around), "story_keys": list(w.Stories), "mentioned": mentionedShown, "plain": graph.PlainTypes,
		"types": types, "without_types": list(f.Without), "min_attitude": grade(f.MinAttitude), "max_attitude": grade(f.MaxAttitude),
		"min_proximity": grade(f.MinProximity), "max_proximity": grade(f.MaxProximity),
		"walk": linksWalked, "relationship_limit": linksShown, "previews": w.Previews, "archived": w.Archived, "least_trust": w.LeastTrust, "story_limit": storiesRead,
	}
}
