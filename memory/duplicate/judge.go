package duplicate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"kith/graph"
	"kith/graph/neo"
)

var (
	listUnjudged = neo.Load[unjudged]("duplicate_unjudged")
	storeVerdict = neo.Load[int64]("duplicate_judge")
)

// Verdict is the answer of a language model about a pair.
type Verdict string

// The verdicts.
const (
	Same   Verdict = "same"
	Other  Verdict = "other"
	Unsure Verdict = "unsure"
)

const (
	// verdictWeight is added to the logarithm of the odds for a yes, and subtracted for a no: a factor of about nine. It was set by hand.
	verdictWeight = 2.2
	// mostJudged bounds the probability of a pair that a model thinks is one: texts of others may have told the model so.
	mostJudged = 0.94
	judgePage  = 20 // pairs of a turn
	askPause   = time.Minute
)

// unjudged is a row of duplicate_unjudged.
type unjudged struct {
	Team, Pair, Kind string
	Compared         float64
	Reasons          []string
	Weights          []float64
	First, Second    proposedRow
}

// unjudged returns the pairs that have waited longest for the model; none while it is not asked.
func (w *Worker) unjudged(ctx context.Context, limit int) ([]unjudged, error) {
	if w.options.Judge == nil || time.Now().Before(w.askAgain) {
		return nil, nil
	}
	return listUnjudged.Read(ctx, w.store.db, map[string]any{"above": time.Time{}, "limit": limit})
}

// judge asks the model about the pairs that have waited longest, and then not before the next turn. After an error it is not asked for a
// while, and the others are asked about before that pair.
func (w *Worker) judge(ctx context.Context) error {
	pairs, err := w.unjudged(ctx, judgePage)
	if err != nil {
		return err
	}
	for i := range pairs {
		p := &pairs[i]
		if err := w.hold(ctx); err != nil {
			return err
		}
		verdict, failure := w.options.Judge(ctx, p.Kind, p.First.node(), p.Second.node())
		m := judged(p, verdict)
		params := map[string]any{
			"team_id": p.Team, "pair": p.Pair, "compared": p.Compared, "verdict": string(verdict), "probability": m.Probability,
			"reasons": m.codes(), "weights": m.weights(), "judge_from": nil,
		}
		if failure != nil {
			params["verdict"], params["judge_from"] = nil, w.store.graph.Now()
		}
		err := w.store.graph.Transaction(ctx, "duplicate_judge", func(t *graph.Tx) error {
			t.Changes(nil)
			return storeVerdict.Run(t, params)
		})
		if failure != nil {
			w.askAgain = time.Now().Add(askPause)
			return errors.Join(fmt.Errorf("ask the model about a pair: %w", failure), err)
		}
		if err != nil {
			return err
		}
		w.options.Observe(Judged, 1)
	}
	if len(pairs) > 0 {
		w.askAgain = time.Now().Add(w.options.Every)
	}
	return nil
}

// judged returns the match of a pair with a verdict; that of the comparison without one.
func judged(p *unjudged, verdict Verdict) Match {
	m := Match{Probability: p.Compared}
	for i, code := range p.Reasons {
		m.Reasons = append(m.Reasons, Reason{Code: code, Weight: p.Weights[i]})
	}
	weight, code := verdictWeight, "model_same"
	switch verdict {
	case Unsure, "":
		return m
	case Other:
		weight, code = -verdictWeight, "model_other"
	case Same:
	}
	odds := p.Compared / (1 - p.Compared) * math.Exp(weight)
	m.Probability = min(odds/(1+odds), mostJudged)
	m.Reasons = append(m.Reasons, Reason{Code: code, Weight: weight})
	m.sort()
	return m
}
