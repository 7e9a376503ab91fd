package loader

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"kith/graph"
)

// Format is the format of a context.
type Format string

// JSON is the AgentContext object; Text is Markdown for a prompt.
const (
	JSON Format = "json"
	Text Format = "text"
)

// The parts of an AgentContext that a request may choose.
const (
	userPart          = "user"
	relationshipsPart = "relationships"
	recentPart        = "recent_context"
	temporalPart      = "temporal"
)

// Parts are all parts, in the order of the answer.
var Parts = []string{userPart, relationshipsPart, recentPart, temporalPart}

// partSections lists the sections of each part. The temporal part needs the preferences for the user's time zone.
var partSections = map[string][]graph.Section{
	userPart:          {graph.OwnerSection, graph.CoreBeliefsSection, graph.PrimaryGoalsSection, graph.PreferencesSection},
	relationshipsPart: {graph.RelationshipsSection},
	recentPart:        {graph.SourcesSection},
	temporalPart:      {graph.LastConversationSection, graph.PreferencesSection},
}

// Bounds of max_tokens, in o200k tokens.
const (
	MinTokens = 100
	MaxTokens = 100_000
)

// Request asks for one user's context.
type Request struct {
	Scope     graph.Scope
	TimeZone  string   // IANA name; empty: the user's preference, else UTC
	Format    Format   // default JSON
	MaxTokens int      // of the text; 0: no budget
	Sections  []string // parts wanted; none: all
	FocusKind string   // with FocusID: the node the user looks at
	FocusID   string
	AsOf      *time.Time // the time of the context; nil: now

	ConversationID string // the caller's open one, which is omitted; empty: none

	reserved int // tokens of the budget used by the conversation
}

// Validate checks the request; locations refer to the query parameters.
func (r *Request) Validate() error {
	var faults []graph.FieldError
	add := func(field, message string) {
		faults = append(faults, graph.FieldError{Location: field, Message: message})
	}
	if r.Scope.UserID == "" {
		add("user_id", "is required")
	} else if !graph.ValidKey(r.Scope.UserID) {
		add("user_id", "must have 1 to 256 characters and no control characters")
	}
	if r.TimeZone != "" && zone(r.TimeZone) == nil {
		add("time_zone", "must be an IANA time zone")
	}
	faults = append(faults, formatFaults(r.Format, r.MaxTokens)...)
	for _, part := range r.Sections {
		if !slices.Contains(Parts, part) {
			add("sections", "each must be one of "+strings.Join(Parts, ", "))
			break
		}
	}
	faults = append(faults, r.focusFaults()...)
	if r.ConversationID != "" && !graph.ValidKey(r.ConversationID) {
		add("conversation_id", "must have 1 to 256 characters and no control characters")
	}
	if len(faults) > 0 {
		return &graph.InvalidError{Fields: faults}
	}
	return nil
}

func formatFaults(format Format, maxTokens int) []graph.FieldError {
	var faults []graph.FieldError
	if format != "" && format != JSON && format != Text {
		faults = append(faults, graph.FieldError{Location: "format", Message: "must be one of json, text"})
	}
	switch {
	case maxTokens != 0 && format != Text:
		faults = append(faults, graph.FieldError{Location: "max_tokens", Message: "requires format=text"})
	case maxTokens != 0 && (maxTokens < MinTokens || maxTokens > MaxTokens):
		faults = append(faults, graph.FieldError{
			Location: "max_tokens", Message: "must be from " + strconv.Itoa(MinTokens) + " to " + strconv.Itoa(MaxTokens),
		})
	}
	return faults
}

func (r *Request) focusFaults() []graph.FieldError {
	if r.FocusKind == "" && r.FocusID == "" {
		return nil
	}
	var faults []graph.FieldError
	if !slices.Contains(graph.FocusKinds, r.FocusKind) {
		faults = append(faults, graph.FieldError{Location: "focus_kind", Message: "must be one of person, concept, entity"})
	}
	if !graph.ValidKey(r.FocusID) {
		faults = append(faults, graph.FieldError{Location: "focus_id", Message: "must be an entity key of 1 to 256 characters"})
	}
	return faults
}

// parts returns the requested parts, in the order of the answer.
func (r *Request) parts() []string {
	if len(r.Sections) == 0 {
		return Parts
	}
	var parts []string
	for _, part := range Parts {
		if slices.Contains(r.Sections, part) {
			parts = append(parts, part)
		}
	}
	return parts
}

// sections returns the sections to load for the requested parts.
func (r *Request) sections() []graph.Section {
	var sections []graph.Section
	for _, section := range graph.AllSections {
		for _, part := range r.parts() {
			if slices.Contains(partSections[part], section) && !slices.Contains(sections, section) {
				sections = append(sections, section)
			}
		}
	}
	if r.FocusID != "" {
		sections = append(sections, graph.FocusSection)
	}
	return sections
}

// view returns the cache key of the answer. Only a text with a budget depends on the time zone, by its length.
func (r *Request) view() string {
	place := ""
	if r.MaxTokens != 0 {
		place = r.TimeZone
	}
	return strings.Join([]string{
		string(r.Format), strconv.Itoa(r.MaxTokens), strings.Join(r.parts(), ","), r.FocusKind, r.FocusID, place, r.day(), r.ConversationID,
		strconv.Itoa(r.reserved),
	}, "\x1f")
}

// day returns AsOf as a part of the cache key.
func (r *Request) day() string {
	if r.AsOf == nil {
		return ""
	}
	return r.AsOf.UTC().Format(time.RFC3339Nano)
}

// moment returns the time of the answer.
func (r *Request) moment(now time.Time) time.Time {
	if r.AsOf != nil {
		return *r.AsOf
	}
	return now
}

// zones caches loaded time zones: each is a file.
var zones sync.Map //nolint:gochecknoglobals // a memo of pure look-ups

// zone returns the time zone of an IANA name, nil for an unknown one.
func zone(name string) *time.Location {
	if known, ok := zones.Load(name); ok {
		return known.(*time.Location) //nolint:forcetypeassert // only this function stores
	}
	if name == "" || name == "Local" || len(name) > 64 {
		return nil
	}
	location, err := time.LoadLocation(name)
	if err != nil {
		return nil
	}
	zones.Store(name, location)
	return location
}
