package graph

import (
	"encoding/json"
	"time"

	"kith/internal/bounds"
	"kith/internal/fault"
	"kith/text/clip"
)

// States and TTLPolicies are the closed lists of the lifecycle.
var (
	States      = []string{"candidate", "active", "core", "archived"}
	TTLPolicies = []string{"keep_forever", "ephemeral", "decay"}
)

// Node has the fields of all kinds, as callers see them. Salience and Confidence are 0 to 1; Salience and State are
// current at the time of the answer. UserID is null for shared nodes. Fields that a kind does not have are omitted.
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

// NodeWrite is a node to create or update. It is found by EntityKey, else by its natural key, else created with a
// generated key. The natural key is the canonical name of a person, the name of a concept, name and type of an
// entity, system and name of a system entity, namespace and name of an item, each within one user or the shared memory. Omitted fields keep the
// stored values; a new node gets the defaults of the lifecycle.
type NodeWrite struct {
	Kind           string              `json:"kind,omitempty" oneof:"person concept entity source message project task plan goal milestone document output risk decision requirement signal insight system_entity item" doc:"person, concept, entity, source, message, project, task, plan, goal, milestone, document, output, risk, decision, requirement, signal, insight, system_entity or item; required in POST /v1/memory, in PATCH that of the path"`
	EntityKey      string              `json:"entity_key,omitempty" maxLength:"256" doc:"default: a generated UUIDv7; in PATCH that of the path"`
	UserID         Optional[string]    `json:"user_id,omitzero" minLength:"1" max:"256" word:"true" doc:"default: the request's user; null: shared by the team, as system entities always are"`
	IfVersion      Optional[int64]     `json:"if_version,omitzero" min:"0" notnull:"true" doc:"write only if this is the stored version; 0: only if it does not exist. Otherwise 409 and nothing is written"`
	Name           Optional[string]    `json:"name,omitzero" max:"512" word:"true" doc:"required for a new node without an entity_key, except for sources and messages; at most 512 characters; null only for sources and messages"`
	CanonicalName  Optional[string]    `json:"canonical_name,omitzero" max:"512" word:"true" notnull:"true" doc:"persons only; default: the name in lower case"`
	Type           Optional[string]    `json:"type,omitzero" max:"128" word:"true" doc:"entities and system entities; at most 128 characters"`
	Description    Optional[string]    `json:"description,omitzero" max:"16384" doc:"at most 16,384 characters"`
	IsOwner        Optional[bool]      `json:"is_owner,omitzero" doc:"persons only: this person is the user, and user_id is required; one per user"`
	IsGoal         Optional[bool]      `json:"is_goal,omitzero" doc:"concepts only; default: whether name or description has the word goal"`
	State          Optional[string]    `json:"state,omitzero" oneof:"candidate active core archived" notnull:"true" doc:"active (default), candidate, core or archived"`
	TTLPolicy      Optional[string]    `json:"ttl_policy,omitzero" oneof:"keep_forever ephemeral decay" notnull:"true" doc:"decay (default), keep_forever (default of an owner) or ephemeral"`
	Salience       Optional[float64]   `json:"salience,omitzero" min:"0" max:"1" doc:"0 to 1; default 0.5, an owner 1; null is 0"`
	Confidence     Optional[float64]   `json:"confidence,omitzero" min:"0" max:"1" doc:"0 to 1; default 0.5"`
	CreatedAt      Optional[time.Time] `json:"created_at,omitzero" notnull:"true"`
	UpdatedAt      Optional[time.Time] `json:"updated_at,omitzero" notnull:"true" doc:"default: now; salience is its value at this time"`
	LastAccessedAt Optional[time.Time] `json:"last_accessed_at,omitzero" doc:"salience is its value at this time, if later than updated_at"`
	Properties     json.RawMessage     `json:"properties,omitempty" doc:"a free-form object; at most 16,384 bytes, 8 levels"`
	Notes          []NoteWrite         `json:"notes,omitempty" maxItems:"100" doc:"added to the existing ones"`
	*OwnFields
	MayOwn  bool     `json:"-"` // a person that an import takes for the user: the owner, if no caller has named one
	History *History `json:"history,omitempty" readonly:"true" doc:"internal data of the node; exports contain it, and only imports may set it"`
}

// kind returns the kind of a validated write.
func (w *NodeWrite) kind() Kind {
	k, _ := KindOf(w.Kind)
	return k
}

