package loader

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"kith/cypher"
	"kith/graph"
	"kith/graph/neo"
	"kith/graph/trust"
	"kith/internal/fault"
	"kith/memory/preference"
	"kith/memory/statement"
)

// Section is one part of an agent context, read by the statement context_<section>.
type Section string

// The sections of an agent context. FocusSection is read only when a node is in focus.
const (
	OwnerSection            Section = "owner"
	CoreBeliefsSection      Section = "core_beliefs"
	PrimaryGoalsSection     Section = "primary_goals"
	PreferencesSection      Section = "preferences"
	StatementsSection       Section = "statements"
	RelationshipsSection    Section = "relationships"
	SourcesSection          Section = "sources"
	LastConversationSection Section = "last_conversation"
	FocusSection            Section = "focus"

	// borderSection is no part of a context: it says until when the others stay as they are without a write.
	borderSection Section = "border"
)

// AllSections are the sections of a context without focus.
var AllSections = []Section{
	OwnerSection, CoreBeliefsSection, PrimaryGoalsSection, PreferencesSection, StatementsSection, RelationshipsSection, SourcesSection,
	LastConversationSection,
}

// Sections holds what the store knows for an agent context. Sections that were not requested are empty.
type Sections struct {
	Owner              *ContextNode // nil: the user has no owner node
	CoreBeliefs        []ContextNode
	PrimaryGoals       []ContextNode
	Preferences        []preference.Preference
	Statements         []statement.Statement // standing ones before the others
	Relationships      []OwnerRelationship
	Known              *Known // nil: there are ten relationships, or the context is of a past day
	Sources            []RecentSource
	OlderConversations int64             // set if there are fewer than 5 sources; at most 1,000
	Distrusted         int64             // conversations of the week with too little trust, if there are fewer than 20 sources; at most 1,000
	Waiting            int64             // writes that wait for a review; at most 1,000
	LastConversation   *LastConversation // nil: there was none
	Focus              *Focus            // nil: the node does not exist, or the scope may not see it

	Border time.Time // until when all this stays as it is without a write; zero: for ever
}

// OwnerRelationship is a node with the user's strongest current relationship to it. A filled one may have no relationship.
type OwnerRelationship struct {
	Node             ContextNode `json:"node"`
	Description      string      `json:"relationship_description"`
	Salience         float64     `json:"relationship_salience"`
	RelationshipType string      `json:"relationship_type"`
	NodeType         string      `json:"node_type" enum:"Person,Concept,Entity"`
	RecentMentions   int64       `json:"recent_mentions" doc:"sources of the last 7 days that mention the node"`
	Relationship     trust.Told  `json:"relationship,omitzero" doc:"how far the relationship is believed"`
	Filled           bool        `json:"filled,omitempty" doc:"added because the section had room: related in another way or not at all (then relationship_type is empty), or a candidate"`
}

// RecentSource is a conversation of the last week.
type RecentSource struct {
	EntityKey   string     `json:"entity_key"`
	StartedAt   time.Time  `json:"started_at"`
	EndedAt     *time.Time `json:"ended_at"`
	ContextType *string    `json:"context_type"`
	Summary     string     `json:"summary"`
	trust.Told
	KeyEntities []KeyEntity `json:"key_entities"`
}

// KeyEntity is a node that a conversation mentions.
type KeyEntity struct {
	EntityKey string     `json:"entity_key"`
	Name      string     `json:"name"`
	Type      string     `json:"type" enum:"Person,Concept,Entity"`
	Told      trust.Told `json:"-"`
}

// LastConversation is the user's newest conversation of any age.
type LastConversation struct {
	StartedAt   time.Time
	ContextType *string
	EntityKey   string
}

// Focus is the node in focus with its ten strongest relationships.
type Focus struct {
	Node  ContextNode `json:"node"`
	Links []FocusLink `json:"relationships"`
}

// FocusLink is a relationship of the node in focus. Direction is seen from the focus.
type FocusLink struct {
	EntityKey        string     `json:"entity_key"`
	Name             string     `json:"name"`
	NodeType         string     `json:"node_type"`
	RelationshipType string     `json:"relationship_type"`
	Direction        string     `json:"direction" enum:"outgoing,incoming"`
	Description      string     `json:"relationship_description"`
	Salience         float64    `json:"relationship_salience"`
	Relationship     trust.Told `json:"relationship,omitzero" doc:"how far the relationship is believed"`
	Told             trust.Told `json:"-"` // of the name
}

// SectionQuery holds what the sections depend on besides the scope.
type SectionQuery struct {
	Now       time.Time
	AsOf      *time.Time // the day of the context; nil: now
	FocusKey  string     // entity key
	FocusKind graph.Kind

	ConversationID string // the conversation that is open now and so not part of the past; empty: none
}

