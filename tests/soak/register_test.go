//go:build soak && linux

package soak

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"kith/tests/soak/history"
	"kith/tests/soak/registers"
)

const (
	generation = 20 * time.Second // of keys; with the longest answer less than restorable, so that nothing is purged within one
	mostOf     = 80               // operations of a client in one
)

// group returns clients of one user of the round's team. A pinned group uses one instance.
func (r *round) group(user string, pinned bool, random *rand.Rand) *registers.Group {
	order := random.Perm(len(r.kiths))
	return &registers.Group{
		User: user, Processes: len(r.kiths), Pinned: pinned, Most: mostOf, Random: random,
		Send: func(process int, method, path, body string) (int, []byte) {
			return r.send(r.kiths[order[process]], r.key, method, path, body)
		},
		Starts: func(process int) int64 { return r.kiths[order[process]].starts.Load() },
	}
}

// share runs one group after the other.
func (r *round) share(ctx context.Context, name string, pinned bool, random *rand.Rand) {
	for n := 0; ctx.Err() == nil; n++ {
		within, cancel := context.WithTimeout(ctx, generation)
		result := r.group(fmt.Sprintf("%s.%d", name, n), pinned, random).Run(within)
		cancel()
		if !result.Answered() { // nothing to judge: the service is away
			wait(ctx, time.Second)
			continue
		}
		r.tally.judged(result)
		for _, f := range result.Faults {
			r.Errorf("%s (pinned: %v): %s; all operations are in %s", name, pinned, f, r.log.Name())
		}
		for _, operations := range result.Operations {
			for _, o := range operations {
				if len(result.Faults) > 0 {
					_, _ = fmt.Fprintf(r.log, "soak: %+v\n", o)
				}
			}
		}
	}
}

// agree checks that when all is well each instance reads what any has written, within a second.
func (r *round) agree() {
	g := r.group("agree", false, r.random)
	do := func(process int, o history.Operation) history.Operation {
		o, err := g.Do(process, o)
		if err != nil {
			r.Error(err)
		}
		return o
	}
	for i := range r.kiths {
		o := history.Operation{Key: "agree.b", Kind: history.Create, Value: fmt.Sprintf("written by %d", i)}
		if i > 0 {
			o.Kind = history.Write
		}
		if o = do(i, o); o.Outcome != history.Done {
			r.Errorf("%s when all is well: %s", o.Kind, o.Outcome)
		}
		for other, written := 0, time.Now(); other < len(r.kiths); {
			asked := time.Since(written)
			switch seen := do(other, history.Operation{Key: "agree.b", Kind: history.Cached}); {
			case seen.Value == o.Value:
				other++
			case seen.Outcome != history.Unknown && asked > time.Second || asked > time.Minute:
				r.Errorf("an instance has %s, %q, %v after another has %s", seen.Outcome, seen.Value, asked, o.Value)
				other++
			}
		}
	}
}
