package graph

import (
	"encoding/json"
	"time"

	"kith/graph/neo"
	"kith/graph/trust"
	"kith/internal/bounds"
	"kith/internal/fault"
)

var (
	createRelationships = neo.Load[neo.None]("relationship_create")
	updateRelationships = neo.Load[neo.None]("relationship_update")
	removeRelationships = neo.Load[neo.None]("relationship_remove")
	rankRelationships   = neo.Load[neo.None]("relationship_rank")
)

// ranks are relationships whose places in their users' contexts may have changed.
type ranks struct {
	pairs []map[string]any // those between two nodes
	all   []string         // all of nodes that contexts may show now, or whose owner changed, or that were moved
	nodes []string         // those that have places, of hubs whose salience or state changed
}

// changed notes a node whose salience or state changed. Of a hub only ranked relationships are read, unless contexts did not show it.
func (r *ranks) changed(old *stored, state string) {
	shown := func(state string) bool { return state == "active" || state == "core" }
	if old.Text("hub_key") != "" && (shown(old.Text("state")) || !shown(state)) {
		r.nodes = append(r.nodes, old.key())
	} else {
		r.all = append(r.all, old.key())
	}
}

// renew stores the places.
func (r *ranks) renew(t *Tx, teamID string, now time.Time) error {
	if len(r.pairs)+len(r.all)+len(r.nodes) == 0 {
		return nil
	}
	return rankRelationships.Run(t, map[string]any{"team_id": teamID, "pairs": r.pairs, "entity_keys": r.all, "node_keys": r.nodes, "now": now})
}

// rank renews the places of all relationships of nodes in their users' contexts.
func (t *Tx) rank(teamID string, keys ...string) error {
	return (&ranks{all: keys}).renew(t, teamID, t.store.Now())
}

// RelationshipWrite is a relationship to create or update. From, type, to and qualifier identify the current one, if it exists.
type RelationshipWrite struct {
	From             string              `json:"from" max:"256" word:"true" minLength:"1" maxLength:"256" doc:"entity_key; the name of a node of this write; or me, user or the user id: the user's own person"`
	To               string              `json:"to" max:"256" word:"true" minLength:"1" maxLength:"256" doc:"entity_key; another one than from"`
	Type             string              `json:"type" matches:"^[a-z][a-z0-9_]{0,63}$" doc:"^[a-z][a-z0-9_]{0,63}$; the field's own: has_relationship_with, thinks_about, relates_to, involves, associated_with, engages_with, connected_to"`
	Qualifier        string              `json:"qualifier,omitempty" maxLength:"256" doc:"tells it from others of its type between the same nodes, such as its name or id in another system. Without one, the write changes the one without a qualifier, else the only other one of the type (of related_to: with its relationship_type)"`
	Description      Optional[string]    `json:"description,omitzero" max:"16384" doc:"how the two relate; at most 16,384 characters"`
	RelationshipType Optional[string]    `json:"relationship_type,omitzero" max:"128" word:"true" doc:"one free word"`
	Salience         Optional[float64]   `json:"salience,omitzero" min:"0" max:"1" doc:"0 to 1; default 0.5; null is 0"`
	Confidence       Optional[float64]   `json:"confidence,omitzero" min:"0" max:"1" doc:"0 to 1; default 0.8"`
	Attitude         Optional[int64]     `json:"attitude,omitzero" min:"1" max:"5" doc:"1 to 5"`
	Proximity        Optional[int64]     `json:"proximity,omitzero" min:"1" max:"5" doc:"1 to 5"`
	State            Optional[string]    `json:"state,omitzero" oneof:"candidate active core archived" notnull:"true" doc:"active (default), candidate, core or archived"`
	ValidFrom        Optional[time.Time] `json:"valid_from,omitzero" notnull:"true" doc:"when it began; default: unknown, then it is the time of the write. May be in the future. Must not be within the validity of another one"`
	ValidTo          Optional[time.Time] `json:"valid_to,omitzero" doc:"after valid_from; closes the relationship: it is current until then. In the past, it adds one that has ended if none is current. Null, with the valid_from of a closed one, opens it again if there is no current one"`
	Contradicts      bool                `json:"contradicts,omitempty" doc:"closes the current relationship of this type and adds this one. A valid_from within the current one has the same effect"`
	IfVersion        Optional[int64]     `json:"if_version,omitzero" min:"0" notnull:"true" doc:"write only if this is the stored version of the current one; 0: only if it does not exist. Otherwise 409 and nothing is written"`
	RecordedBy       Optional[string]    `json:"recorded_by,omitzero" max:"256" word:"true" doc:"default: the request's user; always that user if the API key is bound to one"`
	Origin           Optional[string]    `json:"origin,omitzero" oneof:"user assistant tool external import" doc:"who said it: user, assistant, tool, external (a mail or document of others) or import; default: that of the API key, or none"`
	Trust            Optional[float64]   `json:"trust,omitzero" min:"0" max:"1" doc:"how far it is believed, 0 to 1; default: by its origin; at most that of the API key"`
	Properties       json.RawMessage     `json:"properties,omitempty" doc:"a free-form object; at most 16,384 bytes, 8 levels"`
	Notes            []NoteWrite         `json:"notes,omitempty" maxItems:"100" doc:"added to the existing ones"`
	Key              string              `json:"key,omitempty" maxLength:"256" readonly:"true" doc:"only for imports; otherwise generated"`
	RecordedAt       Optional[time.Time] `json:"recorded_at,omitzero" readonly:"true" doc:"only for imports"`
	UpdatedAt        Optional[time.Time] `json:"updated_at,omitzero" readonly:"true" doc:"only for imports"`
	LastAccessedAt   Optional[time.Time] `json:"last_accessed_at,omitzero" readonly:"true" doc:"only for imports"`
	History          *History            `json:"history,omitempty" readonly:"true" doc:"only for imports"`
}

