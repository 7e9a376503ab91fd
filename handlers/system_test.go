package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/fault"
	"kith/memory/digest"
	"kith/memory/system"
)

func (f *fakes) Systems(_ context.Context, _ graph.Scope, after string, limit int64) ([]system.System, error) {
	return []system.System{{System: after + "x"}}[:min(1, limit)], f.err
}

func (f *fakes) DeleteSystem(context.Context, graph.Scope, string) (system.Counts, error) {
	return system.Counts{}, f.err
}

func (f *fakes) SystemMemoryAt(_ context.Context, _ graph.Scope, _ string, at *time.Time) (system.Memory, error) {
	e := system.Entity{Name: "a", Type: "t", Properties: json.RawMessage(`{"n":1.0}`)}
	if at != nil {
		e.Description = "as of " + at.Format(time.DateOnly)
	}
	return system.Memory{Entities: []system.Entity{e}}, f.err
}

func (f *fakes) ReplaceSystem(_ context.Context, _ graph.Scope, _ string, m *system.Memory, strict bool) (system.Result, error) {
	return system.Result{Warnings: []string{fmt.Sprint(strict, len(m.Entities))}}, f.err
}

func (f *fakes) MergeSystem(ctx context.Context, _ graph.Scope, _ string, w *system.Write) (system.Result, error) {
	if deadline, _ := ctx.Deadline(); time.Until(deadline) > time.Minute {
		return system.Result{}, errors.New("a merge has the time of a language model")
	}
	return system.Result{Warnings: []string{fmt.Sprint(w.Strict, len(w.Entities))}}, f.err
}

func (f *fakes) Extract(context.Context, graph.Scope, string) (digest.Extraction, error) {
	return digest.Extraction{}, f.err
}

func (f *fakes) Summarize(context.Context, graph.Scope, string) (string, []string, error) {
	return "", nil, f.err
}

func (f *fakes) ExtractSystem(ctx context.Context, _ graph.Scope, _ string, w *digest.SystemWrite) (digest.MergedSystem, error) {
	if deadline, _ := ctx.Deadline(); time.Until(deadline) < time.Minute {
		return digest.MergedSystem{}, errors.New("a language model has the deadline of a request")
	}
	if w.Extract == "wrong" {
		return digest.MergedSystem{}, &fault.InvalidError{Fields: []fault.FieldError{{Path: fault.At("extract"), Message: "is wrong"}}}
	}
	result := system.Result{Warnings: []string{fmt.Sprint(w.Strict, " ", w.Extract)}}
	return digest.MergedSystem{Result: result, Extraction: &digest.SystemExtraction{Status: "extracted"}}, f.err
}

func (f *fakes) SystemEntities(_ context.Context, _ graph.Scope, _ string, q system.EntityQuery) ([]system.Node, error) {
	return make([]system.Node, min(q.Limit, 3-q.From)), f.err
}

func (f *fakes) SystemEntity(_ context.Context, _ graph.Scope, in, name string) (system.Node, error) {
	return system.Node{Entity: system.Entity{Name: name, Type: in, Properties: json.RawMessage("{}")}}, f.err
}

func (f *fakes) ChangeSystemEntity(_ context.Context, _ graph.Scope, _ string, w *system.EntityWrite) (system.Node, error) {
	return system.Node{Entity: system.Entity{Name: w.Name, Tags: w.RemoveTags, Properties: json.RawMessage("{}")}}, f.err
}

func (f *fakes) RenameSystemEntity(_ context.Context, _ graph.Scope, _, name, next string) (system.Node, error) {
	return system.Node{Entity: system.Entity{Name: next, Description: name, Properties: json.RawMessage("{}")}}, f.err
}

func (f *fakes) DeleteSystemEntity(context.Context, graph.Scope, string, string) (system.Counts, error) {
	return system.Counts{Entities: 1}, f.err
}

func (f *fakes) SystemRelationships(_ context.Context, _ graph.Scope, _ string, q system.RelationshipQuery) ([]system.Link, error) {
	return []system.Link{{Relationship: system.Relationship{
		From: q.FromName, To: q.ToName, Type: q.Type, Properties: json.RawMessage("{}"),
	}}}, f.err
}

func (f *fakes) DeleteSystemRelationship(context.Context, graph.Scope, string, string, string, string) error {
	return f.err
}

