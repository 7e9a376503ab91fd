package handlers

import (
	"io/fs"
	"net/http"
	"path"
	"strings"

	"github.com/gin-gonic/gin"
)

// pagePolicy lets the page load from this Kith alone, and no other page frame it.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// servePage serves the page below /ui/, and has / lead there. Its files need no key: they have no data.
func (a *API) servePage(engine *gin.Engine) {
	files := a.options.Page
	if files == nil {
		engine.GET("/", func(c *gin.Context) { c.Redirect(http.StatusFound, "/docs") })
		return
	}
	toPage := func(c *gin.Context) { c.Redirect(http.StatusFound, "/ui/") }
	engine.GET("/", toPage)
	engine.GET("/ui", toPage)
	engine.GET("/ui/*file", func(c *gin.Context) {
		header := c.Writer.Header()
		header.Set("Content-Security-Policy", pagePolicy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		name := strings.TrimPrefix(c.Param("file"), "/")
		if asset := strings.HasPrefix(name, "assets/"); asset || name == licencesFile {
			if asset { // its name has a hash of its content
				header.Set("Cache-Control", "public, max-age=31536000, immutable")
			}
			sendFile(c, files, name)
			return
		}
		header.Set("Cache-Control", "no-cache")
		sendFile(c, files, indexFile) // of each screen: the script reads the path
	})
}

const (
	indexFile    = "index.html"
	licencesFile = "licences.txt"
)

// contentTypes are by the ends of names: those of the system may be others.
var contentTypes = map[string]string{ //nolint:gochecknoglobals // a constant table
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".txt":  textType,
}

func sendFile(c *gin.Context, files fs.FS, name string) {
	kind := contentTypes[path.Ext(name)]
	content, err := fs.ReadFile(files, name)
	if err != nil || kind == "" {
		c.Writer.Header().Del("Cache-Control")
		abort(c, problemOf(http.StatusNotFound, "there is no such path"))
		return
	}
	c.Data(http.StatusOK, kind, content)
}
