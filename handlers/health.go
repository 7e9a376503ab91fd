package handlers

import (
	"net/http"

	"github.com/gin-gonic/gin"
)

// Build describes the running program.
type Build struct {
	Version string `json:"version"`
	Commit  string `json:"commit"` // its hash; empty where nobody noted it
	Date    string `json:"date"`   // of the commit, RFC 3339; empty like it
}

// Readiness is the response of /readyz, with status 200 or 503.
type Readiness struct {
	Ready bool `json:"ready"`
	Build
}

// Starting answers while the memory is being prepared: alive, not ready, and nothing else.
func Starting(b Build) http.Handler {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.GET("/livez", livez)
	engine.GET("/readyz", func(c *gin.Context) { sendReadiness(c, Readiness{false, b}) })
	engine.NoRoute(func(c *gin.Context) {
		abort(c, problemOf(http.StatusServiceUnavailable, "the service is starting; try again"))
	})
	return engine
}

func livez(c *gin.Context) { c.Data(http.StatusOK, textType, []byte("ok\n")) }

// readyz reports whether requests can be answered now, as fast as usual.
func (a *API) readyz(c *gin.Context) {
	sendReadiness(c, Readiness{a.Ready(c.Request.Context()) == nil, a.options.Build})
}

func sendReadiness(c *gin.Context, r Readiness) {
	status := http.StatusOK
	if !r.Ready {
		c.Header("Retry-After", retryAfter)
		status = http.StatusServiceUnavailable
	}
	c.JSON(status, r)
}
