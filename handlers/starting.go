package handlers

import (
	"net/http"

	"github.com/gin-gonic/gin"
)

// Starting answers while the memory is being prepared: alive, not ready, and nothing else.
func Starting() http.Handler {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.GET("/livez", livez)
	engine.GET("/readyz", notReady)
	engine.NoRoute(func(c *gin.Context) {
		abort(c, problemOf(http.StatusServiceUnavailable, "the service is starting; try again"))
	})
	return engine
}

func livez(c *gin.Context) { c.Data(http.StatusOK, textType, []byte("ok\n")) }

func notReady(c *gin.Context) {
	c.Header("Retry-After", retryAfter)
	c.Data(http.StatusServiceUnavailable, textType, []byte("not ready\n"))
}
