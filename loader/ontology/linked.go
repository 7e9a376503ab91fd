package ontology

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"kith/graph"
	"kith/graph/trust"
	"kith/internal/fault"
	"kith/loader"
	"kith/memory/workspace"
)

// LinkedMode is the amount of detail of a linked context.
type LinkedMode string

// Abbreviated is for a prompt: a few names of each kind. Full is for a tool: descriptions, page by page.
const (
	Abbreviated LinkedMode = "abbreviated"
	Full        LinkedMode = "full"
)

// Bounds of a linked context.
const (
	abbreviatedMost = 3

	abbreviatedTokens = 500 // default budget of its text

	fullMost   = 50
	linkedMost = 100
	linkedSkip = 10_000 // nodes of a kind
)

// LinkedContext holds the nodes one step away from a node.
type LinkedContext struct {
	Source    LinkedSource                 `json:"source"`
	Linked    map[string][]LinkedEntity    `json:"linked_entities" doc:"every kind, in the plural; active ones first, then the newest first"`
	Counts    map[string]int               `json:"counts" doc:"every kind, in the plural, and their total: all nodes of the requested kinds, also those not shown"`
	Truncated bool                         `json:"truncated" doc:"not all are shown"`
	Next      *string                      `json:"next" doc:"cursor of the next page of mode full; null on the last"`
	Available map[string][]AvailableEntity `json:"available_entities,omitempty" doc:"nodes of the project of every requested kind, at most 100 of each"`
	LoadedAt  time.Time                    `json:"loaded_at"`
	Warnings  []string                     `json:"warnings,omitempty"`
}

// LinkedSource is the node whose links are requested.
type LinkedSource struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
	Name string `json:"name"`
	trust.Told
}

// LinkedEntity is a linked node, with one relationship or several.
type LinkedEntity struct {
	Kind            string           `json:"kind"`
	ID              string           `json:"id"`
	Name            string           `json:"name"`
	State           *string          `json:"state"`
	TypeKey         *string          `json:"type_key"`
	Relation        string           `json:"relation"`
	Direction       string           `json:"direction" enum:"outgoing,incoming" doc:"seen from the source"`
	EdgeID          string           `json:"edge_id"`
	Others          []LinkedRelation `json:"more_relations,omitempty" doc:"further relationships between the two"`
	ContextDocument bool             `json:"context_document,omitempty" doc:"the context document of the project"`
	Description     string           `json:"description,omitempty" doc:"in mode full"`
	DueAt           *time.Time       `json:"due_at,omitempty" doc:"of milestones and tasks"`
	trust.Told
}

// LinkedRelation is one of several relationships between the same two nodes.
type LinkedRelation struct {
	Relation  string `json:"relation"`
	Direction string `json:"direction" enum:"outgoing,incoming"`
	EdgeID    string `json:"edge_id"`
}

// AvailableEntity is a node that may be linked.
type AvailableEntity struct {
	ID       string  `json:"id"`
	Name     string  `json:"name"`
	State    *string `json:"state"`
	IsLinked bool    `json:"is_linked"`
}

// LinkedRequest asks for a linked context.
type LinkedRequest struct {
	Scope     graph.Scope
	Kind      graph.Kind
	Key       string
	Mode      LinkedMode // default Abbreviated
	Filter    string     // a kind; empty or all: every kind
	Most      int        // of each kind; 0: 3, or 50 in mode full
	Cursor    string     // of mode full
	Available bool
	Format    loader.Format
	MaxTokens int
	AsOf      *time.Time // what was linked at a time; nil: now
}

// Validate checks the request; locations refer to the query parameters.
func (r *LinkedRequest) Validate() error {
	f := &fault.List{}
	loader.CheckFormat(f, r.Format, r.MaxTokens)
	f.OneOf(fault.At("mode"), string(r.Mode), string(Abbreviated), string(Full))
	if r.Filter != "" && r.Filter != "all" && !slices.Contains(workspace.LinkedKinds, r.Filter) {
		f.Add(fault.At("filter_kind"), fault.NotOneOf, "must be all or one of %s", strings.Join(workspace.LinkedKinds, ", "))
	}
	f.OptionalBetween(fault.At("max_per_kind"), int64(r.Most), 1, linkedMost)
	if _, ok := r.skip(); !ok {
		f.Add(fault.At("cursor"), fault.Malformed, "invalid cursor")
	}
	return f.Err()
}

// setDefaults fills in omitted fields.
func (r *LinkedRequest) setDefaults() {
	if r.Mode == "" {
		r.Mode = Abbreviated
	}
	if r.Format == "" {
		r.Format = loader.JSON
	}
	if r.Most == 0 && r.Mode == Full {
		r.Most = fullMost
	} else if r.Most == 0 {
		r.Most = abbreviatedMost
	}
}

// question identifies the list to which a cursor belongs.
func (r *LinkedRequest) question() string {
	parts := []string{r.Scope.TeamID, r.Scope.UserID, r.Kind.Name, r.Key, string(r.Mode), r.Filter, strconv.Itoa(r.Most)}
	if r.AsOf != nil {
		parts = append(parts, r.AsOf.UTC().Format(time.RFC3339Nano))
	}
	return strings.Join(parts, "\x1f")
}

const cursorSum = 12 // bytes

func (r *LinkedRequest) cursor(skip int) string {
	raw := binary.BigEndian.AppendUint32(nil, uint32(skip)) //nolint:gosec // at most linkedSkip
	sum := sha256.Sum256(append(raw, r.question()...))
	return base64.RawURLEncoding.EncodeToString(append(raw, sum[:cursorSum]...))
}

