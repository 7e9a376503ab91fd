package system

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"kith/graph"
	"kith/internal/fault"
	"kith/text/markup"
)

// key returns the entity key of an entity.
func (e *env) key(system, name string) string { return e.systemEntity(system, name).EntityKey }

func (e *env) mergeEntity(into, other string, w graph.MergeWrite) (graph.Merge, error) {
	w.Other = other
	return e.Store.MergeNodes(e.Context(), e.As("u"), graph.SystemEntityKind, into, w)
}

func (e *env) memory(system string) Memory {
	e.Helper()
	m, err := e.systems.SystemMemory(e.Context(), e.As(""), system)
	if err != nil {
		e.Fatal(err)
	}
	return m
}

// A warning names the entity of an alias as other lines do: quoted, and with its origin if it has little trust.
func TestWarningsOfAliases(t *testing.T) {
	e := fresh(t)
	if _, err := e.Store.WriteSource(t.Context(), e.As(""), &graph.SourceWrite{EntityKey: "mail", ContentType: graph.Some("email")}); err != nil {
		t.Fatal(err)
	}
	for name, from := range map[string][]string{"API gateway": nil, "database of mails": {"mail"}} {
		_, err := e.Store.Write(t.Context(), e.As(""), &graph.MemoryWrite{Strict: true, DerivedFrom: from, Nodes: []graph.NodeWrite{{
			Kind: "system_entity", Name: graph.Some(name), Type: graph.Some("service"),
			OwnFields: &graph.OwnFields{System: graph.Some("s"), Aliases: graph.Some([]string{name[:2]})},
		}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	result := e.merge("s", Write{Entities: []EntityWrite{{Name: "AP", Tags: []string{"a"}}, {Name: "da", Tags: []string{"a"}}}})
	e.Same("warnings", []string{
		`entities[0].name: is an alias: this is stored in "API gateway"`,
		"entities[1].name: is an alias: this is stored in " + markup.Said(`"database of mails"`) + " (unverified, from a mail or document of others)",
	}, result.Warnings)
}

// An entity that a merge takes over lives on in the other one: its relationships, tags and name. An undo restores the system.
func TestMergeOfEntities(t *testing.T) {
	e := fresh(t)
	e.merge("s", Write{
		Entities: []EntityWrite{
			{Name: "api", Type: graph.Some("service"), Tags: []string{"go"}}, {Name: "API gateway", Type: graph.Some("gateway"), Tags: []string{"go", "edge"}, Properties: props(`{"port":80}`)},
			named("db"), named("web"),
		},
		Relationships: []RelationshipWrite{uses("web", "API gateway"), uses("API gateway", "db"), uses("api", "db"), uses("API gateway", "API gateway"), uses("api", "API gateway")},
	})
	before := e.memory("s")
	api, gateway := e.key("s", "api"), e.key("s", "API gateway")
	e.Now = e.Now.Add(time.Hour)

	dry, err := e.mergeEntity(api, gateway, graph.MergeWrite{DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	e.Same("nothing is done in a dry run", before, e.memory("s"))
	m, err := e.mergeEntity(api, gateway, graph.MergeWrite{})
	if err != nil {
		t.Fatal(err)
	}
	e.Same("the dry run tells what is done", dry, m)
	e.Same("moved", []int64{2, 2}, []int64{m.Relationships, m.Left}) // of the web and itself; with the database, and between the two
	e.Same("conflicts", []graph.MergeConflict{{Field: "type", Kept: []byte(`"service"`), Dropped: []byte(`"gateway"`)}}, m.Conflicts)
	after := e.memory("s")
	e.Same("api", Entity{Name: "api", Type: "service", Tags: []string{"go", "edge"}, Properties: props(`{"port":80}`)}, after.Entities[0])
	var links []string
	for _, l := range after.Relationships {
		links = append(links, l.From+" "+l.To)
	}
	e.Same("links", []string{"web api", "api db", "api api"}, links)
	e.Same("by the old name", api, e.key("s", "API gateway"))

	again := e.merge("s", Write{Entities: []EntityWrite{{Name: "API gateway", Tags: []string{"public"}}}, Relationships: []RelationshipWrite{uses("API gateway", "db"), uses("db", "API gateway")}})
	e.Same("a write by the old name", "updated unchanged added", systemStatuses(again))
	e.Same("warnings", 3, len(again.Warnings))
	e.Same("entities", 3, len(e.memory("s").Entities))
	if _, err := e.systems.SystemEntity(t.Context(), e.As("u"), "s", "api-gateway"); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("by a name like the old one: %v", err)
	}
	e.CheckIntegrity()

	links2 := e.merge("s", Write{Entities: []EntityWrite{{Name: "api", RemoveTags: []string{"public"}}}})
	e.Same("the tag goes", "updated", systemStatuses(links2))
	if err := e.systems.DeleteSystemRelationship(t.Context(), e.As(""), "s", "db", "api", "uses"); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Store.RestoreNode(t.Context(), e.As("u"), graph.SystemEntityKind, gateway); err != nil {
		t.Fatal(err)
	}
	e.Same("undone", before, e.memory("s"))
	e.CheckIntegrity()
	e.merge("s", Write{Relationships: []RelationshipWrite{uses("API gateway", "web")}})
	e.Same("the name is its own again", gateway, e.key("s", "API gateway"))
	e.CheckIntegrity()
}

func TestMergesOfEntitiesThatAreRefused(t *testing.T) {
	e := fresh(t)
	e.merge("s", Write{Entities: []EntityWrite{named("a"), named("b")}})
	e.merge("other", Write{Entities: []EntityWrite{named("a")}})
	e.Write("u", []graph.NodeWrite{node("entity", "thing", 0.5)})
	for what, other := range map[string]string{"itself": e.key("s", "a"), "another system": e.key("other", "a"), "another kind": "thing", "unknown": "nobody"} {
		if _, err := e.mergeEntity(e.key("s", "a"), other, graph.MergeWrite{}); !errors.Is(err, fault.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	e.Same("entities", []int{2, 1}, []int{len(e.memory("s").Entities), len(e.memory("other").Entities)})
}

// Two merges in opposite directions, writes of both entities and undos at once: nothing is lost or half done.
func TestMergesAndWritesOfASystemAtOnce(t *testing.T) {
	e := fresh(t)
	e.merge("s", Write{Entities: []EntityWrite{named("a"), named("b"), named("c")}})
	keys := []string{e.key("s", "a"), e.key("s", "b")}
	var all errgroup.Group
	for i := range 12 {
		all.Go(func() error {
			var err error
			switch i % 3 {
			case 0:
				_, err = e.mergeEntity(keys[i%2], keys[1-i%2], graph.MergeWrite{})
			case 1:
				_, err = e.systems.MergeSystem(t.Context(), e.As(""), "s", &Write{Relationships: []RelationshipWrite{{From: []string{"a", "b"}[i%2], To: "c", Type: fmt.Sprint("calls ", i)}}})
			default:
				_, err = e.Store.RestoreNode(t.Context(), e.As(""), graph.SystemEntityKind, keys[i%2])
			}
			if errors.Is(err, fault.ErrInvalid) || errors.Is(err, fault.ErrNotFound) || errors.Is(err, fault.ErrConflict) {
				return nil
			}
			return err
		})
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
	m := e.memory("s")
	var types []string
	for _, l := range m.Relationships {
		types = append(types, l.Type)
	}
	slices.Sort(types)
	e.Same("relationships", []string{"calls 1", "calls 10", "calls 4", "calls 7"}, types)
	e.CheckIntegrity()
}
