package loader

import (
	"slices"
	"strconv"
	"strings"

	"kith/graph"
)

// projectTypes are the context types that are about one project, and noTypes those that know of no workspace (S3-2, S3-3).
var (
	projectTypes = []string{"project", "project_audit", "project_forecast"}
	noTypes      = []string{"project_create", "calendar", "daily_brief_update", "brain_dump"}
)

// OntologyRequest asks for an ontology context.
type OntologyRequest struct {
	Scope       graph.Scope
	ContextType string
	ProjectID   string
	FocusKind   string // a kind, or project-wide
	FocusID     string
	Format      Format
	MaxTokens   int  // of the text; 0: no budget
	WithoutJSON bool // leave the picture out of the text

	WithoutLinked bool // leave out what is linked with the focus

	Remembered bool // the focus is that of the conversation so far: where it is gone, the answer says so and does without
	gone       bool // it was
}

// Validate checks the request; locations are those of the query parameters.
func (r *OntologyRequest) Validate() error {
	var faults []graph.FieldError
	add := func(field, message string) {
		faults = append(faults, graph.FieldError{Location: field, Message: message})
	}
	if r.Scope.UserID != "" && !graph.ValidKey(r.Scope.UserID) {
		add("user_id", "must have 1 to 256 characters and no control characters")
	}
	for _, key := range []struct{ field, value string }{{"project_id", r.ProjectID}, {"focus_id", r.FocusID}} {
		if key.value != "" && !graph.ValidKey(key.value) {
			add(key.field, "must be an entity key of 1 to 256 characters")
		}
	}
	if len(r.ContextType) > 64 {
		add("context_type", "must have at most 64 characters")
	}
	if len(r.FocusKind) > 64 {
		add("focus_kind", "must have at most 64 characters")
	}
	faults = append(faults, formatFaults(r.Format, r.MaxTokens)...)
	if len(faults) > 0 {
		return &graph.InvalidError{Fields: faults}
	}
	return nil
}

// choose says which context is meant, and what is odd about the request (S3-2, S3-3).
func (r *OntologyRequest) choose() (OntologyType, []string) {
	kind, warnings := r.ContextType, []string(nil)
	warn := func(text string) { warnings = append(warnings, text) }
	known := slices.Concat(projectTypes, noTypes, []string{"global", "general", "ontology"})
	switch {
	case kind == "general":
		kind = "global"
	case kind == "":
		kind = "global"
		warn("context_type is missing: global is taken")
	case !slices.Contains(known, kind):
		kind = "global"
		warn("context_type is unknown: global is taken")
	}
	if r.gone {
		warn("what the conversation had in focus is gone")
	}
	focused := r.FocusID != "" && slices.Contains(graph.WorkspaceFocusKinds, r.FocusKind)
	switch {
	case r.FocusKind != "" && r.FocusKind != "project-wide" && !slices.Contains(graph.WorkspaceFocusKinds, r.FocusKind):
		warn("focus_kind is none of " + strings.Join(graph.WorkspaceFocusKinds, ", ") + ": it is left out")
	case r.FocusID != "" && !focused:
		warn("focus_id needs a focus_kind: it is left out")
	case r.FocusID == "" && slices.Contains(graph.WorkspaceFocusKinds, r.FocusKind):
		warn("focus_kind needs a focus_id: it is left out")
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
	warn("there is no project_id: there is nothing to tell of")
	return NoOntology, warnings
}

// view names what the bytes are.
func (r *OntologyRequest) view() string {
	return strings.Join([]string{
		"ontology", string(r.Format), strconv.Itoa(r.MaxTokens), strconv.FormatBool(r.WithoutJSON), strconv.FormatBool(r.WithoutLinked), strconv.FormatBool(r.gone), r.ContextType, r.ProjectID, r.FocusKind, r.FocusID,
	}, "\x1f")
}

// LookAt has the request look at what a conversation has in focus, in the project of that unless it asks for something else; nil: nothing.
func (r *OntologyRequest) LookAt(focus *graph.ConversationFocus) {
	if focus == nil {
		return
	}
	r.ProjectID, r.FocusKind, r.FocusID = focus.ProjectID, focus.FocusKind, focus.FocusID
	if r.ContextType == "" {
		r.ContextType = "project"
	}
}

// forget gives up what is gone of a remembered focus: the node, and then the project. False: there is nothing to give up.
func (r *OntologyRequest) forget() bool {
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

func (r *OntologyRequest) focusKind() graph.Kind {
	kind, _ := graph.KindOf(r.FocusKind)
	return kind
}
