package graph

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"kith/graph/cursors"
	"kith/graph/neo"
	"kith/graph/trust"
	"kith/internal/fault"
)

var (
	findNode         = neo.Load[nodeRow]("node_get")
	listNodes        = neo.Load[namedNode]("node_list")
	listDeletedNodes = neo.Load[keyedNode]("node_list_deleted")
	listProjectNodes = neo.Load[keyedNode]("node_list_project")
)

// nodeRow is a node with its relationships.
type nodeRow struct {
	Properties    Properties
	Hub           []string // the types that are read by the indexes of a hub
	Relationships []linkRow
}

// namedNode is a node of a list by natural key.
type namedNode struct {
	NaturalKey string
	Properties Properties
}

func (n *namedNode) listed() (place string, p Properties) { return n.NaturalKey, n.Properties }

// keyedNode is a node of a list by key.
type keyedNode struct {
	EntityKey  string
	Properties Properties
}

func (n *keyedNode) listed() (place string, p Properties) { return n.EntityKey, n.Properties }

// NodeView is a node of any kind with its details. Relationships are its strongest.
type NodeView struct {
	Kind string `json:"kind"`
	Node
	Version int64 `json:"version"`
	*OwnFields
	RestsOn []string `json:"rests_on,omitempty" doc:"entity keys of the sources that it was derived from"`
	// DecayRate, ArchivesAt, Recalls and LastWrite are of a node that was read alone.
	DecayRate  float64    `json:"decay_rate,omitempty" doc:"per day: in so many days the salience is salience × exp(-rate × days), unless it is used; absent: it does not fall"`
	ArchivesAt *time.Time `json:"archives_at,omitempty" doc:"when it is archived, unless it is used before"`

	Recalls   *int64     `json:"recalls,omitempty" doc:"how often explore, traverse or a touch returned it"`
	LastWrite *LastWrite `json:"last_write,omitempty" doc:"by which it was created or last changed; absent: by Kith itself, or before Kith kept that"`

	Notes         []Note             `json:"notes,omitempty" doc:"newest first, without expired ones"`
	Relationships []RelationshipView `json:"relationships,omitempty" doc:"strongest first"`
	// DeletedAt, RestorableUntil and MergedInto are set in a list of deleted nodes.
	DeletedAt       *time.Time `json:"deleted_at,omitempty"`
	RestorableUntil *time.Time `json:"restorable_until,omitempty"`
	MergedInto      string     `json:"merged_into,omitempty" doc:"the node into which it was merged"`

	Compacted bool `json:"compacted,omitempty" doc:"as of a time: its version of that time is not kept; it is the last one kept from before, or else without texts"`

	Generated bool `json:"-"` // an owner node that no caller has named
}

// NodeQuery selects what Node returns.
type NodeQuery struct {
	AsOf          *time.Time // the day of the relationships; nil: now
	Relationships int64      // their maximum number
}

// NewNodeView converts stored properties to the view of callers.
func NewNodeView(kind Kind, p Properties, now time.Time) NodeView {
	alive := p.vitality()
	n := NodeView{Kind: kind.Name, Compacted: neo.Bool(p[compactedName]), Generated: (&stored{kind, p}).generated(), Version: version(p), OwnFields: ownOf(kind, p), RestsOn: p.restsOn(), Node: Node{
		EntityKey: p.Text("entity_key"), UserID: neo.OptionalText(p["user_id"]), Name: p.Text("name"), CanonicalName: p.Text("canonical_name"),
		Type: p.Text("type"), Description: p.Text("description"), IsOwner: neo.Bool(p["is_owner"]), IsGoal: neo.Bool(p["is_goal"]),
		State: alive.stateAt(now), TTLPolicy: alive.ttl, Salience: RoundSalience(alive.current(now)), Confidence: alive.confidence,
		AccessCount: alive.accesses, LastAccessedAt: alive.lastAccess,
	}, Notes: NotesFrom(p.Texts("notes"), now)}
	if kind == MessageKind && p["trust"] != nil && n.OwnFields != nil {
		n.Trust, n.Origin = Some(TrustIn(p)), Some(trust.OfRole(p.Text("role"), trust.User))
	}
	if created := p.Moment("created_at"); created != nil {
		n.CreatedAt = *created
	}
	if updated := p.Moment("updated_at"); updated != nil {
		n.UpdatedAt = *updated
	}
	if raw := p.Text("properties"); raw != "" {
		n.Properties = json.RawMessage(raw)
	}
	return n
}

