package graph

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"kith/internal/fault"
)

// OwnFields has the fields that only some kinds have. The tag kinds lists those kinds. max bounds a text in
// characters or a number, oneof lists the allowed values of a text, and word marks a text that must be a word.
type OwnFields struct {
	// Sources and messages.
	ContentType      Optional[string]          `json:"content_type,omitzero" kinds:"source" oneof:"conversation email slack-thread meeting text-note" doc:"conversation (default), email, slack-thread, meeting or text-note"`
	ContextType      Optional[string]          `json:"context_type,omitzero" kinds:"source" oneof:"work-session team-meeting phone-call personal-reflection planning brainstorming email-thread slack-discussion"`
	SourceType       Optional[string]          `json:"source_type,omitzero" kinds:"source" oneof:"voice-memo meeting email slack-thread text-import" doc:"never changes"`
	Sensitivity      Optional[string]          `json:"sensitivity,omitzero" kinds:"source" oneof:"low normal high" doc:"low, normal (default) or high"`
	StartedAt        Optional[time.Time]       `json:"started_at,omitzero" kinds:"source"`
	EndedAt          Optional[time.Time]       `json:"ended_at,omitzero" kinds:"source" doc:"null: still open"`
	Summary          Optional[string]          `json:"summary,omitzero" kinds:"source" max:"16384"`
	Keywords         Optional[[]string]        `json:"keywords,omitzero" kinds:"source" max:"100"`
	Tags             Optional[[]string]        `json:"tags,omitzero" kinds:"source system_entity" max:"100"`
	Participants     Optional[[]string]        `json:"participants,omitzero" kinds:"source" max:"100" doc:"user ids"`
	FocusProjectID   Optional[string]          `json:"focus_project_id,omitzero" kinds:"source" max:"256" word:"true" doc:"conversations: the project in focus"`
	FocusKind        Optional[string]          `json:"focus_kind,omitzero" kinds:"source" oneof:"task plan goal document output milestone risk decision requirement" doc:"conversations: the kind of the node in focus"`
	FocusID          Optional[string]          `json:"focus_id,omitzero" kinds:"source" max:"256" word:"true" doc:"conversations: the key of the node in focus"`
	MessageCount     Optional[int64]           `json:"message_count,omitzero" kinds:"source" readonly:"true" doc:"read only"`
	ProcessingStatus Optional[string]          `json:"processing_status,omitzero" kinds:"source" oneof:"raw processed extracted failed" readonly:"true" doc:"how far a language model has processed it; default: raw; read only"`
	ProcessingError  Optional[string]          `json:"processing_error,omitzero" kinds:"source" max:"1000" readonly:"true" doc:"why processing failed; read only"`
	ProcessedAt      Optional[time.Time]       `json:"processed_at,omitzero" kinds:"source" readonly:"true" doc:"read only"`
	SourceKey        Optional[string]          `json:"source_key,omitzero" kinds:"message" max:"256" word:"true" doc:"the source it belongs to"`
	Role             Optional[string]          `json:"role,omitzero" kinds:"message" max:"64" word:"true"`
	At               Optional[time.Time]       `json:"at,omitzero" kinds:"message"`
	Parts            Optional[json.RawMessage] `json:"parts,omitzero" kinds:"message" contract:"any" doc:"a list of objects; at most 262,144 bytes, 32 levels"`
	WithdrawnAt      Optional[time.Time]       `json:"withdrawn_at,omitzero" kinds:"source" readonly:"true" doc:"it was found to be bad: nothing new rests on it; read only"`
	Seq              Optional[int64]           `json:"seq,omitzero" kinds:"message system_entity" readonly:"true" doc:"its number, from 0; read only"`
	// Projects.
	ProjectID           Optional[string]          `json:"project_id,omitzero" kinds:"task plan goal milestone document output risk decision requirement signal insight" max:"256" word:"true" doc:"the project it belongs to"`
	Title               Optional[string]          `json:"title,omitzero" kinds:"task milestone risk document decision insight" max:"512" word:"true" doc:"the same as name"`
	StateKey            Optional[string]          `json:"state_key,omitzero" kinds:"project task plan goal milestone document output risk decision" max:"64" word:"true" doc:"the project's own state, such as in_progress; values other than the known ones of its kind (GET /v1/schema) return a warning"`
	TypeKey             Optional[string]          `json:"type_key,omitzero" kinds:"project task plan goal milestone document output risk requirement" max:"128" word:"true" doc:"such as plan.phase.works"`
	FacetContext        Optional[string]          `json:"facet_context,omitzero" kinds:"project plan" max:"64" word:"true"`
	FacetScale          Optional[string]          `json:"facet_scale,omitzero" kinds:"project plan task" max:"64" word:"true"`
	FacetStage          Optional[string]          `json:"facet_stage,omitzero" kinds:"project plan output" max:"64" word:"true"`
	NextStepShort       Optional[string]          `json:"next_step_short,omitzero" kinds:"project" max:"512"`
	NextStepLong        Optional[string]          `json:"next_step_long,omitzero" kinds:"project" max:"16384"`
	StartAt             Optional[time.Time]       `json:"start_at,omitzero" kinds:"project task"`
	EndAt               Optional[time.Time]       `json:"end_at,omitzero" kinds:"project"`
	DueAt               Optional[time.Time]       `json:"due_at,omitzero" kinds:"task milestone"`
	CompletedAt         Optional[time.Time]       `json:"completed_at,omitzero" kinds:"task goal milestone"`
	TargetDate          Optional[time.Time]       `json:"target_date,omitzero" kinds:"goal"`
	MitigatedAt         Optional[time.Time]       `json:"mitigated_at,omitzero" kinds:"risk"`
	DecisionAt          Optional[time.Time]       `json:"decision_at,omitzero" kinds:"decision"`
	TS                  Optional[time.Time]       `json:"ts,omitzero" kinds:"signal"`
	Priority            Optional[int64]           `json:"priority,omitzero" min:"1" kinds:"task requirement" max:"5" doc:"1 to 5"`
	Probability         Optional[float64]         `json:"probability,omitzero" min:"0" max:"1" kinds:"risk" doc:"0 to 1"`
	Impact              Optional[string]          `json:"impact,omitzero" kinds:"risk" oneof:"low medium high critical" doc:"low, medium, high or critical"`
	SourceDocumentID    Optional[string]          `json:"source_document_id,omitzero" kinds:"output" max:"256" word:"true" doc:"the document it was made from"`
	SourceEventID       Optional[string]          `json:"source_event_id,omitzero" kinds:"output" max:"256" word:"true" doc:"the event it was made from"`
	Goal                Optional[string]          `json:"goal,omitzero" kinds:"goal" max:"16384"`
	Content             Optional[string]          `json:"content,omitzero" kinds:"risk document" max:"65536"`
	Outcome             Optional[string]          `json:"outcome,omitzero" kinds:"decision" max:"16384"`
	Rationale           Optional[string]          `json:"rationale,omitzero" kinds:"decision" max:"16384"`
	Text                Optional[string]          `json:"text,omitzero" kinds:"requirement message" max:"65536"`
	Channel             Optional[string]          `json:"channel,omitzero" kinds:"signal" max:"128" word:"true"`
	Payload             Optional[json.RawMessage] `json:"payload,omitzero" kinds:"signal" doc:"an object"`
	Props               Optional[json.RawMessage] `json:"props,omitzero" kinds:"insight" doc:"an object"`
	DerivedFromSignalID Optional[string]          `json:"derived_from_signal_id,omitzero" kinds:"insight" max:"256" word:"true"`
	// Systems.
	System Optional[string] `json:"system,omitzero" kinds:"system_entity" max:"256" word:"true" doc:"the system it belongs to"`
	// Items.
	Namespace Optional[[]string]        `json:"namespace,omitzero" kinds:"item" max:"16" doc:"where it is: 1 to 16 parts, the outermost first, 512 characters in all"`
	Value     Optional[json.RawMessage] `json:"value,omitzero" kinds:"item" doc:"an object; at most 262,144 bytes, 32 levels"`
	// Names.
	Aliases        Optional[[]string] `json:"aliases,omitzero" kinds:"person entity project system_entity" max:"100" doc:"other names: searches find it by them, and so do writes by name"`
	DoubtedAliases Optional[[]string] `json:"doubted_aliases,omitzero" kinds:"person entity project system_entity" readonly:"true" doc:"those of its aliases that are believed less than the node, which has them from a merge; read only"`
	// Trust.
	Origin Optional[string]  `json:"origin,omitzero" kinds:"source person concept entity project task plan goal milestone document output risk decision requirement signal insight system_entity item" oneof:"user assistant tool external import" doc:"who said it: user, assistant, tool, external (a mail or document of others) or import; default: that of the API key, of the content type, or none"`
	Trust  Optional[float64] `json:"trust,omitzero" min:"0" max:"1" kinds:"source person concept entity project task plan goal milestone document output risk decision requirement signal insight system_entity item" doc:"how far it is believed, 0 to 1; default: by its origin; at most that of the API key"`
	Author Optional[string]  `json:"author,omitzero" kinds:"source" max:"512" word:"true" doc:"who wrote it, such as a mail address: sources of one author do not confirm each other"`
	// Counted by maintenance.
	SourceCount      Optional[int64]     `json:"source_count,omitzero" kinds:"person concept entity storyline macro" readonly:"true" doc:"sources that mention it; read only"`
	FirstMentionedAt Optional[time.Time] `json:"first_mentioned_at,omitzero" kinds:"person concept entity" readonly:"true"`
	LastMentionedAt  Optional[time.Time] `json:"last_mentioned_at,omitzero" kinds:"person concept entity" readonly:"true"`
	AnchorKey        Optional[string]    `json:"anchor_key,omitzero" kinds:"storyline macro" max:"256" word:"true" readonly:"true" doc:"key of the node it is about; read only"`
	StorylineCount   Optional[int64]     `json:"storyline_count,omitzero" kinds:"macro" readonly:"true"`
	FirstSourceAt    Optional[time.Time] `json:"first_source_at,omitzero" kinds:"storyline macro" readonly:"true"`
	LastSourceAt     Optional[time.Time] `json:"last_source_at,omitzero" kinds:"storyline macro" readonly:"true"`
}

