package handlers

import (
	"net/http"
	"strings"
	"testing"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/fault"
)

func TestConsolidation(t *testing.T) {
	t.Parallel()
	invalid := &fault.InvalidError{Fields: []fault.FieldError{{Path: fault.At("cursor"), Message: "x"}}}
	bound := auth.Principal{TeamID: "t", UserID: "u2", Scopes: auth.Scopes}
	reader := auth.Principal{TeamID: "t", Scopes: []string{auth.Read}}
	for name, c := range map[string]struct {
		method, query, body string
		f                   fakes
		status              int
		asked, answer       string
	}{
		"a page":         {method: http.MethodGet, query: "?user_id=u1&cursor=c&limit=7", status: 200, asked: "t u1 c 7", answer: `{"candidates":[],"next":null}`},
		"by default":     {method: http.MethodGet, f: fakes{principal: bound}, status: 200, asked: "t u2  50", answer: `{"candidates":[],"next":null}`},
		"limit":          {method: http.MethodGet, query: "?user_id=u1&limit=201", status: 422, answer: `"location":"query.limit"`},
		"another's":      {method: http.MethodGet, query: "?user_id=u1", f: fakes{principal: bound}, status: 403, answer: `"status":403`},
		"a bad cursor":   {method: http.MethodGet, query: "?user_id=u1", f: fakes{err: invalid}, status: 422, asked: "t u1  50", answer: `"location":"query.cursor"`},
		"archive":        {method: http.MethodPost, body: `{"user_id":"u1","entity_keys":["s","r"],"strict":true}`, status: 200, asked: "t u1 [s r] true", answer: `{"sources":[],"warnings":[]}`},
		"nothing named":  {method: http.MethodPost, body: `{"user_id":"u1","entity_keys":[]}`, status: 422, answer: `"location":"body.entity_keys"`},
		"too many":       {method: http.MethodPost, body: `{"user_id":"u1","entity_keys":["s"` + strings.Repeat(`,"s"`, 1000) + `]}`, status: 422, answer: `"location":"body.entity_keys"`},
		"unknown field":  {method: http.MethodPost, body: `{"user_id":"u1","entity_keys":["s"],"delete":true}`, status: 422, answer: `"location":"body.delete"`},
		"by a reader":    {method: http.MethodPost, body: `{"user_id":"u1","entity_keys":["s"]}`, f: fakes{principal: reader}, status: 403, answer: `"status":403`},
		"of another":     {method: http.MethodPost, body: `{"user_id":"u1","entity_keys":["s"]}`, f: fakes{principal: bound}, status: 403, answer: `"status":403`},
		"refused":        {method: http.MethodPost, body: `{"user_id":"u1","entity_keys":["s"]}`, f: fakes{err: invalid}, status: 422, asked: "t u1 [s] false", answer: `"location":"body.cursor"`},
		"outcome unsure": {method: http.MethodPost, body: `{"user_id":"u1","entity_keys":["s"]}`, f: fakes{err: graph.ErrUnavailable}, status: 503, asked: "t u1 [s] false", answer: `"status":503`},
	} {
		f := c.f
		w := ask(newAPI(&f), c.method, "/v1/consolidation"+c.query, c.body)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.answer) {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
		if strings.Join(f.asked, "") != c.asked {
			t.Errorf("%s: the store was asked %q", name, f.asked)
		}
	}
}