// Node returns one node that the scope may see, as it is or was, or ErrNotFound.
func (s *Store) Node(ctx context.Context, scope Scope, kind Kind, key string, q NodeQuery) (NodeView, error) {
	if q.AsOf != nil {
		if err := fault.CheckAsOf(q.AsOf, s.Now()); err != nil {
			return NodeView{}, err
		}
		return s.nodeAt(ctx, scope, kind, key, q)
	}
	return s.node(ctx, scope, kind, key, q)
}

// moment returns the time of the answer.
func (q *NodeQuery) moment(s *Store) time.Time {
	if q.AsOf != nil {
		return q.AsOf.UTC()
	}
	return s.Now()
}

func (q *NodeQuery) params(s *Store, scope Scope, kind Kind, key string) map[string]any {
	return map[string]any{
		"team_id": scope.TeamID, "user_id": scope.User(), "entity_key": key, "label": kind.Label,
		"as_of": utc(q.AsOf), "now": s.Now(), "now_ms": q.moment(s).UnixMilli(), "limit": q.Relationships, "rest": false,
	}
}

// nodeRow reads a stored node.
func (s *Store) nodeRow(ctx context.Context, scope Scope, kind Kind, key string, q NodeQuery) (nodeRow, error) {
	return q.row(s, readsAlone{ctx, s.db}, scope, kind, key)
}

// row reads a stored node, with its relationships at the time of the query.
func (q *NodeQuery) row(s *Store, read neo.Execer, scope Scope, kind Kind, key string) (nodeRow, error) {
	params := q.params(s, scope, kind, key)
	row, err := ofAnyType(findNode).ExecOne(read, params)
	if err != nil || len(row.Hub) == 0 || q.Relationships == 0 {
		return row, err
	}
	params["entity_key"] = row.Properties.Text("entity_key") // which may have been found by another one
	row.Relationships, err = strongestOfHub(read, params, row.Hub, q.Relationships, q.moment(s))
	return row, err
}

// node returns a stored node, with its relationships at the time of the query.
func (s *Store) node(ctx context.Context, scope Scope, kind Kind, key string, q NodeQuery) (NodeView, error) {
	moment := q.moment(s)
	row, err := s.nodeRow(ctx, scope, kind, key, q)
	if err != nil {
		return NodeView{}, err
	}
	return row.view(kind, moment), nil
}

// view returns a stored node as callers see it at a moment.
func (row *nodeRow) view(kind Kind, moment time.Time) NodeView {
	n := NewNodeView(kind, row.Properties, moment)
	if alive := row.Properties.vitality(); alive.stateAt(moment) != "archived" {
		n.DecayRate, n.ArchivesAt = alive.rate, alive.archivesAt()
	}
	recalls := row.Properties.vitality().recalls
	n.Recalls, n.LastWrite = &recalls, row.Properties.lastWrite()
	n.Relationships = linkViews(row.Relationships, n.EntityKey, moment)
	return n
}

// view returns a node as the transaction has left it.
func (t *Tx) view(scope Scope, kind Kind, key string, q NodeQuery) (NodeView, error) {
	row, err := q.row(t.store, t, scope, kind, key)
	if err != nil {
		return NodeView{}, err
	}
	return row.view(kind, q.moment(t.store)), nil
}

// NodeList selects a page of nodes of one kind: the user's nodes, then the shared ones. Each part is ordered by name,
// or by key for kinds whose names are not unique.
type NodeList struct {
	Kind      Kind
	ProjectID string     // only nodes of this project, by key
	Deleted   bool       // only nodes that can be restored, by key
	State     string     // only nodes in this state; empty: all. Deleted ones have none
	AsOf      *time.Time // the nodes of a time, also those deleted since; nil: now
	Cursor    string     // from the previous page; empty: the first page
	Limit     int64
	Namespace []string // only items of this namespace and of those within it; empty: all
	Name      string   // only the items of this name, in the namespace itself; empty: all
	Filter    Filter   // only nodes with these fields; nil: all
}

// prefix returns the prefix of the natural keys of the list's nodes that are private to a user, or shared if userID is empty.
func (l *NodeList) prefix(userID string) string {
	prefix := ListPrefix(l.Kind, userID) + NamespacePrefix(l.Namespace)
	if l.Name != "" {
		prefix += nameMark + l.Name
	}
	return prefix
}

// NodePage is a page of nodes and the cursor of the next one; empty after the last.
type NodePage struct {
	Nodes []NodeView
	Next  string

	places []string // of the nodes in the list
}

