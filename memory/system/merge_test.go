package system

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"kith/graph"
	"kith/internal/bounds"
	"kith/internal/fault"
	"kith/tests/graphtest"
)

func props(text string) json.RawMessage { return json.RawMessage(text) }

// Each field of an update keeps, replaces or merges the stored value.
func TestSystemMergeUpdates(t *testing.T) {
	e := fresh(t)
	first := e.merge("s", Write{
		Entities: []EntityWrite{
			{Name: "a", Type: graph.Some("service"), Description: graph.Some("one"), Tags: []string{"x", "y", "x"}, Properties: props(`{"k":1,"l":{"a":1}}`)},
			named("b"),
		},
		Relationships: []RelationshipWrite{{From: "a", To: "b", Type: "uses", Properties: props(`{"k":1,"l":2}`)}},
	})
	e.Same("first", "added added added", systemStatuses(first))
	second := e.merge("s", Write{
		Entities: []EntityWrite{
			{Name: "a", Type: graph.Some("library"), Description: graph.Some(""), Tags: []string{"z", "y"}, Properties: props(`{"m":3,"l":{"b":2}}`)},
			{Name: "b", RemoveTags: []string{"none"}},
		},
		Relationships: []RelationshipWrite{{From: "a", To: "b", Type: "uses", Properties: props(`{"l":3,"m":4}`)}, uses("b", "a")},
	})
	e.Same("second", "updated unchanged updated added", systemStatuses(second))
	a := e.systemEntity("s", "a")
	e.Same("a", Entity{
		Name: "a", Type: "library", Tags: []string{"x", "y", "z"}, Properties: props(`{"k":1,"l":{"b":2},"m":3}`),
	}, a.Entity)
	e.Same("version", int64(2), a.Version)
	links, err := e.systems.SystemRelationships(t.Context(), e.As(""), "s", RelationshipQuery{Limit: 1})
	e.Same("properties", []any{`{"k":1,"l":3,"m":4}`, nil}, []any{string(links[0].Properties), err})

	third := e.merge("s", Write{
		Entities: []EntityWrite{
			{Name: "a", RemoveTags: []string{"x", "y"}, Tags: []string{"y"}, RemoveProperties: []string{"k", "l"}, Properties: props(`{"l":1}`)},
		},
		Relationships: []RelationshipWrite{{From: "a", To: "b", Type: "uses", RemoveProperties: []string{"k", "m"}}},
	})
	e.Same("third", "updated updated", systemStatuses(third))
	a = e.systemEntity("s", "a")
	e.Same("a", Entity{Name: "a", Type: "library", Tags: []string{"z", "y"}, Properties: props(`{"m":3,"l":1}`)}, a.Entity)
	e.Same("type and description are kept", "library", a.Type)
}

// A batch is applied in order: an entity may occur twice, and a relationship may need an entity of the batch.
func TestSystemMergeIsInOrder(t *testing.T) {
	e := fresh(t)
	result := e.merge("s", Write{
		Entities:      []EntityWrite{named("a"), {Name: "a", Tags: []string{"x"}}, named("a"), named("b")},
		Relationships: []RelationshipWrite{uses("b", "a"), uses("b", "a"), {From: "b", To: "a", Type: "uses", Properties: props(`{"x":1}`)}},
	})
	e.Same("statuses", "added updated unchanged added added unchanged updated", systemStatuses(result))
	e.Same("tags", []string{"x"}, e.systemEntity("s", "a").Tags)
	again := e.merge("s", Write{Relationships: []RelationshipWrite{uses("b", "a"), uses("b", "a")}})
	e.Same("again", "unchanged unchanged", systemStatuses(again))
}

