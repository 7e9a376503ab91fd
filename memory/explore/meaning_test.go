package explore

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"kith/graph"
	"kith/graph/searchscope"
	"kith/internal/llm"
	"kith/internal/vector"
)

// rows are vectors of messages: the first n look toward (1, 0), the others away.
func rows(toward, away int) []vector.Row {
	var all []vector.Row
	for i := range toward + away {
		v := []float32{0, 1}
		if i < toward {
			v = []float32{1, 0}
		}
		all = append(all, vector.Row{Seq: int64(i + 1), Key: fmt.Sprint("m-", i), Parent: "s", Kind: KindNumber(messageKind), At: day(1).UnixMilli(), Vector: vector.Encode(v)})
	}
	return all
}

// said is a store whose only scope has these vectors of messages, and whose words find the first message.
func said(vectors []vector.Row) *fakeStore {
	token := searchscope.Visible(scope.TeamID, scope.UserID)[0]
	return &fakeStore{
		search: func(q Search) (Found, error) {
			f := Found{Messages: []FoundMessage{{Hit: Hit{Score: 1, Key: "m-0"}, Source: "s"}}}
			for _, v := range q.Vectors {
				if v.Scope == token {
					next := slices.DeleteFunc(slices.Clone(vectors), func(r vector.Row) bool { return r.Seq <= v.After })
					f.Vectors = append(f.Vectors, FoundVectors{VectorsAfter: v, Rows: next})
				} else {
					f.Vectors = append(f.Vectors, FoundVectors{VectorsAfter: v})
				}
			}
			return f, nil
		},
		details: func(w Wanted) (Details, error) {
			var d Details
			for _, key := range w.Messages {
				d.Messages = append(d.Messages, SaidMessage{Source: "s", Message: graph.Message{EntityKey: key, Role: "user", Text: key, At: day(1)}})
			}
			return d, nil
		},
	}
}

func messages(text string) *Request {
	r := query(text)
	r.Kinds = []string{"message"}
	return r
}

// An answer says what became of the search by meaning, and has what words find whatever that was.
func TestSemanticStatus(t *testing.T) {
	t.Parallel()
	ok := rows(3, 30)
	failing := func(err error) *fakeEmbedder {
		return &fakeEmbedder{embed: func(context.Context, []string) ([][]float32, error) { return nil, err }}
	}
	with := func(change func(f *Found)) *fakeStore {
		s := said(ok)
		search := s.search
		s.search = func(q Search) (Found, error) {
			f, err := search(q)
			change(&f)
			return f, err
		}
		return s
	}
	more := with(func(f *Found) { f.Vectors[0].More = true })
	more.vectors = func(string, int64) ([]vector.Row, error) { return nil, graph.ErrUnavailable }
	changed := with(func(f *Found) { f.Vectors[0].More = true })
	changed.vectors = func(string, int64) ([]vector.Row, error) { return nil, graph.ErrModel }
	mixed := slices.Clone(ok)
	mixed[1].Vector = vector.Encode([]float32{1, 0, 0})
	for what, c := range map[string]struct {
		s     *fakeStore
		e     llm.Embedder
		want  Meaning
		found int
	}{
		"no embedder":               {said(ok), nil, MeaningOff, 1},
		"all is well":               {said(ok), toward(1, 0), MeaningOn, 5},
		"some have no vector":       {with(func(f *Found) { f.Waiting = true }), toward(1, 0), MeaningPartial, 5},
		"another model":             {with(func(f *Found) { f.OtherModel = true }), toward(1, 0), MeaningUnavailable, 1},
		"another model meanwhile":   {changed, toward(1, 0), MeaningUnavailable, 1},
		"vectors do not come":       {more, toward(1, 0), MeaningLoading, 1},
		"the embedder is away":      {said(ok), failing(llm.ErrUnavailable), MeaningUnavailable, 1},
		"it answers wrongly":        {said(ok), failing(llm.ErrGarbled), MeaningUnavailable, 1},
		"it refuses":                {said(ok), failing(llm.ErrRefused), MeaningUnavailable, 1},
		"a vector of other length":  {said(ok), toward(1, 0, 0), MeaningUnavailable, 1},
		"stored vectors of another": {said(mixed), toward(1, 0), MeaningLoading, 1},
		"away and some wait":        {with(func(f *Found) { f.Waiting = true }), failing(llm.ErrUnavailable), MeaningUnavailable, 1},
		"the text says nothing":     {said(ok), toward(), MeaningOn, 1},
	} {
		for _, mode := range []Mode{Fast, Deep} {
			r := messages("boat")
			r.Mode = mode
			got, _ := explore(t, c.s, c.e, r)
			if got.Meta.Semantic != c.want || len(got.Episodic.Messages) != c.found || got.Episodic.Messages[0].EntityKey != "m-0" {
				t.Errorf("%s, %s: %s, %d messages", what, mode, got.Meta.Semantic, len(got.Episodic.Messages))
			}
		}
	}
}

// An embedder that hangs takes a third of what time there is, once.
func TestSlowEmbedder(t *testing.T) {
	t.Parallel()
	e := &fakeEmbedder{embed: func(ctx context.Context, _ []string) ([][]float32, error) {
		<-ctx.Done()
		return nil, llm.ErrUnavailable
	}}
	s := said(nil)
	search := s.search
	s.search = func(q Search) (Found, error) {
		f, err := search(q)
		f.Nodes = []FoundNode{{Hit: Hit{Score: 1, Key: "c"}, Kind: kind(t, "concept"), Name: "Mast"}}
		return f, err
	}
	for _, mode := range []Mode{Fast, Deep} {
		e.calls = 0
		ctx, cancel := context.WithTimeout(t.Context(), 600*time.Millisecond)
		r := query("boat")
		r.Mode = mode
		begun := time.Now()
		got, _, err := New(s, Options{Embedder: e, Vectors: vector.New(1 << 20)}).Explore(ctx, scope, r)
		cancel()
		if err != nil || got.Meta.Semantic != MeaningUnavailable || e.calls != 1 || time.Since(begun) > 400*time.Millisecond {
			t.Errorf("%s: %v, %d calls, after %v", mode, err, e.calls, time.Since(begun))
		}
	}
}

