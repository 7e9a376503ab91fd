package ontology

import (
	"slices"
	"strconv"
	"strings"

	"kith/graph"
	"kith/internal/fault"
	"kith/loader"
)

// projectTypes are the context types about one project, noTypes those without a workspace.
var (
	projectTypes = []string{"project", "project_audit", "project_forecast"}
	noTypes      = []string{"project_create", "calendar", "daily_brief_update", "brain_dump"}
)

// Request asks for an ontology context.
type Request struct {
	Scope       graph.Scope
	ContextType string
	ProjectID   string
	FocusKind   string // a kind, or project-wide
	FocusID     string
	Format      loader.Format
	MaxTokens   int  // of the text; 0: no budget
	WithoutJSON bool // omit the snapshot from the text

	WithoutLinked bool // omit the nodes linked with the focus

	Explain bool // answer with an object that accounts for the text; with Format Text nothing else

	Remembered bool // the focus is remembered from the conversation: if it is gone, the answer has a warning and no focus
	gone       bool // the remembered focus was gone
}

// Validate checks the request; locations refer to the query parameters.
func (r *Request) Validate() error {
	f := &fault.List{}
	f.OptionalKey(fault.At("user_id"), r.Scope.UserID)
	for _, key := range []struct{ field, value string }{{"project_id", r.ProjectID}, {"focus_id", r.FocusID}} {
		if key.value != "" {
			loader.CheckEntityKey(f, fault.At(key.field), key.value)
		}
	}
	for _, kind := range []struct{ field, value string }{{"context_type", string(r.ContextType)}, {"focus_kind", r.FocusKind}} {
		if len(kind.value) > 64 {
			f.Add(fault.At(kind.field), fault.TooLong, "must have at most %d characters", 64)
		}
	}
	loader.CheckExplained(f, r.Explain, r.Format, r.MaxTokens)
	return f.Err()
}

// choose returns the type of the context, and warnings about the request.
func (r *Request) choose() (Type, []string) {
	kind, warnings := r.ContextType, []string(nil)
	warn := func(text string) { warnings = append(warnings, text) }
	known := slices.Concat(projectTypes, noTypes, []string{"global", "general", "ontology"})
	switch {
	case kind == "general":
		kind = "global"
	case kind == "":
		kind = "global"
		warn("context_type is missing: using global")
	case !slices.Contains(known, kind):
		kind = "global"
		warn("context_type is unknown: using global")
	}
	if r.gone {
		warn("the focus of the conversation does not exist any more")
	}
	focused := r.FocusID != "" && slices.Contains(graph.WorkspaceFocusKinds, r.FocusKind)
	switch {
	case r.FocusKind != "" && r.FocusKind != "project-wide" && !slices.Contains(graph.WorkspaceFocusKinds, r.FocusKind):
		warn("focus_kind ignored: must be one of " + strings.Join(graph.WorkspaceFocusKinds, ", "))
	case r.FocusID != "" && !focused:
		warn("focus_id ignored: it requires a focus_kind")
	case r.FocusID == "" && slices.Contains(graph.WorkspaceFocusKinds, r.FocusKind):
		warn("focus_kind ignored: it requires a focus_id")
	}
	switch {
	case kind == "global":
		return GlobalOntology, warnings
	case slices.Contains(noTypes, kind):
		return NoOntology, warnings
	case focused && r.ProjectID != "" && kind != "ontology":
		return CombinedOntology, warnings
	case focused:
		return ElementOntology, warnings
	case r.ProjectID != "":
		return ProjectOntology, warnings
	}
	warn("project_id is missing: no workspace is shown")
	return NoOntology, warnings
}

// view returns the cache key of the answer.
func (r *Request) view() string {
	return strings.Join([]string{
		"ontology", string(r.Format), strconv.Itoa(r.MaxTokens), strconv.FormatBool(r.WithoutJSON),
		strconv.FormatBool(r.WithoutLinked), strconv.FormatBool(r.gone),
		r.ContextType, r.ProjectID, r.FocusKind, r.FocusID,
	}, "\x1f")
}

// LookAt sets the focus to that of a conversation, in its project; nil: no change. A context type in the request is not
// changed.
func (r *Request) LookAt(focus *graph.ConversationFocus) {
	if focus == nil {
		return
	}
	r.ProjectID, r.FocusKind, r.FocusID = focus.ProjectID, focus.FocusKind, focus.FocusID
	if r.ContextType == "" {
		r.ContextType = "project"
	}
}

// dropFocus drops a remembered focus that is gone: the node first, then the project. It reports whether there was one.
func (r *Request) dropFocus() bool {
	switch {
	case !r.Remembered:
		return false
	case r.FocusID != "":
		r.FocusKind, r.FocusID = "", ""
	case r.ProjectID != "":
		r.ProjectID = ""
	default:
		return false
	}
	r.gone = true
	return true
}

func (r *Request) focusKind() graph.Kind {
	kind, _ := graph.KindOf(r.FocusKind)
	return kind
}