// Bounds of what is read for one page.
const (
	mostRead   = 5_000
	readAtOnce = 100
)

// Nodes returns a page of nodes that the scope may see. A page may have fewer nodes than its limit, or none, although others
// follow: when few match the filter, or their values are large. Error: InvalidError for an invalid cursor.
func (s *Store) Nodes(ctx context.Context, scope Scope, l NodeList) (NodePage, error) {
	page, err := s.matchingNodes(ctx, scope, l)
	if err != nil || l.ProjectID == "" || len(page.Nodes) > 0 {
		return page, err
	}
	current, err := s.CurrentKeys(ctx, scope, []string{l.ProjectID}) // the project may be merged into another one
	if err != nil || current[l.ProjectID] == "" {
		return page, err
	}
	l.ProjectID = current[l.ProjectID]
	return s.matchingNodes(ctx, scope, l)
}

func (s *Store) matchingNodes(ctx context.Context, scope Scope, l NodeList) (NodePage, error) {
	if l.Filter == nil && l.Kind != ItemKind {
		return s.nodes(ctx, scope, l)
	}
	page, rest, size := NodePage{Nodes: []NodeView{}}, l, 0
	for read := 0; read < mostRead; {
		rest.Limit = readAtOnce
		if l.Filter == nil {
			rest.Limit = min(l.Limit-int64(len(page.Nodes)), readAtOnce)
		}
		more, err := s.nodes(ctx, scope, rest)
		if err != nil {
			return NodePage{}, err
		}
		for i := range more.Nodes {
			n := &more.Nodes[i]
			if n.OwnFields != nil {
				size += len(n.Value.Value)
			}
			if !l.Filter.Matches(n) {
				continue
			}
			page.Nodes = append(page.Nodes, *n)
			if int64(len(page.Nodes)) == l.Limit || size > PageSize {
				page.Next = cursorBefore(more, i+1)
				return page, nil
			}
		}
		read += len(more.Nodes)
		if page.Next, rest.Cursor = more.Next, more.Next; more.Next == "" {
			break
		}
	}
	return page, nil
}

// cursorBefore returns the cursor of the rest of a page, from its i-th node on, and of the pages after it.
func cursorBefore(page NodePage, i int) string {
	if i == len(page.Nodes) {
		return page.Next
	}
	return cursors.Encode(page.places[i-1])
}

func (s *Store) nodes(ctx context.Context, scope Scope, l NodeList) (NodePage, error) {
	after, err := cursors.Decode(l.Cursor)
	if err == nil {
		err = fault.CheckAsOf(l.AsOf, s.Now())
	}
	if err != nil {
		return NodePage{}, err
	}
	switch {
	case l.AsOf != nil:
		return s.nodesAt(ctx, scope, &l, after)
	case l.Deleted:
		return nodePage(ctx, s, listDeletedNodes, (*keyedNode).listed, l, after, map[string]any{
			"team_id": scope.TeamID, "user_id": scope.User(), "kind": l.Kind.Name, "cutoff": s.cutoff(),
		})
	case l.ProjectID != "":
		return nodePage(ctx, s, listProjectNodes, (*keyedNode).listed, l, after, s.inState(l.State, map[string]any{
			"team_id": scope.TeamID, "user_id": scope.User(), "project_id": l.ProjectID, "label": l.Kind.Label,
		}))
	}
	return s.ownThenShared(ctx, scope, l, after, s.namedPage)
}

// namedPage returns a page of the nodes whose natural keys have a prefix.
func (s *Store) namedPage(ctx context.Context, scope Scope, l NodeList, prefix, after string) (NodePage, error) {
	return nodePage(ctx, s, listNodes, (*namedNode).listed, l, after, s.inState(l.State, map[string]any{
		"team_id": scope.TeamID, "end": PrefixEnd(prefix),
	}))
}

// inState adds the parameters of a list of nodes in a state to others.
func (s *Store) inState(state string, params map[string]any) map[string]any {
	params["now_ms"], params["archive_below"], params["state"] = s.Now().UnixMilli(), archiveBelow, nil
	if state != "" {
		params["state"] = state
	}
	return params
}