// Text matches are of words: they ask neither the embedder nor for vectors.
func TestTextMatchesTakeNoMeaning(t *testing.T) {
	t.Parallel()
	e := toward(1, 0)
	s := said(rows(1, 1))
	search := s.search
	s.search = func(q Search) (Found, error) {
		if len(q.Vectors) > 0 || !q.Asks[0].Match {
			t.Errorf("asked for %+v", q)
		}
		return search(q)
	}
	got, _ := explore(t, s, e, &Request{TextMatches: []string{"boat"}, Kinds: []string{"message"}})
	if e.calls != 0 || len(got.Episodic.Messages) != 1 || got.Meta.Semantic != MeaningOn {
		t.Errorf("%d calls, %+v", e.calls, got)
	}
}

// Vectors are read once, and then those that are new; what has gone is forgotten, and what was dropped is read again.
func TestVectorsAreKept(t *testing.T) {
	t.Parallel()
	s, gone := said(rows(3, 30)), ""
	var after []int64
	search, details := s.search, s.details
	s.search = func(q Search) (Found, error) {
		after = append(after, q.Vectors[0].After)
		return search(q)
	}
	s.details = func(w Wanted) (Details, error) {
		d, err := details(w)
		d.Messages = slices.DeleteFunc(d.Messages, func(m SaidMessage) bool { return m.EntityKey == gone })
		return d, err
	}
	vectors := vector.New(1 << 20)
	e := New(s, Options{Embedder: toward(1, 0), Vectors: vectors, Now: func() time.Time { return now }})
	asked := func() (all []string) {
		t.Helper()
		r := messages("boat")
		r.Limit = 3
		got, _, err := e.Explore(t.Context(), scope, r)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range got.Episodic.Messages {
			all = append(all, m.EntityKey)
		}
		return all
	}
	if got := asked(); !slices.Equal(got, []string{"m-0", "m-1", "m-2"}) {
		t.Errorf("found %q", got)
	}
	gone = "m-1"
	if got := asked(); slices.Contains(got, "m-1") {
		t.Errorf("found %q", got)
	}
	cosines, err := vectors.Cosines(searchscope.Visible(scope.TeamID, scope.UserID), []float32{1, 0}, []string{"m-1", "m-2"})
	if _, kept := cosines["m-1"]; err != nil || kept || len(cosines) != 1 {
		t.Errorf("kept of what is gone: %v (%v)", cosines, err)
	}
	e.Forget(scope)
	if size := vectors.Size(); size != 0 {
		t.Errorf("%d bytes are kept of one who is forgotten", size)
	}
	asked()
	e.Forget(graph.Scope{TeamID: scope.TeamID})
	if size := vectors.Size(); size != 0 {
		t.Errorf("%d bytes are kept of a team that is forgotten", size)
	}
	asked()
	if !slices.Equal(after, []int64{0, 33, 0, 0}) {
		t.Errorf("asked for vectors after %v", after)
	}
	New(s, Options{}).Forget(scope) // nothing is kept, and nothing to do
}

// The nearest are looked for while the database searches; what comes with its answer is among them all the same.
func TestVectorsThatComeAreFound(t *testing.T) {
	t.Parallel()
	s := said(append(rows(1, 30), vector.Row{Seq: 40, Key: "m-late", Parent: "s", Kind: KindNumber(messageKind), At: day(1).UnixMilli(), Vector: vector.Encode([]float32{1, 0})}))
	search, late := s.search, false
	s.search = func(q Search) (Found, error) {
		f, err := search(q)
		if !late {
			f.Vectors[0].Rows = f.Vectors[0].Rows[:31]
		}
		return f, err
	}
	e := New(s, Options{Embedder: toward(1, 0), Vectors: vector.New(1 << 20), Now: func() time.Time { return now }})
	for _, late = range []bool{false, true} {
		got, _, err := e.Explore(t.Context(), scope, messages("boat"))
		if err != nil {
			t.Fatal(err)
		}
		if found := slices.ContainsFunc(got.Episodic.Messages, func(m MessageHit) bool { return m.EntityKey == "m-late" }); found != late {
			t.Errorf("late %v: found %v", late, found)
		}
	}
}

// A message that only its meaning finds speaks for its source, and is shown with it.
func TestSourcesByWhatIsMeant(t *testing.T) {
	t.Parallel()
	s := said(rows(1, 30))
	search, details := s.search, s.details
	s.search = func(q Search) (Found, error) {
		f, err := search(q)
		f.Messages = nil
		return f, err
	}
	var wanted Wanted
	s.details = func(w Wanted) (Details, error) {
		wanted = w
		d, err := details(w)
		d.Sources = []SourceDetails{{Source: graph.Source{EntityKey: "s", Summary: "a talk", StartedAt: day(1)}}}
		return d, err
	}
	got, _ := explore(t, s, toward(1, 0), query("boat"))
	if !slices.Equal(wanted.Sources, []string{"s"}) || !slices.Contains(wanted.Messages, "m-0") {
		t.Errorf("wanted %+v", wanted)
	}
	if found := got.Episodic.Sources; len(found) != 1 || len(found[0].Messages) == 0 || found[0].Messages[0].EntityKey != "m-0" {
		t.Errorf("found %+v", found)
	}
}