// ownField describes one field of OwnFields, read from its tags.
type ownField struct {
	name     string
	index    int
	kinds    []string
	max      int
	oneOf    []string
	word     bool
	readOnly bool
}

var ownFields = sync.OnceValue(func() []ownField {
	var all []ownField
	t := reflect.TypeFor[OwnFields]()
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		limit, _ := strconv.Atoi(f.Tag.Get("max"))
		all = append(all, ownField{
			name: name, index: i, kinds: strings.Fields(f.Tag.Get("kinds")), max: limit,
			oneOf: strings.Fields(f.Tag.Get("oneof")), word: f.Tag.Get("word") != "", readOnly: f.Tag.Get("readonly") != "",
		})
	}
	return all
})

// each calls visit with every given field.
func (o *OwnFields) each(visit func(ownField, optionalField)) {
	if o == nil {
		return
	}
	v := reflect.ValueOf(o).Elem()
	for _, f := range ownFields() {
		value := v.Field(f.index).Interface().(optionalField) //nolint:forcetypeassert // every field is an Optional
		if !value.IsZero() {
			visit(f, value)
		}
	}
}

// check checks every given field: the kind must have it, and its value must be allowed.
func (o *OwnFields) check(f *Faults, at fault.Path, kind Kind, restoring bool) {
	o.each(func(field ownField, value optionalField) {
		at := at.Field(field.name)
		switch {
		case !slices.Contains(field.kinds, kind.Name):
			f.Add(at, fault.UnknownField, "is only a field of %s", strings.Join(field.kinds, ", "))
		case field.readOnly && !restoring:
			f.Add(at, fault.NotAllowed, "is read only")
		default:
			if !value.IsNull() {
				field.check(f, at, storedForm(value.Any()))
			}
		}
	})
}

