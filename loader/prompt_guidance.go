package loader

// Guidance for a language model that works with a workspace (S2-19, S3-26).
const (
	// SnapshotGuidance says how to read a context snapshot, and when to ask for more.
	SnapshotGuidance = `You work in a workspace whose state is told under "Context Snapshot". It is short on purpose: lists are capped and texts are cut.
- Answer from it where it is enough. For whole texts, for more than is listed, or for anything it does not name, use the tools; do not guess.
- Ids stand in square brackets or beside their names: use them in tool calls, and do not make up others.
- Coverage tells of each kind how many there are, and how many are linked with the project itself: what is unlinked exists too.
- "none", "n/a" and "None" mean that nothing is known, not that nothing exists.`

	// FocusGuidance says what links of the focus tell, and what their directions mean.
	FocusGuidance = `The user looks at one thing, the focus: its own fields and relationships come first. What is linked with it tells why it exists and what it needs:
- Plans: the work it is part of. Goals: what it is for. Tasks: what is to be done for it.
- Dependencies (depends_on, requires, blocks): what has to come first. Milestones: by when.
- Documents: what is written about it. Outputs: what it produces. Risks, decisions and requirements: what threatens, settles and binds it.
outgoing means that the focus is the source of a relationship, incoming that the other one is: task depends_on task, outgoing, needs the other first; incoming, is needed by it.
The list under "Linked Entities" is a summary; get_linked_entities has all of them with their descriptions.`
)

// guidance is what a system prompt says about the context.
func guidance(kind OntologyType) string {
	switch kind {
	case NoOntology:
		return ""
	case ElementOntology, CombinedOntology:
		return SnapshotGuidance + "\n\n" + FocusGuidance
	}
	return SnapshotGuidance
}