func (q SectionQuery) params(scope graph.Scope) map[string]any {
	moment, until := q.Now.UTC(), fault.Latest
	if q.AsOf != nil {
		moment, until = q.AsOf.UTC(), q.AsOf.UTC()
	}
	return map[string]any{
		"team_id": scope.TeamID, "user_id": scope.User(), "week_ago": moment.Add(-graph.Week), "until": until,
		"now": moment.Truncate(time.Millisecond), "now_ms": moment.UnixMilli(), "focus_key": q.FocusKey, "focus_label": q.FocusKind.Label, "conversation_id": q.ConversationID, "least_trust": trust.Least, "present_ms": q.Now.UnixMilli(),
		"prefixes": []string{graph.ListPrefix(graph.PersonKind, scope.UserID), graph.ListPrefix(graph.ConceptKind, scope.UserID), graph.ListPrefix(graph.EntityKind, scope.UserID)},
	}
}

// moment returns the time at which salience and state are computed.
func (q SectionQuery) moment() time.Time {
	if q.AsOf != nil {
		return *q.AsOf
	}
	return q.Now
}

// momentOf is the moment of a section. Borders are of the present, until which an answer is cached.
func (q SectionQuery) momentOf(section Section) time.Time {
	if section == borderSection {
		return q.Now
	}
	return q.moment()
}

// statement returns the name of a section's file. For a past day only the relationships themselves record what was current.
func (q SectionQuery) statement(section Section) string {
	if section == RelationshipsSection && q.AsOf != nil {
		return "context_relationships_past"
	}
	return "context_" + string(section)
}

