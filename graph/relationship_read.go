package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"kith/cypher"
	"kith/graph/cursors"
	"kith/graph/neo"
	"kith/graph/trust"
	"kith/internal/fault"
)

var (
	listRelationships  = neo.Load[listedLinks]("node_relationships")
	locateRelationship = neo.Load[locatedRow]("relationship_locate")
)

// listedLinks are relationships of a node, or the types that are read by the indexes of a hub.
type listedLinks struct {
	Hub           []string
	Relationships []linkRow
}

// locatedRow is a relationship that was found by its key.
type locatedRow struct {
	Type, From, To string
	Properties     Properties
}

// RelationshipView is a relationship as callers see it. Salience and State are current at the time of the answer. In
// the relationships of a node, Direction and Node describe the other end.
type RelationshipView struct {
	Key              string          `json:"key"`
	From             string          `json:"from"`
	To               string          `json:"to"`
	Type             string          `json:"type"`
	Qualifier        string          `json:"qualifier,omitempty" doc:"tells it from others of its type between the same nodes"`
	Direction        string          `json:"direction,omitempty" enum:"outgoing,incoming"`
	Node             *NodeRef        `json:"node,omitempty" doc:"the other end"`
	Description      string          `json:"description"`
	RelationshipType string          `json:"relationship_type,omitempty"`
	Attitude         *int64          `json:"attitude,omitempty"`
	AttitudeWord     string          `json:"attitude_word,omitempty"`
	Proximity        *int64          `json:"proximity,omitempty"`
	ProximityWord    string          `json:"proximity_word,omitempty"`
	Salience         float64         `json:"salience"`
	Confidence       float64         `json:"confidence"`
	State            string          `json:"state,omitempty"`
	ValidFrom        *time.Time      `json:"valid_from"`
	ValidTo          *time.Time      `json:"valid_to"`
	RecordedAt       *time.Time      `json:"recorded_at"`
	RecordedBy       *string         `json:"recorded_by"`
	AccessCount      int64           `json:"access_count"`
	LastAccessedAt   *time.Time      `json:"last_accessed_at"`
	Version          int64           `json:"version"`
	Trust            *float64        `json:"trust,omitempty" doc:"0 to 1; absent: a caller wrote it, and it is believed"`
	Origin           string          `json:"origin,omitempty" enum:"user,assistant,tool,external,import" doc:"of the most believed source"`
	RestsOn          []string        `json:"rests_on,omitempty" doc:"entity keys of the sources that it was derived from"`
	Notes            []Note          `json:"notes,omitempty" doc:"newest first, without expired ones"`
	Properties       json.RawMessage `json:"properties,omitempty"`
	Compacted        bool            `json:"compacted,omitempty" doc:"as of a time: its version of that time is not kept, or it was recorded later; it is the last one kept from before, or else without texts"`
	LastWrite        *LastWrite      `json:"last_write,omitempty" doc:"of a relationship read alone: by which it was created or last changed; absent: by Kith itself, or before Kith kept that"`
}

// NodeRef identifies a node.
type NodeRef struct {
	EntityKey string     `json:"entity_key"`
	Kind      string     `json:"kind"`
	Name      string     `json:"name"`
	Told      trust.Told `json:"-"` // of the name, where a text shows it
}

// DecodeNeo reads a list of key, labels and name, where a text shows the name with trust and origin.
func (n *NodeRef) DecodeNeo(v any) error {
	l := neo.List(v)
	if len(l) != 3 && len(l) != 5 {
		return fmt.Errorf("%d values where a key, labels and a name are expected: %w", len(l), neo.ErrStatement)
	}
	*n = NodeRef{EntityKey: neo.Text(l[0]), Kind: KindOfLabel(KindLabel(neo.List(l[1]))).Name, Name: neo.Text(l[2])}
	if len(l) == 5 {
		n.Told = trust.NewTold(l[3], neo.Text(l[4]))
	}
	return nil
}

// NewRelationshipView returns a relationship of the stored type kind, as answers show it.
func NewRelationshipView(from, kind, to string, p Properties, now time.Time) RelationshipView {
	alive := p.vitality()
	kind = p.typeOf(kind)
	v := RelationshipView{
		Key: p.Text("key"), From: from, To: to, Type: kind, Qualifier: p.Text("qualifier"), Description: p.Text("description"), RelationshipType: p.typeText(),
		Attitude: neo.OptionalInteger(p["attitude"]), Proximity: neo.OptionalInteger(p["proximity"]),
		Salience: RoundSalience(alive.current(now)), Confidence: alive.confidence, State: alive.stateAt(now),
		ValidFrom: p.Moment("valid_from"), ValidTo: p.Moment("valid_to"), RecordedAt: p.Moment("recorded_at"),
		RecordedBy: neo.OptionalText(p["recorded_by"]), AccessCount: alive.accesses, LastAccessedAt: alive.lastAccess,
		Version: version(p), Compacted: neo.Bool(p[compactedName]), Notes: NotesFrom(p.Texts("notes"), now), Origin: p.Text("origin"), RestsOn: p.restsOn(),
	}
	v.AttitudeWord, v.ProximityWord = word(attitudes, kind, v.Attitude), word(proximities, kind, v.Proximity)
	if t, ok := p["trust"].(float64); ok {
		v.Trust = &t
	}
	if raw := p.Text("properties"); raw != "" {
		v.Properties = json.RawMessage(raw)
	}
	return v
}

// RelationshipList selects a page of a node's relationships, ordered by key.
type RelationshipList struct {
	Kind      Kind
	Key       string
	Direction string     // outgoing, incoming, or both (also when empty)
	Types     []string   // empty: all
	AsOf      *time.Time // relationships valid on a day; nil: the current ones
	Past      bool       // also closed ones
	Cursor    string
	Limit     int64
}

