package graph

import (
	"context"
	"slices"
	"time"
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
	AsOf          *time.Time // the day to read; nil: now
	Previews      int        // sources of a storyline
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
func (f *RelationshipFilter) Lets(r *RelationshipView) bool {
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
	Nodes      []NodeView
	Around     []Surroundings
	Storylines []Storyline
	Macros     []Macro
}

// SaidMessage is a message and the key of its source.
type SaidMessage struct {
	Message
	Source      string
	SourceState string
}

// SourceDetails is a source with the nodes it mentions, the most salient first.
type SourceDetails struct {
	Source
	Name     string
	Salience float64
	State    string
	Mentions []NodeRef
}

// Linked is a source to which seeds lead: its score, and the names of the nodes on the way.
type Linked struct {
	Ask  int
	Key  string
	Gain float64
	Via  []string
}

// Surroundings are the most salient relationships of a node. The description belongs to the other end.
type Surroundings struct {
	Node         NodeRef
	Links        []RelationshipView
	Descriptions []string
}

// Storyline is a storyline with the newest of its sources.
type Storyline struct {
	EntityKey, Name, Description string
	SourceCount                  int64
	FirstAt, LastAt              *time.Time
	Anchor                       *NodeRef
	Sources                      []SourceLine
	SourceKeys                   []string // of the newest 50
	Macros                       []string
}

// SourceLine is a source in short.
type SourceLine struct {
	EntityKey, Summary string
	StartedAt          time.Time
}

// Macro groups storylines.
type Macro struct {
	EntityKey, Name, Description string
	StorylineCount, SourceCount  int64
	FirstAt, LastAt              *time.Time
	Anchor                       *NodeRef
	Storylines                   []StorylineLine
}

// StorylineLine is a storyline in short.
type StorylineLine struct {
	EntityKey, Name, Description string
	SourceCount                  int64
}

// Bounds of what is read around found records.
const (
	mentionedShown = 10
	linksWalked    = 200 // relationships of one node that are read
	linksShown     = 20  // relationships of one node that are returned
	storiesRead    = 100
)

// detailParts are the statements of Details.
var detailParts = []string{"found_messages", "found_sources", "found_nodes", "found_relationships", "found_stories"}

// Details reads more about found records, in one round trip.
func (s *Store) Details(ctx context.Context, scope Scope, w Wanted) (Details, error) {
	rows, err := s.read(ctx, s.compose("found", detailParts), w.params(scope))
	if err != nil || len(rows) == 0 {
		return Details{}, err
	}
	now := s.now()
	if w.AsOf != nil {
		now = w.AsOf.UTC()
	}
	v := rows[0]
	d := Details{}
	for _, item := range items(v[0]) {
		d.Messages = append(d.Messages, foundMessageFrom(items(item), now))
	}
	for _, item := range items(v[1]) {
		d.Sources = append(d.Sources, sourceDetailsFrom(items(item), now))
	}
	for _, item := range items(v[2]) {
		l := items(item)
		d.Linked = append(d.Linked, Linked{int(integer(l[0])), text(l[1]), number(l[2]), texts(l[3])})
	}
	for _, item := range items(v[3]) {
		l := items(item)
		d.Titled = append(d.Titled, SourceText{Key: text(l[0]), Name: text(l[1])})
	}
	for _, item := range items(v[4]) {
		l := items(item)
		d.Nodes = append(d.Nodes, nodeView(kindFrom(l[0]), pairsFrom(l[1]), now))
	}
	for _, item := range items(v[5]) {
		d.Around = append(d.Around, surroundingsFrom(items(item), now))
	}
	for _, item := range items(v[6]) {
		d.Storylines = append(d.Storylines, storylineFrom(items(item)))
	}
	for _, item := range items(v[7]) {
		d.Macros = append(d.Macros, macroFrom(items(item)))
	}
	return d, nil
}

func (w *Wanted) params(scope Scope) map[string]any {
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
		"team_id": scope.TeamID, "user_id": scope.user(), "message_keys": list(w.Messages), "source_keys": list(w.Sources),
		"node_keys": list(w.Nodes), "around_keys": list(w.Around), "story_keys": list(w.Stories), "mentioned": mentionedShown, "plain": plainTypes,
		"types": types, "without_types": list(f.Without), "min_attitude": grade(f.MinAttitude), "max_attitude": grade(f.MaxAttitude),
		"min_proximity": grade(f.MinProximity), "max_proximity": grade(f.MaxProximity), "as_of": utc(w.AsOf),
		"walk": linksWalked, "relationship_limit": linksShown, "previews": w.Previews, "story_limit": storiesRead,
	}
}

