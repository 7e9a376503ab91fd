package handlers

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kith/access/auth"
	"kith/internal/fault"
)

// faultsAt are the places of the faults that a problem lists.
func faultsAt(t *testing.T, w *httptest.ResponseRecorder) (at []string) {
	t.Helper()
	var problem struct {
		Errors []struct{ Location string } `json:"errors"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &problem); err != nil {
		t.Fatalf("%v: %s", err, w.Body)
	}
	for _, f := range problem.Errors {
		at = append(at, f.Location)
	}
	return at
}

func TestNodesAreAskedForAsTheyAreNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		method, path, body string
		status             int
		asked              []string
		changed            []string
	}{
		{http.MethodGet, "/v1/nodes/concept/c", "", 200, []string{`concept "c" for "", 10 relationships, as of <nil>`}, nil},
		{http.MethodGet, "/v1/nodes/concept/c?user_id=u1&relationships=0&as_of=2026-03-01T00:00:00Z", "", 200, []string{`concept "c" for "u1", 0 relationships, as of 2026-03-01 00:00:00 +0000 UTC`}, nil},
		{http.MethodGet, "/v1/nodes/concept/c?touch=true", "", 200, []string{`concept "c" for "", 10 relationships, as of <nil>`}, []string{"t recalled"}},
		{http.MethodGet, "/v1/nodes/Concept/c?touch=true", "", 404, nil, nil},
		{http.MethodGet, "/v1/nodes/concept/%20", "", 404, nil, nil},
		{http.MethodGet, "/v1/nodes/concept/c?user_id=%01", "", 422, nil, nil},
		{http.MethodGet, "/v1/nodes/concept/c?relationships=101", "", 422, nil, nil},

		{http.MethodPatch, "/v1/nodes/concept/c", `{"description":"d"}`, 200, []string{`patch concept "c" for "": d, false, 10 relationships`}, nil},
		{http.MethodPatch, "/v1/nodes/concept/c", `{"kind":"concept","entity_key":"c","user_id":"u1","description":"d"}`, 200, []string{`patch concept "c" for "u1": d, false, 10 relationships`}, nil},
		{http.MethodPatch, "/v1/nodes/concept/c", `{"kind":"person"}`, 422, nil, nil},
		{http.MethodPatch, "/v1/nodes/concept/c", `{"entity_key":"d"}`, 422, nil, nil},
		{http.MethodPatch, "/v1/nodes/thing/c", `{}`, 404, nil, nil},
		{http.MethodPatch, "/v1/nodes/concept/c", `{"unknown":1}`, 422, nil, nil},

		{http.MethodDelete, "/v1/nodes/concept/c?if_version=3&user_id=u1", "", 200, []string{`delete concept "c" for "u1" in version 3`}, nil},
		{http.MethodDelete, "/v1/nodes/concept/c?if_version=0", "", 422, nil, nil},

		{http.MethodGet, "/v1/nodes/task?project_id=p&limit=2&cursor=abc&user_id=u1", "", 200, []string{`list of task for "u1", 2 from "abc", of "p", deleted false, state ""`}, nil},
		{http.MethodGet, "/v1/nodes/task?project_id=%20", "", 422, nil, nil},
		{http.MethodGet, "/v1/nodes/task?limit=1001", "", 422, nil, nil},
		{http.MethodGet, "/v1/nodes/concept?state=archived&user_id=u1", "", 200, []string{`list of concept for "u1", 100 from "", of "", deleted false, state "archived"`}, nil},
		{http.MethodGet, "/v1/nodes/concept?state=archived&deleted=true", "", 422, nil, nil},
		{http.MethodGet, "/v1/nodes/concept?as_of=2026-03-01T00:00:00Z&deleted=true", "", 422, nil, nil},
		{http.MethodGet, "/v1/nodes/concept?state=gone", "", 422, nil, nil},
		{http.MethodGet, "/v1/nodes/person/p/mentions?limit=2&cursor=abc&user_id=u1", "", 200, []string{`mentions of person "p" for "u1", 2 from "abc"`}, nil},
		{http.MethodGet, "/v1/nodes/person/p/mentions?limit=101", "", 422, nil, nil},
		{http.MethodGet, "/v1/relationships/k/mentions?limit=0", "", 422, nil, nil},
		{http.MethodGet, "/v1/nodes/person/p/changes?since=2026-03-01T00:00:00Z&user_id=u1", "", 200, []string{`changes of person "p" for "u1" since 2026-03-01 until 0001-01-01, 50`}, nil},
		{http.MethodGet, "/v1/nodes/person/p/changes?until=2026-03-02T00:00:00Z&limit=2&format=text&max_tokens=100", "", 200, []string{`changes of person "p" for "" since 0001-01-01 until 2026-03-02, 2`}, nil},
		{http.MethodGet, "/v1/nodes/person/p/changes?limit=501", "", 422, nil, nil},
		{http.MethodGet, "/v1/nodes/person/p/changes?since=yesterday", "", 422, nil, nil},
		{http.MethodGet, "/v1/nodes/thing/p/changes", "", 404, nil, nil},
		{http.MethodPost, "/v1/nodes/person/p/merge?user_id=u1", `{"other":"q"}`, 200, []string{`merge person "q" into "p" for "u1"`}, nil},
		{http.MethodPost, "/v1/nodes/person/p/restore?version=3&user_id=u1", "", 200, []string{`restore version 3 of person "p" for "u1"`}, nil},
		{http.MethodPost, "/v1/nodes/person/p/restore?version=0", "", 422, nil, nil},
		{http.MethodPost, "/v1/relationships/k/restore?version=3&user_id=u1", "", 200, []string{`restore version 3 of "k" for "u1"`}, nil},
		{http.MethodPost, "/v1/relationships/k/restore?version=x", "", 422, nil, nil},
		{http.MethodGet, "/v1/nodes/thing", "", 404, nil, nil},
		{http.MethodGet, "/v1/nodes/message", "", 422, nil, nil},
		{http.MethodGet, "/v1/nodes/message?deleted=true", "", 200, []string{`list of message for "", 100 from "", of "", deleted true, state ""`}, nil},
		{http.MethodGet, "/v1/nodes/concept/c/relationships?types=a%20b", "", 422, nil, nil},
		{http.MethodGet, "/v1/nodes/concept/c/relationships?direction=up", "", 422, nil, nil},
	} {
		f := &fakes{}
		w := ask(newAPI(f), c.method, c.path, c.body)
		if w.Code != c.status {
			t.Errorf("%s %s %s: %d, want %d: %s", c.method, c.path, c.body, w.Code, c.status, w.Body)
		}
		if diff := cmp.Diff(c.asked, f.asked) + cmp.Diff(c.changed, f.changed); diff != "" {
			t.Errorf("%s %s %s (-want +got):\n%s", c.method, c.path, c.body, diff)
		}
	}
}

// What the store finds wrong is reported with its place in the request.
func TestFaultsOfNodesHavePlacesInTheRequest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ method, path, body, stored, told string }{
		{http.MethodPatch, "/v1/nodes/concept/c", `{}`, "description", "body.description"},
		{http.MethodGet, "/v1/nodes/concept?cursor=x", "", "cursor", "query.cursor"},
		{http.MethodGet, "/v1/nodes/concept/c/relationships?cursor=x", "", "cursor", "query.cursor"},
		{http.MethodPost, "/v1/nodes/concept/c/notes", `{"content":""}`, "notes[0].content", "body.content"},
		{http.MethodPost, "/v1/relationships/k/notes", `{"content":""}`, "notes[0].content", "body.content"},
		{http.MethodPost, "/v1/memory", `{}`, "nodes[3].name", "body.nodes[3].name"},
	} {
		f := &fakes{err: &fault.InvalidError{Fields: []fault.FieldError{{Path: fault.Parse(c.stored), Message: "is wrong"}}}}
		w := ask(newAPI(f), c.method, c.path, c.body)
		if at := faultsAt(t, w); w.Code != 422 || !cmp.Equal(at, []string{c.told}) || f.changed != nil {
			t.Errorf("%s %s: %d at %q, changed %q", c.method, c.path, w.Code, at, f.changed)
		}
	}
	version := int64(7)
	for _, c := range []struct{ method, path, body, told string }{
		{http.MethodPatch, "/v1/nodes/concept/c", `{"if_version":1}`, "body.if_version"},
		{http.MethodDelete, "/v1/nodes/concept/c?if_version=1", "", "query.if_version"},
		{http.MethodDelete, "/v1/relationships/k?if_version=1", "", "query.if_version"},
	} {
		f := &fakes{err: &fault.VersionError{Fields: []fault.FieldError{{Path: fault.At("if_version"), Message: "the stored version is 7", Version: &version}}}}
		w := ask(newAPI(f), c.method, c.path, c.body)
		if at := faultsAt(t, w); w.Code != 409 || !cmp.Equal(at, []string{c.told}) || !strings.Contains(w.Body.String(), `"current_version":7`) {
			t.Errorf("%s %s: %d: %s", c.method, c.path, w.Code, w.Body)
		}
	}
}

// The idempotency key comes in the header or in the body, and not as two.
func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		header, body, used string
		status             int
	}{{"", "", "", 200}, {"k", "", "k", 200}, {"", "k", "k", 200}, {"k", "k", "k", 200}, {"k", "l", "", 422}, {strings.Repeat("k", 257), "", "", 422}} {
		for path, asked := range map[string]string{"/v1/memory": `write for "u1" with key "`, "/v1/sources": `write source for "u1" with key "`} {
			f := &fakes{repeated: c.header == "k"}
			request := httptest.NewRequest(http.MethodPost, path, strings.NewReader(`{"user_id":"u1","idempotency_key":"`+c.body+`"}`))
			request.Header.Set("Authorization", "Bearer x")
			request.Header.Set("Content-Type", jsonType)
			if c.header != "" {
				request.Header.Set("Idempotency-Key", c.header)
			}
			w := httptest.NewRecorder()
			newAPI(f).ServeHTTP(w, request)
			var want []string
			replayed := ""
			if c.status == 200 {
				want = []string{asked + c.used + `"`}
				replayed = map[bool]string{true: "true"}[f.repeated]
			}
			if w.Code != c.status || !cmp.Equal(want, f.asked) || w.Header().Get("Idempotency-Replayed") != replayed {
				t.Errorf("%s with %q and %q: %d, asked %q, replayed %q", path, c.header, c.body, w.Code, f.asked, w.Header().Get("Idempotency-Replayed"))
			}
		}
	}
}

