package migrate

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kith/cmd/kith/internal/terminal"
)

// answering returns the options for a server that gives an answer for each path and query, otherwise 404, and what it prints.
func answering(t *testing.T, answers map[string]string) (*Options, *bytes.Buffer) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		for _, name := range []string{"limit", "order", "order_by", "ascending", "page_size"} {
			query.Del(name)
		}
		path := r.URL.Path
		if len(query) > 0 {
			path += "?" + query.Encode()
		}
		if answers[path] == "" {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, answers[path])
	}))
	t.Cleanup(server.Close)
	told := &bytes.Buffer{}
	return &Options{Address: server.URL, Progress: terminal.NewProgress(told)}, told
}

// sections returns the ids of what is written, by section.
func sections(t *testing.T, raw []byte) map[string][]string {
	t.Helper()
	var document map[string][]struct {
		ID, UUID string
		Messages []struct{ ID string }
	}
	if err := json.Unmarshal(raw, &document); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	ids := map[string][]string{}
	for section, elements := range document {
		for _, e := range elements {
			ids[section] = append(ids[section], e.ID+e.UUID)
			for _, m := range e.Messages {
				ids["messages"] = append(ids["messages"], m.ID)
			}
		}
	}
	return ids
}

// What is deleted after it was listed is reported, and the rest is read.
func TestSomethingIsDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	o, told := answering(t, map[string]string{
		"/users/list":                      `{"items":[{"uuid":"u1","graph_uuid":"g1"},{"uuid":"u2","graph_uuid":"g2"}]}`,
		"/threads?user_uuid=u2":            `{"items":[{"uuid":"t1"},{"uuid":"t2"}]}`,
		"/threads/t2/messages":             `{"items":[{"uuid":"m1"}]}`,
		"/graphs/list":                     `{}`,
		"/graphs/g2/thread-summaries/list": `{}`, "/graphs/g2/episodes/list": `{}`, "/graphs/g2/observations/list": `{}`, "/graphs/g2/edges/list": `{}`,
		"/graphs/g2/nodes/list": `{"items":[{"uuid":"n1"}]}`,
	})
	var out bytes.Buffer
	if err := Zep(t.Context(), o, &out); err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{"users": {"u1", "u2"}, "threads": {"t1", "t2"}, "messages": {"m1"}, "nodes": {"n1"}}
	if diff := cmp.Diff(want, sections(t, out.Bytes())); diff != "" {
		t.Error("Zep", diff)
	}
	wantTold := "warning: GET /threads: 404 not found: the user u1 was deleted after it was listed\n" +
		"warning: GET /threads/t1/messages: 404 not found: the thread t1 was deleted after it was listed\n"
	for _, part := range []string{"thread-summaries", "episodes", "nodes", "observations", "edges"} {
		wantTold += "warning: POST /graphs/g1/" + part + "/list: 404 not found: the graph g1 was deleted after it was listed\n"
	}
	if diff := cmp.Diff(wantTold, told.String()); diff != "" {
		t.Error("Zep", diff)
	}

	o, told = answering(t, map[string]string{
		"/v1/agents/": `[{"id":"a1","name":"Sam"},{"id":"a2","name":"Bo"}]`, "/v1/agents/?after=a2": `[]`,
		"/v1/agents/a2/core-memory/blocks": `[{"id":"b1"}]`, "/v1/agents/a2/core-memory/blocks?after=b1": `[]`,
		"/v1/agents/a2/messages": `[{"id":"m1"}]`, "/v1/agents/a2/messages?after=m1": `[]`,
		"/v1/agents/a2/archival-memory": `[{"id":"p1"}]`, "/v1/agents/a2/archival-memory?after=p1": `[]`,
	})
	out.Reset()
	if err := Letta(t.Context(), o, &out); err != nil {
		t.Fatal(err)
	}
	want = map[string][]string{"agents": {"a1", "a2"}, "messages": {"m1"}, "blocks": {"b1"}, "passages": {"p1"}}
	if diff := cmp.Diff(want, sections(t, out.Bytes())); diff != "" {
		t.Error("Letta", diff)
	}
	wantTold = ""
	for _, part := range []string{"core-memory/blocks", "messages", "archival-memory"} {
		wantTold += "warning: GET /v1/agents/a1/" + part + ": 404 not found: the agent a1 was deleted after it was listed\n"
	}
	if diff := cmp.Diff(wantTold, told.String()); diff != "" {
		t.Error("Letta", diff)
	}
	o.Agent = "a3"
	if err := Letta(t.Context(), o, &out); err == nil || err.Error() != "GET /v1/agents/a3: 404 not found" {
		t.Errorf("an agent that does not exist: %v", err)
	}
}

func TestZepRepeatsACursor(t *testing.T) {
	t.Parallel()
	o, _ := answering(t, map[string]string{
		"/users/list": `{"items":[{"uuid":"u1"}],"next_cursor":"2"}`, "/users/list?cursor=2": `{"items":[{"uuid":"u2"}],"next_cursor":"2"}`,
	})
	err := Zep(t.Context(), o, io.Discard)
	if err == nil || !strings.HasPrefix(err.Error(), "POST /users/list: the list does not end: ") {
		t.Error(err)
	}
}

// The platform of mem0 lists users and memories in pages. What it counts and does not list is reported.
func TestMem0Platform(t *testing.T) {
	t.Parallel()
	o, told := answering(t, map[string]string{
		"/v1/entities/":        `{"count":3,"next":"https://api.mem0.ai/v1/entities/?page=2","results":[{"type":"user","name":"ada"}]}`,
		"/v1/entities/?page=2": `{"count":3,"next":null,"results":[{"type":"agent","name":"desk"}]}`,
		"/v3/memories/?page=1": `{"count":4,"next":"more","results":[{"id":"1"},{"id":"2"}]}`,
		"/v3/memories/?page=2": `{"count":4,"next":null,"results":[{"id":"3"}]}`,
	})
	o.Hosted = true
	var out bytes.Buffer
	if err := Mem0(t.Context(), o, &out); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string][]string{"results": {"1", "2", "3"}}, sections(t, out.Bytes())); diff != "" {
		t.Error(diff)
	}
	want := "warning: the server lists only 2 of 3 users, agents, apps and runs\n" +
		"warning: the server lists only 3 of 4 memories of user ada\nwarning: the server lists only 3 of 4 memories of agent desk\n"
	if diff := cmp.Diff(want, told.String()); diff != "" {
		t.Error(diff)
	}
}

// A page that leads to itself ends the list.
func TestMem0RepeatsAPage(t *testing.T) {
	t.Parallel()
	o, told := answering(t, map[string]string{
		"/v1/entities/": `{"count":2,"next":"more","results":[{"type":"user","name":"ada"}]}`, "/v3/memories/?page=1": `{"results":[]}`,
	})
	o.Hosted = true
	if err := Mem0(t.Context(), o, io.Discard); err != nil || told.String() != "warning: the server lists only 1 of 2 users, agents, apps and runs\n" {
		t.Errorf("%v %s", err, told)
	}
}

// Numbers that JSON does not have are written as texts.
func TestGraphitiNumbers(t *testing.T) {
	t.Parallel()
	element := graphitiElement(map[string]any{"properties": map[string]any{
		"uuid": "u", "score": math.NaN(), "range": []any{math.Inf(-1), math.Inf(1), 0.5},
	}}, []string{"uuid"})
	raw, err := json.Marshal(element)
	if want := `{"attributes":{"range":["-Inf","+Inf",0.5],"score":"NaN"},"uuid":"u"}`; err != nil || string(raw) != want {
		t.Errorf("%v %s, want %s", err, raw, want)
	}
}
