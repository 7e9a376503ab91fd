package handlers

import (
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/gin-gonic/gin"
)

// pagePolicy lets the page load from this Kith alone, speak with it and with an issuer at which it signs in, and no other page frame it.
func (a *API) pagePolicy() string {
	connect := "'self'"
	if issuer, err := url.Parse(a.options.Issuer); err == nil && a.options.SignIn.ClientID != "" {
		connect += " " + issuer.Scheme + "://" + issuer.Host
	}
	return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src " + connect +
		"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// SignIn configures the page to sign users in at the issuer, by authorization code with PKCE.
type SignIn struct {
	ClientID string // empty: the page takes API keys only
	Scope    string
	Audience string
}

// signInFile tells the page where to sign in: nothing, or an issuer.
const signInFile = "sign-in.json"

func (a *API) signIn() any {
	s := a.options.SignIn
	if s.ClientID == "" {
		return struct{}{}
	}
	return map[string]string{"issuer": a.options.Issuer, "client_id": s.ClientID, "scope": s.Scope, "audience": s.Audience}
}

// servePage serves the page below /ui/, and has / lead there. Its files need no key: they have no data.
func (a *API) servePage(engine *gin.Engine) {
	files := a.options.Page
	if files == nil {
		engine.GET("/", func(c *gin.Context) { c.Redirect(http.StatusFound, "/docs") })
		return
	}
	policy, signIn := a.pagePolicy(), a.signIn()
	toPage := func(c *gin.Context) { c.Redirect(http.StatusFound, "/ui/") }
	engine.GET("/", toPage)
	engine.GET("/ui", toPage)
	engine.GET("/ui/*file", func(c *gin.Context) {
		header := c.Writer.Header()
		header.Set("Content-Security-Policy", policy)
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
		if name == signInFile {
			c.JSON(http.StatusOK, signIn)
			return
		}
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
