package ontology

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"kith/graph"
	"kith/graph/trust"
	"kith/internal/fault"
	"kith/loader"
	"kith/memory/workspace"
)

// Context describes the workspace of an agent. An explained text is an object with nothing but the receipt.
type Context struct {
	Type          Type            `json:"type" enum:"global,project,element,combined,none" required:"false"`
	Entities      Entities        `json:"entities" required:"false"`
	Relationships *Relationships  `json:"relationships,omitempty"`
	Metadata      Metadata        `json:"metadata" required:"false"`
	Scope         *Scope          `json:"scope,omitempty"`
	Linked        *LinkedContext  `json:"linked_entities,omitempty" doc:"of what is in focus, at most 3 of each kind"`
	Warnings      []string        `json:"warnings,omitempty"`
	Receipt       *loader.Receipt `json:"receipt,omitempty" doc:"only with explain; with format=text nothing else"`

	focus    *workspace.Element
	document trust.Told // of the name of the context document
	degraded bool       // something could not be loaded
}

// Type is the type of an ontology context.
type Type string

// The types of an ontology context. NoOntology means that no workspace is shown.
const (
	GlobalOntology   Type = "global"
	ProjectOntology  Type = "project"
	ElementOntology  Type = "element"
	CombinedOntology Type = "combined"
	NoOntology       Type = "none"
)

// Entities are whole nodes, under the names of their kinds; several of a kind under its plural.
type Entities struct {
	Project     *ProjectRow     `json:"project,omitempty"`
	Projects    []ProjectRow    `json:"projects,omitzero" doc:"global: at most 50, the last changed first"`
	Task        *graph.NodeView `json:"task,omitempty"`
	Plan        *graph.NodeView `json:"plan,omitempty"`
	Goal        *graph.NodeView `json:"goal,omitempty"`
	Document    *graph.NodeView `json:"document,omitempty"`
	Output      *graph.NodeView `json:"output,omitempty"`
	Milestone   *graph.NodeView `json:"milestone,omitempty"`
	Risk        *graph.NodeView `json:"risk,omitempty"`
	Decision    *graph.NodeView `json:"decision,omitempty"`
	Requirement *graph.NodeView `json:"requirement,omitempty"`
}

// ProjectRow is a project in short.
type ProjectRow struct {
	ID            string     `json:"id" doc:"entity_key"`
	Name          string     `json:"name"`
	StateKey      *string    `json:"state_key"`
	TypeKey       *string    `json:"type_key,omitempty"`
	Description   string     `json:"description,omitempty"`
	NextStepShort string     `json:"next_step_short,omitempty"`
	NextStepLong  string     `json:"next_step_long,omitempty"`
	StartAt       *time.Time `json:"start_at,omitempty"`
	EndAt         *time.Time `json:"end_at,omitempty"`
	FacetContext  *string    `json:"facet_context,omitempty"`
	FacetScale    *string    `json:"facet_scale,omitempty"`
	FacetStage    *string    `json:"facet_stage,omitempty"`
	CreatedAt     *time.Time `json:"created_at,omitempty"`
	UpdatedAt     *time.Time `json:"updated_at,omitempty"`
	trust.Told
}

func projectRow(n *graph.NodeView) ProjectRow {
	own := ownOf(n)
	return ProjectRow{
		ID: n.EntityKey, Name: n.Name, StateKey: valueOrNil(own.StateKey), TypeKey: valueOrNil(own.TypeKey), Description: n.Description,
		NextStepShort: own.NextStepShort.Value, NextStepLong: own.NextStepLong.Value, StartAt: valueOrNil(own.StartAt), EndAt: valueOrNil(own.EndAt),
		FacetContext: valueOrNil(own.FacetContext), FacetScale: valueOrNil(own.FacetScale), FacetStage: valueOrNil(own.FacetStage),
		CreatedAt: &n.CreatedAt, UpdatedAt: &n.UpdatedAt, Told: n.Told(),
	}
}

