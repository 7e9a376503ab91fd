package handlers

import (
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
)

// limit lets a key make as many requests as it may, and tells with each how many are left.
func (a *API) limit(c *gin.Context) {
	p := principal(c.Request.Context())
	if a.Limits == nil || p.KeyID == "" {
		return
	}
	d := a.Limits.Allow(c.Request.Context(), p.KeyID, p.RateLimit)
	if d.Limit == 0 {
		return
	}
	c.Header("RateLimit-Limit", strconv.FormatInt(d.Limit, 10))
	c.Header("RateLimit-Remaining", strconv.FormatInt(d.Remaining, 10))
	c.Header("RateLimit-Reset", seconds(d.Reset))
	if !d.Allowed {
		c.Header("Retry-After", seconds(d.RetryAfter))
		abort(c, problemOf(http.StatusTooManyRequests, "the key has made as many requests as it may; try again later"))
	}
}

// seconds is a duration in whole seconds, none too short.
func seconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }
