package graph

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

func props(text string) json.RawMessage { return json.RawMessage(text) }

// Each field of an update keeps, replaces or merges the stored value.
func TestSystemMergeUpdates(t *testing.T) {
	e := fresh(t)
	first := e.merge("s", SystemWrite{
		Entities: []SystemEntityWrite{
			{Name: "a", Type: Some("service"), Description: Some("one"), Tags: []string{"x", "y", "x"}, Properties: props(`{"k":1,"l":{"a":1}}`)},
			named("b"),
		},
		Relationships: []SystemRelationshipWrite{{From: "a", To: "b", Type: "uses", Properties: props(`{"k":1,"l":2}`)}},
	})
	e.same("first", "added added added", systemStatuses(first))
	second := e.merge("s", SystemWrite{
		Entities: []SystemEntityWrite{
			{Name: "a", Type: Some("library"), Description: Some(""), Tags: []string{"z", "y"}, Properties: props(`{"m":3,"l":{"b":2}}`)},
			{Name: "b", RemoveTags: []string{"none"}},
		},
		Relationships: []SystemRelationshipWrite{{From: "a", To: "b", Type: "uses", Properties: props(`{"l":3,"m":4}`)}, uses("b", "a")},
	})
	e.same("second", "updated unchanged updated added", systemStatuses(second))
	a := e.systemEntity("s", "a")
	e.same("a", SystemEntity{
		Name: "a", Type: "library", Tags: []string{"x", "y", "z"}, Properties: props(`{"k":1,"l":{"b":2},"m":3}`),
	}, a.SystemEntity)
	e.same("version", int64(2), a.Version)
	links, err := e.store.SystemRelationships(t.Context(), e.as(""), "s", SystemRelationshipQuery{Limit: 1})
	e.same("properties", []any{`{"k":1,"l":3,"m":4}`, nil}, []any{string(links[0].Properties), err})

	third := e.merge("s", SystemWrite{
		Entities: []SystemEntityWrite{
			{Name: "a", RemoveTags: []string{"x", "y"}, Tags: []string{"y"}, RemoveProperties: []string{"k", "l"}, Properties: props(`{"l":1}`)},
		},
		Relationships: []SystemRelationshipWrite{{From: "a", To: "b", Type: "uses", RemoveProperties: []string{"k", "m"}}},
	})
	e.same("third", "updated updated", systemStatuses(third))
	a = e.systemEntity("s", "a")
	e.same("a", SystemEntity{Name: "a", Type: "library", Tags: []string{"z", "y"}, Properties: props(`{"m":3,"l":1}`)}, a.SystemEntity)
	e.same("type and description are kept", "library", a.Type)
}

// A batch is applied in order: an entity may occur twice, and a relationship may need an entity of the batch.
func TestSystemMergeIsInOrder(t *testing.T) {
	e := fresh(t)
	result := e.merge("s", SystemWrite{
		Entities:      []SystemEntityWrite{named("a"), {Name: "a", Tags: []string{"x"}}, named("a"), named("b")},
		Relationships: []SystemRelationshipWrite{uses("b", "a"), uses("b", "a"), {From: "b", To: "a", Type: "uses", Properties: props(`{"x":1}`)}},
	})
	e.same("statuses", "added updated unchanged added added unchanged updated", systemStatuses(result))
	e.same("tags", []string{"x"}, e.systemEntity("s", "a").Tags)
	again := e.merge("s", SystemWrite{Relationships: []SystemRelationshipWrite{uses("b", "a"), uses("b", "a")}})
	e.same("again", "unchanged unchanged", systemStatuses(again))
}

