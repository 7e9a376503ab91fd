package neo

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kith/cypher"
	"kith/internal/fault"
)

// rows answers every statement.
type rows [][]any

func (r rows) Read(context.Context, cypher.Query, map[string]any) ([][]any, error) { return r, nil }

func (r rows) Exec(cypher.Query, map[string]any) ([][]any, error) { return r, nil }

// pairs reads a list of names and values itself.
type pairs map[string]any

func (p *pairs) DecodeNeo(v any) error {
	list, ok := v.([]any)
	if !ok {
		return ErrStatement
	}
	*p = pairs{}
	for i := 0; i+1 < len(list); i += 2 {
		(*p)[list[i].(string)] = list[i+1]
	}
	return nil
}

type end struct {
	Key   string
	Found *time.Time
}

type Place struct {
	MaxNodes *int64
}

type wide struct {
	Place

	EntityKey string
	UserID    *string
	N         int `neo:"count"`
	Share     float64
	Shared    bool
	At        time.Time
	MS        time.Time
	Words     []string
	Any       any
	Ends      []end
	First     *end
	All       pairs
	Props     map[string]any
}

var columns = []string{"max_nodes", "ends", "all", "props", "first", "any", "words", "ms", "at", "shared", "share", "count", "user_id", "entity_key"}

func TestRowsBecomeValues(t *testing.T) {
	t.Parallel()
	q := As[wide](cypher.Query{Name: "wide", Returns: columns})
	at := time.Date(2026, 3, 4, 12, 0, 0, 0, time.FixedZone("", 3600))
	user, limit := "u", int64(9)
	found := at.UTC()
	got, err := q.Read(t.Context(), rows{
		{
			int64(9), []any{[]any{"a", nil}, []any{"b", at}}, []any{"name", "x"}, map[string]any{"p": int64(1)}, []any{"c", nil}, int64(7), []any{"x", nil, "y"}, at.UnixMilli(), at,
			true, int64(2), int64(3), "u", "k",
		},
		make([]any, len(columns)),
	}, nil)
	want := []wide{{
		Place: Place{&limit}, EntityKey: "k", UserID: &user, N: 3, Share: 2, Shared: true, At: found, MS: found, Words: []string{"x", "", "y"}, Any: int64(7),
		Ends: []end{{"a", nil}, {"b", &found}}, First: &end{"c", nil}, All: pairs{"name": "x"}, Props: map[string]any{"p": int64(1)},
	}, {}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

// TestOtherRowsAreErrors checks that no value of another type, and no list of another length, becomes an empty field.
func TestOtherRowsAreErrors(t *testing.T) {
	t.Parallel()
	q := As[wide](cypher.Query{Name: "wide", Returns: columns})
	bad := map[string]any{
		"max_nodes": "9", "ends": []any{[]any{"a"}}, "first": "c", "words": "x", "ms": "now", "at": true, "shared": "true", "share": "1", "count": 1.5,
		"user_id": int64(1), "entity_key": []any{}, "all": "x", "props": "x",
	}
	for n, name := range columns {
		if name == "any" {
			continue
		}
		row := make([]any, len(columns))
		row[n] = bad[name]
		if _, err := q.Decode([][]any{row}); !errors.Is(err, ErrStatement) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := q.Decode([][]any{make([]any, len(columns)-1)}); !errors.Is(err, ErrStatement) {
		t.Errorf("a column less: %v", err)
	}
}

func TestOneValueAndNone(t *testing.T) {
	t.Parallel()
	n, err := As[int64](cypher.Query{Returns: []string{"n"}}).ExecOne(rows{{int64(4)}}, nil)
	if n != 4 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	words, err := As[[]string](cypher.Query{Returns: []string{"words"}}).ReadOne(t.Context(), rows{{[]any{"a", "b"}}}, nil)
	if !slices.Equal(words, []string{"a", "b"}) || err != nil {
		t.Errorf("%q, %v", words, err)
	}
	if err := As[None](cypher.Query{Returns: []string{"a", "b"}}).Run(rows{{1, 2}}, nil); err != nil {
		t.Error(err)
	}
	if _, err := As[int64](cypher.Query{Returns: []string{"n"}}).ReadOne(t.Context(), rows{}, nil); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("no row: %v", err)
	}
}

// TestColumnsOfAnotherRow checks that a row type that does not fit its statement panics when it is loaded.
func TestColumnsOfAnotherRow(t *testing.T) {
	t.Parallel()
	type renamed struct{ Title string }
	type hidden struct{ name string }
	type odd struct{ Name chan int }
	for name, load := range map[string]func(cypher.Query){
		"another name": func(q cypher.Query) { As[renamed](q) },
		"unexported":   func(q cypher.Query) { As[hidden](q) },
		"no value":     func(q cypher.Query) { As[odd](q) },
		"two columns":  func(q cypher.Query) { q.Returns = []string{"name", "type"}; As[string](q) },
		"one missing":  func(q cypher.Query) { q.Returns = []string{"name", "title"}; As[renamed](q) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: accepted", name)
				}
			}()
			load(cypher.Query{Name: "q", Returns: []string{"name"}})
		}()
	}
	_ = hidden{}.name
}

func BenchmarkDecode(b *testing.B) {
	q := As[wide](cypher.Query{Name: "wide", Returns: columns})
	row := []any{nil, []any{[]any{"a", nil}}, []any{"name", "x"}, map[string]any{}, nil, int64(7), []any{"x"}, int64(5), time.Now(), true, 2.0, int64(3), "u", "k"}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := q.Decode([][]any{row}); err != nil {
			b.Fatal(err)
		}
	}
}
