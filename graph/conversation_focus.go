package graph

import (
	"context"
	"fmt"

	"kith/internal/bounds"
	"kith/internal/fault"
)

// ConversationFocus is the focus of a conversation's user: a node of a project, or the project as a whole.
type ConversationFocus struct {
	ProjectID string `json:"project_id" minLength:"1" maxLength:"256" doc:"entity_key of the project"`
	FocusKind string `json:"focus_kind,omitempty" maxLength:"64" oneof:"task plan goal document output milestone risk decision requirement project-wide" doc:"task, plan, goal, document, output, milestone, risk, decision or requirement, with focus_id; default or project-wide: the project as a whole"`
	FocusID   string `json:"focus_id,omitempty" maxLength:"256" with:"focus_kind" doc:"entity_key of a node of the project; with focus_kind"`
}

// WorkspaceFocusKinds are the kinds that can be in focus in a workspace.
var WorkspaceFocusKinds = []string{"task", "plan", "goal", "document", "output", "milestone", "risk", "decision", "requirement"}

// Validate checks everything that can be checked without the store.
func (c *ConversationFocus) Validate() error {
	f := &Faults{}
	c.check(f, fault.At("focus"))
	return f.Err()
}

func (c *ConversationFocus) check(f *Faults, at fault.Path) {
	f.Word(at.Field("project_id"), c.ProjectID, bounds.KeyLength)
	if c.wide() {
		return
	}
	f.OneOf(at.Field("focus_kind"), c.FocusKind, WorkspaceFocusKinds...)
	f.Word(at.Field("focus_id"), c.FocusID, bounds.KeyLength)
}

// wide reports whether the focus is the project as a whole.
func (c *ConversationFocus) wide() bool {
	return c.FocusID == "" && (c.FocusKind == "" || c.FocusKind == "project-wide")
}

// ends returns the keys of the nodes that the focus names.
func (c *ConversationFocus) ends() []string {
	if c.wide() {
		return []string{c.ProjectID}
	}
	return []string{c.ProjectID, c.FocusID}
}

// putFocus sets the focus of a source, or removes it.
func (o *OwnFields) putFocus(given Optional[ConversationFocus]) {
	field := func(value string) Optional[string] {
		if value == "" {
			return Null[string]()
		}
		return Some(value)
	}
	if given.Value.wide() {
		given.Value.FocusKind = ""
	}
	if given.Given {
		o.FocusProjectID, o.FocusKind, o.FocusID = field(given.Value.ProjectID), field(given.Value.FocusKind), field(given.Value.FocusID)
	}
}

// focusFault returns an error for a focus that does not exist for the scope.
func focusFault(scope Scope, found known, given Optional[ConversationFocus]) error {
	if !given.Given || given.Null {
		return nil
	}
	c := given.Value
	missing := func(field string) error {
		return &fault.MissingError{Fields: []fault.FieldError{{Path: fault.At("focus").Field(field), Code: fault.Missing, Message: noSuchNode}}}
	}
	project := found.byKey[c.ProjectID]
	if !project.visible(scope) || project.kind != ProjectKind {
		return missing("project_id")
	}
	if n := found.byKey[c.FocusID]; c.FocusID != "" && (!n.visible(scope) || n.kind.Name != c.FocusKind || n.project() != project.key()) {
		return missing("focus_id")
	}
	return nil
}

// SetFocus stores what the user of a conversation works on; nil removes it. It returns ErrNotFound for an unknown or foreign
// conversation, a MissingError for an unknown focus, or an InvalidError.
func (s *Store) SetFocus(ctx context.Context, scope Scope, key string, focus *ConversationFocus) (SourceResult, error) {
	given, ends := Null[ConversationFocus](), []string(nil)
	if focus != nil {
		if err := focus.Validate(); err != nil {
			return SourceResult{}, err
		}
		given, ends = Some(*focus), focus.ends()
	}
	var result SourceResult
	err := s.Transaction(ctx, "conversation_focus", func(t *Tx) error {
		found, err := t.find(scope.TeamID, lookups{entityKeys: []string{key}, ends: ends})
		if err != nil {
			return err
		}
		source, err := conversation(found, scope, key)
		if err != nil {
			return err
		}
		asUser := Scope{TeamID: scope.TeamID, UserID: source.user()}
		if err := focusFault(asUser, found, given); err != nil {
			return err
		}
		job := &sourceJob{tx: t, scope: asUser, now: s.Now(), write: &SourceWrite{Focus: given}, result: newSourceResult(asUser.UserID, key)}
		if err := job.writeSource(key, found); err != nil {
			return fmt.Errorf("focus: %w", err)
		}
		result = job.result
		t.Changes([]string{result.UserID}, result.changed()...)
		return nil
	})
	return result, err
}
