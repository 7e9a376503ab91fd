package exchange

import (
	"context"
	"errors"
	"maps"
	"slices"

	"kith/graph"
	"kith/memory/feed"
	"kith/memory/statement"
)

// Bounds of what is read again.
const (
	maxRounds   = 30
	maxChanges  = 100_000 // of the feed, and relationships of deleted and restored nodes
	changesRead = 1000
)

// errTooMany reports that too much has changed to be read again.
var errTooMany = errors.New("too many changes")

// again is what a round reads again.
type again struct {
	nodes, around, statementsOf, preferencesOf, versions map[string]bool
	links                                                map[string]graph.ExportLink
}

// catchUp reads what has changed since a position in the feed, and again what has changed while it did so, until nothing it read last has
// changed meanwhile: then all lines are of the moment before the last round. It reports whether it came to that.
func (e *exporter) catchUp(ctx context.Context, from feed.Position) (consistent bool, err error) {
	changed, from, err := e.changes(ctx, from)
	for total := 0; err == nil && len(changed) > 0; {
		if total += len(changed); total > maxChanges {
			return false, nil
		}
		e.round++
		if err = e.readAgain(ctx, changed); err != nil {
			break
		}
		var later []feed.Change
		if later, from, err = e.changes(ctx, from); err != nil {
			break
		}
		if settled := !slices.ContainsFunc(later, e.hasRead); settled || e.round == maxRounds {
			e.omitLater(later)
			return settled, nil
		}
		changed = later
	}
	if errors.Is(err, errTooMany) || errors.Is(err, feed.ErrGone) {
		return false, nil
	}
	return err == nil, err
}

// changes returns what has changed since a position in the feed, and the position behind that.
func (e *exporter) changes(ctx context.Context, from feed.Position) (all []feed.Change, behind feed.Position, err error) {
	for more := true; more; {
		batch, err := e.Changes.Read(ctx, graph.Scope{TeamID: e.team}, feed.Range{From: from}, feed.Filter{}, changesRead)
		if err != nil {
			return nil, from, err
		}
		if all = append(all, batch.Changes...); len(all) > maxChanges {
			return nil, from, errTooMany
		}
		from, more = batch.Next, batch.More
	}
	return all, from, nil
}

// hasRead reports whether the last round has read what a change is about, or missed a node that may have gone with it.
func (e *exporter) hasRead(c feed.Change) bool {
	if e.missed == e.round && (c.Op == string(graph.DeletedOp) || c.Op == string(graph.RestoredOp)) {
		return true
	}
	return slices.ContainsFunc(idsOf(&c), func(id string) bool { return e.last[id] == e.round })
}

// idsOf returns the ids of the lines that a change is about.
func idsOf(c *feed.Change) []string {
	switch c.Kind {
	case graph.RelationshipRecord, graph.SystemRelationshipRecord:
		return []string{relationshipID + c.Key}
	case graph.StatementRecord:
		return []string{statementID + userOf(c)}
	case graph.PreferenceRecord:
		return []string{preferenceID + userOf(c)}
	case graph.SystemRecord:
		return []string{systemID + c.Key}
	}
	if ids := []string{c.Key}; c.Op == string(graph.CreatedOp) || c.Op == string(graph.UpdatedOp) {
		return ids
	}
	return []string{c.Key, statementID + userOf(c)} // those of its messages
}

func userOf(c *feed.Change) string {
	if c.UserID == nil {
		return ""
	}
	return *c.UserID
}

// omitLater omits what needs nodes that came after the moment of the file: no line has them.
func (e *exporter) omitLater(later []feed.Change) {
	for i := range later {
		if c := &later[i]; isNode(c) && (c.Op == string(graph.CreatedOp) || c.Op == string(graph.RestoredOp)) {
			e.gone[c.Key] = e.round + 1
		}
	}
}

func isNode(c *feed.Change) bool {
	_, is := graph.KindOf(c.Kind)
	return is
}