// put sets the node in focus.
func (e *Entities) put(n *graph.NodeView) {
	slots := map[string]**graph.NodeView{
		"task": &e.Task, "plan": &e.Plan, "goal": &e.Goal, "document": &e.Document, "output": &e.Output, "milestone": &e.Milestone,
		"risk": &e.Risk, "decision": &e.Decision, "requirement": &e.Requirement,
	}
	*slots[n.Kind] = n
}

// Relationships are the relationships of the subject of the context, those with the highest score first.
type Relationships struct {
	Edges          []Edge `json:"edges"`
	HierarchyLevel *int   `json:"hierarchy_level" doc:"steps from the project; null: not in a project"`
}

// Edge is a relationship seen from the subject of the context. Relation begins with inverse_ if the
// relationship points to the subject.
type Edge struct {
	Relation   string `json:"relation"`
	TargetKind string `json:"target_kind"`
	TargetID   string `json:"target_id"`
	TargetName string `json:"target_name,omitempty"`
	trust.Told
}

// Metadata describes the context.
type Metadata struct {
	EntityCount          map[string]int64 `json:"entity_count,omitempty" doc:"by kind, in the plural"`
	TotalProjects        *int64           `json:"total_projects,omitempty"`
	AvailableEntityTypes []string         `json:"available_entity_types,omitempty"`
	RecentProjectIDs     []string         `json:"recent_project_ids,omitempty"`
	HierarchyLevel       *int             `json:"hierarchy_level,omitempty"`
	ContextDocumentID    string           `json:"context_document_id,omitempty"`
	ContextDocumentTitle string           `json:"context_document_title,omitempty"`
	Facets               *Facets          `json:"facets,omitempty"`
	Highlights           *Highlights      `json:"project_highlights,omitempty"`
	Snapshot             *GraphSnapshot   `json:"graph_snapshot,omitempty"`
	LastUpdated          *time.Time       `json:"last_updated,omitempty"`
}

// Facets are the facets of a project; null if not set.
type Facets struct {
	Context *string `json:"context"`
	Scale   *string `json:"scale"`
	Stage   *string `json:"stage"`
}

// Scope is the project in which the agent works.
type Scope struct {
	ProjectID   string `json:"project_id"`
	ProjectName string `json:"project_name"`
	Focus       *Focus `json:"focus,omitempty"`
}

// Focus is the node in focus.
type Focus struct {
	Type string `json:"type"`
	ID   string `json:"id"`
	Name string `json:"name"`
}

// plural returns the plural of a kind.
func plural(kind string) string { return kind + "s" }

// Ontology loads an ontology context, or reads it from the cache. Errors: fault.InvalidError, fault.ErrNotFound,
// graph.ErrUnavailable.
func (l *Loader) Ontology(ctx context.Context, r Request) (loader.Answer, error) {
	if r.Format == "" {
		r.Format = loader.JSON
	}
	if err := r.Validate(); err != nil {
		return loader.Answer{}, err
	}
	for {
		answer, err := l.answerOntology(ctx, &r)
		if !errors.Is(err, fault.ErrNotFound) || !r.dropFocus() {
			return answer, err
		}
	}
}

// ProjectText returns the context of a project, or of what is in focus, as text for a prompt.
func (l *Loader) ProjectText(ctx context.Context, scope graph.Scope, projectID, focusKind, focusID string, maxTokens int) (string, error) {
	answer, err := l.Ontology(ctx, Request{
		Scope: scope, ContextType: "project", ProjectID: projectID, FocusKind: focusKind, FocusID: focusID,
		Format: loader.Text, MaxTokens: maxTokens, WithoutJSON: true,
	})
	return string(answer.Body()), err
}

