package handlers

import (
	"net/http"
	"strings"
	"testing"

	"kith/access/auth"
	"kith/internal/fault"
)

func TestDuplicates(t *testing.T) {
	t.Parallel()
	invalid := &fault.InvalidError{Fields: []fault.FieldError{{Path: fault.At("cursor"), Message: "x"}}}
	bound := auth.Principal{TeamID: "t", UserID: "u2", Scopes: auth.Scopes}
	reader := auth.Principal{TeamID: "t", Scopes: []string{auth.Read}}
	pair := `{"refuse":[{"first":"a","second":"b"}],"admit":[{"first":"c","second":"d"}]}`
	for name, c := range map[string]struct {
		method, query, body string
		f                   fakes
		status              int
		asked, answer       string
	}{
		"a page":          {method: http.MethodGet, query: "?user_id=u1&kind=person&min_probability=0.9&cursor=c&limit=7", status: 200, asked: "t u1 person 0.9 false c 7", answer: `{"duplicates":[],"next":null}`},
		"by default":      {method: http.MethodGet, f: fakes{principal: bound}, status: 200, asked: "t u2  0.5 false  50"},
		"refused ones":    {method: http.MethodGet, query: "?state=refused", status: 200, asked: "t   0.5 true  50"},
		"another's":       {method: http.MethodGet, query: "?user_id=u1", f: fakes{principal: bound}, status: 403},
		"kind":            {method: http.MethodGet, query: "?kind=source", status: 422, answer: `"location":"query.kind"`},
		"probability":     {method: http.MethodGet, query: "?min_probability=2", status: 422, answer: `"location":"query.min_probability"`},
		"a bad cursor":    {method: http.MethodGet, f: fakes{err: invalid}, status: 422, asked: "t   0.5 false  50", answer: `"location":"query.cursor"`},
		"a change":        {method: http.MethodPatch, query: "?user_id=u1", body: pair, status: 204, asked: "t u1 [{a b}] [{c d}]"},
		"without a key":   {method: http.MethodPatch, body: `{"refuse":[{"first":"a","second":""}]}`, status: 422, answer: `"location":"body.refuse[0].second"`},
		"too many":        {method: http.MethodPatch, body: `{"admit":[` + strings.Repeat(`{"first":"a","second":"b"},`, 20) + `{"first":"a","second":"b"}]}`, status: 422, answer: `"location":"body.admit"`},
		"by a reader":     {method: http.MethodPatch, body: pair, f: fakes{principal: reader}, status: 403},
		"another's nodes": {method: http.MethodPatch, query: "?user_id=u1", body: pair, f: fakes{principal: bound}, status: 403},
		"unknown nodes":   {method: http.MethodPatch, body: pair, f: fakes{err: fault.ErrNotFound}, status: 404, asked: "t  [{a b}] [{c d}]"},
	} {
		f := c.f
		w := ask(newAPI(&f), c.method, "/v1/duplicates"+c.query, c.body)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.answer) {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
		if strings.Join(f.asked, "") != c.asked {
			t.Errorf("%s: the store was asked %q", name, f.asked)
		}
	}
}