// ReadSections reads sections in one statement and one round trip. It fails as a whole.
func (s *Store) ReadSections(ctx context.Context, scope graph.Scope, sections []Section, q SectionQuery) (*Sections, error) {
	rows, err := s.db.Read(ctx, s.combined(sections, q), q.params(scope))
	if err != nil {
		return nil, err
	}
	if len(rows) != 1 || len(rows[0]) != len(sections) {
		return nil, fmt.Errorf("read sections: %d rows: %w", len(rows), neo.ErrStatement)
	}
	found := &Sections{}
	for i, section := range sections {
		if err := found.fill(section, rows[0][i], &scope.UserID, q.momentOf(section)); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// ReadSection reads one section into found.
func (s *Store) ReadSection(ctx context.Context, scope graph.Scope, section Section, q SectionQuery, found *Sections) error {
	rows, err := s.db.Read(ctx, s.statement(q.statement(section)), q.params(scope))
	if err != nil {
		return err
	}
	if len(rows) != 1 || len(rows[0]) != 1 {
		return fmt.Errorf("read section %s: %d rows: %w", section, len(rows), neo.ErrStatement)
	}
	return found.fill(section, rows[0][0], &scope.UserID, q.momentOf(section))
}

// combined returns the statement of several sections, and caches it.
func (s *Store) combined(sections []Section, q SectionQuery) cypher.Query {
	names := make([]string, len(sections))
	for i, section := range sections {
		names[i] = q.statement(section)
	}
	return s.cached("context+"+strings.Join(names, "+"), func() cypher.Query { return cypher.LoadCombined("context", names...) })
}

// statement returns the statement of a file, and caches it.
func (s *Store) statement(name string) cypher.Query {
	return s.cached(name, func() cypher.Query { return cypher.Load(name) })
}

func (s *Store) cached(key string, load func() cypher.Query) cypher.Query {
	if loaded, ok := s.composed.Load(key); ok {
		return loaded.(cypher.Query) //nolint:forcetypeassert // only this function stores
	}
	loaded := load()
	s.composed.Store(key, loaded)
	return loaded
}

// withBorder returns what is read for a context of some sections.
func withBorder(sections []Section) []Section {
	if len(sections) == 0 {
		return nil
	}
	return append(slices.Clone(sections), borderSection)
}

// fill sets a section from its one value.
func (s *Sections) fill(section Section, v any, user *string, now time.Time) error {
	var f fixedLists
	switch section {
	case OwnerSection:
		if v != nil {
			n := f.contextNodeFrom(v, user, now)
			s.Owner = &n
		}
	case CoreBeliefsSection:
		s.CoreBeliefs = f.contextNodesFrom(v, user, now)
	case PrimaryGoalsSection:
		s.PrimaryGoals = f.contextNodesFrom(v, user, now)
	case PreferencesSection:
		s.Preferences = f.preferencesFrom(v)
	case StatementsSection:
		s.Statements = f.statementsFrom(v)
	case RelationshipsSection:
		l := f.of(v, 2)
		s.Relationships = f.ownerRelationshipsFrom(l[0], user, now)
		s.Known = f.knownFrom(l[1], s.Relationships)
	case SourcesSection:
		l := f.of(v, 2)
		counts := f.of(l[1], 3)
		s.Sources = f.recentSourcesFrom(l[0])
		s.OlderConversations, s.Distrusted, s.Waiting = neo.Integer(counts[0]), neo.Integer(counts[1]), neo.Integer(counts[2])
	case LastConversationSection:
		if l := neo.List(v); len(l) > 0 {
			last := f.of(l[0], 3)
			s.LastConversation = &LastConversation{StartedAt: neo.Millis(last[0]), ContextType: neo.OptionalText(last[1]), EntityKey: neo.Text(last[2])}
		}
	case FocusSection:
		s.Focus = f.focusFrom(v, user, now)
	case borderSection:
		if l := neo.List(v); len(l) > 0 {
			border := f.of(l[0], 2)
			s.Border = graph.BorderAfter(now, neo.OptionalInteger(border[0]), neo.OptionalInteger(border[1]))
		}
	}
	if f.err != nil {
		return fmt.Errorf("read section %s: %w", section, f.err)
	}
	return nil
}

func (f *fixedLists) statementsFrom(v any) []statement.Statement {
	l := neo.List(v)
	statements := make([]statement.Statement, len(l))
	for i := range l {
		p := f.of(l[i], 13)
		statements[i] = statement.Statement{
			Key: neo.Text(p[0]), Kind: neo.Text(p[1]), Text: neo.Text(p[2]), Polarity: statement.Polarity(neo.Bool(p[3])), State: neo.Text(p[4]),
			Confidence: neo.Number(p[5]), Renewals: neo.Integer(p[6]), Source: neo.Text(p[7]), Message: neo.Text(p[8]),
			From: neo.Integer(p[9]), To: neo.Integer(p[10]), At: neo.Millis(p[11]), ValidTo: neo.OptionalMillis(p[12]),
		}
	}
	return statements
}

func (f *fixedLists) preferencesFrom(v any) []preference.Preference {
	l := neo.List(v)
	preferences := make([]preference.Preference, len(l))
	for i := range l {
		pair := f.of(l[i], 2)
		preferences[i] = preference.Preference{Key: neo.Text(pair[0]), Value: []byte(neo.Text(pair[1]))}
	}
	return preferences
}

func (f *fixedLists) ownerRelationshipsFrom(v any, user *string, now time.Time) []OwnerRelationship {
	l := neo.List(v)
	relationships := make([]OwnerRelationship, len(l))
	for i := range l {
		r := f.of(l[i], 9)
		relationships[i] = OwnerRelationship{
			Node: f.contextNodeFrom(r[0], user, now), NodeType: knowledgeLabel(r[1]), Description: neo.Text(r[2]), Salience: graph.RoundSalience(neo.Number(r[3])), RelationshipType: neo.Text(r[4]),
			RecentMentions: neo.Integer(r[5]), Filled: neo.Bool(r[6]), Relationship: trustedFrom(r[7:]),
		}
	}
	return relationships
}

// recentSourcesFrom returns recent sources. Each has the keys of its entities in one text, and their names in another, each of them
// ended by graph.KeySeparator: keys and names have no control characters.
func (f *fixedLists) recentSourcesFrom(v any) []RecentSource {
	l := neo.List(v)
	sources := make([]RecentSource, len(l))
	for i := range l {
		s := f.of(l[i], 11)
		entities := make([]KeyEntity, len(neo.List(s[7])))
		keys, names := neo.Text(s[5]), neo.Text(s[6])
		for e, kind := range neo.List(s[7]) {
			entities[e].EntityKey, keys, _ = strings.Cut(keys, graph.KeySeparator)
			entities[e].Name, names, _ = strings.Cut(names, graph.KeySeparator)
			entities[e].Type = knowledgeLabel(kind)
		}
		for _, v := range neo.List(s[10]) {
			trusted := f.of(v, 3)
			setTold(entities, neo.Text(trusted[0]), trustedFrom(trusted[1:]))
		}
		sources[i] = RecentSource{
			EntityKey: neo.Text(s[0]), StartedAt: neo.Millis(s[1]), EndedAt: neo.OptionalMillis(s[2]), ContextType: neo.OptionalText(s[3]),
			Summary: neo.Text(s[4]), KeyEntities: entities, Told: trustedFrom(s[8:]),
		}
	}
	return sources
}

// setTold sets how far the entity with a key is believed.
func setTold(entities []KeyEntity, key string, told trust.Told) {
	for i := range entities {
		if entities[i].EntityKey == key {
			entities[i].Told = told
		}
	}
}

func (f *fixedLists) focusFrom(v any, user *string, now time.Time) *Focus {
	if v == nil {
		return nil
	}
	l := f.of(v, 2)
	links := neo.List(l[1])
	focus := &Focus{Node: f.contextNodeFrom(l[0], user, now), Links: make([]FocusLink, len(links))}
	for i := range links {
		k := f.of(links[i], 11)
		direction := "incoming"
		if neo.Bool(k[4]) {
			direction = "outgoing"
		}
		focus.Links[i] = FocusLink{
			EntityKey: neo.Text(k[0]), Name: neo.Text(k[1]), NodeType: knowledgeLabel(k[2]), RelationshipType: neo.Text(k[3]),
			Direction: direction, Description: neo.Text(k[5]), Salience: graph.RoundSalience(neo.Number(k[6])), Relationship: trustedFrom(k[7:]),
			Told: trustedFrom(k[9:]),
		}
	}
	return focus
}