func (l *Loader) answerOntology(ctx context.Context, r *Request) (loader.Answer, error) {
	if r.Explain {
		return l.explainOntology(ctx, r)
	}
	return l.users.Rendered(ctx, r.Scope, r.view(), r.Format, func(ctx context.Context) ([]byte, bool, error) {
		c, err := l.ontology(ctx, *r)
		if err != nil {
			return nil, false, fmt.Errorf("ontology: %w", err)
		}
		body, err := c.render(r)
		return body, !c.degraded, err
	})
}

func (c *Context) render(r *Request) ([]byte, error) {
	if r.Format == loader.JSON {
		return json.Marshal(c)
	}
	cut, _, err := c.text(r).fitBudget(r.MaxTokens)
	if err != nil {
		return nil, err
	}
	text, err := cut.text()
	return []byte(text), err
}

// ontology loads the context of the type that the request selects.
func (l *Loader) ontology(ctx context.Context, r Request) (*Context, error) {
	kind, warnings := r.choose()
	c := &Context{Type: kind}
	linked := l.startLinked(ctx, &r, kind)
	switch kind {
	case GlobalOntology:
		all, err := l.workspaces.Workspaces(ctx, r.Scope)
		if err != nil {
			return nil, err
		}
		c = globalOntology(all, l.options.Now())
	case ProjectOntology:
		w, err := l.workspaces.WorkspaceOf(ctx, r.Scope, r.ProjectID)
		if err != nil {
			return nil, err
		}
		c = projectOntology(w)
	case ElementOntology:
		f, err := l.workspaces.Focus(ctx, r.Scope, r.focusKind(), r.FocusID)
		if err != nil {
			return nil, err
		}
		c = elementOntology(f)
	case CombinedOntology:
		w, f, err := l.workspaces.WorkspaceWith(ctx, r.Scope, r.ProjectID, r.focusKind(), r.FocusID)
		if err != nil {
			return nil, err
		}
		c = combinedOntology(projectOntology(w), elementOntology(f))
	case NoOntology:
	}
	c.Warnings = warnings
	if found, ok := <-linked; ok && found == nil {
		c.degraded, c.Warnings = true, append(c.Warnings, unlinkedWarning)
	} else if ok {
		c.Linked = linkedContext(found, l.options.Now())
		c.Linked.Truncated = c.Linked.most() > abbreviatedMost
	}
	return c, nil
}

// unlinkedWarning is the warning of an answer without linked nodes.
const unlinkedWarning = "the linked nodes of the focus could not be loaded"

// startLinked starts to read the nodes linked with the focus. The channel yields nil if they could not be loaded: the
// answer then has a warning. Without a focus the channel is closed.
func (l *Loader) startLinked(ctx context.Context, r *Request, kind Type) <-chan *workspace.LinkedEntities {
	linked := make(chan *workspace.LinkedEntities, 1)
	if r.WithoutLinked || kind != ElementOntology && kind != CombinedOntology {
		close(linked)
		return linked
	}
	go func() {
		found, err := l.workspaces.LinkedWith(ctx, r.Scope, workspace.LinkedQuery{Kind: r.focusKind(), Key: r.FocusID, Most: abbreviatedMost})
		if err != nil && !errors.Is(err, fault.ErrNotFound) {
			l.options.Log.Warn("linked nodes not loaded, ontology context is incomplete", "error", err)
		}
		linked <- found
	}()
	return linked
}

// elementOntology returns the context of a single node.
func elementOntology(f *workspace.Element) *Context {
	c := &Context{
		Type: ElementOntology, Relationships: &Relationships{Edges: []Edge{}, HierarchyLevel: f.Level},
		Metadata: Metadata{HierarchyLevel: f.Level, LastUpdated: &f.Node.UpdatedAt}, focus: f,
	}
	c.Entities.put(&f.Node)
	for _, e := range f.Edges {
		relation := e.Type
		if !e.Outgoing {
			relation = "inverse_" + e.Type
		}
		c.Relationships.Edges = append(c.Relationships.Edges, Edge{relation, e.Node.Kind, e.Node.EntityKey, e.Node.Name, e.Node.Told})
	}
	if f.Project != nil {
		row := projectRow(f.Project)
		c.Entities.Project = &row
		c.Scope = &Scope{
			ProjectID: f.Project.EntityKey, ProjectName: f.Project.Name, Focus: &Focus{f.Node.Kind, f.Node.EntityKey, f.Node.Name},
		}
	}
	return c
}

