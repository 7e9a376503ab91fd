package handlers

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"

	"kith/access/limit"
	"kith/internal/contract"
	"kith/internal/fault"
)

// Bounds of bodies. Operations that write many items at once take larger ones: Options.MaxBody.
const (
	maxSmallBody    = 1 << 20
	maxLargeValues  = 1_000_000
	freeBody        = 64 << 10 // bytes that every request may hold; more needs a place
	firstLargePiece = 1 << 20
)

// bodyRule bounds and describes the body of an operation.
type bodyRule struct {
	id     string
	most   int64         // bytes
	large  bool          // as many items are written at once
	schema *huma.Schema  // nil: any
	known  huma.Registry // of its references
}

// smallBodyRule returns the rule for requests without an operation: MCP and unknown paths.
func (a *API) smallBodyRule(id string) bodyRule {
	return bodyRule{id: id, most: min(maxSmallBody, a.options.MaxBody)}
}

// large allows an operation the largest bodies. They are validated while they are scanned, because huma would decode the whole body.
func large(_ huma.API, o *huma.Operation) {
	o.Metadata, o.SkipValidateBody = map[string]any{isLarge: true}, true
}

const isLarge = "large"

// collectBodyRules stores the rule of each operation by method and route.
func (a *API) collectBodyRules(api *huma.OpenAPI) {
	a.bodyRules = map[string]bodyRule{}
	for path, item := range api.Paths {
		route := strings.NewReplacer("{", ":", "}", "").Replace(path)
		for _, o := range operationsAt(item) {
			t := a.smallBodyRule(o.OperationID)
			if t.known = api.Components.Schemas; o.Metadata[isLarge] == true {
				t.large, t.most = true, a.options.MaxBody
			}
			if o.RequestBody != nil && o.RequestBody.Content[jsonType] != nil {
				t.schema = o.RequestBody.Content[jsonType].Schema
			}
			a.bodyRules[o.Method+" "+route] = t
		}
	}
}

// bodyRuleOf returns the rule for the operation of a request.
func (a *API) bodyRuleOf(c *gin.Context) bodyRule {
	if t, ok := a.bodyRules[c.Request.Method+" "+c.FullPath()]; ok {
		return t
	}
	return a.smallBodyRule(limit.MCP)
}

// body reads the request body within its bounds. It refuses bodies that are too large or that a JSON decoder would silently repair.
// It holds the place of the body until the request is answered.
func (a *API) body(c *gin.Context) {
	if c.Request.Body == nil || c.Request.Body == http.NoBody || exchanges[c.Request.URL.Path] || principal(c.Request.Context()).TeamID == "" {
		return
	}
	t := a.bodyRuleOf(c)
	raw, leave, err := a.readBody(c, t.most)
	defer leave()
	if err != nil {
		abort(c, a.bodyProblem(c, t, err))
		return
	}
	_ = http.NewResponseController(c.Writer).SetReadDeadline(time.Time{}) // or it would end the request while it is answered
	nameJSON(c, raw)
	raw, found := t.read(raw)
	if len(found) > 0 {
		abort(c, problemOf(http.StatusUnprocessableEntity, "the request has faults", found...))
		return
	}
	if !a.charge(c, limit.Cost(t.id, raw), limit.Least(t.id)) {
		return
	}
	c.Request.Body = &readOnceBody{bytes.NewReader(raw)}
	c.Next()
}

// read returns a body as it is decoded, or its faults.
func (t bodyRule) read(raw []byte) ([]byte, []Fault) {
	if len(raw) == 0 { // huma knows whether it is needed
		return raw, nil
	}
	walk := contract.Walk{Registry: t.known, Schema: t.schema, Root: "body"}
	if t.large {
		walk.Values, walk.All = maxLargeValues, true
	}
	readable, found := walk.Read(raw)
	return readable, faultsFrom(found)
}

// readOnceBody releases its bytes after they are read.
type readOnceBody struct{ *bytes.Reader }

// WriteTo writes the whole body at once, so that the reader knows its length.
func (h *readOnceBody) WriteTo(w io.Writer) (int64, error) {
	defer h.Reset(nil)
	return h.Reader.WriteTo(w)
}

// Close does nothing.
func (h *readOnceBody) Close() error { return nil }

// bodyProblem returns the problem for a body that could not be read.
func (a *API) bodyProblem(c *gin.Context, t bodyRule, err error) *Problem {
	switch {
	case errors.Is(err, errTooLarge):
		return problemOf(http.StatusRequestEntityTooLarge, tooLarge(t.most))
	case errors.Is(err, errNoPlace):
		c.Header("Connection", "close")
		return problemFor(err)
	}
	c.Header("Connection", "close")
	return problemOf(http.StatusRequestTimeout, "the body did not come in time")
}

