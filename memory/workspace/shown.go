package workspace

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"kith/graph"
)

// listed is an item with its place in its list.
type listed struct {
	kind string
	at   int64
	item Item
}

// listedRow is a node of a list of a workspace, in the order of workspace_project: its kind, its place in the list, its
// fields and the beginnings of its texts.
type listedRow struct {
	Kind          string
	At            int64
	Fields, Texts graph.Properties
}

func (r *listedRow) listed(now time.Time) listed {
	p := r.Fields
	maps.Copy(p, r.Texts)
	kind, _ := graph.KindOf(r.Kind)
	item := Item{Direct: len(p.Texts("workspace_links")) > 0}
	for _, name := range []string{"payload", "props"} { // only their beginning is read
		item.Raw += p.Text(name)
		delete(p, name)
	}
	item.NodeView = graph.NewNodeView(kind, p, now)
	return listed{kind.Name, r.At, item}
}

// shownFrom merges the shared lists with those of the user.
func shownFrom(lists [][]listedRow, now time.Time) map[string][]Item {
	byKind := map[string][]listed{}
	for _, list := range lists {
		for _, l := range listedAll(list, now) {
			byKind[l.kind] = append(byKind[l.kind], l)
		}
	}
	shown := map[string][]Item{}
	for kind, all := range byKind {
		shown[kind] = firstOf(all, workspaceShown[kind].most)
	}
	return shown
}

// firstOf returns the first items of a list.
func firstOf(all []listed, most int) []Item {
	slices.SortFunc(all, func(a, b listed) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.item.EntityKey, b.item.EntityKey))
	})
	var shown []Item
	for _, l := range all[:min(most, len(all))] {
		shown = append(shown, l.item)
	}
	return shown
}

// tasks selects the tasks that changed lately, and of the others those that start or are due soon, earliest first.
func (w *Workspace) tasks(recent [][]listedRow, upcoming []listedRow, now time.Time) {
	var all []listed
	for _, list := range recent {
		all = append(all, listedAll(list, now)...)
	}
	w.Recent = firstOf(all, recentShown)
	isRecent := map[string]bool{}
	for i := range w.Recent {
		isRecent[w.Recent[i].EntityKey] = true
		if soon(&w.Recent[i], now) != nil {
			w.UpcomingTotal--
		}
	}
	all = slices.DeleteFunc(listedAll(upcoming, now), func(l listed) bool { return isRecent[l.item.EntityKey] })
	slices.SortFunc(all, func(a, b listed) int {
		return cmp.Or(soon(&a.item, now).Compare(*soon(&b.item, now)), cmp.Compare(a.at, b.at), cmp.Compare(a.item.EntityKey, b.item.EntityKey))
	})
	for _, l := range all[:min(upcomingShown, len(all))] {
		w.Upcoming = append(w.Upcoming, l.item)
	}
}

func listedAll(rows []listedRow, now time.Time) []listed {
	all := make([]listed, len(rows))
	for i := range rows {
		all[i] = rows[i].listed(now)
	}
	return all
}

// soon returns when a task starts or is due within a week, the earlier of both; nil for neither.
func soon(task *Item, now time.Time) *time.Time {
	if task.OwnFields == nil {
		return nil
	}
	var first *time.Time
	for _, at := range []graph.Optional[time.Time]{task.StartAt, task.DueAt} {
		if at.Given && !at.Null && !at.Value.Before(now) && !at.Value.After(now.Add(graph.Week)) && (first == nil || at.Value.Before(*first)) {
			first = &at.Value
		}
	}
	return first
}