// skip returns how many nodes of each kind were on the pages before; ok is false for the cursor of another list.
func (r *LinkedRequest) skip() (int, bool) {
	if r.Cursor == "" {
		return 0, true
	}
	raw, err := base64.RawURLEncoding.DecodeString(r.Cursor)
	if err != nil || len(raw) != 4+cursorSum || r.Mode != Full {
		return 0, false
	}
	skip := int(binary.BigEndian.Uint32(raw))
	return skip, skip <= linkedSkip && r.cursor(skip) == r.Cursor
}

func (r *LinkedRequest) kinds() []string {
	if r.Filter == "" || r.Filter == "all" {
		return workspace.LinkedKinds
	}
	return []string{r.Filter}
}

func (r *LinkedRequest) view() string {
	return strings.Join([]string{
		"linked", r.question(), r.Cursor, strconv.FormatBool(r.Available), string(r.Format), strconv.Itoa(r.MaxTokens),
	}, "\x1f")
}

// Linked loads the nodes linked with a node, or reads them from the cache. Errors: fault.InvalidError,
// fault.ErrNotFound, graph.ErrUnavailable.
func (l *Loader) Linked(ctx context.Context, r LinkedRequest) (loader.Answer, error) {
	r.setDefaults()
	if err := r.Validate(); err != nil {
		return loader.Answer{}, err
	}
	if err := fault.CheckAsOf(r.AsOf, l.options.Now()); err != nil {
		return loader.Answer{}, err
	}
	return l.users.Rendered(ctx, r.Scope, r.view(), r.Format, func(ctx context.Context) ([]byte, bool, error) {
		c, err := l.linked(ctx, &r)
		if err != nil {
			return nil, false, fmt.Errorf("linked: %w", err)
		}
		body, err := c.render(&r)
		return body, true, err
	})
}

func (l *Loader) linked(ctx context.Context, r *LinkedRequest) (*LinkedContext, error) {
	skip, _ := r.skip()
	found, err := l.workspaces.LinkedWith(ctx, r.Scope, workspace.LinkedQuery{
		Kind: r.Kind, Key: r.Key, Kinds: r.kinds(), Skip: skip, Most: r.Most, Whole: r.Mode == Full, AsOf: r.AsOf,
	})
	if err != nil {
		return nil, err
	}
	c := linkedContext(found, l.options.Now())
	if most := c.most(); r.Mode == Full && most > skip+r.Most && skip+r.Most <= linkedSkip {
		next := r.cursor(skip + r.Most)
		c.Next = &next
	}
	c.Truncated = c.Next != nil || r.Mode == Abbreviated && c.most() > r.Most
	if found.Cut {
		c.Warnings = append(c.Warnings, "too many relationships: only the first 10,000 are counted")
	}
	if !r.Available || found.Project == "" {
		return c, nil
	}
	all, err := l.workspaces.Available(ctx, r.Scope, found.Project, found.Node.EntityKey, r.kinds(), r.AsOf)
	if err != nil {
		return nil, err
	}
	c.Available = map[string][]AvailableEntity{}
	for _, kind := range workspace.LinkedKinds {
		c.Available[plural(kind)] = []AvailableEntity{}
	}
	for kind, list := range all {
		for _, a := range list {
			c.Available[plural(kind)] = append(c.Available[plural(kind)], AvailableEntity{a.Key, a.Name, orNull(a.State), a.Linked})
		}
	}
	return c, nil
}

// most returns the largest count of a kind.
func (c *LinkedContext) most() (most int) {
	for kind, n := range c.Counts {
		if kind != "total" {
			most = max(most, n)
		}
	}
	return most
}

// Summary counts the nodes of each kind: 2 plans, 1 goal.
func (c *LinkedContext) Summary() string {
	var parts []string
	for _, kind := range workspace.LinkedKinds {
		switch n := c.Counts[plural(kind)]; n {
		case 0:
		case 1:
			parts = append(parts, "1 "+kind)
		default:
			parts = append(parts, fmt.Sprintf("%d %s", n, plural(kind)))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

func linkedContext(found *workspace.LinkedEntities, now time.Time) *LinkedContext {
	c := &LinkedContext{
		Source: LinkedSource{found.Node.Kind, found.Node.EntityKey, found.Node.Name, found.Node.Told},
		Linked: map[string][]LinkedEntity{}, Counts: map[string]int{"total": 0}, LoadedAt: now.UTC(),
	}
	for _, kind := range workspace.LinkedKinds {
		of := found.Kinds[kind]
		c.Counts[plural(kind)] = of.Total
		c.Counts["total"] += of.Total
		list := make([]LinkedEntity, len(of.Nodes))
		for i := range of.Nodes {
			list[i] = linkedEntity(kind, &of.Nodes[i])
		}
		c.Linked[plural(kind)] = list
	}
	return c
}

func linkedEntity(kind string, n *workspace.LinkedNode) LinkedEntity {
	e := LinkedEntity{
		Kind: kind, ID: n.Key, Name: n.Name, State: orNull(n.State), TypeKey: orNull(n.Type), Description: n.Description,
		DueAt: n.DueAt, ContextDocument: n.Context, Told: n.Told,
	}
	for i, r := range n.Relations {
		direction := "incoming"
		if r.Outgoing {
			direction = "outgoing"
		}
		if i == 0 {
			e.Relation, e.Direction, e.EdgeID = r.Type, direction, r.Key
		} else {
			e.Others = append(e.Others, LinkedRelation{r.Type, direction, r.Key})
		}
	}
	return e
}

func (c *LinkedContext) render(r *LinkedRequest) ([]byte, error) {
	switch {
	case r.Format == loader.JSON:
		return json.Marshal(c)
	case r.Mode == Full:
		text, err := c.fullText(r.MaxTokens)
		return []byte(text), err
	}
	text, err := c.abbreviatedText(cmp.Or(r.MaxTokens, abbreviatedTokens))
	return []byte(text), err
}