// Names stand in paths, with all that names may have.
func TestSystemRequests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string // is in the answer
	}{
		{http.MethodGet, "/v1/systems", "", 200, `"next_cursor":null`},
		{http.MethodGet, "/v1/systems?limit=1&cursor=y", "", 200, `"next_cursor":"yx"`},
		{http.MethodGet, "/v1/systems/s/memory", "", 200, `        "n": 1.0` + "\n"},
		{http.MethodGet, "/v1/systems/s/memory?as_of=2026-03-01T00:00:00Z", "", 200, `"as of 2026-03-01"`},
		{http.MethodGet, "/v1/systems/s/memory?as_of=yesterday", "", 422, `"query.as_of"`},
		{http.MethodGet, "/v1/systems/s/memory/text?as_of=2026-03-01T00:00:00Z&format=compact", "", 200, `as of 2026-03-01`},
		{http.MethodGet, "/v1/systems/%20s/memory", "", 422, `"path.system"`},
		{http.MethodGet, "/v1/systems/s%FF/memory", "", 422, `"path.system"`},
		{http.MethodPut, "/v1/systems/s/memory?strict=true", `{"entities":[],"relationships":[]}`, 200, `["true 0"]`},
		{http.MethodPut, "/v1/systems/s/memory", `{"entities":[{"name":"a","type":"t"}],"relationships":[]}`, 200, `["false 1"]`},
		{http.MethodPut, "/v1/systems/s/memory", `{}`, 422, `expected required property entities`},
		{http.MethodPut, "/v1/systems/s/memory", `{"entities":[{"name":7,"type":"t"}],"relationships":[]}`, 422, `"body.entities[0].name"`},
		{http.MethodPut, "/v1/systems/s/memory", `{"entities":[{"name":"a"}],"relationships":[]}`, 422, `"body.entities[0]"`},
		{http.MethodPut, "/v1/systems/s/memory", `{"entities":[{"name":"a","type":"t","tag":"x"}],"relationships":[]}`, 422, `"body.entities[0].tag"`},
		{http.MethodPut, "/v1/systems/s/memory", `{"entities":[{"name":"a","type":"t","tags":"x"}],"relationships":[]}`, 422, `"body.entities[0].tags"`},
		{http.MethodPut, "/v1/systems/s/memory", `{"entities":[`, 422, `not valid JSON at byte 13`},
		{http.MethodPost, "/v1/systems/s/memory", `{"strict":true}`, 200, `["true 0"]`},
		{http.MethodPost, "/v1/systems/s/memory?strict=true", `{"extract":"x"}`, 200, `"warnings":["true x"],"extraction":{"status":"extracted","error":null}`},
		{http.MethodPost, "/v1/systems/s/memory", `{"extract":"wrong"}`, 422, `"body.extract"`},
		{http.MethodPost, "/v1/systems/s/memory", `{"extract":""}`, 422, `"body.extract"`},
		{http.MethodGet, "/v1/systems/s/memory/text?format=compact", "", 200, "# System s\n\n## Entities\n\n- **a** (t) {\"n\":1.0}\n"},
		{http.MethodGet, "/v1/systems/s/memory/text?max_tokens=7", "", 422, `"query.max_tokens"`},
		{http.MethodGet, "/v1/systems/s/memory/text?type=x&type=t", "", 200, `"name": "a"`},
		{http.MethodGet, "/v1/systems/s/memory/text?tag=x", "", 200, `"entities": []`},
		{http.MethodGet, "/v1/systems/s/entities?limit=2", "", 200, `"next_cursor":"1"`},
		{http.MethodGet, "/v1/systems/s/entities?limit=2&cursor=2", "", 200, `"next_cursor":null`},
		{http.MethodGet, "/v1/systems/a%2Fb/entities/x%2Fy%20%F0%9F%9A%A2", "", 200, `{"name":"x/y 🚢","description":"","type":"a/b"`},
		{http.MethodPatch, "/v1/systems/s/entities/x", `{"remove_tags":["y"]}`, 200, `"tags":["y"]`},
		{http.MethodPost, "/v1/systems/s/entities/x%2Fy/rename", `{"name":"z"}`, 200, `{"name":"z","description":"x/y"`},
		{http.MethodDelete, "/v1/systems/s/entities/x", "", 200, `{"entities":1,"relationships":0}`},
		{http.MethodDelete, "/v1/systems/s", "", 200, `{"entities":0,"relationships":0}`},
		{http.MethodGet, "/v1/systems/s/relationships?from=a&type=u", "", 200, `{"from":"a","to":"","type":"u"`},
		{http.MethodDelete, "/v1/systems/s/relationships?from=a&to=b&type=u", "", 204, ""},
		{http.MethodDelete, "/v1/systems/s/relationships?from=a&type=u", "", 422, `"query.to"`},
	} {
		f := &fakes{}
		services := servicesOf(f)
		services.Digests = f
		w := ask(New(services, Options{}), c.method, c.path, c.body)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s %s %s: %d, want %d with %s: %s", c.method, c.path, c.body, w.Code, c.status, c.want, w.Body)
		}
	}
}

func TestSystemsNeedAScope(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		method, path, body, scope string
		status                    int
	}{
		{http.MethodGet, "/v1/systems/s/memory", "", auth.Write, 403},
		{http.MethodGet, "/v1/systems/s/memory/text", "", auth.Write, 403},
		{http.MethodGet, "/v1/systems", "", auth.Write, 403},
		{http.MethodPost, "/v1/systems/s/memory", "{}", auth.Read, 403},
		{http.MethodPut, "/v1/systems/s/memory", `{"entities":[],"relationships":[]}`, auth.Read, 403},
		{http.MethodDelete, "/v1/systems/s", "", auth.Read, 403},
		{http.MethodGet, "/v1/systems/s/memory", "", auth.Read, 200},
		{http.MethodPost, "/v1/systems/s/memory", "{}", auth.Write, 200},
		{http.MethodPost, "/v1/systems/s/memory", `{"extract":"x"}`, auth.Write, 403}, // the model is given what is known
		{http.MethodPost, "/v1/systems/s/memory", `{"extract":"x"}`, auth.Read, 403},
	} {
		f := &fakes{principal: auth.Principal{TeamID: "t", UserID: "u1", Scopes: []string{c.scope}}}
		services := servicesOf(f)
		services.Digests = f
		if w := ask(New(services, Options{}), c.method, c.path, c.body); w.Code != c.status {
			t.Errorf("%s %s with the scope %s: %d, want %d", c.method, c.path, c.scope, w.Code, c.status)
		}
	}
}