// direction returns the relationship as it is stored: a deprecated type in the opposite direction.
func (w *RelationshipWrite) direction() (from, kind, to string, swap bool) {
	if canonical, ok := swapped[w.Type]; ok {
		return w.To, canonical, w.From, true
	}
	return w.From, w.Type, w.To, false
}

func (w *RelationshipWrite) check(f *Faults, at fault.Path, now time.Time, restoring bool) {
	f.Word(at.Field("from"), w.From, bounds.KeyLength)
	f.Word(at.Field("to"), w.To, bounds.KeyLength)
	if w.From == w.To && w.From != "" && w.Type != SystemRelationshipType { // a system entity may call itself
		f.Add(at.Field("to"), fault.Contrary, "must be another node than from")
	}
	if !restoring && (w.Key != "" || w.RecordedAt.Given || w.UpdatedAt.Given || w.LastAccessedAt.Given || w.History != nil) {
		f.Add(at, fault.NotAllowed, "must not have key, recorded_at, updated_at, last_accessed_at or history: only imports may set them")
	}
	if w.Key != "" {
		f.Word(at.Field("key"), w.Key, bounds.KeyLength)
	}
	w.checkQualifier(f, at.Field("qualifier"))
	if w.History != nil {
		f.Number(at.Field("history").Field("seq"), w.History.Seq, MaxNumber)
	}
	f.version(at.Field("if_version"), w.IfVersion)
	if restoring && w.IfVersion.Given {
		f.Add(at.Field("if_version"), fault.NotAllowed, "may not be given by an import")
	}
	checkNotes(f, at.Field("notes"), w.Notes, now)
	switch {
	case !typePattern.MatchString(w.Type):
		f.Add(at.Field("type"), fault.Malformed, "must match %s", typePattern)
	case w.Type == HasMessageType:
		f.Add(at.Field("type"), fault.NotAllowed, "is reserved for the messages of a source")
	case w.Type == SystemRelationshipType && (!restoring || w.History == nil || !w.History.System.Given || !w.History.Seq.Given):
		f.Add(at.Field("type"), fault.NotAllowed, "is reserved for the entities of systems")
	}
	if w.Description.Given {
		f.Text(at.Field("description"), w.Description.Value, bounds.TextLength)
	}
	if w.RelationshipType.Given && !w.RelationshipType.Null {
		f.Word(at.Field("relationship_type"), w.RelationshipType.Value, 128)
	}
	if w.RecordedBy.Given && !w.RecordedBy.Null {
		f.Word(at.Field("recorded_by"), w.RecordedBy.Value, bounds.KeyLength)
	}
	if w.State.Given {
		f.OneOf(at.Field("state"), w.State.Value, States...)
	}
	f.share(at.Field("salience"), w.Salience)
	f.share(at.Field("confidence"), w.Confidence)
	f.share(at.Field("trust"), w.Trust)
	if w.Origin.Given && !w.Origin.Null {
		f.OneOf(at.Field("origin"), w.Origin.Value, trust.Origins...)
	}
	f.grade(at.Field("attitude"), w.Attitude)
	f.grade(at.Field("proximity"), w.Proximity)
	w.checkTimes(f, at, restoring)
	if w.Properties != nil {
		f.Properties(at.Field("properties"), w.Properties)
	}
}