func (field ownField) check(f *Faults, at fault.Path, value any) {
	switch v := value.(type) {
	case string:
		switch {
		case len(field.oneOf) > 0:
			f.OneOf(at, v, field.oneOf...)
		case field.name == "parts":
			f.checkParts(at, json.RawMessage(v))
		case field.name == "value":
			f.value(at, json.RawMessage(v))
		case field.name == "payload" || field.name == "props":
			f.Properties(at, json.RawMessage(v))
		case field.word:
			f.Word(at, v, field.max)
		default:
			f.Text(at, v, field.max)
		}
	case []string:
		if field.name == "namespace" {
			f.Namespace(at, v)
		} else {
			f.Words(at, v)
		}
	case time.Time:
		f.Time(at, v)
	case int64:
		if field.max > 0 {
			f.Between(at, v, 1, int64(field.max))
		}
	case float64:
		f.Share(at, v)
	default:
		panic(fmt.Sprintf("graph: own field of type %T", value))
	}
}

// dropReadOnly removes the fields that only Kith sets.
func (o *OwnFields) dropReadOnly() {
	v := reflect.ValueOf(o).Elem()
	for _, f := range ownFields() {
		if f.readOnly {
			v.Field(f.index).SetZero()
		}
	}
}

// overlay stores the given fields in properties; null removes one.
func (o *OwnFields) overlay(p Properties) {
	o.each(func(field ownField, value optionalField) { p.set(field.name, value, nil) })
}

// ownOf returns the stored fields of OwnFields for a kind; nil if there are none.
func ownOf(kind Kind, p Properties) *OwnFields {
	var own *OwnFields
	for _, field := range ownFields() {
		value, ok := p[field.name]
		if field.name == "title" && kind.named == "title" {
			value, ok = p["name"]
		}
		if !ok || value == nil || !slices.Contains(field.kinds, kind.Name) {
			continue
		}
		if own == nil {
			own = &OwnFields{}
		}
		giveStored(reflect.ValueOf(own).Elem().Field(field.index).Addr().Interface(), value)
	}
	return own
}