func sourceDetailsFrom(l []any, now time.Time) SourceDetails {
	alive := vitalityFrom(l[8:])
	return SourceDetails{
		Source: Source{
			EntityKey: text(l[0]), UserID: optionalText(l[14]), Summary: text(l[2]), ContentType: text(l[3]), ContextType: optionalText(l[4]), SourceType: text(l[5]),
			StartedAt: millis(l[6]), EndedAt: optionalMillis(l[7]),
		},
		Name: text(l[1]), Salience: told(alive.current(now)), State: alive.stateAt(now), Mentions: refsFrom(l[13]),
	}
}

// vitalityFrom reads salience, decay rate, their time, state and end.
func vitalityFrom(l []any) *vitality {
	return &vitality{salience: number(l[0]), rate: number(l[1]), at: millis(l[2]), state: text(l[3]), expires: optionalMillis(l[4])}
}

func foundMessageFrom(l []any, now time.Time) SaidMessage {
	return SaidMessage{Source: text(l[1]), SourceState: vitalityFrom(l[7:]).stateAt(now), Message: Message{
		EntityKey: text(l[0]), Seq: integer(l[2]), Role: text(l[3]), Name: text(l[4]), Text: text(l[5]), At: millis(l[6]),
	}}
}

func refsFrom(v any) []NodeRef {
	refs := []NodeRef{}
	for _, item := range items(v) {
		refs = append(refs, refFrom(items(item)))
	}
	return refs
}

// refFrom reads key, labels and name.
func refFrom(l []any) NodeRef {
	return NodeRef{EntityKey: text(l[0]), Kind: kindFrom(l[1]).Name, Name: text(l[2])}
}

// linkRow is a list of a relationship of a node.
type linkRow struct {
	Outgoing   bool
	Type, Key  string // Key is of the other end, as Labels and Name
	Labels     labels
	Name       string
	Properties properties
}

// view returns the relationship as the node with the given key has it.
func (r linkRow) view(key string, now time.Time) RelationshipView {
	from, to, direction := r.Key, key, "incoming"
	if r.Outgoing {
		from, to, direction = key, r.Key, "outgoing"
	}
	view := relationshipView(from, r.Type, to, r.Properties, now)
	view.Direction = direction
	view.Node = &NodeRef{EntityKey: r.Key, Kind: r.Labels.kind().Name, Name: r.Name}
	return view
}

// linkViews returns the relationships of the node with the given key.
func linkViews(rows []linkRow, key string, now time.Time) []RelationshipView {
	views := make([]RelationshipView, len(rows))
	for i, r := range rows {
		views[i] = r.view(key, now)
	}
	return views
}

func surroundingsFrom(l []any, now time.Time) Surroundings {
	s := Surroundings{Node: NodeRef{EntityKey: text(l[0]), Kind: kindFrom(l[2]).Name, Name: text(l[1])}}
	links := items(l[3])
	rows := make([]any, len(links))
	for i, link := range links {
		r := items(link)
		s.Descriptions = append(s.Descriptions, text(r[5]))
		rows[i] = []any{r[0], r[1], r[2], r[3], r[4], r[6]}
	}
	s.Links = relationshipsFrom(rows, s.Node.EntityKey, now)
	return s
}

func anchorFrom(v any) *NodeRef {
	if refs := refsFrom(v); len(refs) > 0 {
		return &refs[0]
	}
	return nil
}

func storylineFrom(l []any) Storyline {
	t := Storyline{
		EntityKey: text(l[0]), Name: text(l[1]), Description: text(l[2]), SourceCount: integer(l[3]),
		FirstAt: optionalMillis(l[4]), LastAt: optionalMillis(l[5]), Anchor: anchorFrom(l[6]), SourceKeys: texts(l[8]), Macros: texts(l[9]),
	}
	for _, item := range items(l[7]) {
		s := items(item)
		t.Sources = append(t.Sources, SourceLine{text(s[0]), text(s[1]), millis(s[2])})
	}
	return t
}

func macroFrom(l []any) Macro {
	m := Macro{
		EntityKey: text(l[0]), Name: text(l[1]), Description: text(l[2]), StorylineCount: integer(l[3]), SourceCount: integer(l[4]),
		FirstAt: optionalMillis(l[5]), LastAt: optionalMillis(l[6]), Anchor: anchorFrom(l[7]),
	}
	for _, item := range items(l[8]) {
		t := items(item)
		m.Storylines = append(m.Storylines, StorylineLine{text(t[0]), text(t[1]), text(t[2]), integer(t[3])})
	}
	return m
}