func (w *NodeWrite) check(f *Faults, at fault.Path, now time.Time, restoring bool) {
	kind := w.kind()
	if kind.Name == "" || kind.group == storyGroup && !restoring {
		f.NotOneOf(at.Field("kind"), WritableKinds()...)
		kind = Kind{}
	}
	w.checkNames(f, at, kind)
	if w.Description.Given {
		f.Text(at.Field("description"), w.Description.Value, bounds.TextLength)
	}
	if w.State.Given {
		f.OneOf(at.Field("state"), w.State.Value, States...)
	}
	if w.TTLPolicy.Given {
		f.OneOf(at.Field("ttl_policy"), w.TTLPolicy.Value, TTLPolicies...)
	}
	f.share(at.Field("salience"), w.Salience)
	f.share(at.Field("confidence"), w.Confidence)
	w.checkTimes(f, at, now)
	if w.Properties != nil {
		f.Properties(at.Field("properties"), w.Properties)
	}
	f.version(at.Field("if_version"), w.IfVersion)
	if restoring && w.IfVersion.Given {
		f.Add(at.Field("if_version"), fault.NotAllowed, "may not be given by an import")
	}
	checkNotes(f, at.Field("notes"), w.Notes, now)
	if w.History != nil && !restoring {
		f.Add(at.Field("history"), fault.NotAllowed, "may only be given by an import")
	}
	if w.History != nil {
		f.Number(at.Field("history").Field("next_seq"), w.History.NextSeq, MaxNumber+1)
		if w.History.System.Given || w.History.Seq.Given {
			f.Add(at.Field("history"), fault.NotAllowed, "must not have system or seq: set them on the node")
		}
		w.checkFormerKeys(f, at)
	}
	if w.OwnFields != nil {
		f.Number(at.Field("seq"), w.Seq, MaxNumber)
	}
	if kind.Name != "" {
		w.OwnFields.check(f, at, kind, restoring)
	}
	w.checkAliases(f, at)
	if kind == ItemKind {
		w.checkItem(f, at)
	}
	if kind == MessageKind {
		w.checkMessage(f, at, restoring)
	}
}

func (w *NodeWrite) checkTimes(f *Faults, at fault.Path, now time.Time) {
	f.optionalPast(at.Field("created_at"), w.CreatedAt, now)
	f.optionalPast(at.Field("updated_at"), w.UpdatedAt, now)
	f.optionalPast(at.Field("last_accessed_at"), w.LastAccessedAt, now)
	if w.CreatedAt.Null {
		f.Add(at.Field("created_at"), fault.Required, "must not be null")
	}
	if w.UpdatedAt.Null {
		f.Add(at.Field("updated_at"), fault.Required, "must not be null")
	}
}

func (w *NodeWrite) checkNames(f *Faults, at fault.Path, kind Kind) {
	if w.EntityKey != "" {
		f.Word(at.Field("entity_key"), w.EntityKey, bounds.KeyLength)
	}
	if w.UserID.Given && !w.UserID.Null {
		f.Word(at.Field("user_id"), w.UserID.Value, bounds.KeyLength)
	}
	switch name, given := w.givenName(kind); {
	case given && kind.group == episodeGroup: // the speaker, or empty
		f.Text(at.Field("name"), name, bounds.NameLength)
	case given:
		f.Word(at.Field("name"), name, bounds.NameLength)
	case w.EntityKey == "" && kind.group != episodeGroup:
		f.Add(at.Field("name"), fault.Required, "is required unless entity_key is given")
	}
	if w.CanonicalName.Given {
		f.Word(at.Field("canonical_name"), w.CanonicalName.Value, bounds.NameLength)
	}
	if w.Type.Given && !w.Type.Null {
		f.Word(at.Field("type"), w.Type.Value, 128)
	}
	if kind.Name == "" {
		return
	}
	only := func(given bool, field string, kinds ...Kind) {
		for _, k := range kinds {
			if kind == k {
				return
			}
		}
		if given {
			f.Add(at.Field(field), fault.UnknownField, "is only a field of %s", kinds[0].Name)
		}
	}
	only(w.CanonicalName.Given, "canonical_name", PersonKind)
	only(w.IsOwner.Given, "is_owner", PersonKind)
	only(w.Type.Given, "type", EntityKind, SystemEntityKind)
	only(w.IsGoal.Given, "is_goal", ConceptKind)
	if kind == SystemEntityKind && w.EntityKey == "" && (w.OwnFields == nil || !w.System.Given || w.System.Null) {
		f.Add(at.Field("system"), fault.Required, "is required unless entity_key is given")
	}
	if kind == MessageKind && (w.OwnFields == nil || !w.SourceKey.Given || w.SourceKey.Null) {
		f.Add(at.Field("source_key"), fault.Required, "is required: a message belongs to a source")
	}
}

// checkMessage refuses the fields that messages do not have, such as those of the lifecycle. An import may set times.
func (w *NodeWrite) checkMessage(f *Faults, at fault.Path, restoring bool) {
	none := func(given bool, field string) {
		if given {
			f.Add(at.Field(field), fault.UnknownField, "unknown field for kind message")
		}
	}
	none(w.Description.Given, "description")
	none(w.State.Given, "state")
	none(w.TTLPolicy.Given, "ttl_policy")
	none(w.Salience.Given, "salience")
	none(w.Confidence.Given, "confidence")
	none(w.CreatedAt.Given && !restoring, "created_at")
	none(w.UpdatedAt.Given && !restoring, "updated_at")
	none(w.LastAccessedAt.Given, "last_accessed_at")
	none(w.Properties != nil, "properties")
	if len(w.Notes) > 0 {
		f.Add(at.Field("notes"), fault.NotAllowed, "must be added with POST /v1/nodes/message/KEY/notes")
	}
}

// givenName returns the written name: from the name field, or from the field that stands for the name of the kind.
func (w *NodeWrite) givenName(kind Kind) (name string, given bool) {
	if w.Name.Given || w.OwnFields == nil {
		return w.Name.Value, w.Name.Given
	}
	other := map[string]Optional[string]{"title": w.Title, "text": w.Text, "channel": w.Channel}[kind.named]
	if !other.Given || other.Null {
		return "", false
	}
	return clip.FirstLine(other.Value, bounds.NameLength), true
}

func (w *NodeWrite) canonicalName() string {
	if w.CanonicalName.Given {
		return canonical(w.CanonicalName.Value)
	}
	return canonical(w.Name.Value)
}
