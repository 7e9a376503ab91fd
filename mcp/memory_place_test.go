package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"kith/graph"
	"kith/internal/fault"
	"kith/loader"
)

// bad marks what a picky memory refuses.
const bad = "BAD"

// picky is a memory that knows a few entities and refuses all that is marked, at the places of what is stored.
type picky struct {
	*fakes
	version bool // what is new is there already
}

func (p picky) Knowledge(context.Context, graph.Scope) (loader.Knowledge, error) {
	var k loader.Knowledge
	for i, name := range []string{"Ada", "Mill", "Grace"} {
		k.Nodes = append(k.Nodes, graph.NodeView{Kind: "entity", Node: graph.Node{EntityKey: fmt.Sprint("key-", i), Name: name}})
	}
	return k, nil
}

func (p picky) Write(_ context.Context, _ graph.Scope, w *graph.MemoryWrite) (graph.MemoryResult, error) {
	f := &fault.List{}
	refuse := func(at fault.Path, text string) {
		if strings.Contains(text, bad) {
			f.Add(at, fault.Malformed, "is bad")
		}
	}
	for i, n := range w.Nodes {
		at := fault.At("nodes").Index(i)
		if p.version && n.IfVersion.Given {
			return graph.MemoryResult{}, &fault.VersionError{Fields: []fault.FieldError{fault.Stale(at.Field("if_version"), 1)}}
		}
		if slices.ContainsFunc(w.Nodes[:i], func(o graph.NodeWrite) bool {
			return strings.EqualFold(o.Name.Value, n.Name.Value) && n.EntityKey == ""
		}) {
			f.Same(at.Field("name"), fault.At("nodes").Index(slices.IndexFunc(w.Nodes, func(o graph.NodeWrite) bool { return strings.EqualFold(o.Name.Value, n.Name.Value) })).Field("name"))
		}
		refuse(at.Field("name"), n.Name.Value)
		refuse(at.Field("type"), n.Type.Value)
		refuse(at.Field("description"), n.Description.Value)
		for j, note := range n.Notes {
			refuse(at.Field("notes").Index(j).Field("content"), note.Content)
		}
	}
	for i, r := range w.Relationships {
		at := fault.At("relationships").Index(i)
		if p.version {
			return graph.MemoryResult{}, &fault.VersionError{Fields: []fault.FieldError{fault.Stale(at.Field("if_version"), 1)}}
		}
		refuse(at.Field("relationship_type"), r.RelationshipType.Value)
		refuse(at.Field("properties"), string(r.Properties))
	}
	return graph.MemoryResult{}, f.Err()
}

