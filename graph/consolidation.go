package graph

import (
	"context"
	"strings"
	"time"

	"kith/internal/fault"
)

// Sources become candidates for consolidation by these rules (docs/lifecycle.md). The statements have the salience figures.
const (
	consolidateAfter   = Week  // since the end of a source, or its start if it has no end
	consolidateSources = 5     // that mention the same node
	consolidateShown   = 100   // of the sources of one candidate
	consolidateWalk    = 5_000 // sources or mentions that a page reads
)

// ConsolidationCandidate holds sources that could be archived, and the reason. EntityKeys are their keys: at most 100 of an
// overlap, the oldest first.
type ConsolidationCandidate struct {
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

// ConsolidationPage is a page of candidates. A page reads a bounded part of the memory, so it may have fewer candidates than
// asked for, even none, while Next is set.
type ConsolidationPage struct {
	Candidates []ConsolidationCandidate `json:"candidates"`
	Next       *string                  `json:"next"`
}

// Prefixes of the cursors of the two parts of the list.
const (
	fadedCursor   = "f"
	overlapCursor = "o"
)

// ConsolidationCandidates lists sources of the scope's user that could be archived: first faded ones by key, then overlapping
// ones by the node they mention. It changes nothing. It returns an InvalidError for a bad request.
func (s *Store) ConsolidationCandidates(ctx context.Context, scope Scope, cursor string, limit int) (ConsolidationPage, error) {
	f := &faults{}
	if scope.UserID == "" {
		f.Add(fault.At("user_id"), fault.Required, "is required: sources belong to a user")
	}
	after, err := decodeCursor(cursor)
	if err != nil || after != "" && !strings.HasPrefix(after, fadedCursor) && !strings.HasPrefix(after, overlapCursor) {
		f.Add(fault.At("cursor"), fault.Malformed, "is not a valid cursor")
	}
	if err := f.Err(); err != nil {
		return ConsolidationPage{}, err
	}
	return (&candidateList{store: s, scope: scope, limit: limit, walk: consolidateWalk}).page(ctx, after)
}

// candidateList reads pages of candidates. walk is how many sources or mentions a page reads.
type candidateList struct {
	store *Store
	scope Scope
	limit int
	walk  int64
}

func (c *candidateList) page(ctx context.Context, after string) (ConsolidationPage, error) {
	if rest, overlapping := strings.CutPrefix(after, overlapCursor); overlapping {
		return c.overlapping(ctx, rest)
	}
	return c.faded(ctx, strings.TrimPrefix(after, fadedCursor))
}

func (c *candidateList) params(after string) map[string]any {
	now := c.store.now()
	return map[string]any{
		"team_id": c.scope.TeamID, "after": after, "walk": c.walk,
		"week_ago": now.Add(-consolidateAfter), "now_ms": now.UnixMilli(),
	}
}

func (c *candidateList) faded(ctx context.Context, after string) (ConsolidationPage, error) {
	prefix := listPrefix(sourceKind, c.scope.UserID)
	params := c.params(prefix + after)
	params["end"], params["limit"] = prefixEnd(prefix), c.limit+1
	row, err := c.store.readOne(ctx, "consolidation_faded", params)
	if err != nil {
		return ConsolidationPage{}, err
	}
	page := ConsolidationPage{Candidates: []ConsolidationCandidate{}}
	for _, item := range items(row.Values[2]) {
		l := items(item)
		if len(page.Candidates) == c.limit {
			return page.next(fadedCursor + page.Candidates[c.limit-1].EntityKeys[0]), nil
		}
		page.Candidates = append(page.Candidates, ConsolidationCandidate{
			Reason: "faded", EntityKeys: []string{text(l[1])}, SourceCount: 1, Source: &FadedSource{
				EntityKey: text(l[1]), Summary: text(l[2]), StartedAt: moment(l[3]), EndedAt: optionalMoment(l[4]), Salience: number(l[5]),
			},
		})
	}
	if integer(row.Values[0]) == c.walk {
		return page.next(fadedCursor + strings.TrimPrefix(text(row.Values[1]), prefix)), nil
	}
	rest := *c
	if rest.limit -= len(page.Candidates); rest.limit == 0 {
		return page.next(overlapCursor), nil
	}
	more, err := rest.overlapping(ctx, "")
	more.Candidates = append(page.Candidates, more.Candidates...)
	return more, err
}

func (p ConsolidationPage) next(cursor string) ConsolidationPage {
	encoded := encodeCursor(cursor)
	p.Next = &encoded
	return p
}

func (c *candidateList) overlapping(ctx context.Context, after string) (ConsolidationPage, error) {
	params := c.params(after)
	params["user_id"] = c.scope.UserID
	rows, err := c.store.read(ctx, c.store.queries["consolidation_overlapping"], params)
	if err != nil {
		return ConsolidationPage{}, err
	}
	page := ConsolidationPage{Candidates: []ConsolidationCandidate{}}
	walked, last := int64(0), after
	for i, row := range rows {
		walked += integer(row.Values[4])
		if walked == c.walk && i > 0 { // the next page may read more mentions of this node
			return page.next(overlapCursor + last), nil
		}
		candidate, ok := overlap(row.Values)
		if ok && len(page.Candidates) == c.limit {
			return page.next(overlapCursor + last), nil
		}
		if ok {
			page.Candidates = append(page.Candidates, candidate)
		}
		last = text(row.Values[0])
	}
	if walked == c.walk {
		return page.next(overlapCursor + last), nil
	}
	return page, nil
}

// overlap returns the candidate of a row. Sources that mention the owner do not overlap in that node.
func overlap(values []any) (ConsolidationCandidate, bool) {
	sources := texts(values[5])
	if len(sources) < consolidateSources || truth(values[3]) {
		return ConsolidationCandidate{}, false
	}
	return ConsolidationCandidate{
		Reason: "overlapping", SourceCount: int64(len(sources)), EntityKeys: sources[:min(len(sources), consolidateShown)],
		Node: &MentionedNode{text(values[0]), kindFrom(values[1]).Name, text(values[2])},
	}, true
}