// Every relationship has both its ends.
func TestSystemMergeRefuses(t *testing.T) {
	e := fresh(t)
	write := Write{
		Entities:      []EntityWrite{named("a"), {Name: "no type"}},
		Relationships: []RelationshipWrite{uses("a", "gone"), uses("gone", "a"), uses("a", "no type"), uses("a", "a")},
	}
	strict := write
	strict.Strict = true
	_, err := e.systems.MergeSystem(t.Context(), e.As(""), "s", &strict)
	e.Same("strict", []string{"entities[1].type", "relationships[0].to", "relationships[1].from", "relationships[2].to"}, graphtest.Locations(err))
	e.Same("nothing is written", "{\n  \"entities\": [],\n  \"relationships\": []\n}", e.file("s"))

	result := e.merge("s", write)
	e.Same("statuses", "added refused refused refused refused added", systemStatuses(result))
	e.Same("warnings", []string{
		"entities[1].type: is required for a new entity", "relationships[0].to: entity not found",
		"relationships[1].from: entity not found", "relationships[2].to: entity not found",
	}, result.Warnings)
	if result.Relationships[0].Error == nil || *result.Relationships[0].Error != "to: entity not found" {
		t.Errorf("error: %v", result.Relationships[0].Error)
	}
}

func TestSystemMergeKeepsBounds(t *testing.T) {
	e := fresh(t)
	many := func(prefix string) []string {
		tags := make([]string, 60)
		for i := range tags {
			tags[i] = fmt.Sprint(prefix, i)
		}
		return tags
	}
	large := func(key string) json.RawMessage { return props(`{"` + key + `":"` + strings.Repeat("x", 9000) + `"}`) }
	e.merge("s", Write{
		Entities:      []EntityWrite{{Name: "a", Type: graph.Some("t"), Tags: many("x"), Properties: large("x")}},
		Relationships: []RelationshipWrite{{From: "a", To: "a", Type: "t", Properties: large("x")}},
	})
	result := e.merge("s", Write{
		Entities:      []EntityWrite{{Name: "a", Tags: many("y")}, {Name: "a", Properties: large("y")}, {Name: "a", Properties: large("x")}},
		Relationships: []RelationshipWrite{{From: "a", To: "a", Type: "t", Properties: large("y")}},
	})
	e.Same("statuses", "refused refused unchanged refused", systemStatuses(result))
}

func TestSystemInvalid(t *testing.T) {
	e := fresh(t)
	deep := props(strings.Repeat(`{"x":`, 9) + "1" + strings.Repeat("}", 9))
	for _, c := range []struct {
		what string
		w    Write
		at   string
	}{
		{"names", Write{Entities: []EntityWrite{named(""), named(" a"), named("a\n"), named("\xff"), named(strings.Repeat("x", 513)), named("b\u00a0")}},
			"entities[0].name entities[1].name entities[2].name entities[3].name entities[4].name entities[5].name"},
		{"types", Write{Entities: []EntityWrite{{Name: "a", Type: graph.Some("")}, {Name: "b", Type: graph.Null[string]()},
			{Name: "c", Type: graph.Some(strings.Repeat("x", 129))}}},
			"entities[0].type entities[1].type entities[2].type"},
		{"tags", Write{Entities: []EntityWrite{{Name: "a", Tags: []string{"x", ""}}, {Name: "b", RemoveTags: make([]string, 101)}}},
			"entities[0].tags[1] entities[1].remove_tags"},
		{"properties", Write{Entities: []EntityWrite{{Name: "a", Properties: props(`[]`)}, {Name: "b", Properties: deep},
			{Name: "c", Properties: props("null")}}},
			"entities[0].properties entities[1].properties entities[2].properties"},
		{"relationships", Write{Relationships: []RelationshipWrite{{From: "a", To: "b"}, {From: "", To: "a ", Type: " x"},
			{From: "a", To: "b", Type: "x", Properties: props(`7`)}}},
			"relationships[0].type relationships[1].from relationships[1].to relationships[1].type relationships[2].properties"},
		{"too many", Write{Entities: make([]EntityWrite, bounds.Items), Relationships: make([]RelationshipWrite, 1)}, "entities"},
	} {
		_, err := e.systems.MergeSystem(t.Context(), e.As(""), "s", &c.w)
		e.Same(c.what, c.at, strings.Join(graphtest.Locations(err), " "))
	}
	for _, c := range []struct {
		what string
		m    Memory
		at   string
	}{
		{"same name", Memory{Entities: []Entity{{Name: "a", Type: "t"}, {Name: "b", Type: "t"}, {Name: "a", Type: "u"}}}, "entities[2].name"},
		{"no type", Memory{Entities: []Entity{{Name: "a"}}}, "entities[0].type"},
		{"same triple", Memory{Relationships: []Relationship{{From: "a", To: "b", Type: "t"}, {From: "a", To: "b", Type: "t"}}}, "relationships[1]"},
	} {
		_, err := e.systems.ReplaceSystem(t.Context(), e.As(""), "s", &c.m, false)
		e.Same(c.what, c.at, strings.Join(graphtest.Locations(err), " "))
	}
	for _, system := range []string{"", " ", "s ", "a\x1fb", strings.Repeat("x", 257), "\xff"} {
		_, err := e.systems.MergeSystem(t.Context(), e.As(""), system, &Write{})
		e.Same("system "+system, []string{"system"}, graphtest.Locations(err))
	}
	e.Same("nothing is written", [][]any{}, e.Raw(`MATCH (s:System {team_id: $team}) RETURN s.name`))
}

