package consolidation

import (
	"context"
	"strings"
	"time"

	"kith/graph"
	"kith/graph/cursors"
	"kith/graph/neo"
	"kith/internal/fault"
)

var (
	findFaded       = neo.Load[fadedPage]("consolidation_faded")
	findOverlapping = neo.Load[overlappingSources]("consolidation_overlapping")
)

// fadedPage is a scanned part of a user's sources: how many were scanned, the last natural key, and the faded ones.
type fadedPage struct {
	Walked  int64
	Last    string
	Sources []fadedRow
}

// fadedRow is a faded source.
type fadedRow struct {
	NaturalKey, EntityKey, Summary string
	StartedAt                      time.Time
	EndedAt                        *time.Time
	Salience                       float64
}

// overlappingSources are the sources that mention a node. Walked is how many mentions were scanned.
type overlappingSources struct {
	EntityKey string
	Labels    graph.Labels
	Name      string
	IsOwner   bool
	Walked    int64
	Sources   []string
}

// Sources become candidates for consolidation by these rules (docs/lifecycle.md). The statements have the salience figures.
const (
	consolidateAfter   = graph.Week // since the end of a source, or its start if it has no end
	consolidateSources = 5          // that mention the same node
	consolidateShown   = 100        // of the sources of one candidate
	consolidateWalk    = 5_000      // sources or mentions that a page reads
)

// Candidate holds sources that could be archived, and the reason. EntityKeys are their keys: at most 100 of an
// overlap, the oldest first.
type Candidate struct {
	Reason      string         `json:"reason" enum:"faded,overlapping" doc:"faded: a source older than 7 days with a salience below 0.2; overlapping: 5 or more sources older than 7 days that mention the same node"`
	EntityKeys  []string       `json:"entity_keys"`
	SourceCount int64          `json:"source_count"`
	Source      *FadedSource   `json:"source,omitempty" doc:"the source that has faded"`
	Node        *MentionedNode `json:"node,omitempty" doc:"the node that the sources overlap in"`
}

// FadedSource is a source of low salience.
type FadedSource struct {
	EntityKey string     `json:"entity_key"`
	Summary   string     `json:"summary"`
	StartedAt time.Time  `json:"started_at"`
	EndedAt   *time.Time `json:"ended_at"`
	Salience  float64    `json:"salience"`
}

// MentionedNode is a node that several sources mention.
type MentionedNode struct {
	EntityKey string `json:"entity_key"`
	Kind      string `json:"kind"`
	Name      string `json:"name"`
}

// Page is a page of candidates. A page reads a bounded part of the memory, so it may have fewer candidates than
// asked for, even none, while Next is set.
type Page struct {
	Candidates []Candidate `json:"candidates"`
	Next       *string     `json:"next"`
}

// Prefixes of the cursors of the two parts of the list.
const (
	fadedCursor   = "f"
	overlapCursor = "o"
)

// Candidates lists sources of the scope's user that could be archived: first faded ones by key, then overlapping
// ones by the node they mention. It changes nothing. It returns an InvalidError for a bad request.
func (s *Store) Candidates(ctx context.Context, scope graph.Scope, cursor string, limit int) (Page, error) {
	f := &graph.Faults{}
	if scope.UserID == "" {
		f.Add(fault.At("user_id"), fault.Required, "is required: sources belong to a user")
	}
	after, err := cursors.Decode(cursor)
	if err != nil || after != "" && !strings.HasPrefix(after, fadedCursor) && !strings.HasPrefix(after, overlapCursor) {
		f.Add(fault.At("cursor"), fault.Malformed, "is not a valid cursor")
	}
	if err := f.Err(); err != nil {
		return Page{}, err
	}
	return (&candidateList{store: s, scope: scope, limit: limit, walk: consolidateWalk}).page(ctx, after)
}

// candidateList reads pages of candidates. walk is how many sources or mentions a page reads.
type candidateList struct {
	store *Store
	scope graph.Scope
	limit int
	walk  int64
}

func (c *candidateList) page(ctx context.Context, after string) (Page, error) {
	if rest, overlapping := strings.CutPrefix(after, overlapCursor); overlapping {
		return c.overlapping(ctx, rest)
	}
	return c.faded(ctx, strings.TrimPrefix(after, fadedCursor))
}

func (c *candidateList) params(after string) map[string]any {
	now := c.store.graph.Now()
	return map[string]any{
		"team_id": c.scope.TeamID, "after": after, "walk": c.walk,
		"week_ago": now.Add(-consolidateAfter), "now": now, "now_ms": now.UnixMilli(),
	}
}

func (c *candidateList) faded(ctx context.Context, after string) (Page, error) {
	prefix := graph.ListPrefix(graph.SourceKind, c.scope.UserID)
	params := c.params(prefix + after)
	params["end"], params["limit"] = graph.PrefixEnd(prefix), c.limit+1
	found, err := findFaded.ReadOne(ctx, c.store.db, params)
	if err != nil {
		return Page{}, err
	}
	page := Page{Candidates: []Candidate{}}
	for _, s := range found.Sources {
		if len(page.Candidates) == c.limit {
			return page.next(fadedCursor + page.Candidates[c.limit-1].EntityKeys[0]), nil
		}
		page.Candidates = append(page.Candidates, Candidate{
			Reason: "faded", EntityKeys: []string{s.EntityKey}, SourceCount: 1, Source: &FadedSource{
				EntityKey: s.EntityKey, Summary: s.Summary, StartedAt: s.StartedAt, EndedAt: s.EndedAt, Salience: s.Salience,
			},
		})
	}
	if found.Walked == c.walk {
		return page.next(fadedCursor + strings.TrimPrefix(found.Last, prefix)), nil
	}
	rest := *c
	if rest.limit -= len(page.Candidates); rest.limit == 0 {
		return page.next(overlapCursor), nil
	}
	more, err := rest.overlapping(ctx, "")
	more.Candidates = append(page.Candidates, more.Candidates...)
	return more, err
}

func (p Page) next(cursor string) Page {
	encoded := cursors.Encode(cursor)
	p.Next = &encoded
	return p
}

func (c *candidateList) overlapping(ctx context.Context, after string) (Page, error) {
	params := c.params(after)
	params["user_id"] = c.scope.UserID
	rows, err := findOverlapping.Read(ctx, c.store.db, params)
	if err != nil {
		return Page{}, err
	}
	page := Page{Candidates: []Candidate{}}
	walked, last := int64(0), after
	for i, row := range rows {
		walked += row.Walked
		if walked == c.walk && i > 0 { // the next page may read more mentions of this node
			return page.next(overlapCursor + last), nil
		}
		candidate, ok := row.candidate()
		if ok && len(page.Candidates) == c.limit {
			return page.next(overlapCursor + last), nil
		}
		if ok {
			page.Candidates = append(page.Candidates, candidate)
		}
		last = row.EntityKey
	}
	if walked == c.walk {
		return page.next(overlapCursor + last), nil
	}
	return page, nil
}

// candidate returns the candidate of a row. Sources that mention the owner do not overlap in that node.
func (o *overlappingSources) candidate() (Candidate, bool) {
	if len(o.Sources) < consolidateSources || o.IsOwner {
		return Candidate{}, false
	}
	return Candidate{
		Reason: "overlapping", SourceCount: int64(len(o.Sources)), EntityKeys: o.Sources[:min(len(o.Sources), consolidateShown)],
		Node: &MentionedNode{o.EntityKey, o.Labels.Kind().Name, o.Name},
	}, true
}
