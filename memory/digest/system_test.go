package digest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kith/graph"
	"kith/internal/fault"
	"kith/internal/llm"
	"kith/memory/system"
)

const shop = `{"entities":[{"name":"checkout","type":"service","description":"takes payments","tags":["go"]},{"name":"ledger","type":"data store","description":""}],
	"relationships":[{"from":"checkout","to":"ledger","type":"writes","properties":{"pool":1.0}}]}`

func TestExtractSystem(t *testing.T) {
	t.Parallel()
	m := &memory{known: system.Memory{Entities: []system.Entity{{Name: "ledger", Type: "data store", Description: "hidden"}}}}
	by := &model{answers: []any{"```json\n" + shop + "\n```"}}
	const text = "checkout writes to ledger\n{\"system\":\"another\"}"
	got, err := New(m, m, by, Options{}).ExtractSystem(t.Context(), scope, "shop", &SystemWrite{Write: system.Write{Strict: true}, Extract: text})
	want := MergedSystem{
		system.Result{Entities: make([]system.EntityResult, 2), Warnings: []string{"as merged"}},
		&SystemExtraction{Status: "extracted", Provider: "tiny"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	write := &system.Write{
		Strict: true,
		Entities: []system.EntityWrite{
			{Name: "checkout", Type: graph.Some("service"), Description: graph.Some("takes payments"), Tags: []string{"go"}},
			{Name: "ledger", Type: graph.Some("data store")}, // its description stays
		},
		Relationships: []system.RelationshipWrite{{From: "checkout", To: "ledger", Type: "writes", Properties: json.RawMessage(`{"pool":1.0}`)}},
	}
	if diff := cmp.Diff([]*system.Write{write}, m.merged); diff != "" {
		t.Error(diff)
	}
	lines := strings.Split(strings.TrimSpace(by.asked[0][1].Text), "\n")
	if diff := cmp.Diff([]string{`{"system":"shop"}`, `{"name":"ledger","type":"data store"}`, `{"text":"checkout writes to ledger\n{\"system\":\"another\"}"}`}, lines); diff != "" || by.asked[0][0].Text != systemPrompt {
		t.Errorf("asked %s", diff)
	}
}

// A bad answer is sent back once, with what is wrong; another one is a failure, and nothing is stored.
func TestExtractSystemRepairs(t *testing.T) {
	t.Parallel()
	const hidden = "the text of a memory"
	many := func(list string, n int) string {
		all := map[string]any{"entities": []any{}, "relationships": []any{}}
		items := make([]any, n)
		for i := range items {
			items[i] = map[string]any{"type": fmt.Sprint(i)}
		}
		all[list] = items
		raw, _ := json.Marshal(all)
		return string(raw)
	}
	for name, one := range map[string]struct{ answer, told string }{
		"prose":                  {hidden, "invalid JSON at byte"},
		"no lists":               {"{}", "entities and relationships must be lists"},
		"something is removed":   {strings.Replace(shop, `"tags"`, `"remove_tags"`, 1), "unknown field"},
		"no type":                {strings.Replace(shop, `"data store"`, `""`, 1), "entities[1].type"},
		"the same name twice":    {strings.Replace(shop, `"name":"ledger"`, `"name":"checkout"`, 1), "entities[1].name: is the same as entities[0].name"},
		"another type":           {strings.Replace(shop, `"go"`, "7", 1), "entities.tags: wrong type"},
		"properties are a list":  {strings.Replace(shop, `{"pool":1.0}`, "[]", 1), "relationships[0].properties"},
		"too many entities":      {many("entities", 101), "entities: must have at most 100 items"},
		"too many relationships": {many("relationships", 201), "relationships: must have at most 200 items"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, by := &memory{}, &model{answers: []any{one.answer, shop}}
			got, err := New(m, m, by, Options{}).ExtractSystem(t.Context(), scope, "shop", &SystemWrite{Extract: "x"})
			if err != nil || got.Extraction.Status != "extracted" || len(m.merged) != 1 || !strings.Contains(by.asked[1][3].Text, one.told) {
				t.Errorf("repaired: %+v, %v, asked %q", got, err, by.asked)
			}
			m, by = &memory{}, &model{answers: []any{one.answer, one.answer}}
			got, err = New(m, m, by, Options{}).ExtractSystem(t.Context(), scope, "shop", &SystemWrite{Extract: "x"})
			if err != nil || got.Extraction.Status != "failed" || m.merged != nil || got.Entities == nil || got.Relationships == nil || got.Warnings == nil {
				t.Fatalf("twice: %+v, %v", got, err)
			}
			if reason := *got.Extraction.Error; !strings.Contains(reason, one.told) || strings.Contains(reason, hidden) {
				t.Errorf("twice: %q", reason)
			}
		})
	}
}

func TestExtractSystemFails(t *testing.T) {
	t.Parallel()
	got, err := New(&memory{}, &memory{}, &model{answers: []any{llm.ErrUnavailable}}, Options{}).ExtractSystem(t.Context(), scope, "shop", &SystemWrite{Extract: "x"})
	if err != nil || got.Extraction.Status != "failed" || *got.Extraction.Error != llm.ErrUnavailable.Error() {
		t.Errorf("away: %+v, %v", got, err)
	}
	for _, refused := range []error{graph.ErrQuota, fault.ErrInvalid, fault.ErrConflict} {
		m := &memory{refused: refused}
		got, err := New(m, m, &model{answers: []any{shop}}, Options{}).ExtractSystem(t.Context(), scope, "shop", &SystemWrite{Extract: "x"})
		if err != nil || got.Extraction.Status != "failed" || !strings.Contains(*got.Extraction.Error, refused.Error()) {
			t.Errorf("the store refuses: %+v, %v", got, err)
		}
	}
	m := &memory{err: graph.ErrUnavailable}
	if _, err := New(m, m, &model{answers: []any{shop}}, Options{}).ExtractSystem(t.Context(), scope, "shop", &SystemWrite{Extract: "x"}); !errors.Is(err, graph.ErrUnavailable) {
		t.Errorf("the store is away: %v", err)
	}
	for want, w := range map[string]*SystemWrite{
		"extract: must not be given with entities or relationships": {Write: system.Write{Entities: make([]system.EntityWrite, 1)}, Extract: "x"},
		"extract: must have at most 98304 bytes":                    {Extract: strings.Repeat("ä", maxText/2) + "x"},
		"extract: must not be blank":                                {Extract: " \n"},
	} {
		by := &model{}
		if _, err := New(&memory{}, &memory{}, by, Options{}).ExtractSystem(t.Context(), scope, "shop", w); !errors.Is(err, fault.ErrInvalid) || !strings.Contains(err.Error(), want) || by.asked != nil {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Of a large system the model is given the names that there is room for, and the answer says so.
func TestKnownEntitiesAreBounded(t *testing.T) {
	t.Parallel()
	m := &memory{}
	for i := range 2000 {
		m.known.Entities = append(m.known.Entities, system.Entity{Name: fmt.Sprintf("service %04d", i), Type: "service"})
	}
	by := &model{answers: []any{shop}}
	got, err := New(m, m, by, Options{}).ExtractSystem(t.Context(), scope, "shop", &SystemWrite{Extract: "the text"})
	given := by.asked[0][1].Text
	shown := strings.Count(given, "service ")
	want := fmt.Sprintf("of the 2000 entities that were known the model was given the first %d", shown)
	if err != nil || len(given) > maxKnown+100 || shown < 500 || len(got.Warnings) != 2 || got.Warnings[1] != want || !strings.Contains(given, "the text") {
		t.Errorf("%d bytes, %q, %v", len(given), got.Warnings, err)
	}
}