// A system has at most as many items as one file can restore.
func TestSystemHasABound(t *testing.T) {
	e := fresh(t)
	var full Write
	for i := range graph.MaxSystemItems - 1 {
		full.Entities = append(full.Entities, named(fmt.Sprint(i)))
	}
	e.merge("s", full)
	_, err := e.systems.MergeSystem(t.Context(), e.As(""), "s", &Write{Entities: []EntityWrite{named("x"), named("y")}})
	e.Same("over", []string{"entities"}, graphtest.Locations(err))
	entity := func(name string) graph.NodeWrite {
		return graph.NodeWrite{Kind: "system_entity", Name: graph.Some(name), Type: graph.Some("t"), OwnFields: &graph.OwnFields{System: graph.Some("s")}}
	}
	nodes := []graph.NodeWrite{entity("x"), entity("y"), entity("y"), node("concept", "c", 0.5)}
	_, err = e.Store.Write(t.Context(), e.As(""), &graph.MemoryWrite{Nodes: nodes, Strict: true})
	e.Same("over, as nodes", []string{"nodes[1].system", "nodes[2].system"}, graphtest.Locations(err))
	e.Same("without a strict write", []graph.Status{graph.Created, graph.Refused, graph.Refused, graph.Created}, graphtest.Statuses(e.Try("", nodes)))
	if _, err := e.systems.DeleteSystemEntity(t.Context(), e.As(""), "s", "0"); err != nil {
		t.Fatal(err)
	}
	e.Same("room again", "added", systemStatuses(e.merge("s", Write{Relationships: []RelationshipWrite{uses("x", "1")}})))
	m, err := e.systems.SystemMemory(t.Context(), e.As(""), "s")
	e.Same("all of it", []any{graph.MaxSystemItems, nil}, []any{len(m.Entities) + len(m.Relationships), err})
	e.Same("put back", "unchanged", strings.Join(graph.Distinct(strings.Fields(systemStatuses(e.put("s", &m)))), " "))
}

