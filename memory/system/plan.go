package system

import (
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"kith/graph"
	"kith/internal/bounds"
	"kith/internal/fault"
)

// plannedNode is a stored entity, or one to store.
type plannedNode struct {
	Node
	isNew, changed, moved bool
	retold                bool  // its description has changed
	former                int64 // characters of the stored version
}

// plannedLink is a stored relationship, or one to store.
type plannedLink struct {
	Link
	isNew, changed, moved bool
	former                int64 // characters of the stored version
}

// loadNodes loads entities by their names.
func (j *job) loadNodes(names []string) error {
	keys := make([]string, len(names))
	for i, name := range names {
		keys[i] = naturalKey(j.system, name)
	}
	rows, err := findSystemEntities.Exec(j.tx, map[string]any{"team_id": j.team, "natural_keys": keys})
	for i := range rows {
		j.knowNode(storedNode(&rows[i].Entity))
	}
	return err
}

// storedNode returns a stored entity of a plan.
func storedNode(r *systemNodeRow) *plannedNode {
	return &plannedNode{Node: r.node(), former: graph.TextIn([]any{r.EntityKey, r.Name, r.Description, r.Type, r.Tags, r.Properties})}
}

// storedLink returns a stored relationship of a plan.
func storedLink(r *systemLinkRow) *plannedLink {
	return &plannedLink{Link: r.link(), former: graph.TextIn([]any{r.Key, r.Type, r.Properties})}
}

func (j *job) knowNode(n *plannedNode) {
	j.nodes[n.Name] = n
	j.order = append(j.order, n)
}

// loadLinks loads the relationships of a write between stored entities.
func (j *job) loadLinks(wanted []RelationshipWrite) error {
	var rows []map[string]any
	asked := map[[3]string]bool{}
	for i := range wanted {
		w := &wanted[i]
		from, to := j.nodes[w.From], j.nodes[w.To]
		if from == nil || to == nil || from.isNew || to.isNew || asked[w.triple()] {
			continue
		}
		asked[w.triple()] = true
		rows = append(rows, map[string]any{"from_key": from.EntityKey, "to_key": to.EntityKey, "relationship_type": w.Type})
	}
	if len(rows) == 0 {
		return nil
	}
	found, err := findSystemRelationships.Exec(j.tx, map[string]any{"team_id": j.team, "rows": rows})
	for i := range found {
		j.knowLink(storedLink(&found[i].Relationship))
	}
	return err
}

func (w *RelationshipWrite) triple() [3]string { return [3]string{w.From, w.To, w.Type} }

func (j *job) knowLink(l *plannedLink) {
	j.links[l.triple()] = l
	j.linkOrder = append(j.linkOrder, l)
}

// newNode adds a new entity at the end of the system.
func (j *job) newNode(name string) *plannedNode {
	n := &plannedNode{isNew: true, Node: Node{
		EntityKey: uuid.Must(uuid.NewV7()).String(), Seq: j.nextSeq, Version: 1, CreatedAt: j.now, UpdatedAt: j.now,
		Entity: Entity{Name: name, Tags: []string{}, Properties: json.RawMessage("{}")},
	}}
	j.nextSeq++
	j.knowNode(n)
	return n
}

func (j *job) newLink(r Relationship) {
	l := &plannedLink{isNew: true, Link: Link{
		Relationship: r, Key: uuid.Must(uuid.NewV7()).String(), Version: 1, Seq: j.nextSeq,
		fromKey: j.nodes[r.From].EntityKey, toKey: j.nodes[r.To].EntityKey,
	}}
	j.nextSeq++
	j.knowLink(l)
}

// mergeNode applies one write to the entity as stored or as changed by earlier writes.
func (j *job) mergeNode(w *EntityWrite, at fault.Path) EntityResult {
	result := EntityResult{Name: w.Name, Status: graph.Refused}
	old := j.nodes[w.Name]
	if old == nil && !w.Type.Given {
		result.Error = j.refuse(at, "type", fault.Required, "is required for a new entity")
		return result
	}
	next := w.over(old)
	switch {
	case len(next.Tags) > bounds.ListLength:
		result.Error = j.refuse(at, "tags", fault.Conflict, "must have at most %d items together with the stored ones", bounds.ListLength)
		return result
	case len(next.Properties) > bounds.PropertiesSize:
		result.Error = j.refuse(at, "properties", fault.Conflict, "must have at most %d bytes together with the stored ones", bounds.PropertiesSize)
		return result
	}
	result.Status = j.putNode(next)
	return result
}

