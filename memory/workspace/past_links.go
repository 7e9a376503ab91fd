package workspace

import (
	"slices"

	"kith/graph"
)

// relation is how another node is linked with one: some of these together, see workspace_links.
type relation struct{ planned, plans, pursued, pursues, made, makes, needs, needed bool }

// relationOf returns what a relationship of a node says.
func relationOf(kind string, out bool) relation {
	is := func(direction bool, types ...string) bool { return direction && slices.Contains(types, kind) }
	in := !out
	return relation{
		planned: is(out, "has_task") || is(in, "belongs_to_plan"),
		plans:   is(in, "has_task") || is(out, "belongs_to_plan"),
		pursued: is(out, "has_task", "achieved_by", "requires") || is(in, "supports_goal"),
		pursues: is(in, "has_task", "achieved_by", "requires") || is(out, "supports_goal"),
		made:    is(in, "produces") || is(out, "produced_by"),
		makes:   is(out, "produces") || is(in, "produced_by"),
		needs:   is(out, "depends_on", "requires") || is(in, "blocks"),
		needed:  is(in, "depends_on", "requires") || is(out, "blocks"),
	}
}

// linkKeys are the keys of the nodes that a node is linked with, as linkCounts counts them.
type linkKeys struct{ tasks, done, plans, goals, outputs, dependencies, dependents []string }

// linked returns the nodes of the project that one is linked with.
func (p *past) linked(n *pastNode) linkKeys {
	var l linkKeys
	for _, e := range p.edges {
		other := p.nodes[e.To]
		if e.To == n.key {
			other = p.nodes[e.From]
		} else if e.From != n.key {
			continue
		}
		if other != nil {
			l.add(n.Kind.Name, other, relationOf(e.Type, e.From == n.key))
		}
	}
	for _, list := range []*[]string{&l.tasks, &l.done, &l.plans, &l.goals, &l.outputs, &l.dependencies, &l.dependents} {
		*list = graph.Distinct(*list)
	}
	return l
}

// add adds a node that one of a kind is linked with.
func (l *linkKeys) add(kind string, other *pastNode, r relation) {
	put := func(list *[]string, when bool) {
		if when {
			*list = append(*list, other.key)
		}
	}
	is := func(name string, when bool) bool { return other.Kind.Name == name && when }
	task := is("task", kind == "plan" && r.planned || kind == "goal" && r.pursued || kind == "output" && r.made)
	put(&l.tasks, task)
	put(&l.done, task && other.stateKey() == "done")
	put(&l.plans, is("plan", r.plans))
	put(&l.goals, is("goal", kind == "task" && r.pursues || kind == "output" && r.made))
	put(&l.outputs, is("output", r.makes))
	put(&l.dependencies, r.needs)
	put(&l.dependents, r.needed)
}

// counts returns how many of each there are.
func (l *linkKeys) counts() *linkCounts {
	size := func(list []string) int64 { return int64(len(list)) }
	return &linkCounts{size(l.tasks), size(l.done), size(l.plans), size(l.goals), size(l.outputs), size(l.dependencies), size(l.dependents)}
}

// first returns the first keys of each, for the node in focus.
func (l *linkKeys) first() firstLinks {
	of := func(list []string) []string { return append([]string{}, list[:min(3, len(list))]...) }
	return firstLinks{of(l.plans), of(l.goals), of(l.outputs), of(l.dependencies), of(l.dependents), of(l.tasks)}
}