// Writers of one system follow each other and lose nothing; readers see whole writes.
func TestSystemConcurrentWriters(t *testing.T) {
	e := fresh(t)
	const writers, rounds = 16, 5
	var all errgroup.Group
	for w := range writers {
		all.Go(func() error {
			for r := range rounds {
				a, b := fmt.Sprintf("a-%d-%d", w, r), fmt.Sprintf("b-%d-%d", w, r)
				write := Write{
					Entities: []EntityWrite{
						named(a), named(b),
						{Name: "shared", Type: graph.Some("t"), Tags: []string{fmt.Sprint("t", w)}, Properties: props(fmt.Sprintf(`{"w%d":%d}`, w, r))},
					},
					Relationships: []RelationshipWrite{uses(a, b), uses(a, "shared")},
				}
				result, err := e.systems.MergeSystem(t.Context(), e.As(""), "s", &write)
				if err != nil || len(result.Warnings) > 0 {
					return fmt.Errorf("writer %d: %v %w", w, result.Warnings, err)
				}
				m, err := e.systems.SystemMemory(t.Context(), e.As(""), "s")
				if err != nil || len(m.Relationships) != len(m.Entities)-1 {
					return fmt.Errorf("half a write is seen: %d entities, %d relationships, %w", len(m.Entities), len(m.Relationships), err)
				}
			}
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
	m, err := e.systems.SystemMemory(t.Context(), e.As(""), "s")
	e.Same("all", []any{2*writers*rounds + 1, 2 * writers * rounds, nil}, []any{len(m.Entities), len(m.Relationships), err})
	shared := e.systemEntity("s", "shared")
	e.Same("tags", writers, len(shared.Tags))
	e.Same("properties", writers, strings.Count(string(shared.Properties), `":4`))
	e.Same("places", [][]any{{int64(4*writers*rounds + 1), int64(4*writers*rounds + 1)}}, e.Raw(`
		CALL () { MATCH (n:SystemEntity {team_id: $team}) RETURN n.seq AS seq UNION ALL MATCH (:SystemEntity {team_id: $team})-[r:system_relationship]->() RETURN r.seq AS seq }
		RETURN count(seq), count(DISTINCT seq)`))
}

// Systems are created and deleted under their writers.
func TestSystemDeletedUnderWriters(t *testing.T) {
	e := fresh(t)
	var all errgroup.Group
	for w := range 6 {
		all.Go(func() error {
			for r := range 15 {
				var err error
				if w < 2 {
					_, err = e.systems.DeleteSystem(t.Context(), e.As(""), "s")
				} else {
					a := fmt.Sprintf("%d-%d", w, r)
					_, err = e.systems.MergeSystem(t.Context(), e.As(""), "s", &Write{
						Strict: true, Entities: []EntityWrite{named(a)}, Relationships: []RelationshipWrite{uses(a, a)},
					})
				}
				if err != nil && !errors.Is(err, fault.ErrNotFound) && !errors.Is(err, graph.ErrUnavailable) {
					return err
				}
				m, err := e.systems.SystemMemory(t.Context(), e.As(""), "s")
				if errors.Is(err, graph.ErrUnavailable) { // deadlocks for half a minute, on a busy machine
					continue
				}
				if err != nil || len(m.Relationships) != len(m.Entities) {
					return fmt.Errorf("%d entities, %d relationships, %w", len(m.Entities), len(m.Relationships), err)
				}
			}
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		t.Error(err)
	}
}

// TestSystemEntityChangedElsewhere checks that a write of a system and a change of its entity as a node lose nothing of each other.
func TestSystemEntityChangedElsewhere(t *testing.T) {
	e := fresh(t)
	const rounds = 20
	e.merge("s", Write{Entities: []EntityWrite{named("a"), {Name: "b", Type: graph.Some("t")}}})
	key := e.systemEntity("s", "a").EntityKey
	for i := range rounds {
		text, tag := fmt.Sprint("text ", i), fmt.Sprint("t", i)
		var both errgroup.Group
		both.Go(func() error {
			_, err := e.Store.PatchNode(t.Context(), e.As(""), graph.NodeWrite{
				Kind: graph.SystemEntityKind.Name, EntityKey: key, Description: graph.Some(text),
			}, graph.NodeQuery{})
			return err
		})
		both.Go(func() error {
			_, err := e.systems.MergeSystem(t.Context(), e.As(""), "s", &Write{Strict: true, Entities: []EntityWrite{{Name: "a", Tags: []string{tag}}}})
			return err
		})
		if err := both.Wait(); err != nil {
			t.Fatal(err)
		}
		a := e.systemEntity("s", "a")
		e.Same("both", []any{text, true, int64(2*i + 3)}, []any{a.Description, slices.Contains(a.Tags, tag), a.Version})
	}
}

// An entity that was deleted as a node is not updated.
func TestSystemNodeDeletedElsewhere(t *testing.T) {
	e := fresh(t)
	e.merge("s", Write{Entities: []EntityWrite{named("a")}})
	err := e.systems.systemWrite(t.Context(), e.As(""), "s", func(j *job) error {
		if err := j.loadNodes([]string{"a"}); err != nil {
			return err
		}
		j.newLink(Relationship{From: "a", To: "a", Type: "t", Properties: props("{}")})
		if _, err := j.deleteNodes([]string{j.nodes["a"].EntityKey}); err != nil {
			return err
		}
		return j.save()
	})
	if !errors.Is(err, fault.ErrConflict) {
		t.Errorf("written: %v", err)
	}
}

// A system without current writers is read without a lock, with the same result.
func TestSystemSettles(t *testing.T) {
	e := fresh(t)
	e.merge("s", Write{Entities: []EntityWrite{named("a")}, Relationships: []RelationshipWrite{uses("a", "a")}})
	held := e.file("s")
	var seen []string
	e.Observe = func(query string, _ time.Duration, _ error) { seen = append(seen, query) }
	e.Now = noon.Add(time.Minute)
	e.Same("file", held, e.file("s"))
	e.Same("statements", []string{"system_load"}, seen)
}

func TestSystemsStayInTheirTeamAndApart(t *testing.T) {
	e := fresh(t)
	other := e.neighbour()
	e.merge("s", Write{Entities: []EntityWrite{named("a"), named("b")}, Relationships: []RelationshipWrite{uses("a", "b")}})
	e.merge("s2", Write{Entities: []EntityWrite{named("a")}})
	empty := "{\n  \"entities\": [],\n  \"relationships\": []\n}"
	e.Same("file of another team", empty, other.file("s"))
	systems, err := other.systems.Systems(t.Context(), other.As(""), "", 10)
	e.Same("systems of another team", []any{0, nil}, []any{len(systems), err})
	nodes, err := other.systems.SystemEntities(t.Context(), other.As(""), "s", EntityQuery{Limit: 10})
	e.Same("entities of another team", []any{0, nil}, []any{len(nodes), err})
	links, err := other.systems.SystemRelationships(t.Context(), other.As(""), "s", RelationshipQuery{Limit: 10})
	e.Same("relationships of another team", []any{0, nil}, []any{len(links), err})
	_, find := other.systems.SystemEntity(t.Context(), other.As(""), "s", "a")
	_, change := other.systems.ChangeSystemEntity(t.Context(), other.As(""), "s", &EntityWrite{Name: "a", Tags: []string{"x"}})
	_, rename := other.systems.RenameSystemEntity(t.Context(), other.As(""), "s", "a", "c")
	_, remove := other.systems.DeleteSystemEntity(t.Context(), other.As(""), "s", "a")
	_, drop := other.systems.DeleteSystem(t.Context(), other.As(""), "s")
	unlink := other.systems.DeleteSystemRelationship(t.Context(), other.As(""), "s", "a", "b", "uses")
	for what, err := range map[string]error{"find": find, "change": change, "rename": rename, "remove": remove, "drop": drop, "unlink": unlink} {
		if !errors.Is(err, fault.ErrNotFound) {
			t.Errorf("%s by another team: %v", what, err)
		}
	}
	refused := other.merge("s", Write{Entities: []EntityWrite{named("c")}, Relationships: []RelationshipWrite{uses("c", "a")}})
	e.Same("an end of another team", "added refused", systemStatuses(refused))
	refused = e.merge("s2", Write{Relationships: []RelationshipWrite{uses("a", "b")}})
	e.Same("an end in another system", "refused", systemStatuses(refused))
	e.put("s2", &Memory{})
	e.Same("left of the other system", "b", e.systemEntity("s", "b").Name)
}