// A key bound to a user acts for no other one, whatever the path, the query or the body says.
func TestBoundKeysChangeOnlyTheirUsersNodes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ method, path, body string }{
		{http.MethodGet, "/v1/nodes/concept/c?user_id=u2", ""}, {http.MethodGet, "/v1/nodes/concept?user_id=u2", ""},
		{http.MethodPatch, "/v1/nodes/concept/c?user_id=u2", `{}`}, {http.MethodPatch, "/v1/nodes/concept/c", `{"user_id":"u2"}`},
		{http.MethodDelete, "/v1/nodes/concept/c?user_id=u2", ""}, {http.MethodPost, "/v1/nodes/concept/c/restore?user_id=u2", ""},
		{http.MethodPost, "/v1/nodes/concept/c/notes?user_id=u2", `{"content":"x"}`}, {http.MethodDelete, "/v1/relationships/k?user_id=u2", ""},
		{http.MethodPost, "/v1/memory", `{"nodes":[{"kind":"concept","name":"x","user_id":"u2"}]}`}, {http.MethodPost, "/v1/memory", `{"user_id":"u2"}`},
	} {
		f := &fakes{principal: auth.Principal{TeamID: "t", UserID: "u1", Scopes: auth.Scopes}}
		if w := ask(newAPI(f), c.method, c.path, c.body); w.Code != 403 || f.asked != nil || f.changed != nil {
			t.Errorf("%s %s %s: %d, asked %q", c.method, c.path, c.body, w.Code, f.asked)
		}
	}
	f := &fakes{principal: auth.Principal{TeamID: "t", UserID: "u1", Scopes: []string{auth.Read}}}
	for _, method := range []string{http.MethodPatch, http.MethodDelete} {
		if w := ask(newAPI(f), method, "/v1/nodes/concept/c", `{}`); w.Code != 403 || f.asked != nil {
			t.Errorf("%s by a reader: %d", method, w.Code)
		}
	}
}
