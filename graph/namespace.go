package graph

import (
	"context"
	"slices"
	"strings"

	"kith/graph/cursors"
	"kith/graph/neo"
	"kith/internal/fault"
)

var listNamespaces = neo.Load[namespaceRows]("namespace_list")

// namespaceRows has the namespaces of some items, and how many items were read.
type namespaceRows struct {
	Namespaces [][]string
	Read       int64
}

// AnyPart stands for any part in the prefix or suffix of a NamespaceList.
const AnyPart = "*"

// NamespaceList selects a page of the namespaces of items.
type NamespaceList struct {
	Prefix, Suffix []string // parts at the beginning and at the end; AnyPart matches any
	MaxDepth       int      // longer ones are cut to so many parts; 0: no limit
	Cursor         string
	Limit          int
}

// NamespacePage is a page of namespaces and the cursor of the next one; empty after the last.
type NamespacePage struct {
	Namespaces [][]string
	Next       string
}

const (
	namespaceRead   = 1_000 // items read at once
	namespaceRounds = 50    // for one page
)

// Namespaces returns a page of the namespaces with items that the scope may see: the user's, then those of shared
// items, which may repeat some on a later page. A page may have fewer than its limit, or none, although others follow. Error: InvalidError.
func (s *Store) Namespaces(ctx context.Context, scope Scope, l NamespaceList) (NamespacePage, error) {
	after, err := cursors.Decode(l.Cursor)
	if err != nil {
		return NamespacePage{}, err
	}
	f := &Faults{}
	f.Namespace(fault.At("prefix"), l.Prefix)
	f.Namespace(fault.At("suffix"), l.Suffix)
	if err := f.Err(); err != nil {
		return NamespacePage{}, err
	}
	w := namespaceWalk{store: s, team: scope.TeamID, list: &l, page: NamespacePage{Namespaces: [][]string{}}}
	users := []string{scope.UserID, ""}
	if scope.UserID == "" {
		users = users[1:]
	}
	for _, user := range users {
		prefix := ListPrefix(ItemKind, user)
		if after != "" && !strings.HasPrefix(after, prefix) {
			continue
		}
		full, err := w.walk(ctx, prefix, after)
		if err != nil || full {
			return w.page, err
		}
		after = ""
	}
	return w.page, nil
}

// namespaceWalk reads the namespaces of a list in the order of the natural keys of their items.
type namespaceWalk struct {
	store  *Store
	team   string
	list   *NamespaceList
	page   NamespacePage
	rounds int
}

// walk adds the namespaces of one owner to the page, from a place on. It reports whether the page is complete before the end.
func (w *namespaceWalk) walk(ctx context.Context, owner, from string) (full bool, err error) {
	begin := owner + NamespacePrefix(w.list.literal())
	from = max(from, begin)
	for {
		if w.rounds++; w.rounds > namespaceRounds {
			w.page.Next = cursors.Encode(from)
			return true, nil
		}
		rows, err := listNamespaces.ReadOne(ctx, w.store.db, map[string]any{
			"team_id": w.team, "from": from, "end": PrefixEnd(begin), "limit": namespaceRead,
		})
		if err != nil {
			return false, err
		}
		for _, n := range rows.Namespaces {
			from = max(from, owner+NamespacePrefix(n)+nextMark)
			if w.list.matches(n) {
				from = max(from, w.after(owner, n))
				w.add(n)
			}
			if len(w.page.Namespaces) == w.list.Limit {
				w.page.Next = cursors.Encode(from)
				return true, nil
			}
		}
		if rows.Read < namespaceRead {
			return false, nil
		}
	}
}

// nextMark follows nameMark: what begins with it comes after the items of a namespace, and before the namespaces within it.
const nextMark = KeySeparator

// after returns the place after a namespace, and after all that are cut to it.
func (w *namespaceWalk) after(owner string, namespace []string) string {
	if d := w.list.MaxDepth; d > 0 && len(namespace) >= d {
		return PrefixEnd(owner + NamespacePrefix(namespace[:d]))
	}
	return owner + NamespacePrefix(namespace) + nextMark
}

// add adds a namespace to the page, unless it is there.
func (w *namespaceWalk) add(namespace []string) {
	if d := w.list.MaxDepth; d > 0 && len(namespace) > d {
		namespace = namespace[:d]
	}
	if !slices.ContainsFunc(w.page.Namespaces, func(other []string) bool { return slices.Equal(other, namespace) }) {
		w.page.Namespaces = append(w.page.Namespaces, namespace)
	}
}

// literal returns the parts of the prefix before the first AnyPart.
func (l *NamespaceList) literal() []string {
	if i := slices.Index(l.Prefix, AnyPart); i >= 0 {
		return l.Prefix[:i]
	}
	return l.Prefix
}

func (l *NamespaceList) matches(namespace []string) bool {
	fits := func(part, pattern string) bool { return pattern == AnyPart || part == pattern }
	n := len(namespace)
	return n >= len(l.Prefix) && n >= len(l.Suffix) &&
		slices.EqualFunc(namespace[:len(l.Prefix)], l.Prefix, fits) &&
		slices.EqualFunc(namespace[n-len(l.Suffix):], l.Suffix, fits)
}
