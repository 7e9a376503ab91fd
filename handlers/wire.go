package handlers

import (
	"bytes"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/klauspost/compress/gzhttp"
	"github.com/rs/cors"
)

// wire returns next with what all requests need before they are routed: pages of other origins, HEAD, compression, and callers' keys in answers.
func (a *API) wire(next http.Handler) http.Handler {
	return a.cors(head(compressed(withoutKeyMarks(next))))
}

// cors lets pages of the origins that are allowed call the API. Preflights need no key: they carry none. The key is a header that the
// page sets itself, and there are no cookies: no page can call with rights that it was not given.
func (a *API) cors(next http.Handler) http.Handler {
	if len(a.options.Origins) == 0 {
		return next
	}
	return cors.New(cors.Options{
		AllowedOrigins: a.options.Origins,
		AllowedMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete},
		AllowedHeaders: []string{"*"},
		ExposedHeaders: []string{
			"ETag", "Idempotency-Replayed", asOfHeader, replayHeader, "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "Retry-After", "WWW-Authenticate", requestIDHeader,
		},
		MaxAge: 600, // seconds
	}).Handler(next)
}

// head answers HEAD as GET without the body, which the server leaves out. What streams has no HEAD: it would run to its end.
func head(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.Path
		streams := exchanges[path] || path == mcpPath || isChangeStream(path, r.Header) || strings.HasPrefix(path, "/v1/turns/") && strings.HasSuffix(path, "/events")
		if r.Method == http.MethodHead && !streams {
			get := *r
			get.Method, get.Header = http.MethodGet, r.Header.Clone()
			get.Header.Del("Accept-Encoding")
			r = &get
		}
		next.ServeHTTP(w, r)
	})
}

// smallestCompressed is how many bytes an answer has that is compressed.
const smallestCompressed = 1 << 10

// compressed sends what is large with gzip to those who take it. Events and exports stream, and are sent as they come.
func compressed(next http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(smallestCompressed), gzhttp.EnableZstd(false), gzhttp.ContentTypeFilter(func(contentType string) bool {
		kind, _, _ := mime.ParseMediaType(contentType)
		return slices.Contains([]string{jsonType, problemType, "text/html", "text/css", "text/javascript", "text/markdown", "text/plain"}, kind)
	}))
	if err != nil {
		panic("handlers: " + err.Error()) // a broken binary
	}
	return wrap(next)
}

// formType is the default content type of curl -d.
const formType = "application/x-www-form-urlencoded"

// nameJSON sets the content type of a form body that begins as JSON, as curl -d sends it. A page of another
// origin can send such a body without asking first; it cannot send a key with it, as keys are headers, and there are no cookies.
func nameJSON(c *gin.Context, raw []byte) {
	kind, _, _ := mime.ParseMediaType(c.GetHeader("Content-Type"))
	if text := bytes.TrimLeft(raw, " \t\r\n"); kind == formType && len(text) > 0 && (text[0] == '{' || text[0] == '[') {
		c.Request.Header.Set("Content-Type", jsonType)
	}
}
