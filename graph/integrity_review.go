package graph

import (
	"context"

	"kith/graph/neo"
)

var deleteReviews = neo.Load[neo.None]("review_delete")

// reviews reports reviews whose write cannot be read.
func (c *checker) reviews(ctx context.Context, team string) error {
	return c.store.eachReview(ctx, team, func(r *reviewRow) error {
		if _, err := r.line(); err == nil {
			return nil
		}
		f := Finding{Check: "review", TeamID: team, Key: r.Key, Detail: "its write cannot be read: nobody can decide about it, and the team cannot be exported"}
		return c.report(ctx, f, c.run(deleteReviews, map[string]any{"team_id": team, "keys": []string{r.Key}}))
	})
}
