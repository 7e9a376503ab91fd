package system

import (
	"kith/graph"
	"kith/internal/fault"
)

// replace plans the replacement of everything in the system by a memory.
func (j *job) replace(m *Memory, strict bool) error {
	j.begin(len(m.Entities), len(m.Relationships))
	stored, err := j.loadAll()
	if err != nil {
		return err
	}
	if err := j.loadNodes(stored.missing(m)); err != nil { // those without a place yet
		return err
	}
	j.nextSeq = 0
	for i := range m.Entities {
		next := m.Entities[i].write().over(nil)
		j.place(next.Name, stored)
		j.result.Entities[i] = EntityResult{Name: next.Name, Status: j.putNode(next)}
	}
	for i := range m.Relationships {
		j.result.Relationships[i] = j.replaceLink(&m.Relationships[i], fault.At("relationships").Index(i), stored)
	}
	if err := j.settle(strict); err != nil {
		return err
	}
	if err := j.remove(stored); err != nil {
		return err
	}
	return j.save()
}

// systemStored has the stored items that a replacing write has not taken over yet.
type systemStored struct {
	nodes map[string]*plannedNode
	links map[[3]string]*plannedLink
}

// missing returns the names in a memory that were not found among the placed entities of the system.
func (s systemStored) missing(m *Memory) []string {
	var names []string
	for i := range m.Entities {
		if name := m.Entities[i].Name; s.nodes[name] == nil {
			names = append(names, name)
		}
	}
	return names
}

func (j *job) loadAll() (systemStored, error) {
	s := systemStored{nodes: map[string]*plannedNode{}, links: map[[3]string]*plannedLink{}}
	loaded, err := loadSystem.ExecOne(j.tx, map[string]any{"team_id": j.team, "system": j.system})
	if err != nil {
		return s, err
	}
	for i := range loaded.Entities {
		n := storedNode(&loaded.Entities[i])
		s.nodes[n.Name] = n
	}
	for i := range loaded.Relationships {
		l := storedLink(&loaded.Relationships[i])
		s.links[l.triple()] = l
	}
	return s, nil
}

// place moves a stored entity to the next place in the system.
func (j *job) place(name string, stored systemStored) {
	n := stored.nodes[name]
	if n == nil {
		return
	}
	delete(stored.nodes, name)
	n.Seq, n.moved = j.nextSeq, n.Seq != j.nextSeq
	j.nextSeq++
	j.knowNode(n)
}

func (j *job) replaceLink(r *Relationship, at fault.Path, stored systemStored) RelationshipResult {
	result := RelationshipResult{From: r.From, To: r.To, Type: r.Type, Status: graph.Refused}
	if result.Error = j.missingEnd(r.write(), at); result.Error != nil {
		return result
	}
	if l := stored.links[r.triple()]; l != nil {
		delete(stored.links, r.triple())
		l.Seq, l.moved = j.nextSeq, l.Seq != j.nextSeq
		j.nextSeq++
		j.knowLink(l)
	}
	next := *r
	next.Properties = overlaid(nil, nil, r.Properties)
	result.Status = j.putLink(next)
	return result
}

// remove deletes what the memory does not contain.
func (j *job) remove(stored systemStored) error {
	j.result.Removed = &Counts{int64(len(stored.nodes)), int64(len(stored.links))}
	var rows []map[string]any
	for _, l := range stored.links {
		rows = append(rows, l.row(nil))
	}
	if len(rows) > 0 {
		if err := removeSystemRelationships.Run(j.tx, j.removal("rows", rows)); err != nil {
			return err
		}
	}
	var keys []string
	for _, n := range stored.nodes {
		keys = append(keys, n.EntityKey)
	}
	_, err := j.deleteNodes(keys)
	return err
}

// deleteNodes deletes entities with their relationships.
func (j *job) deleteNodes(keys []string) (Counts, error) {
	if len(keys) == 0 {
		return Counts{}, nil
	}
	return removeSystemEntities.ExecOne(j.tx, j.removal("entity_keys", keys))
}

// removal returns the parameters of a statement that deletes something of the system.
func (j *job) removal(name string, what any) map[string]any {
	return map[string]any{"team_id": j.team, name: what, "listed": listed(j.system), "now": j.now.UnixMilli(), "thin_at": graph.ThinAt(j.now)}
}
