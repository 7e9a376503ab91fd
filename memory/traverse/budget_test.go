package traverse

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"kith/graph"
	"kith/text/tokens"
)

// star is a node with many neighbors.
func star() *fake {
	f := newFake()
	for i := range 60 {
		f.link("a", "relates_to", fmt.Sprintf("n%02d", i), 1-float64(i)/100)
	}
	return f
}

// An answer keeps its budget in the form in which it is given, says what was cut, and recalls what is left alone.
func TestAnswersKeepTheirBudget(t *testing.T) {
	t.Parallel()
	for _, format := range []Format{JSON, Text} {
		for _, budget := range []int{100, 300, 900} {
			r := Request{Mode: Neighbors, EntityKey: "a", Limit: 100, Format: format, MaxTokens: budget}
			result, recall, err := ask(star(), r)
			if err != nil {
				t.Fatal(err)
			}
			rows := result.(*Rows)
			if n, err := tokens.Count(r.render(rows)); err != nil || n > budget {
				t.Errorf("%s: %d tokens of %d: %v", format, n, budget, err)
			}
			var keys []string
			for i := range rows.Rows {
				keys = append(keys, rows.Rows[i].Node.EntityKey)
			}
			want := fmt.Sprintf("%d more did not fit into max_tokens", 60-len(keys))
			if !rows.Truncated || !strings.Contains(rows.Message, want) || !slices.Equal(keys, recall.Nodes) || len(keys) != len(recall.Relationships) {
				t.Errorf("%s, %d: %s, recalled %v of %v", format, budget, rows.Message, recall.Nodes, keys)
			}
		}
	}
}

// What did not fit comes on the next page: nothing is repeated or lost.
func TestACutPageGoesOn(t *testing.T) {
	t.Parallel()
	f, r := star(), Request{Mode: Neighbors, EntityKey: "a", Limit: 100, Format: Text, MaxTokens: 400}
	var keys []string
	for range 60 {
		result, _, err := ask(f, r)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, strings.Fields(keysOf(result.(*Rows)))...)
		if r.Cursor = result.(*Rows).NextCursor; r.Cursor == "" {
			break
		}
		if !strings.Contains(result.Text(), "ask again with cursor "+r.Cursor) {
			t.Fatalf("the text has no cursor: %s", result.Text())
		}
	}
	if distinct := slices.Compact(slices.Sorted(slices.Values(keys))); len(keys) != 60 || len(distinct) != 60 {
		t.Errorf("%d nodes, %d of them once", len(keys), len(distinct))
	}
}

// Rows of a statement, however large they are, are cut too, and what is cut is not recalled.
func TestTablesKeepTheirBudget(t *testing.T) {
	t.Parallel()
	table := &Table{Mode: Cypher, Records: Records{Columns: []string{"n"}}}
	var recall graph.Recall
	for i := range 40 {
		key := fmt.Sprintf("k-%02d", i)
		recall.Nodes = append(recall.Nodes, key)
		table.Rows = append(table.Rows, []json.RawMessage{[]byte(`{"entity_key":"` + key + `","text":"` + strings.Repeat("word ", 100) + `"}`)})
	}
	for _, format := range []Format{JSON, Text} {
		for budget, most := range map[int]int{100: 0, 1000: 9, 100_000: 40} {
			r := Request{Format: format, MaxTokens: budget}
			cut, left, err := r.fitBudget(table, recall)
			if err != nil {
				t.Fatal(err)
			}
			got := cut.(*Table)
			n, err := tokens.Count(r.render(got))
			if err != nil || n > budget || len(got.Rows) > most || most > 0 && len(got.Rows) == 0 || len(left.Nodes) != len(got.Rows) {
				t.Errorf("%s, %d: %d tokens, %d rows, %v recalled, %v", format, budget, n, len(got.Rows), left.Nodes, err)
			}
			if whole := len(got.Rows) == 40; whole == strings.Contains(got.Message, "did not fit into max_tokens: return single properties") {
				t.Errorf("%s, %d: %s", format, budget, got.Message)
			}
		}
	}
}

// Paths are cut from the last on.
func TestPathsKeepTheirBudget(t *testing.T) {
	t.Parallel()
	f := newFake()
	for i := range 10 {
		f.link("a", "relates_to", fmt.Sprint("m", i), 0.5)
		f.link(fmt.Sprint("m", i), "relates_to", "z", 0.5)
	}
	r := Request{Mode: Path, From: "a", To: "z", Limit: 10, MaxTokens: 900}
	result, recall, err := ask(f, r)
	if err != nil {
		t.Fatal(err)
	}
	paths := result.(*Paths)
	n, err := tokens.Count(r.render(paths))
	if err != nil || n > 900 || len(paths.Paths) == 0 || len(paths.Paths) == 10 || len(recall.Nodes) != len(paths.Paths)+2 || len(recall.Relationships) != 2*len(paths.Paths) {
		t.Errorf("%d tokens, %d paths, recalled %v, %v", n, len(paths.Paths), recall, err)
	}
}

// TestNoRowFits checks that a page without a row has no cursor, which would lead to the same page.
func TestNoRowFits(t *testing.T) {
	t.Parallel()
	rows := &Rows{Mode: Neighbors, Rows: make([]Row, 3), NextCursor: "x", page: page{Skip: 6, At: 1}}
	cut := rows.first(0).(*Rows)
	if cut.NextCursor != "" || !cut.Truncated || cut.Message != "3 more did not fit into max_tokens: raise it" {
		t.Errorf("%+v", cut)
	}
	if cut = rows.first(1).(*Rows); cut.NextCursor != (page{7, 1}).cursor() {
		t.Errorf("%+v", cut)
	}
}
