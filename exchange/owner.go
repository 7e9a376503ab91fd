package exchange

import (
	"context"
	"slices"
	"strings"

	"kith/graph"
)

// selfNames are the names of other systems for the user, besides the user's id.
var selfNames = []string{"user", "default_user"}

// takeOwner makes a line the person who is the user, if the file says so or it has the owner's name. Only the first such
// line of a user counts. If the file says so, it gets the name that the caller gave.
func (i *importer) takeOwner(item Item, w *graph.NodeWrite) {
	user := i.scope.UserID
	if w.UserID.Given {
		user = w.UserID.Value
	}
	if user == "" || w.History != nil || w.Kind != "person" && w.Kind != "entity" || !item.User && !i.namesUser(user, w.Name.Value) {
		return
	}
	if key, known := i.owners[user]; known && (key != w.EntityKey || key == "") {
		return
	}
	if i.owners == nil {
		i.owners = map[string]string{}
	}
	i.owners[user] = w.EntityKey
	w.Kind, w.Type, w.MayOwn = "person", graph.Optional[string]{}, true
	if i.options.Owner == "" {
		return
	}
	w.IsOwner = graph.Some(true)
	if !i.namesUser(user, w.Name.Value) {
		w.Name = graph.Some(i.options.Owner)
	}
}

// namesUser reports whether a name is the user's.
func (i *importer) namesUser(user, name string) bool {
	same := func(other string) bool { return strings.EqualFold(strings.TrimSpace(name), strings.TrimSpace(other)) }
	if i.options.Owner != "" {
		return same(i.options.Owner)
	}
	return i.options.Guess && (same(user) || slices.ContainsFunc(selfNames, same))
}

// addMissingOwner adds the person whom the import names as the user, if the file has no person of that name.
func (i *importer) addMissingOwner(ctx context.Context) error {
	user := i.scope.UserID
	if _, known := i.owners[user]; i.options.Owner == "" || known {
		return nil
	}
	if i.seen++; i.seen <= i.skipUntil {
		return i.collectPassed(ctx, Item{}, &Fault{})
	}
	if err := i.resolvePassed(ctx); err != nil {
		return err
	}
	line := max(i.report.Lines, i.batch.last)
	i.batch.Nodes = append(i.batch.Nodes, graph.NodeWrite{Kind: "person", Name: graph.Some(i.options.Owner), IsOwner: graph.Some(true)})
	i.batch.nodePlaces = append(i.batch.nodePlaces, place{line: line})
	i.handled = i.seen
	return i.record(ctx, finding{Refusal{line, "owner", "is not in the file: a person of that name was added as the user"}, true, ""})
}
