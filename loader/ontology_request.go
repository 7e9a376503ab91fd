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

// focusKinds are those that can be in focus in a workspace (S3-1).
var focusKinds = []string{"task", "plan", "goal", "document", "output", "milestone", "risk", "decision", "requirement"}

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
	focused := r.FocusID != "" && slices.Contains(focusKinds, r.FocusKind)
	switch {
	case r.FocusKind != "" && r.FocusKind != "project-wide" && !slices.Contains(focusKinds, r.FocusKind):
		warn("focus_kind is none of " + strings.Join(focusKinds, ", ") + ": it is left out")
	case r.FocusID != "" && !focused:
		warn("focus_id needs a focus_kind: it is left out")
	case r.FocusID == "" && slices.Contains(focusKinds, r.FocusKind):
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
		"ontology", string(r.Format), strconv.Itoa(r.MaxTokens), strconv.FormatBool(r.WithoutJSON), strconv.FormatBool(r.WithoutLinked), r.ContextType, r.ProjectID, r.FocusKind, r.FocusID,
	}, "\x1f")
}

func (r *OntologyRequest) focusKind() graph.Kind {
	kind, _ := graph.KindOf(r.FocusKind)
	return kind
}