// putNode adds an entity to the plan.
func (j *job) putNode(next Entity) graph.Status {
	n := j.nodes[next.Name]
	if n == nil {
		j.newNode(next.Name).Entity = next
		return Added
	}
	j.adopt(n)
	if n.same(next) {
		return graph.Unchanged
	}
	n.retold = n.retold || n.Description != next.Description
	n.Entity, n.changed = next, true
	return graph.Updated
}

// adopt places an entity without a place at the end of the system.
func (j *job) adopt(n *plannedNode) {
	if n.Seq == unplaced {
		n.Seq, n.moved = j.nextSeq, true
		j.nextSeq++
	}
}

func (e Entity) same(other Entity) bool {
	return e.Description == other.Description && e.Type == other.Type && slices.Equal(e.Tags, other.Tags) &&
		string(e.Properties) == string(other.Properties)
}

// over returns the entity with the given fields over the stored ones. It shares no memory with the write.
func (w *EntityWrite) over(old *plannedNode) Entity {
	e := Entity{Name: w.Name, Tags: []string{}}
	if old != nil {
		e = old.Entity
	}
	if w.Description.Given {
		e.Description = w.Description.Value
	}
	if w.Type.Given {
		e.Type = w.Type.Value
	}
	e.Tags = united(slices.DeleteFunc(slices.Clone(e.Tags), func(t string) bool { return slices.Contains(w.RemoveTags, t) }), w.Tags)
	e.Properties = overlaid(e.Properties, w.RemoveProperties, w.Properties)
	return e
}

// united returns the stored tags followed by the new ones.
func united(tags, more []string) []string {
	all := make([]string, 0, len(tags)+len(more))
	for _, t := range slices.Concat(tags, more) {
		if !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	return all
}

// overlaid returns properties without the removed ones and with the new ones merged in.
func overlaid(properties json.RawMessage, remove []string, more json.RawMessage) json.RawMessage {
	return json.RawMessage(jsonObjectOf(more).over(jsonObjectOf(properties).without(remove)).text())
}

// mergeLink applies one write to a relationship. Both ends must exist.
func (j *job) mergeLink(w *RelationshipWrite, at fault.Path) RelationshipResult {
	result := RelationshipResult{From: w.From, To: w.To, Type: w.Type, Status: graph.Refused}
	if result.Error = j.missingEnd(w, at); result.Error != nil {
		return result
	}
	next := Relationship{From: w.From, To: w.To, Type: w.Type}
	if old := j.links[w.triple()]; old != nil {
		next = old.Relationship
	}
	next.Properties = overlaid(next.Properties, w.RemoveProperties, w.Properties)
	if len(next.Properties) > bounds.PropertiesSize {
		result.Error = j.refuse(at, "properties", fault.Conflict, "must have at most %d bytes together with the stored ones", bounds.PropertiesSize)
		return result
	}
	result.Status = j.putLink(next)
	return result
}

func (j *job) missingEnd(w *RelationshipWrite, at fault.Path) *string {
	switch {
	case j.nodes[w.From] == nil:
		return j.refuse(at, "from", fault.Missing, "entity not found")
	case j.nodes[w.To] == nil:
		return j.refuse(at, "to", fault.Missing, "entity not found")
	}
	return nil
}

// putLink adds a relationship to the plan.
func (j *job) putLink(next Relationship) graph.Status {
	l := j.links[next.triple()]
	if l == nil {
		j.newLink(next)
		return Added
	}
	if string(l.Properties) == string(next.Properties) {
		return graph.Unchanged
	}
	l.Properties, l.changed = next.Properties, true
	return graph.Updated
}