// RelationshipPage is a page of relationships and the cursor of the next one; empty after the last.
type RelationshipPage struct {
	Relationships []RelationshipView
	Next          string
}

// Relationships returns a page of relationships of a node that the scope may see, or ErrNotFound for the node.
func (s *Store) Relationships(ctx context.Context, scope Scope, l RelationshipList) (RelationshipPage, error) {
	return AtCurrentKeys(ctx, s, scope, []*string{&l.Key}, func() (RelationshipPage, error) { return s.relationships(ctx, scope, &l) })
}

func (s *Store) relationships(ctx context.Context, scope Scope, l *RelationshipList) (RelationshipPage, error) {
	after, err := cursors.Decode(l.Cursor)
	if err == nil {
		err = fault.CheckAsOf(l.AsOf, s.Now())
	}
	if err != nil {
		return RelationshipPage{}, err
	}
	moment, types := s.Now(), any(nil)
	if l.AsOf != nil && !l.Past {
		if _, err := s.nodeAt(ctx, scope, l.Kind, l.Key, NodeQuery{AsOf: l.AsOf}); err != nil {
			return RelationshipPage{}, err
		}
		return s.linksAt(ctx, scope, l, after)
	}
	if len(l.Types) > 0 {
		types = l.Types
	}
	params, read := map[string]any{
		"team_id": scope.TeamID, "user_id": scope.User(), "entity_key": l.Key, "label": l.Kind.Label, "now": moment, "past": l.Past, "rest": false,
		"outgoing": l.Direction != "incoming", "incoming": l.Direction != "outgoing", "types": types, "after": after, "limit": l.Limit + 1,
	}, readsAlone{ctx, s.db}
	found, err := ofAnyType(listRelationships).ExecOne(read, params)
	if err == nil && len(found.Hub) > 0 {
		found.Relationships, err = hubPage(read, params, found.Hub, l)
	}
	if err != nil {
		return RelationshipPage{}, err
	}
	page := RelationshipPage{Relationships: linkViews(found.Relationships, l.Key, moment)}
	if int64(len(page.Relationships)) > l.Limit {
		page.Relationships = page.Relationships[:l.Limit]
		page.Next = cursors.Encode(page.Relationships[l.Limit-1].Key)
	}
	return page, nil
}

// located is a relationship that was found by its key, with its ends and type.
type located struct {
	kind, from, to string
	Properties
}

// locate returns the relationship with a key if the scope may see both ends, or ErrNotFound.
func (s *Store) locate(ctx context.Context, scope Scope, key string) (located, error) {
	return s.locateAt(ctx, s.db, scope, key, nil)
}

// locateAt does the same as locate for a relationship whose ends may have been deleted after a time.
func (s *Store) locateAt(ctx context.Context, db neo.Reader, scope Scope, key string, at *time.Time) (located, error) {
	types, err := s.IndexedTypes(ctx)
	if err != nil || len(types) == 0 {
		return located{}, orMissing(err, "relationship")
	}
	locate := locateRelationship
	locate.Query = cypher.OfTypes(locate.Query, types)
	rows, err := locate.Read(ctx, db, map[string]any{"team_id": scope.TeamID, "user_id": scope.User(), "key": key, "as_of": utc(at)})
	if err != nil || len(rows) == 0 {
		return located{}, orMissing(err, "relationship")
	}
	r := rows[0]
	return located{r.Type, r.From, r.To, r.Properties}, nil
}

// Relationship returns one current or past relationship as it is, or was at a time, if the scope may see both ends, or ErrNotFound.
func (s *Store) Relationship(ctx context.Context, scope Scope, key string, asOf *time.Time) (RelationshipView, error) {
	if asOf != nil {
		if err := fault.CheckAsOf(asOf, s.Now()); err != nil {
			return RelationshipView{}, err
		}
		return s.relationshipAt(ctx, scope, key, asOf)
	}
	r, err := s.locate(ctx, scope, key)
	if err != nil {
		return RelationshipView{}, err
	}
	return r.view(s.Now()), nil
}

// view returns the relationship as callers see it at a moment.
func (r *located) view(moment time.Time) RelationshipView {
	v := NewRelationshipView(r.from, r.kind, r.to, r.Properties, moment)
	v.LastWrite = r.lastWrite()
	return v
}

// linkRow is a list of a relationship of a node.
type linkRow struct {
	Outgoing   bool
	Type, Key  string // Key is of the other end, as Labels, Name, Trust and Origin
	Labels     Labels
	Name       string
	Properties Properties
	Trust      any
	Origin     string
}

// NewLinkView returns a relationship between two nodes as the first one has it.
func NewLinkView(of string, outgoing bool, kind string, other NodeRef, p Properties, now time.Time) RelationshipView {
	from, to, direction := other.EntityKey, of, "incoming"
	if outgoing {
		from, to, direction = to, from, "outgoing"
	}
	view := NewRelationshipView(from, kind, to, p, now)
	view.Direction = direction
	view.Node = &other
	return view
}

// linkViews returns the relationships of the node with the given key.
func linkViews(rows []linkRow, key string, now time.Time) []RelationshipView {
	views := make([]RelationshipView, len(rows))
	for i, r := range rows {
		other := NodeRef{EntityKey: r.Key, Kind: r.Labels.Kind().Name, Name: r.Name, Told: trust.NewTold(r.Trust, r.Origin)}
		views[i] = NewLinkView(key, r.Outgoing, r.Type, other, r.Properties, now)
	}
	return views
}