// combinedOntology returns the context of a project with a node in focus, whose relationships come first.
func combinedOntology(project, element *Context) *Context {
	c := *project
	c.Type, c.Scope, c.focus = CombinedOntology, element.Scope, element.focus
	c.Entities.put(&element.focus.Node)
	c.Metadata.HierarchyLevel, c.Metadata.LastUpdated = element.Metadata.HierarchyLevel, element.Metadata.LastUpdated
	edges := element.Relationships.Edges
	for _, e := range project.Relationships.Edges {
		if e.TargetID != element.focus.Node.EntityKey { // already listed from the side of the focus
			edges = append(edges, e)
		}
	}
	c.Relationships = &Relationships{Edges: edges, HierarchyLevel: element.Relationships.HierarchyLevel}
	return &c
}

// globalOntology returns the context of an agent that works in no project.
func globalOntology(w *workspace.Workspaces, now time.Time) *Context {
	c := &Context{
		Type: GlobalOntology, Entities: Entities{Projects: []ProjectRow{}},
		Metadata: Metadata{
			EntityCount: countsOf(w.Counts), TotalProjects: &w.Total, AvailableEntityTypes: append([]string{"project"}, graph.WorkspaceFocusKinds...),
			RecentProjectIDs: []string{}, LastUpdated: &now,
		},
	}
	c.Metadata.EntityCount["projects"] = w.Total
	for i := range w.Projects {
		c.Entities.Projects = append(c.Entities.Projects, projectRow(&w.Projects[i]))
		c.Metadata.RecentProjectIDs = append(c.Metadata.RecentProjectIDs, w.Projects[i].EntityKey)
	}
	return c
}

func countsOf(counts map[string]workspace.Counts) map[string]int64 {
	all := map[string]int64{}
	for _, kind := range graph.WorkspaceKinds {
		all[plural(kind)] = counts[kind].Total
	}
	return all
}

// projectOntology returns the context of a project.
func projectOntology(w *workspace.Workspace) *Context {
	level, row := 0, projectRow(&w.Project)
	c := &Context{
		Type: ProjectOntology, Entities: Entities{Project: &row},
		Relationships: &Relationships{Edges: []Edge{}, HierarchyLevel: &level},
		Metadata: Metadata{
			EntityCount: countsOf(w.Counts), HierarchyLevel: &level, Facets: &Facets{row.FacetContext, row.FacetScale, row.FacetStage},
			Highlights: highlightsOf(w), Snapshot: snapshotOf(w), LastUpdated: &w.Project.UpdatedAt,
		},
		Scope: &Scope{ProjectID: w.Project.EntityKey, ProjectName: w.Project.Name},
	}
	if w.Document != nil {
		c.Metadata.ContextDocumentID, c.Metadata.ContextDocumentTitle, c.document = w.Document.EntityKey, w.Document.Name, w.Document.Told
	}
	for _, e := range w.Linked {
		relation, other := e.Type, e.To
		if e.To == w.Project.EntityKey {
			relation, other = "inverse_"+e.Type, e.From
		}
		name := w.LinkedNames[other]
		c.Relationships.Edges = append(c.Relationships.Edges, Edge{Relation: relation, TargetKind: name.Kind, TargetID: other, TargetName: name.Name, Told: name.Told})
	}
	return c
}

// valueOrNil returns an optional value; nil if it is omitted or null.
func valueOrNil[T any](o graph.Optional[T]) *T {
	if !o.Given || o.Null {
		return nil
	}
	return &o.Value
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// dateOf returns the date of a time; empty for nil.
func dateOf(t *time.Time) string {
	if t == nil || t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}
