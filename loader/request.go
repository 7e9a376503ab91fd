package loader

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"kith/graph"
	"kith/internal/fault"
	"kith/text/tokens"
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

// partSections lists the sections of each part. Parts with times need the preferences for the user's time zone.
var partSections = map[string][]Section{
	userPart:          {OwnerSection, CoreBeliefsSection, PrimaryGoalsSection, PreferencesSection, StatementsSection},
	relationshipsPart: {RelationshipsSection},
	recentPart:        {SourcesSection, PreferencesSection},
	temporalPart:      {LastConversationSection, PreferencesSection},
}

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

	Explain        bool   // answer with an object that accounts for the text; with Format Text nothing else
	ConversationID string // the caller's open one, which is omitted; empty: none

	reserved int  // tokens of the budget used by the conversation
	erased   bool // the memory was erased after AsOf
}

// Validate checks the request; locations refer to the query parameters.
func (r *Request) Validate() error {
	f := &fault.List{}
	if r.Scope.UserID == "" {
		f.Required(fault.At("user_id"))
	}
	f.OptionalKey(fault.At("user_id"), r.Scope.UserID)
	if r.TimeZone != "" && zone(r.TimeZone) == nil {
		f.Add(fault.At("time_zone"), fault.Malformed, "must be an IANA time zone")
	}
	CheckExplained(f, r.Explain, r.Format, r.MaxTokens)
	for _, part := range r.Sections {
		if !slices.Contains(Parts, part) {
			f.Add(fault.At("sections"), fault.NotOneOf, "each must be one of %s", strings.Join(Parts, ", "))
			break
		}
	}
	r.checkFocus(f)
	f.OptionalKey(fault.At("conversation_id"), r.ConversationID)
	return f.Err()
}

// CheckExplained checks the format and the budget of a context. An account of its text may have a budget in any format.
func CheckExplained(f *fault.List, explain bool, format Format, maxTokens int) {
	if explain {
		f.OptionalOneOf(fault.At("format"), string(format), string(JSON), string(Text))
		format = Text
	}
	CheckFormat(f, format, maxTokens)
}

// CheckFormat checks the format and the budget of a text.
func CheckFormat(f *fault.List, format Format, maxTokens int) {
	f.OptionalOneOf(fault.At("format"), string(format), string(JSON), string(Text))
	if maxTokens != 0 && format != Text {
		f.Add(fault.At("max_tokens"), fault.NotAllowed, "requires format=text")
		return
	}
	f.OptionalBetween(fault.At("max_tokens"), int64(maxTokens), tokens.Least, tokens.Most)
}

func (r *Request) checkFocus(f *fault.List) {
	if r.FocusKind == "" && r.FocusID == "" {
		return
	}
	f.OneOf(fault.At("focus_kind"), r.FocusKind, graph.FocusKinds...)
	CheckEntityKey(f, fault.At("focus_id"), r.FocusID)
}

// CheckEntityKey checks the key of a node.
func CheckEntityKey(f *fault.List, place fault.Path, key string) {
	if !fault.ValidKey(key) {
		f.Add(place, fault.Malformed, "must be an entity key of 1 to %d characters", fault.MaxKeyLength)
	}
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
func (r *Request) sections() []Section {
	var sections []Section
	for _, section := range AllSections {
		for _, part := range r.parts() {
			if slices.Contains(partSections[part], section) && !slices.Contains(sections, section) {
				sections = append(sections, section)
			}
		}
	}
	if r.FocusID != "" {
		sections = append(sections, FocusSection)
	}
	return sections
}

// entryForm is the form of cached and kept entries: those of another form are not read.
const entryForm = "2"

// view returns the cache key of the answer. A text has the user's days, and so depends on the time zone.
func (r *Request) view() string {
	place := ""
	if r.Format == Text {
		place = r.TimeZone
	}
	return strings.Join([]string{
		string(r.Format), strconv.Itoa(r.MaxTokens), strings.Join(r.parts(), ","), r.FocusKind, r.FocusID, place, dayOf(r.AsOf), r.ConversationID,
		strconv.Itoa(r.reserved), strconv.FormatBool(r.erased), entryForm,
	}, "\x1f")
}

// presentView returns the view of a request for the past as if it asked for the present.
func (r *Request) presentView() string {
	present := *r
	present.AsOf = nil
	return present.view()
}

// dayOf returns the time of a read of the past as a part of the cache key.
func dayOf(at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
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
