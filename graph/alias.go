package graph

import (
	"slices"
	"strconv"
	"strings"

	"kith/graph/searchscope"
	"kith/internal/fault"
)

// isFoundByAlias reports whether a write by name finds nodes of the kind by their aliases.
func (k Kind) isFoundByAlias() bool {
	return k == PersonKind || k == EntityKind || k == SystemEntityKind
}

// hasAliases reports whether nodes of the kind have other names.
func (k Kind) hasAliases() bool { return k.isFoundByAlias() || k == ProjectKind }

// aliasKey returns what identifies an alias among those of one user, or of what a team shares.
func aliasKey(user, alias string) string { return user + KeySeparator + NameKey(alias) }

// aliasKeys returns the keys of the node's aliases.
func (s *stored) aliasKeys() []string {
	var keys []string
	for _, alias := range s.Texts("aliases") {
		keys = append(keys, aliasKey(s.user(), alias))
	}
	return keys
}

// aliasesAtOnce is the number of aliases in one full-text query: Lucene allows 1,024 clauses.
const aliasesAtOnce = 500

// aliasQueries returns full-text queries for nodes with one of some aliases.
func aliasQueries(teamID string, keys []string) []string {
	queries := []string{}
	for some := range slices.Chunk(keys, aliasesAtOnce) {
		queries = append(queries, "search_scope:("+strings.Join(aliasTokens(teamID, some), " ")+")")
	}
	return queries
}

// AliasQuery returns a full-text query for shared nodes with an alias.
func AliasQuery(teamID, alias string) string {
	return aliasQueries(teamID, []string{aliasKey("", alias)})[0]
}

// aliasTokens returns the words of search_scope by which full-text indexes find aliases.
func aliasTokens(teamID string, keys []string) []string {
	tokens := make([]string, len(keys))
	for i, key := range keys {
		tokens[i] = searchscope.Alias(teamID, key)
	}
	return tokens
}

// aliased returns the nodes that have the name of a write as an alias, for the type and system of the write if it has them.
func (k known) aliased(w *NodeWrite, user string) []*stored {
	var found []*stored
	for _, n := range k.byAlias[aliasKey(user, w.Name.Value)] {
		fits := n.kind == w.kind() && (!w.Type.Given || w.Type.Value == n.Text("type"))
		if w.OwnFields != nil && w.System.Given {
			fits = fits && w.System.Value == n.Text("system")
		}
		if fits {
			found = append(found, n)
		}
	}
	return found
}

// byAlias returns a write by name as one of the node that has the name as an alias and keeps its own, unless a node has it as its
// name. It refuses one whose name is an alias of several nodes; an import or a proposal of a language model adds a node then.
func (p *nodePlan) byAlias(w *NodeWrite, at fault.Path) (*NodeWrite, refusal) {
	user := owner(w, p.job.scope)
	if !w.kind().isFoundByAlias() || !w.Name.Given || p.old(w) != nil || w.EntityKey != "" && (!p.job.write.restoring || w.History != nil) {
		return w, refusal{}
	}
	found := p.job.found.aliased(w, user)
	switch {
	case len(found) == 1:
		known := *w
		known.EntityKey, known.Name, known.CanonicalName = found[0].key(), Optional[string]{}, Optional[string]{}
		p.job.warn(at.Field("name"), "is an alias: this is stored in %s %s", w.Kind, found[0].Told().Line(strconv.Quote(found[0].Text("name"))))
		return &known, refusal{}
	case len(found) > 1 && !p.job.write.restoring && !p.job.write.additive:
		return w, refusal{"name", fault.Conflict, "is an alias of several nodes: give the entity_key of one"}
	}
	return w, refusal{}
}

// warnOfAliases warns of written aliases by which a write finds another node, or none.
func (p *nodePlan) warnOfAliases(w *NodeWrite, next *stored, at fault.Path) {
	if w.OwnFields == nil || !w.Aliases.Given || !next.kind.isFoundByAlias() {
		return
	}
	other := func(n *stored) bool { return n != nil && n.kind == next.kind && n.key() != next.key() }
	names := next.namesOfAliases()
	for i, key := range next.aliasKeys() {
		at := at.Field("aliases").Index(i)
		switch {
		case other(p.job.found.byNatural[names[i]]):
			p.job.warn(at, "is the name of another %s: a write by this name changes that one", w.Kind)
		case slices.ContainsFunc(p.job.found.byAlias[key], other):
			p.job.warn(at, "is also an alias of another %s: a write by this name is refused", w.Kind)
		}
	}
}

// namesOfAliases returns the natural keys that the node would have if its aliases were its name.
func (s *stored) namesOfAliases() []string {
	var names []string
	for _, alias := range s.Texts("aliases") {
		p := Properties{"user_id": s.user(), "name": alias, "canonical_name": canonical(alias), "type": s.Text("type"), "system": s.Text("system")}
		names = append(names, naturalKey(s.kind, p))
	}
	return names
}

// lookupAliases adds what a write needs of other nodes because of aliases: those that it may mean by its name, and those that have
// what it writes.
func (l *lookups) lookupAliases(w *NodeWrite, user string) {
	if !w.kind().isFoundByAlias() {
		return
	}
	if w.Name.Given {
		l.aliases = append(l.aliases, aliasKey(user, w.Name.Value))
	}
	if w.OwnFields == nil {
		return
	}
	n := &stored{w.kind(), Properties{"user_id": user, "aliases": w.Aliases.Value, "type": w.Type.Value, "system": w.System.Value}}
	l.aliases, l.naturalKeys = append(l.aliases, n.aliasKeys()...), append(l.naturalKeys, n.namesOfAliases()...)
}

// settleDoubt keeps the marks of aliases that are believed less than the node, unless a believed caller gives the aliases.
func (s *stored) settleDoubt(w *NodeWrite, old *stored, b belief) {
	switch {
	case b.confirms, b.isTold() && w.OwnFields != nil && w.Aliases.Given:
		delete(s.Properties, "doubted_aliases")
	case old.Properties["doubted_aliases"] != nil:
		s.keepDoubt(old.Texts("doubted_aliases"))
	}
}

// checkAliases refuses an alias that is given twice.
func (w *NodeWrite) checkAliases(f *Faults, at fault.Path) {
	if w.OwnFields == nil {
		return
	}
	first := map[string]int{}
	for i, alias := range w.Aliases.Value {
		key := NameKey(alias)
		if j, again := first[key]; again {
			f.Same(at.Field("aliases").Index(i), at.Field("aliases").Index(j))
			continue
		}
		first[key] = i
	}
}