func (w *RelationshipWrite) checkTimes(f *Faults, at fault.Path, restoring bool) {
	if w.Type == SystemRelationshipType && w.closes() {
		f.Add(at.Field("valid_to"), fault.NotAllowed, "must not be set: relationships of systems do not end")
		return
	}
	if w.ValidFrom.Null {
		f.Add(at.Field("valid_from"), fault.Required, "must not be null")
	}
	if w.ValidFrom.Given && !w.ValidFrom.Null {
		f.Time(at.Field("valid_from"), w.ValidFrom.Value)
	}
	if w.ValidTo.Given && !w.ValidTo.Null {
		f.Time(at.Field("valid_to"), w.ValidTo.Value)
		from, end := w.ValidFrom.Value.Truncate(precision), w.ValidTo.Value.Truncate(precision)
		atOnce := restoring && end.Equal(from) // closed as soon as it was created
		if w.ValidFrom.Given && !end.After(from) && !atOnce {
			f.Add(at.Field("valid_to"), fault.Contrary, "must be after valid_from")
		}
	}
}

// closes reports whether the write closes the relationship.
func (w *RelationshipWrite) closes() bool { return w.ValidTo.Given && !w.ValidTo.Null }

// overlay stores the given fields in properties, except those of the lifecycle.
func (w *RelationshipWrite) overlay(p Properties) {
	if w.Qualifier != "" {
		p["qualifier"] = w.Qualifier
	}
	p.set("description", w.Description, "")
	p.set("relationship_type", w.RelationshipType, nil)
	p.set("attitude", w.Attitude, nil)
	p.set("origin", w.Origin, nil)
	p.set("trust", w.Trust, nil)
	p.set("proximity", w.Proximity, nil)
	p.set("valid_from", w.ValidFrom, nil)
	p.set("valid_to", w.ValidTo, nil)
	p.set("recorded_by", w.RecordedBy, nil)
	p.set("recorded_at", w.RecordedAt, nil)
	p.set("updated_at", w.UpdatedAt, nil)
	p.set("last_accessed_at", w.LastAccessedAt, nil)
	if w.Properties != nil {
		p["properties"] = compact(w.Properties)
	}
}

// live stores the given lifecycle fields in properties.
func (w *RelationshipWrite) live(p Properties, isNew bool, now time.Time, wakes []string) {
	l := liveWrite{salience: w.Salience, confidence: w.Confidence, state: w.State, asOf: asOf(now, w.UpdatedAt, w.LastAccessedAt), wakes: wakes}
	before := p.vitality()
	if isNew {
		before.at = l.asOf
	}
	v := l.apply(before, isNew, now, DefaultRelationshipConfidence)
	p["confidence"] = v.confidence
	p.putVitality(v)
}
