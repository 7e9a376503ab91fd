package graph

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Kind is what a node is: its wire name, and the label that agents see.
type Kind struct {
	Name  string // person
	Label string // Person
}

var (
	personKind  = Kind{"person", "Person"}
	conceptKind = Kind{"concept", "Concept"}
	entityKind  = Kind{"entity", "Entity"}
	sourceKind  = Kind{"source", "Source"}
)

// NodeKinds are the kinds that POST /v1/memory writes; sources and messages have calls of their own.
var NodeKinds = []Kind{personKind, conceptKind, entityKind}

// States and TTLPolicies are the closed lists of the lifecycle.
var (
	States      = []string{"candidate", "active", "core", "archived"}
	TTLPolicies = []string{"keep_forever", "ephemeral", "decay"}
)

// KindOf finds a kind by its wire name.
func KindOf(name string) (Kind, bool) {
	i := slices.IndexFunc(NodeKinds, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return Kind{}, false
	}
	return NodeKinds[i], true
}

func kindNames() []string {
	names := make([]string, len(NodeKinds))
	for i, k := range NodeKinds {
		names[i] = k.Name
	}
	return names
}

// Node is a person, concept or entity as it is stored and as callers see it. Salience and Confidence are 0 to 1.
// UserID is null for what the team shares. Fields that a kind does not have are left out.
type Node struct {
	EntityKey      string          `json:"entity_key"`
	UserID         *string         `json:"user_id"`
	Name           string          `json:"name"`
	CanonicalName  string          `json:"canonical_name,omitempty" doc:"persons only"`
	Type           string          `json:"type,omitempty" doc:"entities only"`
	Description    string          `json:"description"`
	IsOwner        bool            `json:"is_owner,omitempty" doc:"persons only"`
	IsGoal         bool            `json:"is_goal,omitempty" doc:"concepts only"`
	State          string          `json:"state" enum:"candidate,active,core,archived"`
	TTLPolicy      string          `json:"ttl_policy" enum:"keep_forever,ephemeral,decay"`
	Salience       float64         `json:"salience"`
	Confidence     float64         `json:"confidence"`
	AccessCount    int64           `json:"access_count"`
	LastAccessedAt *time.Time      `json:"last_accessed_at"`
	CreatedAt      time.Time       `json:"created_at"`
	UpdatedAt      time.Time       `json:"updated_at"`
	Properties     json.RawMessage `json:"properties,omitempty"`
}

// NodeWrite is a node to add or change: by EntityKey, else by its natural key (person: canonical name; concept: name;
// entity: name and type; each within one user or the shared part of the team), else new with a generated key.
// Fields left out keep what is stored; for a new node they take the defaults of the lifecycle.
type NodeWrite struct {
	Kind           string              `json:"kind" enum:"person,concept,entity"`
	EntityKey      string              `json:"entity_key,omitempty" maxLength:"256" doc:"generated (UUIDv7) when left out"`
	UserID         Optional[string]    `json:"user_id,omitzero" doc:"left out: the request's user; null: shared by the team"`
	Name           Optional[string]    `json:"name,omitzero" doc:"needed for a new node; at most 512 characters"`
	CanonicalName  Optional[string]    `json:"canonical_name,omitzero" doc:"persons only; default: the name in lower case"`
	Type           Optional[string]    `json:"type,omitzero" doc:"entities only; at most 128 characters"`
	Description    Optional[string]    `json:"description,omitzero" doc:"at most 16,384 characters"`
	IsOwner        Optional[bool]      `json:"is_owner,omitzero" doc:"persons only: this person is the user; one a user"`
	IsGoal         Optional[bool]      `json:"is_goal,omitzero" doc:"concepts only; default: the word goal in name or description"`
	State          Optional[string]    `json:"state,omitzero" doc:"candidate (default), active, core or archived"`
	TTLPolicy      Optional[string]    `json:"ttl_policy,omitzero" doc:"decay (default), keep_forever or ephemeral"`
	Salience       Optional[float64]   `json:"salience,omitzero" doc:"0 to 1; default 0.5, an owner 1; null is 0"`
	Confidence     Optional[float64]   `json:"confidence,omitzero" doc:"0 to 1; default 0.5"`
	CreatedAt      Optional[time.Time] `json:"created_at,omitzero"`
	UpdatedAt      Optional[time.Time] `json:"updated_at,omitzero"`
	LastAccessedAt Optional[time.Time] `json:"last_accessed_at,omitzero"`
	Properties     json.RawMessage     `json:"properties,omitempty" doc:"an object of the caller's own; at most 16,384 bytes, 8 levels"`
}

