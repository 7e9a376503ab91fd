package graph

import (
	"encoding/json"
	"fmt"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"kith/internal/fault"
)

// Filters compare numbers exactly: those of 64 bits, and decimals.
func TestFiltersCompareExactly(t *testing.T) {
	t.Parallel()
	number := rapid.OneOf(
		rapid.Map(rapid.Int64(), func(n int64) string { return fmt.Sprint(n) }),
		rapid.Map(rapid.IntRange(-3, 3), func(n int) string { return fmt.Sprint(int64(1)<<62 + int64(n)) }),
		rapid.Map(rapid.IntRange(-3, 3), func(n int) string { return fmt.Sprintf("0.1%020d", n+3) }),
		rapid.SampledFrom([]string{"3", "3.0", "30e-1", "9007199254740992", "9007199254740993", "9007199254740993.0", "0.1", "0.10", "1e-1", "1e400", "1e401"}),
	)
	rapid.Check(t, func(r *rapid.T) {
		stored, wanted := number.Draw(r, "stored"), number.Draw(r, "wanted")
		s, _ := new(big.Rat).SetString(stored)
		w, _ := new(big.Rat).SetString(wanted)
		order := s.Cmp(w)
		n := &NodeView{Kind: "concept", Node: Node{Properties: json.RawMessage(`{"n":` + stored + `,"in":[{"n":` + stored + `}]}`)}}
		for filter, want := range map[string]bool{
			`{"n":%s}`: order == 0, `{"n":{"$eq":%s}}`: order == 0, `{"n":{"$ne":%s}}`: order != 0, `{"n":{"$gt":%s}}`: order > 0, `{"n":{"$gte":%s}}`: order >= 0,
			`{"n":{"$lt":%s}}`: order < 0, `{"n":{"$lte":%s}}`: order <= 0, `{"in":[{"n":%s}]}`: order == 0, `{"in":{"$eq":[{"n":%s}]}}`: order == 0,
		} {
			f := &Faults{}
			got := f.Filter(fault.At("filter"), json.RawMessage(fmt.Sprintf(filter, wanted)))
			if f.Err() != nil || got.Matches(n) != want {
				r.Errorf("%s of %s: %t, %v", fmt.Sprintf(filter, wanted), stored, !want, f.Err())
			}
		}
	})
}
