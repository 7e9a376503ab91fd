package graph

import (
	"context"
	"errors"
	"strings"
	"time"
)

// When sources are candidates for consolidation (requirements.md, "Lifecycle facts"); the statements have the figures
// of salience.
const (
	consolidateAfter   = Week // since the end, or the start of what has none
	consolidateSources = 5    // that mention the same
	consolidateShown   = 100  // of the sources of one candidate
	consolidateWalk    = 5_000

	// MaxConsolidated bounds the sources that one request archives.
	MaxConsolidated = 1_000
)

// ConsolidationCandidate are sources that could be archived, and why. EntityKeys are their keys: at most 100 of an
// overlap, the oldest first.
type ConsolidationCandidate struct {
	Reason      string         `json:"reason" enum:"faded,overlapping" doc:"faded: a source older than 7 days with a salience below 0.2; overlapping: 5 or more sources older than 7 days that mention the same node"`
	EntityKeys  []string       `json:"entity_keys"`
	SourceCount int64          `json:"source_count"`
	Source      *FadedSource   `json:"source,omitempty" doc:"the source that has faded"`
	Node        *MentionedNode `json:"node,omitempty" doc:"what the sources overlap in"`
}

// FadedSource is a source that hardly counts any more.
type FadedSource struct {
	EntityKey string     `json:"entity_key"`
	Summary   string     `json:"summary"`
	StartedAt time.Time  `json:"started_at"`
	EndedAt   *time.Time `json:"ended_at"`
	Salience  float64    `json:"salience"`
}

// MentionedNode is what several sources mention.
type MentionedNode struct {
	EntityKey string `json:"entity_key"`
	Kind      string `json:"kind"`
	Name      string `json:"name"`
}

// ConsolidationPage is a page of candidates. It may have less than asked for, even none, while Next is given: a page is
// a bounded stretch of the memory.
type ConsolidationPage struct {
	Candidates []ConsolidationCandidate `json:"candidates"`
	Next       *string                  `json:"next"`
}

// The two parts of the list begin their cursors with these.
const (
	fadedCursor   = "f"
	overlapCursor = "o"
)

// ConsolidationCandidates lists sources of the scope's user that could be archived: first those that have faded, by key,
// then those that overlap, by what they mention. It changes nothing. InvalidError.
func (s *Store) ConsolidationCandidates(ctx context.Context, scope Scope, cursor string, limit int) (ConsolidationPage, error) {
	f := &faults{}
	if scope.UserID == "" {
		f.add("user_id", "is needed: sources belong to a user")
	}
	after, err := decodeCursor(cursor)
	if err != nil || after != "" && !strings.HasPrefix(after, fadedCursor) && !strings.HasPrefix(after, overlapCursor) {
		f.add("cursor", "is not one that a page ended with")
	}
	if err := f.err(); err != nil {
		return ConsolidationPage{}, err
	}
	if rest, overlapping := strings.CutPrefix(after, overlapCursor); overlapping {
		return s.overlapping(ctx, scope, rest, limit)
	}
	return s.faded(ctx, scope, strings.TrimPrefix(after, fadedCursor), limit)
}

func (s *Store) consolidationParams(scope Scope, after string) map[string]any {
	now := s.now()
	return map[string]any{
		"team_id": scope.TeamID, "after": after, "walk": consolidateWalk,
		"week_ago": now.Add(-consolidateAfter), "now_ms": now.UnixMilli(),
	}
}

func (s *Store) faded(ctx context.Context, scope Scope, after string, limit int) (ConsolidationPage, error) {
	prefix := listPrefix(sourceKind, scope.UserID)
	params := s.consolidationParams(scope, prefix+after)
	params["end"], params["limit"] = prefixEnd(prefix), limit+1
	row, err := s.readOne(ctx, "consolidation_faded", params)
	if err != nil {
		return ConsolidationPage{}, err
	}
	page := ConsolidationPage{Candidates: []ConsolidationCandidate{}}
	for _, item := range items(row.Values[2]) {
		l := items(item)
		if len(page.Candidates) == limit {
			return page.next(fadedCursor + page.Candidates[limit-1].EntityKeys[0]), nil
		}
		page.Candidates = append(page.Candidates, ConsolidationCandidate{
			Reason: "faded", EntityKeys: []string{text(l[1])}, SourceCount: 1, Source: &FadedSource{
				EntityKey: text(l[1]), Summary: text(l[2]), StartedAt: moment(l[3]), EndedAt: optionalMoment(l[4]), Salience: number(l[5]),
			},
		})
	}
	if integer(row.Values[0]) == consolidateWalk {
		return page.next(fadedCursor + strings.TrimPrefix(text(row.Values[1]), prefix)), nil
	}
	return page.next(overlapCursor), nil
}