// readAgain reads the records of some changes in a new round, and what changes with them.
func (e *exporter) readAgain(ctx context.Context, changed []feed.Change) error {
	r := &again{
		nodes: map[string]bool{}, around: map[string]bool{}, statementsOf: map[string]bool{}, preferencesOf: map[string]bool{}, versions: map[string]bool{},
		links: map[string]graph.ExportLink{},
	}
	for i := range changed {
		e.note(&changed[i], r)
	}
	if err := e.noteLinks(ctx, r); err != nil {
		return err
	}
	if err := e.readNodesAgain(ctx, r.nodes); err != nil {
		return err
	}
	if err := e.readRelationshipsAgain(ctx, r.links); err != nil {
		return err
	}
	for user := range r.statementsOf {
		e.last[statementID+user] = e.round
		visit := e.statement(ctx)
		if err := e.Statements.ExportStatementsOf(ctx, e.team, user, func(l *statement.Line) error {
			r.versions[l.Key] = true // they come and go with their message
			return visit(l)
		}); err != nil {
			return err
		}
	}
	for user := range r.preferencesOf {
		e.last[preferenceID+user] = e.round
		if err := e.readPreferences(ctx, user); err != nil {
			return err
		}
	}
	for _, id := range []string{pausesID, refusalsID, reviewsID, trustRulesID} {
		e.last[id] = e.round
	}
	if err := e.readWhole(ctx); err != nil {
		return err
	}
	of := make([]string, 0, 2*len(r.versions))
	for key := range r.versions {
		e.last[versionID+key] = e.round
		of = append(of, key, key+placeSuffix)
	}
	slices.Sort(of)
	return e.Memory.ExportSomeVersions(ctx, e.team, of, e.version(ctx))
}

// note adds the records of a change. What a deleted node or system had is gone with it.
func (e *exporter) note(c *feed.Change, r *again) {
	isGone := c.Op == string(graph.DeletedOp)
	switch c.Kind {
	case graph.RelationshipRecord, graph.SystemRelationshipRecord:
		r.addLink(graph.ExportLink{Key: c.Key, From: c.From, To: c.To})
	case graph.StatementRecord:
		r.statementsOf[userOf(c)] = true
		r.versions[c.Key] = true
	case graph.PreferenceRecord:
		r.preferencesOf[userOf(c)] = true
		r.versions[userOf(c)+graph.KeySeparator+c.Key] = true
	case graph.SystemRecord:
		if isGone {
			e.gone[systemID+c.Key] = e.round
		}
	default:
		r.nodes[c.Key], r.versions[c.Key] = true, true
		if isGone {
			e.gone[c.Key] = e.round
		}
		if isGone || c.Op == string(graph.RestoredOp) { // of what comes and goes with it the feed says nothing
			r.around[c.Key] = true
			if c.UserID != nil {
				r.statementsOf[*c.UserID] = true
			}
		}
	}
}

// addLink adds a relationship, its ends, because they count it, and their former versions. A source counts its messages.
func (r *again) addLink(l graph.ExportLink) {
	r.nodes[l.From], r.nodes[l.To] = true, true
	if l.Key == "" {
		r.versions[l.To] = true
		return
	}
	r.links[l.Key], r.versions[l.Key] = l, true
}

// noteLinks adds what is around deleted and restored nodes.
func (e *exporter) noteLinks(ctx context.Context, r *again) error {
	links, err := e.Memory.ExportLinks(ctx, e.team, sorted(r.around), maxChanges)
	if err != nil {
		return err
	}
	if len(links) >= maxChanges {
		return errTooMany
	}
	for _, l := range links {
		r.addLink(l)
	}
	return nil
}

// readNodesAgain reads nodes, and the sources of messages among them.
func (e *exporter) readNodesAgain(ctx context.Context, nodes map[string]bool) error {
	found, sources := map[string]bool{}, map[string]bool{}
	visit := e.node(ctx)
	read := func(keys map[string]bool) error {
		for key := range keys {
			e.last[key] = e.round
		}
		return e.Memory.ExportSomeNodes(ctx, e.team, sorted(keys), func(w *graph.NodeWrite) error {
			found[w.EntityKey] = true
			if w.Kind == graph.MessageKind.Name && w.OwnFields != nil && !nodes[w.SourceKey.Value] {
				sources[w.SourceKey.Value] = true
			}
			return visit(w)
		})
	}
	if err := read(nodes); err != nil {
		return err
	}
	if err := read(maps.Clone(sources)); err != nil {
		return err
	}
	for key := range nodes {
		if !found[key] {
			e.gone[key], e.missed = e.round, e.round
		}
	}
	return nil
}

func (e *exporter) readRelationshipsAgain(ctx context.Context, links map[string]graph.ExportLink) error {
	some := make([]graph.ExportLink, 0, len(links))
	for key, l := range links {
		e.last[relationshipID+key] = e.round
		some = append(some, l)
	}
	found := map[string]bool{}
	visit := e.relationship(ctx)
	err := e.Memory.ExportSomeRelationships(ctx, e.team, some, func(w *graph.RelationshipWrite) error {
		found[w.Key] = true
		return visit(w)
	})
	for key := range links {
		if !found[key] {
			e.gone[relationshipID+key] = e.round
		}
	}
	return err
}

func sorted(keys map[string]bool) []string { return slices.Sorted(maps.Keys(keys)) }