// refusedPlaces are the places that a result names.
func refusedPlaces(text string) []string {
	var places []string
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "- "); ok {
			place, _, _ := strings.Cut(strings.ReplaceAll(rest, `\`, ""), ": ")
			places = append(places, place)
		}
	}
	slices.Sort(places)
	return slices.Compact(places)
}

var (
	someText = rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{"", bad}).Draw(t, "mark") + rapid.StringMatching(`[a-c]`).Draw(t, "text")
	})
	someTexts = rapid.SliceOfN(someText, 0, 4)
)

// Faults of the reference server's tools name the caller's own items, however the memory stores them, also where names and observations repeat.
func TestMemoryFaultsAreTheCallers(t *testing.T) {
	t.Parallel()
	p := picky{fakes: &fakes{}}
	server := New(Services{Store: p, Users: p, Knowledge: p, Systems: p, Preferences: p, Contexts: p, Ontologies: p, Recalls: p}, Options{Memory: true})
	defer server.Close()
	ask := func(r *rapid.T, tool string, arguments any) []string {
		raw, _ := json.Marshal(arguments)
		_, answer := serveTo(t, server, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, raw))
		var result struct {
			Result struct{ Content []struct{ Text string } }
		}
		if err := json.Unmarshal([]byte(answer), &result); err != nil || len(result.Result.Content) == 0 {
			r.Fatalf("%v: %s", err, answer)
		}
		return refusedPlaces(result.Result.Content[0].Text)
	}
	type entity struct {
		Name         string   `json:"name"`
		EntityType   string   `json:"entityType"`
		Observations []string `json:"observations"`
	}
	type relation struct {
		From         string `json:"from"`
		To           string `json:"to"`
		RelationType string `json:"relationType"`
	}
	type addition struct {
		EntityName string   `json:"entityName"`
		Contents   []string `json:"contents"`
	}
	texts := func(want []string, at string, old *[]string, list []string) []string {
		for j, text := range list {
			if strings.Contains(text, bad) && !slices.Contains(*old, text) {
				want = append(want, fmt.Sprintf("%s[%d]", at, j))
			}
			*old = append(*old, text)
		}
		return want
	}
	known := rapid.SampledFrom([]string{"Ada", "Mill", "Grace", " Ada", "nobody"})
	rapid.Check(t, func(r *rapid.T) {
		var entities []entity
		var want, names []string
		for i := range rapid.IntRange(1, 5).Draw(r, "entities") {
			e := entity{rapid.OneOf(someText, rapid.Just("Ada")).Draw(r, "name"), rapid.OneOf(someText, rapid.Just("person")).Draw(r, "type"), someTexts.Draw(r, "observations")}
			entities = append(entities, e)
			if e.Name == "Ada" || slices.Contains(names, e.Name) {
				continue
			}
			names = append(names, e.Name)
			at := fmt.Sprintf("entities[%d]", i)
			if strings.Contains(e.Name, bad) {
				want = append(want, at+".name")
			}
			if strings.Contains(e.EntityType, bad) {
				want = append(want, at+".entityType")
			}
			observed := texts(nil, at+".observations", new([]string), e.Observations)
			if want = append(want, observed...); len(observed) > 0 { // the description is made of them
				want = append(want, at+".observations")
			}
		}
		compare(r, "create_entities", want, ask(r, "create_entities", map[string]any{"entities": entities}))

		var relations []relation
		var missing []string
		want = nil
		for i := range rapid.IntRange(1, 5).Draw(r, "relations") {
			l := relation{known.Draw(r, "from"), known.Draw(r, "to"), someText.Draw(r, "type")}
			again := slices.Contains(relations, l)
			relations = append(relations, l)
			at := fmt.Sprintf("relations[%d]", i)
			switch {
			case again:
			case l.From == "nobody":
				missing = append(missing, at+".from")
			case l.To == "nobody":
				missing = append(missing, at+".to")
			case strings.Contains(l.RelationType, bad):
				want = append(want, at+".relationType")
			}
		}
		if missing != nil {
			want = missing
		}
		compare(r, "create_relations", want, ask(r, "create_relations", map[string]any{"relations": relations}))

		var additions []addition
		old, first := map[string]*[]string{}, map[string]string{}
		missing, want = nil, nil
		for i := range rapid.IntRange(1, 5).Draw(r, "additions") {
			a := addition{known.Draw(r, "name"), someTexts.Draw(r, "contents")}
			additions = append(additions, a)
			at, name := fmt.Sprintf("observations[%d]", i), strings.TrimSpace(a.EntityName)
			if name == "nobody" {
				missing = append(missing, at+".entityName")
				continue
			}
			if old[name] == nil {
				old[name], first[name] = new([]string), at
			}
			observed := texts(nil, at+".contents", old[name], a.Contents)
			if want = append(want, observed...); len(observed) > 0 {
				want = append(want, first[name]+".contents")
			}
		}
		if missing != nil {
			want = missing
		}
		compare(r, "add_observations", want, ask(r, "add_observations", map[string]any{"observations": additions}))
	})

	p.version = true
	again := New(Services{Store: p, Users: p, Knowledge: p, Systems: p, Preferences: p, Contexts: p, Ontologies: p, Recalls: p}, Options{Memory: true})
	defer again.Close()
	for tool, c := range map[string][2]string{
		"create_entities":  {`{"entities":[{"name":"Ada","entityType":"x","observations":[]},{"name":"new","entityType":"x","observations":[]}]}`, "- entities[1].name: " + entityThere},
		"create_relations": {`{"relations":[{"from":"Ada","to":"Mill","relationType":"works at"}]}`, "- relations[0].relationType: " + relationThere},
	} {
		_, answer := serveTo(t, again, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, c[0]))
		if !strings.Contains(answer, c[1]) {
			t.Errorf("%s: %s", tool, answer)
		}
	}
}

func compare(r *rapid.T, tool string, want, got []string) {
	slices.Sort(want)
	if diff := cmp.Diff(slices.Compact(want), got); diff != "" {
		r.Errorf("%s (-want +got):\n%s", tool, diff)
	}
}

// Every fault of the form of a call of the reference server's tools is at the caller's place.
func TestMemoryFormFaults(t *testing.T) {
	t.Parallel()
	s := session(t, &fakes{}, admin, Options{Memory: true})
	for tool, c := range map[string][2]string{
		"create_entities":     {`{"entities":[{"name":"a","entityType":"x","observations":[]},{"name":"a","entityType":"x","observations":["a",7]}]}`, "entities[1].observations[1]"},
		"create_relations":    {`{"relations":[{"from":"a","to":"b","relationType":""}]}`, "relations[0].relationType"},
		"add_observations":    {`{"observations":[{"entityName":"a","contents":[7]}]}`, "observations[0].contents[0]"},
		"delete_entities":     {`{"entityNames":["a",7]}`, "entityNames[1]"},
		"delete_observations": {`{"deletions":[{"entityName":"a","observations":["b",7]}]}`, "deletions[0].observations[1]"},
		"delete_relations":    {`{"relations":[{"from":7,"to":"b","relationType":"x"}]}`, "relations[0].from"},
		"search_nodes":        {`{"query":7}`, "query"},
		"open_nodes":          {`{"names":["a",7]}`, "names[1]"},
		"read_graph":          {`{"x":7}`, "x"},
	} {
		if got := refusedPlaces(textOf(call(t, s, tool, c[0]))); !slices.Equal(got, []string{c[1]}) {
			t.Errorf("%s: %v, want %s", tool, got, c[1])
		}
	}
}