// Defaults of a new node ("Lifecycle facts").
const (
	defaultSalience   = 0.5
	ownerSalience     = 1.0
	defaultConfidence = 0.5
)

func (w *NodeWrite) check(f *faults, at string, now time.Time) {
	if _, ok := KindOf(w.Kind); !ok {
		f.add(at+".kind", "must be one of %s", list(kindNames()))
	}
	w.checkNames(f, at)
	if w.Description.Given {
		f.text(at+".description", w.Description.Value, MaxTextLength)
	}
	if w.State.Given {
		f.oneOf(at+".state", w.State.Value, States)
	}
	if w.TTLPolicy.Given {
		f.oneOf(at+".ttl_policy", w.TTLPolicy.Value, TTLPolicies)
	}
	f.share(at+".salience", w.Salience)
	f.share(at+".confidence", w.Confidence)
	f.optionalPast(at+".created_at", w.CreatedAt, now)
	f.optionalPast(at+".updated_at", w.UpdatedAt, now)
	f.optionalPast(at+".last_accessed_at", w.LastAccessedAt, now)
	if w.CreatedAt.Null {
		f.add(at+".created_at", "must not be null")
	}
	if w.UpdatedAt.Null {
		f.add(at+".updated_at", "must not be null")
	}
	if w.Properties != nil {
		f.properties(at+".properties", w.Properties)
	}
}

func (w *NodeWrite) checkNames(f *faults, at string) {
	if w.EntityKey != "" {
		f.word(at+".entity_key", w.EntityKey, MaxKeyLength)
	}
	if w.UserID.Given && !w.UserID.Null {
		f.word(at+".user_id", w.UserID.Value, MaxKeyLength)
	}
	switch {
	case w.Name.Given:
		f.word(at+".name", w.Name.Value, MaxNameLength)
	case w.EntityKey == "":
		f.add(at+".name", "is needed where no entity_key says which node is meant")
	}
	if w.CanonicalName.Given {
		f.word(at+".canonical_name", w.CanonicalName.Value, MaxNameLength)
	}
	if w.Type.Given && !w.Type.Null {
		f.word(at+".type", w.Type.Value, 128)
	}
	only := func(given bool, field, kind string) {
		if given && w.Kind != kind {
			f.add(at+"."+field, "is a field of kind %s", kind)
		}
	}
	only(w.CanonicalName.Given, "canonical_name", personKind.Name)
	only(w.IsOwner.Given, "is_owner", personKind.Name)
	only(w.Type.Given, "type", entityKind.Name)
	only(w.IsGoal.Given, "is_goal", conceptKind.Name)
}

// canonical is a person's name as it is compared: lower case, single blanks.
func canonical(name string) string { return strings.ToLower(strings.Join(strings.Fields(name), " ")) }

// naturalKey is what makes a node the same one without its entity key (S1-19). The parts cannot contain the
// separator: names are free of control characters.
func naturalKey(kind, userID, name, canonicalName, entityType string) string {
	switch kind {
	case personKind.Name:
		name = canonicalName
	case entityKind.Name:
		name += "\x1f" + entityType
	}
	return kind + "\x1f" + userID + "\x1f" + name
}

// isGoalText is the rule of S1-7 for concepts nobody marked.
func isGoalText(name, description string) bool {
	return strings.Contains(strings.ToLower(name), "goal") || strings.Contains(strings.ToLower(description), "goal")
}
