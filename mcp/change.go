package mcp

import (
	"cmp"
	"context"
	"time"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/contract"
	"kith/internal/fault"
	"kith/loader"
	"kith/text/times"
)

// How long an answer of what_changed is, and how many changes it has, unless the caller says.
const (
	changeTokens = 500
	changesShown = 20
)

type changedInput struct {
	Caller
	About     string `json:"about" minLength:"1" maxLength:"512" doc:"entity key or name"`
	Kind      string `json:"kind,omitempty" maxLength:"64" doc:"only a node of this kind"`
	Since     string `json:"since,omitempty" minLength:"1" maxLength:"100" doc:"a day, or words as \"last week\"; default: all that is kept"`
	Limit     int    `json:"limit,omitempty" minimum:"1" maximum:"500" doc:"default 20"`
	MaxTokens int    `json:"max_tokens,omitempty" minimum:"100" maximum:"100000" doc:"default 500"`
}

func (s *Server) addChanges() {
	add(s, tool{"what_changed", "What changed about a node", reads, guide("what_changed")}, contract.Input[changedInput](), s.changed)
}

func (s *Server) changed(ctx context.Context, in *changedInput) (answer, error) {
	scope, err := scope(ctx, auth.Read, in.Caller)
	if err != nil {
		return answer{}, err
	}
	since, err := in.since(time.Now().UTC())
	if err != nil {
		return answer{}, err
	}
	where := []place{{fault.At("about"), &in.About, in.Kind}}
	list, err := byName(ctx, s, scope, where, func() (graph.ChangeList, error) {
		return s.nodeChanges(ctx, scope, in, graph.ChangePeriod{Since: since, Limit: cmp.Or(in.Limit, changesShown)})
	})
	if err != nil {
		return answer{}, err
	}
	text, err := loader.ChangesText(&list, since, cmp.Or(in.MaxTokens, changeTokens))
	return answer{text: text}, err
}

// nodeChanges returns the changes of the node with a key. One that was deleted is found if its kind is given.
func (s *Server) nodeChanges(ctx context.Context, scope graph.Scope, in *changedInput, p graph.ChangePeriod) (graph.ChangeList, error) {
	kind, known := graph.KindOf(in.Kind)
	if in.Kind != "" && !known {
		return graph.ChangeList{}, fault.Invalid(fault.At("kind"), fault.NotOneOf, "is no kind of nodes")
	}
	if !known {
		stored, err := s.Store.NodesByKey(ctx, scope, []string{in.About})
		if err != nil || len(stored) == 0 {
			return graph.ChangeList{}, cmp.Or(err, fault.ErrNotFound)
		}
		kind, _ = graph.KindOf(stored[0].Kind)
	}
	return s.Store.NodeChanges(ctx, scope, kind, in.About, p)
}

// since returns the time that the caller names; zero for none.
func (in *changedInput) since(now time.Time) (time.Time, error) {
	if in.Since == "" {
		return time.Time{}, nil
	}
	since, ok := times.Begin(in.Since, now)
	if !ok {
		return since, fault.Invalid(fault.At("since"), fault.Malformed, `must be a day as 2026-05-31, a time of RFC 3339, or words as "last week"`)
	}
	return since.UTC(), nil
}