var (
	errTooLarge = errors.New("the body is too large")
	errNoPlace  = errors.New("too many large bodies; try again")
)

// readBody reads at most `most` bytes. The body keeps its place until leave is called.
func (a *API) readBody(c *gin.Context, most int64) (raw []byte, leave func(), err error) {
	length, in := c.Request.ContentLength, c.Request.Body
	if length > most {
		return nil, func() {}, a.drainBody(c, length)
	}
	held := length
	if length < 0 {
		held = most
	}
	raw = make([]byte, 0, min(held, freeBody)+1)
	if raw, err = fill(raw, in); err != nil || len(raw) < cap(raw) {
		return raw, func() {}, err
	}
	p, err := a.places.enter(c.Request.Context(), principal(c.Request.Context()).TeamID, held)
	if err != nil {
		return nil, func() {}, err
	}
	for step := min(held, max(length, firstLargePiece)); err == nil && len(raw) == cap(raw) && int64(len(raw)) <= most; step = held {
		raw = append(make([]byte, 0, step+1), raw...)
		raw, err = fill(raw, in)
	}
	if err == nil && int64(len(raw)) > most {
		raw, err = nil, a.drainBody(c, -1)
	}
	p.keep(int64(len(raw)))
	return raw, p.leave, err
}

// fill reads as far as there is room, or to the end.
func fill(raw []byte, in io.Reader) ([]byte, error) {
	n, err := io.ReadFull(in, raw[len(raw):cap(raw)])
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return raw[:len(raw)+n], err
}

// drainBody discards the rest of a body that is too large, because callers that are still sending would not see the answer.
// It does not read a body that is more than twice too large.
func (a *API) drainBody(c *gin.Context, length int64) error {
	most := 2 * a.options.MaxBody
	if length <= most {
		if n, err := io.Copy(io.Discard, io.LimitReader(c.Request.Body, most)); err == nil && n < most {
			return errTooLarge
		}
	}
	c.Header("Connection", "close")
	return errTooLarge
}

// readWholeNumbers rewrites the whole numbers of a query as huma reads them: 3.0 and 3e0 as 3.
func readWholeNumbers(ctx huma.Context, next func(huma.Context)) {
	c := humagin.Unwrap(ctx)
	query, changed := c.Request.URL.Query(), false
	for _, p := range ctx.Operation().Parameters {
		if p.In != "query" || p.Schema.Type != huma.TypeInteger {
			continue
		}
		for i, value := range query[p.Name] {
			if !json.Valid([]byte(value)) || !strings.ContainsAny(value, ".eE") {
				continue
			}
			if digits, fault := contract.Whole(value); fault == "" {
				query[p.Name][i], changed = digits, true
			}
		}
	}
	if changed {
		c.Request.URL.RawQuery = query.Encode()
	}
	next(ctx)
}

// rejectEmptyParameters refuses empty query parameters, which huma treats as omitted, and invalid ids of users and teams.
func rejectEmptyParameters(api huma.API) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		if u := ctx.URL(); u.RawQuery != "" {
			if faults := emptyIn(u.Query(), ctx.Operation().Parameters); len(faults) > 0 {
				_ = huma.WriteErr(api, ctx, http.StatusUnprocessableEntity, "the request has faults", faults...) // a caller that has gone is nobody's error
				return
			}
		}
		next(ctx)
	}
}

func emptyIn(query url.Values, parameters []*huma.Param) []error {
	var faults []error
	for _, p := range parameters {
		values, given := query[p.Name]
		anyText := p.Schema.Type == huma.TypeString && p.Schema.Format == "" && len(p.Schema.Enum) == 0 && p.Schema.MinLength == nil
		if p.In == "query" && given && !anyText && p.Schema.Type != huma.TypeArray && slices.Contains(values, "") {
			faults = append(faults, &huma.ErrorDetail{Location: "query." + p.Name, Message: contract.Empty("query." + p.Name)})
		}
		if p.In == "query" && contract.IsWord(p) && slices.ContainsFunc(values, func(v string) bool { return v != "" && !fault.ValidKey(v) }) {
			faults = append(faults, &huma.ErrorDetail{Location: "query." + p.Name, Message: "must have 1 to 256 characters, not be blank, and contain no control characters"})
		}
	}
	return faults
}