// ownThenShared returns the user's nodes and then the shared ones. list returns a page of those whose natural keys have a prefix.
func (s *Store) ownThenShared(ctx context.Context, scope Scope, l NodeList, after string,
	list func(ctx context.Context, scope Scope, l NodeList, prefix, after string) (NodePage, error),
) (NodePage, error) {
	own, shared := l.prefix(scope.UserID), l.prefix("")
	if after != "" && !strings.HasPrefix(after, own) && !strings.HasPrefix(after, shared) {
		return NodePage{}, cursors.Invalid()
	}
	page := NodePage{Nodes: []NodeView{}}
	for i, prefix := range []string{own, shared} {
		if i == 1 && own == shared || after != "" && !strings.HasPrefix(after, prefix) {
			continue
		}
		if want := l.Limit - int64(len(page.Nodes)); want > 0 {
			rest := l
			rest.Limit = want
			more, err := list(ctx, scope, rest, prefix, max(after, prefix))
			if err != nil {
				return NodePage{}, err
			}
			page.Nodes, page.places, page.Next = append(page.Nodes, more.Nodes...), append(page.places, more.places...), more.Next
		}
		if page.Next == "" && i == 0 && own != shared && int64(len(page.Nodes)) == l.Limit {
			page.Next = cursors.Encode(shared)
		}
		if page.Next != "" {
			break
		}
		after = ""
	}
	return page, nil
}

// nodePage runs a list statement for one node more than requested, to find out whether there is a next page. listed
// returns the place of a row in the list, and its node.
func nodePage[T any](ctx context.Context, s *Store, list neo.Query[T], listed func(*T) (string, Properties), l NodeList, after string,
	params map[string]any) (NodePage, error) {
	params["after"], params["limit"] = after, l.Limit+1
	rows, err := list.Read(ctx, s.db, params)
	if err != nil {
		return NodePage{}, err
	}
	page := NodePage{Nodes: []NodeView{}}
	now := s.Now()
	last := ""
	for i := range rows {
		if int64(i) == l.Limit {
			page.Next = cursors.Encode(last)
			break
		}
		place, p := listed(&rows[i])
		last = place
		n := NewNodeView(l.Kind, p, now)
		if n.DeletedAt = p.Moment("deleted_at"); n.DeletedAt != nil {
			until := n.DeletedAt.Add(s.options.KeepDeleted)
			n.RestorableUntil, n.MergedInto = &until, p.Text("merged_into")
		}
		page.Nodes, page.places = append(page.Nodes, n), append(page.places, place)
	}
	return page, nil
}

var (
	findByKey  = neo.Load[anyNode]("walk_nodes")
	findByName = neo.Load[namedRef]("node_named")
)

// anyNode is a node of any kind.
type anyNode struct {
	Labels     Labels
	Properties Properties
}

// namedRef is a node with the name by which it was found.
type namedRef struct {
	SearchName, EntityKey string
	Labels                Labels
	Name                  string
}

// NodesByKey returns nodes of any kind that the scope may see, in the order of their keys.
func (s *Store) NodesByKey(ctx context.Context, scope Scope, keys []string) ([]NodeView, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	rows, err := findByKey.Read(ctx, s.db, map[string]any{"team_id": scope.TeamID, "user_id": scope.User(), "keys": keys})
	if err != nil {
		return nil, err
	}
	nodes := make([]NodeView, len(rows))
	for i, row := range rows {
		nodes[i] = NewNodeView(row.Labels.Kind(), row.Properties, s.Now())
	}
	slices.SortFunc(nodes, func(a, b NodeView) int { return slices.Index(keys, a.EntityKey) - slices.Index(keys, b.EntityKey) })
	return nodes, nil
}

// NodesNamed returns at most ten nodes that the scope may see with each name, and ten with it as an alias, by NameKey.
func (s *Store) NodesNamed(ctx context.Context, scope Scope, names []string) (map[string][]NodeRef, error) {
	keys := make([]string, 0, len(names))
	for _, name := range names {
		if key := NameKey(name); key != "" {
			keys = append(keys, key)
		}
	}
	keys = Distinct(keys)
	aliases := make([]map[string]any, len(keys))
	for i, key := range keys {
		visible := Distinct([]string{aliasKey(scope.UserID, key), aliasKey("", key)})
		aliases[i] = map[string]any{"name": key, "query": aliasQueries(scope.TeamID, visible)[0]}
	}
	rows, err := findByName.Read(ctx, s.db, map[string]any{"team_id": scope.TeamID, "user_id": scope.User(), "names": keys, "aliases": aliases})
	if err != nil {
		return nil, err
	}
	named := map[string][]NodeRef{}
	for _, row := range rows {
		ref := NodeRef{EntityKey: row.EntityKey, Kind: row.Labels.Kind().Name, Name: row.Name}
		named[row.SearchName] = append(named[row.SearchName], ref)
	}
	return named, nil
}