// Every relationship has both its ends.
func TestSystemMergeRefuses(t *testing.T) {
	e := fresh(t)
	write := SystemWrite{
		Entities:      []SystemEntityWrite{named("a"), {Name: "no type"}},
		Relationships: []SystemRelationshipWrite{uses("a", "gone"), uses("gone", "a"), uses("a", "no type"), uses("a", "a")},
	}
	strict := write
	strict.Strict = true
	_, err := e.store.MergeSystem(t.Context(), e.as(""), "s", &strict)
	e.same("strict", []string{"entities[1].type", "relationships[0].to", "relationships[1].from", "relationships[2].to"}, locations(err))
	e.same("nothing is written", "{\n  \"entities\": [],\n  \"relationships\": []\n}", e.file("s"))

	result := e.merge("s", write)
	e.same("statuses", "added refused refused refused refused added", systemStatuses(result))
	e.same("warnings", []string{
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
	e.merge("s", SystemWrite{
		Entities:      []SystemEntityWrite{{Name: "a", Type: Some("t"), Tags: many("x"), Properties: large("x")}},
		Relationships: []SystemRelationshipWrite{{From: "a", To: "a", Type: "t", Properties: large("x")}},
	})
	result := e.merge("s", SystemWrite{
		Entities:      []SystemEntityWrite{{Name: "a", Tags: many("y")}, {Name: "a", Properties: large("y")}, {Name: "a", Properties: large("x")}},
		Relationships: []SystemRelationshipWrite{{From: "a", To: "a", Type: "t", Properties: large("y")}},
	})
	e.same("statuses", "refused refused unchanged refused", systemStatuses(result))
}

func TestSystemInvalid(t *testing.T) {
	e := fresh(t)
	deep := props(strings.Repeat(`{"x":`, 9) + "1" + strings.Repeat("}", 9))
	for _, c := range []struct {
		what string
		w    SystemWrite
		at   string
	}{
		{"names", SystemWrite{Entities: []SystemEntityWrite{named(""), named(" a"), named("a\n"), named("\xff"), named(strings.Repeat("x", 513)), named("b\u00a0")}},
			"entities[0].name entities[1].name entities[2].name entities[3].name entities[4].name entities[5].name"},
		{"types", SystemWrite{Entities: []SystemEntityWrite{{Name: "a", Type: Some("")}, {Name: "b", Type: Null[string]()},
			{Name: "c", Type: Some(strings.Repeat("x", 129))}}},
			"entities[0].type entities[1].type entities[2].type"},
		{"tags", SystemWrite{Entities: []SystemEntityWrite{{Name: "a", Tags: []string{"x", ""}}, {Name: "b", RemoveTags: make([]string, 101)}}},
			"entities[0].tags[1] entities[1].remove_tags"},
		{"properties", SystemWrite{Entities: []SystemEntityWrite{{Name: "a", Properties: props(`[]`)}, {Name: "b", Properties: deep},
			{Name: "c", Properties: props("null")}}},
			"entities[0].properties entities[1].properties entities[2].properties"},
		{"relationships", SystemWrite{Relationships: []SystemRelationshipWrite{{From: "a", To: "b"}, {From: "", To: "a ", Type: " x"},
			{From: "a", To: "b", Type: "x", Properties: props(`7`)}}},
			"relationships[0].type relationships[1].from relationships[1].to relationships[1].type relationships[2].properties"},
		{"too many", SystemWrite{Entities: make([]SystemEntityWrite, MaxItems), Relationships: make([]SystemRelationshipWrite, 1)}, "entities"},
	} {
		_, err := e.store.MergeSystem(t.Context(), e.as(""), "s", &c.w)
		e.same(c.what, c.at, strings.Join(locations(err), " "))
	}
	for _, c := range []struct {
		what string
		m    SystemMemory
		at   string
	}{
		{"same name", SystemMemory{Entities: []SystemEntity{{Name: "a", Type: "t"}, {Name: "b", Type: "t"}, {Name: "a", Type: "u"}}}, "entities[2].name"},
		{"no type", SystemMemory{Entities: []SystemEntity{{Name: "a"}}}, "entities[0].type"},
		{"same triple", SystemMemory{Relationships: []SystemRelationship{{From: "a", To: "b", Type: "t"}, {From: "a", To: "b", Type: "t"}}}, "relationships[1]"},
	} {
		_, err := e.store.ReplaceSystem(t.Context(), e.as(""), "s", &c.m, false)
		e.same(c.what, c.at, strings.Join(locations(err), " "))
	}
	for _, system := range []string{"", " ", "s ", "a\x1fb", strings.Repeat("x", 257), "\xff"} {
		_, err := e.store.MergeSystem(t.Context(), e.as(""), system, &SystemWrite{})
		e.same("system "+system, []string{"system"}, locations(err))
	}
	e.same("nothing is written", [][]any{}, e.raw(`MATCH (s:System {team_id: $team}) RETURN s.name`))
}

// A system has at most as many items as one file can restore.
func TestSystemHasABound(t *testing.T) {
	e := fresh(t)
	var full SystemWrite
	for i := range MaxSystemItems - 1 {
		full.Entities = append(full.Entities, named(fmt.Sprint(i)))
	}
	e.merge("s", full)
	_, err := e.store.MergeSystem(t.Context(), e.as(""), "s", &SystemWrite{Entities: []SystemEntityWrite{named("x"), named("y")}})
	e.same("over", []string{"entities"}, locations(err))
	entity := func(name string) NodeWrite {
		return NodeWrite{Kind: "system_entity", Name: Some(name), Type: Some("t"), OwnFields: &OwnFields{System: Some("s")}}
	}
	nodes := []NodeWrite{entity("x"), entity("y"), entity("y"), node("concept", "c", 0.5)}
	_, err = e.store.Write(t.Context(), e.as(""), &MemoryWrite{Nodes: nodes, Strict: true})
	e.same("over, as nodes", []string{"nodes[1].system", "nodes[2].system"}, locations(err))
	e.same("without a strict write", []Status{Created, Refused, Refused, Created}, statuses(e.try("", nodes)))
	if _, err := e.store.DeleteSystemEntity(t.Context(), e.as(""), "s", "0"); err != nil {
		t.Fatal(err)
	}
	e.same("room again", "added", systemStatuses(e.merge("s", SystemWrite{Relationships: []SystemRelationshipWrite{uses("x", "1")}})))
	m, err := e.store.SystemMemory(t.Context(), e.as(""), "s")
	e.same("all of it", []any{MaxSystemItems, nil}, []any{len(m.Entities) + len(m.Relationships), err})
	e.same("put back", "unchanged", strings.Join(Distinct(strings.Fields(systemStatuses(e.put("s", &m)))), " "))
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
				write := SystemWrite{
					Entities: []SystemEntityWrite{
						named(a), named(b),
						{Name: "shared", Type: Some("t"), Tags: []string{fmt.Sprint("t", w)}, Properties: props(fmt.Sprintf(`{"w%d":%d}`, w, r))},
					},
					Relationships: []SystemRelationshipWrite{uses(a, b), uses(a, "shared")},
				}
				result, err := e.store.MergeSystem(t.Context(), e.as(""), "s", &write)
				if err != nil || len(result.Warnings) > 0 {
					return fmt.Errorf("writer %d: %v %w", w, result.Warnings, err)
				}
				m, err := e.store.SystemMemory(t.Context(), e.as(""), "s")
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
	m, err := e.store.SystemMemory(t.Context(), e.as(""), "s")
	e.same("all", []any{2*writers*rounds + 1, 2 * writers * rounds, nil}, []any{len(m.Entities), len(m.Relationships), err})
	shared := e.systemEntity("s", "shared")
	e.same("tags", writers, len(shared.Tags))
	e.same("properties", writers, strings.Count(string(shared.Properties), `":4`))
	e.same("places", [][]any{{int64(4*writers*rounds + 1), int64(4*writers*rounds + 1)}}, e.raw(`
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
					_, err = e.store.DeleteSystem(t.Context(), e.as(""), "s")
				} else {
					a := fmt.Sprintf("%d-%d", w, r)
					_, err = e.store.MergeSystem(t.Context(), e.as(""), "s", &SystemWrite{
						Strict: true, Entities: []SystemEntityWrite{named(a)}, Relationships: []SystemRelationshipWrite{uses(a, a)},
					})
				}
				if err != nil && !errors.Is(err, ErrNotFound) {
					return err
				}
				if m, err := e.store.SystemMemory(t.Context(), e.as(""), "s"); err != nil || len(m.Relationships) != len(m.Entities) {
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

// An entity that was deleted as a node is not updated.
func TestSystemNodeDeletedElsewhere(t *testing.T) {
	e := fresh(t)
	e.merge("s", SystemWrite{Entities: []SystemEntityWrite{named("a")}})
	err := e.store.systemWrite(t.Context(), e.as(""), "s", func(j *systemJob) error {
		if err := j.loadNodes([]string{"a"}); err != nil {
			return err
		}
		j.newLink(SystemRelationship{From: "a", To: "a", Type: "t", Properties: props("{}")})
		if _, err := j.deleteNodes([]string{j.nodes["a"].EntityKey}); err != nil {
			return err
		}
		return j.save()
	})
	if !errors.Is(err, ErrConflict) {
		t.Errorf("written: %v", err)
	}
}

// A system without current writers is read without a lock, with the same result.
func TestSystemSettles(t *testing.T) {
	e := fresh(t)
	e.merge("s", SystemWrite{Entities: []SystemEntityWrite{named("a")}, Relationships: []SystemRelationshipWrite{uses("a", "a")}})
	held := e.file("s")
	var seen []string
	e.observe = func(query string, _ time.Duration, _ error) { seen = append(seen, query) }
	e.now = noon.Add(time.Minute)
	e.same("file", held, e.file("s"))
	e.same("statements", []string{"system_load"}, seen)
}

func TestSystemsStayInTheirTeamAndApart(t *testing.T) {
	e := fresh(t)
	other := e.neighbour()
	e.merge("s", SystemWrite{Entities: []SystemEntityWrite{named("a"), named("b")}, Relationships: []SystemRelationshipWrite{uses("a", "b")}})
	e.merge("s2", SystemWrite{Entities: []SystemEntityWrite{named("a")}})
	empty := "{\n  \"entities\": [],\n  \"relationships\": []\n}"
	e.same("file of another team", empty, other.file("s"))
	systems, err := other.store.Systems(t.Context(), other.as(""), "", 10)
	e.same("systems of another team", []any{0, nil}, []any{len(systems), err})
	nodes, err := other.store.SystemEntities(t.Context(), other.as(""), "s", SystemEntityQuery{Limit: 10})
	e.same("entities of another team", []any{0, nil}, []any{len(nodes), err})
	links, err := other.store.SystemRelationships(t.Context(), other.as(""), "s", SystemRelationshipQuery{Limit: 10})
	e.same("relationships of another team", []any{0, nil}, []any{len(links), err})
	_, find := other.store.SystemEntity(t.Context(), other.as(""), "s", "a")
	_, change := other.store.ChangeSystemEntity(t.Context(), other.as(""), "s", &SystemEntityWrite{Name: "a", Tags: []string{"x"}})
	_, rename := other.store.RenameSystemEntity(t.Context(), other.as(""), "s", "a", "c")
	_, remove := other.store.DeleteSystemEntity(t.Context(), other.as(""), "s", "a")
	_, drop := other.store.DeleteSystem(t.Context(), other.as(""), "s")
	unlink := other.store.DeleteSystemRelationship(t.Context(), other.as(""), "s", "a", "b", "uses")
	for what, err := range map[string]error{"find": find, "change": change, "rename": rename, "remove": remove, "drop": drop, "unlink": unlink} {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("%s by another team: %v", what, err)
		}
	}
	refused := other.merge("s", SystemWrite{Entities: []SystemEntityWrite{named("c")}, Relationships: []SystemRelationshipWrite{uses("c", "a")}})
	e.same("an end of another team", "added refused", systemStatuses(refused))
	refused = e.merge("s2", SystemWrite{Relationships: []SystemRelationshipWrite{uses("a", "b")}})
	e.same("an end in another system", "refused", systemStatuses(refused))
	e.put("s2", &SystemMemory{})
	e.same("left of the other system", "b", e.systemEntity("s", "b").Name)
}