func (p ConsolidationPage) next(cursor string) ConsolidationPage {
	encoded := encodeCursor(cursor)
	p.Next = &encoded
	return p
}

func (s *Store) overlapping(ctx context.Context, scope Scope, after string, limit int) (ConsolidationPage, error) {
	params := s.consolidationParams(scope, after)
	params["user_id"] = scope.UserID
	rows, err := s.read(ctx, s.queries["consolidation_overlapping"], params)
	if err != nil {
		return ConsolidationPage{}, err
	}
	page := ConsolidationPage{Candidates: []ConsolidationCandidate{}}
	walked, last := int64(0), after
	for i, row := range rows {
		walked += integer(row.Values[4])
		if walked == consolidateWalk && i > 0 { // more may be said of this one on the next page
			return page.next(overlapCursor + last), nil
		}
		candidate, ok := overlap(row.Values)
		if ok && len(page.Candidates) == limit {
			return page.next(overlapCursor + last), nil
		}
		if ok {
			page.Candidates = append(page.Candidates, candidate)
		}
		last = text(row.Values[0])
	}
	if walked == consolidateWalk {
		return page.next(overlapCursor + last), nil
	}
	return page, nil
}

// overlap is the candidate of a row. What mentions the user's own person overlaps in nothing.
func overlap(values []any) (ConsolidationCandidate, bool) {
	sources := texts(values[5])
	if len(sources) < consolidateSources || truth(values[3]) {
		return ConsolidationCandidate{}, false
	}
	return ConsolidationCandidate{
		Reason: "overlapping", SourceCount: int64(len(sources)), EntityKeys: sources[:min(len(sources), consolidateShown)],
		Node: &MentionedNode{text(values[0]), kindOfLabel(kindLabel(texts(values[1]))).Name, text(values[2])},
	}, true
}

// Consolidation names sources to archive. With Strict, one that cannot be is a fault, and none is.
type Consolidation struct {
	UserID     string   `json:"user_id,omitempty" maxLength:"256" doc:"whose sources; left out: the user of the key"`
	EntityKeys []string `json:"entity_keys" minItems:"1" maxItems:"1000"`
	Strict     bool     `json:"strict,omitempty" doc:"all or nothing: an unknown source is a 422 and nothing is archived"`
}

// ConsolidationResult has one entry for each key, in their order.
type ConsolidationResult struct {
	Sources  []NodeResult `json:"sources"`
	Warnings []string     `json:"warnings"`
	Users    []string     `json:"-"` // whose memory was changed
}

// Consolidate archives sources of the scope's user; their links stay. What is archived already is unchanged.
func (s *Store) Consolidate(ctx context.Context, scope Scope, c *Consolidation) (ConsolidationResult, error) {
	if err := c.validate(scope); err != nil {
		return ConsolidationResult{}, err
	}
	write := &MemoryWrite{Strict: c.Strict, existing: true}
	for _, key := range c.EntityKeys {
		write.Nodes = append(write.Nodes, NodeWrite{Kind: sourceKind.Name, EntityKey: key, State: Some("archived")})
	}
	done, err := s.Write(ctx, scope, write)
	if err != nil {
		return ConsolidationResult{}, consolidationFault(err)
	}
	result := ConsolidationResult{Sources: done.Nodes, Warnings: []string{}, Users: done.Users}
	for i := range result.Sources {
		if result.Sources[i].Status == Refused {
			message := noSuchSource
			result.Sources[i].Error = &message
			result.Warnings = append(result.Warnings, index("entity_keys", i)+": "+message)
		}
	}
	return result, nil
}

// noSuchSource is said of an unknown key and of another's source alike.
const noSuchSource = "there is no such source of the user"

func (c *Consolidation) validate(scope Scope) error {
	f := &faults{}
	if scope.UserID == "" {
		f.add("user_id", "is needed: sources belong to a user")
	}
	if n := len(c.EntityKeys); n == 0 || n > MaxConsolidated {
		f.add("entity_keys", "must have 1 to %d items", MaxConsolidated)
		return f.err()
	}
	seen := map[string]int{}
	for i, key := range c.EntityKeys {
		f.word(index("entity_keys", i), key, MaxKeyLength)
		if first, again := seen[key]; again {
			f.add(index("entity_keys", i), "is the same as entity_keys[%d]", first)
			continue
		}
		seen[key] = i
	}
	return f.err()
}

// consolidationFault tells of the keys what a write tells of its nodes.
func consolidationFault(err error) error {
	var invalid *InvalidError
	if !errors.As(err, &invalid) {
		return err
	}
	f := &faults{}
	for _, field := range invalid.Fields {
		place, _, _ := strings.Cut(field.Location, ".")
		f.add(strings.Replace(place, "nodes", "entity_keys", 1), "%s", noSuchSource)
	}
	return f.err()
}
