package ontology

// Guidance for a language model that works with a workspace.
const (
	// SnapshotGuidance explains how to read a context snapshot, and when to ask for more.
	SnapshotGuidance = `You work in a workspace whose state is told under "Context Snapshot". It is short on purpose: lists are capped and texts are cut.
- Answer from it where it is enough. For whole texts, for more than is listed, or for anything it does not name, use the tools; do not guess.
- Ids stand in square brackets or beside their names: use them in tool calls, and do not make up others.
- Coverage tells of each kind how many there are, and how many are linked with the project itself: what is unlinked exists too.
- "none", "n/a" and "None" mean that nothing is known, not that nothing exists.`

	// FocusGuidance explains the links of the focus and their directions.
	FocusGuidance = `The user looks at one thing, the focus: its own fields and relationships come first.

## Entity Relationships

Entities in Kith are connected via relationships (edges). When working with an entity,
check its linked entities to understand:

- **Plans:** What plans does this task belong to?
- **Goals:** What goals does this task support?
- **Documents:** What documents does this entity reference?
- **Dependencies:** What tasks must complete before this one?
- **Milestones:** What milestones is this targeting?
- **Outputs:** What deliverables does this produce?
- **Risks, decisions, requirements:** What threatens, settles and binds this?

The initial context shows a summary of linked entities. Use ` + "`get_linked_entities`" + `
tool to see full details including descriptions and properties.

### Relationship Direction

- **Outgoing:** This entity points TO another (e.g., task → plan)
- **Incoming:** Another entity points TO this one (e.g., goal → task)

Understanding direction helps interpret the relationship meaning:

- "Task A belongs_to_plan Plan B" (outgoing from task)
- "Goal X requires Task A" (incoming to task)
- "Task A depends_on Task B" (outgoing from task A, which needs task B first)`
)

// guidance returns the text about the context for a system prompt.
func guidance(kind Type) string {
	switch kind {
	case NoOntology:
		return ""
	case ElementOntology, CombinedOntology:
		return SnapshotGuidance + "\n\n" + FocusGuidance
	}
	return SnapshotGuidance
}
