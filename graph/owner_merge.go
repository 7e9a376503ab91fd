package graph

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"kith/internal/fault"
)

// takeOver is the merge of a generated owner into the person that a caller, or an import, has named as the user.
type takeOver struct {
	at                   fault.Path // of the person in the write
	made, before, merged *stored    // the generated owner, the person as it is written but not yet the owner, and with what it takes over
	left                 []string   // what stays with the generated owner
}

// ownerMarks are the properties of which a user has only one person with them.
var ownerMarks = []string{"is_owner", "owner_of"}

// takeOver plans the merge of a generated owner into the person that replaces it, and returns the person with what it takes over. What
// the write gives stays. Relationships are moved by mergeOwners.
func (p *nodePlan) takeOver(at fault.Path, w *NodeWrite, made, next *stored) *stored {
	next.dropFormerKey(made.key())
	other := &stored{made.kind, made.clone()}
	if canonical(other.Text("name")) == canonical(other.user()) {
		other.Properties["name"] = "" // nobody calls the user by the id
	}
	notes := NotesFrom(made.Texts("notes"), p.job.now)
	kept := min(len(notes), max(0, maxNotes-len(NotesFrom(next.Texts("notes"), p.job.now))))
	other.putNotes(notes[:kept])
	whole, conflicts := merged(next, other, nil, p.job.now)
	whole.putLife(w.stated(next.vitality(), whole.vitality()))
	whole.rename(next, p.job.scope.TeamID)
	before := &stored{next.kind, next.clone()}
	for _, mark := range ownerMarks {
		delete(before.Properties, mark)
	}
	t := takeOver{at: at, made: made, before: before, merged: whole}
	for _, c := range conflicts {
		t.left = append(t.left, "its "+c.Field)
	}
	if names := whole.Texts("aliases"); len(names) > maxAliases {
		whole.Properties["aliases"] = names[:maxAliases]
		t.left = append(t.left, counted(len(names)-maxAliases, "name"))
	}
	if len(notes) > kept {
		t.left = append(t.left, counted(len(notes)-kept, "note"))
	}
	p.takenOver = append(p.takenOver, t)
	if made.Text("natural_key") == whole.Text("natural_key") {
		p.renameTaken(made)
	}
	p.job.rerank.all = append(p.job.rerank.all, whole.key())
	p.job.found.replace(made, whole)
	p.job.found.byKey[made.key()] = whole
	return whole
}

// dropFormerKey removes a key that a merge is about to give to the node: the file of an import may have it already.
func (s *stored) dropFormerKey(key string) {
	keys := slices.DeleteFunc(slices.Clone(s.mergedKeys()), func(other string) bool { return other == key })
	s.putUnless(len(keys) == 0, "merged_keys", keys)
	if s.Text("former_key") == key {
		delete(s.Properties, "former_key")
	}
}

// counted returns a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// stated returns the vitality of a person that has taken over another one, with what the write gives for it.
func (w *NodeWrite) stated(own, merged vitality) vitality {
	if w.Salience.Given {
		merged.salience, merged.at = own.salience, own.at
	}
	if w.State.Given {
		merged.state = own.state
	}
	if w.TTLPolicy.Given {
		merged.ttl, merged.expires = own.ttl, own.expires
	}
	if w.Confidence.Given {
		merged.confidence = own.confidence
	}
	merged.settle()
	return merged
}

// renameTaken gives a generated owner its key as the canonical name, since the person that replaces it has its name: an undo restores both.
func (p *nodePlan) renameTaken(made *stored) {
	named := &stored{made.kind, made.clone()}
	named.Properties["canonical_name"] = made.key()
	named.Properties["natural_key"] = naturalKey(made.kind, named.Properties)
	if row := p.created[made.key()]; row != nil { // an import has both
		row["properties"] = map[string]any(named.Properties)
		return
	}
	p.update = append(p.update, map[string]any{"entity_key": made.key(), "properties": map[string]any(made.changesTo(named.Properties))})
}

// holdMarks takes the marks of an owner from the rows of persons that replace a generated one: that has them until it is deleted.
func (p *nodePlan) holdMarks() {
	for _, t := range p.takenOver {
		for _, row := range slices.Concat(p.update, p.create) {
			if row["entity_key"] != t.merged.key() {
				continue
			}
			held := Properties(row["properties"].(map[string]any)).clone()
			for _, mark := range ownerMarks {
				delete(held, mark)
			}
			row["properties"] = map[string]any(held)
		}
	}
}

// mergeOwners merges generated owners into the stored persons that replace them.
func (j *memoryJob) mergeOwners(plan *nodePlan) error {
	for i := range plan.takenOver {
		t := &plan.takenOver[i]
		if err := t.run(j); err != nil {
			return err
		}
		if len(t.left) > 0 {
			j.warn(t.at.Field("is_owner"), "the person that Kith made for the user was merged into this one. What repeats or does not fit stays with it (%s): restore %s to undo that",
				strings.Join(t.left, ", "), t.made.key())
		}
	}
	return nil
}

func (t *takeOver) run(j *memoryJob) error {
	undo, err := undoOf(t.before, t.made, t.before.changesTo(t.merged.Properties))
	if err != nil {
		return err
	}
	scope := Scope{TeamID: j.scope.TeamID, UserID: t.merged.user()}
	_, count, err := j.tx.absorb(scope, j.now, t.merged, t.made, undo)
	if err != nil {
		return t.relocated(err)
	}
	if count.left > 0 {
		t.left = append([]string{counted(int(count.left), "relationship")}, t.left...)
	}
	marks := map[string]any{}
	for _, mark := range ownerMarks {
		marks[mark] = t.merged.Properties[mark]
	}
	return j.tx.writeRows(updateNodes, scope.TeamID, []map[string]any{{"entity_key": t.merged.key(), "properties": marks}})
}

// relocated returns a fault of the merge as one of the person in the write.
func (t *takeOver) relocated(err error) error {
	fields := fault.Fields(err)
	if !errors.Is(err, fault.ErrInvalid) || len(fields) == 0 {
		return err
	}
	return fault.Invalid(t.at.Field("is_owner"), fields[0].Code, "the person that Kith made for the user cannot be merged into this one: %s", fields[0].Message)
}
