package handlers

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"kith/access/limit"
)

// limit lets a key make as many calls as it may, and reports with each how much is left. What a body adds to the cost is charged when
// it has been read.
func (a *API) limit(c *gin.Context) { a.charge(c, limit.Least(a.bodyRuleOf(c).id), 0) }

// charge takes what a call costs, of which some may be paid. It is false where the key has too little left, and answers then.
func (a *API) charge(c *gin.Context, cost, paid int64) bool {
	p := principal(c.Request.Context())
	if a.Limits == nil || p.KeyID == "" || cost <= paid {
		return true
	}
	d := a.Limits.Allow(c.Request.Context(), limit.Charge{Key: p.KeyID, Own: p.RateLimit, Cost: cost, Paid: paid})
	if d.Limit == 0 {
		return true
	}
	c.Request = c.Request.WithContext(context.WithValue(c.Request.Context(), decisionKey, d))
	c.Header("RateLimit-Limit", strconv.FormatInt(d.Limit, 10))
	c.Header("RateLimit-Remaining", strconv.FormatInt(d.Remaining, 10))
	c.Header("RateLimit-Reset", seconds(d.Reset))
	if !d.Allowed {
		c.Header("Retry-After", seconds(d.RetryAfter))
		abort(c, problemOf(http.StatusTooManyRequests, "the key has made as many requests as it may; try again later"))
	}
	return d.Allowed
}

// seconds is a duration in whole seconds, none too short.
func seconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }
