package e2e

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kith/exchange"
	"kith/graph"
	"kith/tests/testenv"
)

// beside is a memory in which something is written between the lines that an export reads.
type beside struct {
	*graph.Store
	write func() // called for each line
}

func (b *beside) ExportNodes(ctx context.Context, team string, visit func(*graph.NodeWrite) error) error {
	return b.Store.ExportNodes(ctx, team, func(w *graph.NodeWrite) error {
		b.write()
		return visit(w)
	})
}

func (b *beside) ExportRelationships(ctx context.Context, team string, visit func(*graph.RelationshipWrite) error) error {
	return b.Store.ExportRelationships(ctx, team, func(w *graph.RelationshipWrite) error {
		b.write()
		return visit(w)
	})
}

func (b *beside) ExportVersions(ctx context.Context, team string, visit func(*graph.VersionLine) error) error {
	return b.Store.ExportVersions(ctx, team, func(l *graph.VersionLine) error {
		b.write()
		return visit(l)
	})
}

func (b *beside) ExportSomeNodes(ctx context.Context, team string, keys []string, visit func(*graph.NodeWrite) error) error {
	return b.Store.ExportSomeNodes(ctx, team, keys, func(w *graph.NodeWrite) error {
		b.write()
		return visit(w)
	})
}

// An export beside a writer has each record as it is at the end, whatever was read before, and an import of it refuses nothing.
func TestExportBesideAWriter(t *testing.T) {
	t.Parallel()
	for _, every := range []int{1, 5, 13} { // lines between two writes
		t.Run(fmt.Sprint(every), func(t *testing.T) {
			t.Parallel()
			exportBesideWrites(t, every)
		})
	}
}

func exportBesideWrites(t *testing.T, every int) {
	t.Helper()
	clock := &testClock{}
	clock.nanos.Store(time.Now().Add(-24 * time.Hour).Truncate(time.Second).UnixNano())
	team, other := testenv.Team(t), testenv.Team(t)
	k := openAt(t, clock, team, testenv.Neo4j(t))
	server := httptest.NewServer(k.instance.API)
	t.Cleanup(server.Close)
	from, to := caller{server.URL, k.key, http.DefaultClient}, caller{server.URL, k.of(t, other).key, http.DefaultClient}

	var file strings.Builder
	for n := range 120 {
		_, _ = fmt.Fprintf(&file, `{"node":{"kind":"concept","entity_key":"c-%02d","user_id":"u1","name":"Concept %d"}}`+"\n", n, n)
	}
	for n := range 119 {
		_, _ = fmt.Fprintf(&file, `{"relationship":{"key":"r-%02d","from":"c-%02d","to":"c-%02d","type":"relates_to"}}`+"\n", n, n, n+1)
	}
	from.importComplete(t, file.String(), "user_id", "u1")
	send := func(method, path, body string) func() {
		return func() {
			t.Helper()
			clock.nanos.Add(int64(time.Second))
			if r := from.do(t, method, path, body); r.status >= 300 {
				t.Errorf("%s %s: %d %s", method, path, r.status, r.body)
			}
		}
	}
	memory := func(body string) func() { return send(http.MethodPost, "/v1/memory", `{"user_id":"u1",`+body+`}`) }
	for _, write := range []func(){
		send(http.MethodPost, "/v1/sources", `{"user_id":"u1","entity_key":"s-1","content_type":"conversation","mentions":["c-08"],"messages":[{"entity_key":"m-1","role":"user","text":"I live in Porto."},{"entity_key":"m-2","role":"user","text":"hello"}]}`),
		send(http.MethodPost, "/v1/sources", `{"user_id":"u1","entity_key":"s-2","content_type":"conversation","mentions":["c-08"],"messages":[{"entity_key":"m-3","role":"user","text":"I can't stand loud rooms."}]}`),
		send(http.MethodPut, "/v1/users/u1/preferences", `{"preferences":[{"key":"a","value":1},{"key":"b","value":1}]}`),
		send(http.MethodPost, "/v1/trees", `{"id":"`+other+`","user_id":"u1"}`),
		send(http.MethodPost, "/v1/systems/shop/memory", `{"entities":[{"name":"A","type":"x"},{"name":"B","type":"x"}],"relationships":[{"from":"A","to":"B","type":"calls"}]}`),
		send(http.MethodPost, "/v1/systems/old/memory", `{"entities":[{"name":"C","type":"x"},{"name":"D","type":"x"}],"relationships":[{"from":"C","to":"D","type":"calls"}]}`),
	} {
		write()
	}
	writes := []func(){
		memory(`"nodes":[{"kind":"concept","entity_key":"a-new","name":"New"}],"relationships":[{"from":"c-05","to":"a-new","type":"relates_to"}]`),
		memory(`"nodes":[{"kind":"concept","entity_key":"c-01","description":"changed"}]`),
		send(http.MethodDelete, "/v1/nodes/concept/c-10?user_id=u1", ""),
		send(http.MethodPost, "/v1/nodes/concept/c-20/merge?user_id=u1", `{"other":"c-30"}`),
		send(http.MethodPost, "/v1/sources", `{"user_id":"u1","entity_key":"s-1","messages":[{"entity_key":"m-4","role":"user","text":"I live in Lyon."}]}`),
		send(http.MethodPut, "/v1/users/u1/preferences", `{"preferences":[{"key":"b","value":2},{"key":"c","value":3}]}`),
		send(http.MethodPost, "/v1/trees/"+other+"/turns", `{"user_id":"u1","id":"t-`+other+`","user_prompt":"hello","generate":false}`),
		memory(`"relationships":[{"from":"c-02","to":"c-03","type":"relates_to","description":"changed"}]`),
		send(http.MethodDelete, "/v1/relationships/r-40?user_id=u1", ""),
		send(http.MethodDelete, "/v1/nodes/concept/c-50?user_id=u1", ""),
		send(http.MethodPost, "/v1/systems/shop/memory", `{"entities":[{"name":"A","type":"y"},{"name":"E","type":"x"}],"relationships":[{"from":"E","to":"B","type":"calls"}]}`),
		send(http.MethodDelete, "/v1/systems/old", ""),
		send(http.MethodDelete, "/v1/nodes/source/s-2?user_id=u1", ""),
		send(http.MethodPost, "/v1/nodes/concept/c-50/restore?user_id=u1", ""),
		send(http.MethodDelete, "/v1/nodes/message/m-2?user_id=u1", ""),
		memory(`"nodes":[{"kind":"concept","entity_key":"z-new","name":"Newer"}],"relationships":[{"from":"z-new","to":"a-new","type":"relates_to"}]`),
		memory(`"nodes":[{"kind":"concept","entity_key":"a-new","description":"changed, too"}]`),
	}
	lines := 0
	b := &beside{k.instance.Store, func() {
		if lines++; lines%every == 0 && len(writes) > 0 {
			writes[0]()
			writes = writes[1:]
		}
	}}
	var out bytes.Buffer
	stores := k.instance.ExportStores()
	stores.Memory = b
	err := exchange.Export(t.Context(), stores, team, &out)
	if err != nil || len(writes) > 0 {
		t.Fatalf("%v, %d writes are left", err, len(writes))
	}
	sorted := func(file string) []string { return slices.Sorted(strings.Lines(file)) }
	want := sorted(from.exported(t))
	if diff := cmp.Diff(want, sorted(withoutBlanks(out.String()))); diff != "" {
		t.Errorf("the export beside the writer (-of the end +got):\n%.8000s", diff)
	}
	report := to.importComplete(t, out.String())
	if len(report.Warnings) > 0 {
		t.Errorf("warnings: %v", report.Warnings)
	}
	if diff := cmp.Diff(want, sorted(to.exported(t))); diff != "" {
		t.Errorf("the restored team (-of the end +got):\n%.8000s", diff)
	}
}
