package graph

import (
	"reflect"
	"strings"
	"sync"
	"time"
)

// History holds what Kith itself stores of a node or relationship besides the fields of callers. Exports carry it, so that an import
// restores the same memory.
type History struct {
	Version            Optional[int64]    `json:"version,omitzero"`
	CreatedBy          Optional[string]   `json:"created_by,omitzero"`
	Written            Optional[string]   `json:"written,omitzero" doc:"the last writer: API key, what it wrote through, and the source from which a language model derived it"`
	SalienceAt         Optional[int64]    `json:"salience_at,omitzero" doc:"when salience had this value, in milliseconds since 1970"`
	DecayRate          Optional[float64]  `json:"decay_rate,omitzero" doc:"per day"`
	DecayGradient      Optional[float64]  `json:"decay_gradient,omitzero"`
	AccessCount        Optional[int64]    `json:"access_count,omitzero"`
	RecallFrequency    Optional[int64]    `json:"recall_frequency,omitzero"`
	LastRecallInterval Optional[int64]    `json:"last_recall_interval,omitzero" doc:"milliseconds"`
	ExpiresAt          Optional[int64]    `json:"expires_at,omitzero" doc:"milliseconds since 1970"`
	IsDirty            Optional[bool]     `json:"is_dirty,omitzero"`
	IsGoalGiven        Optional[bool]     `json:"is_goal_given,omitzero"`
	DistinctSourceDays Optional[[]string] `json:"distinct_source_days,omitzero"`
	StoryDue           Optional[int64]    `json:"story_due,omitzero" doc:"when its storylines are next formed, in milliseconds since 1970"`
	Themes             Optional[[]string] `json:"themes,omitzero" doc:"mentioned by at least half of a storyline's newest sources"`
	MentionWeight      Optional[float64]  `json:"mention_weight,omitzero"`
	OwnerGenerated     Optional[bool]     `json:"owner_generated,omitzero" doc:"of a person that Kith made for a user without an owner node"`
	FormerKey          Optional[string]   `json:"former_key,omitzero" doc:"of an owner node: the key of the generated one that it replaced"`
	MergedKeys         Optional[[]string] `json:"merged_keys,omitzero" doc:"keys of nodes that were merged into it"`
	Evidence           Optional[[]string] `json:"evidence,omitzero" doc:"what the trust rests on: sources, origin, trust and author, each"`
	LeastTrust         Optional[float64]  `json:"least_trust,omitzero" doc:"of a source: the least trust of its messages, if that is less than an assistant's"`
	System             Optional[string]   `json:"system,omitzero" doc:"of a relationship in a system"`
	Seq                Optional[int64]    `json:"seq,omitzero" doc:"of a relationship in a system: its number"`
	StartUnknown       Optional[bool]     `json:"start_unknown,omitzero" doc:"of a relationship: nobody said when it began, valid_from is when it was recorded"`
	NextSeq            Optional[int64]    `json:"next_seq,omitzero" doc:"of a source: the number of its next message, if it differs from their count"`
	StatementsPaused   Optional[bool]     `json:"statements_paused,omitzero" doc:"of a source: its new messages are not searched for statements"`
	RestoredAt         Optional[int64]    `json:"restored_at,omitzero" doc:"when the undoing of a delete made this version, in milliseconds since 1970"`
	Notes              Optional[[]string] `json:"notes,omitzero" doc:"each a note as JSON, the newest first"`
}

// eachOptional visits the given fields of a struct of Optionals, under their wire names.
func eachOptional(structure any, visit func(name string, value optionalField)) {
	v := reflect.ValueOf(structure).Elem()
	for i := range v.NumField() {
		value := v.Field(i).Interface().(optionalField) // every field is an Optional
		if !value.IsZero() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			visit(name, value)
		}
	}
}

// overlay sets the given fields in properties, and removes the other fields of a history.
func (h *History) overlay(p Properties) {
	if h == nil {
		return
	}
	merged := p.Texts("merged_keys")
	for _, name := range historyNames() {
		delete(p, name)
	}
	eachOptional(h, func(name string, value optionalField) { p.set(name, value, nil) })
	if len(merged) > 0 { // these keys lead here also if the file is from before the merges
		p["merged_keys"] = united(merged, h.MergedKeys.Value)
	}
	if h.Notes.Given {
		p.putNoteExpiry(NotesFrom(h.Notes.Value, time.Time{}))
	}
}

// historyNames are the properties of a History, except those that nodes have as fields of their own.
var historyNames = sync.OnceValue(func() []string {
	var names []string
	t := reflect.TypeFor[History]()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name != "system" && name != "seq" {
			names = append(names, name)
		}
	}
	return names
})

// historyOf returns the History in properties.
func historyOf(p Properties) *History {
	h := &History{}
	v := reflect.ValueOf(h).Elem()
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if value, ok := p[name]; ok {
			giveStored(v.Field(i).Addr().Interface(), value)
		}
	}
	return h
}
