package preference

import "kith/graph"

// Change reports what a write did to a preference of a user.
type Change struct {
	UserID, Key string
	Op          graph.Op
}

// Record adds changes to the feed of a transaction's team.
func Record(t *graph.Tx, changes []Change) {
	for _, c := range changes {
		t.Record(c.UserID, graph.FeedItem{Op: c.Op, Kind: graph.PreferenceRecord, Key: c.Key})
	}
}

// changes returns what a write did to the preferences of a user.
func (w *written) changes(user string) (all []Change) {
	for _, some := range []struct {
		op   graph.Op
		keys []string
	}{{graph.CreatedOp, w.Created}, {graph.UpdatedOp, w.Updated}, {graph.DeletedOp, w.Deleted}} {
		for _, key := range some.keys {
			all = append(all, Change{user, key, some.op})
		}
	}
	return all
}
