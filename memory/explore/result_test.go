package explore

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"kith/graph"
	"kith/tests/golden"
	"kith/text/tokens"
)

// everything is a store that finds something of every sort.
func everything(t *testing.T) *fakeStore {
	t.Helper()
	boat, five, attitude := graph.NodeRef{EntityKey: "c-boat", Kind: "concept", Name: "Boat"}, int64(5), int64(4)
	first, last := day(60), day(3)
	sources := []SourceLine{
		{EntityKey: "s-1", Summary: "The boat\nwas launched.", StartedAt: last}, {EntityKey: "s-2", Summary: "A leak.", StartedAt: day(9)},
		{EntityKey: "s-3", Summary: "Oak.", StartedAt: day(20)},
	}
	hit := func(score float64, key string) Hit { return Hit{Score: score, Key: key} }
	thinks := graph.RelationshipView{
		Key: "r-1", From: "p-ada", To: "c-boat", Type: "thinks_about", Description: "Every\nevening", Attitude: &attitude, Proximity: &five,
		Salience: 0.8, State: "active", RecordedAt: &last, Notes: []graph.Note{{Content: "Less in winter."}},
	}
	around := thinks
	around.Node, around.Direction = &graph.NodeRef{EntityKey: "p-ada", Kind: "person", Name: "Ada"}, "incoming"
	away := graph.RelationshipView{
		Key: "r-2", From: "c-boat", To: "e-quay", Type: "associated_with", RelationshipType: "moored at", Salience: 0.5,
		Node: &graph.NodeRef{EntityKey: "e-quay", Kind: "entity", Name: "Quay 4"}, Direction: "outgoing",
	}
	note := aNode("concept", "c-boat", "Boat", 0.6, day(5))
	note.Description, note.Notes = "A wooden\n\n# boat", []graph.Note{{Content: "Tarred in May."}, {Content: "Leaks."}}
	context := "planning"
	return &fakeStore{
		search: func(Search) (Found, error) {
			return Found{
				Messages: []FoundMessage{{Hit: hit(3, "m-boat"), Source: "s-1", Name: "Ada"}, {Hit: hit(1, "m-leak"), Source: "s-2"}},
				Sources:  []FoundSource{{Hit: hit(2, "s-1")}, {Hit: hit(1, "s-2")}},
				Nodes: []FoundNode{
					{Hit: hit(4, "c-boat"), Kind: kind(t, "concept"), Name: "Boat"}, {Hit: hit(3, "p-ada"), Kind: kind(t, "person"), Name: "Ada"},
					{Hit: hit(2, "d-plan"), Kind: kind(t, "document"), Name: "Lines plan"}, {Hit: hit(1, "st-1"), Kind: kind(t, "storyline"), Name: "Building the boat"},
				},
				Relationships: []FoundRelationship{{Hit: hit(1, "r-1"), FromName: "Ada", ToName: "Boat", RelationshipView: thinks}},
			}, nil
		},
		details: func(Wanted) (Details, error) {
			return Details{
				Messages: []SaidMessage{
					{Source: "s-1", Message: graph.Message{EntityKey: "m-boat", Seq: 1, Role: "user", Name: "Ada", Text: "The boat\nfloats.", At: last}},
					{Source: "s-2", Message: graph.Message{EntityKey: "m-leak", Role: "assistant", Text: "Where does the boat leak?", At: day(9)}},
				},
				Sources: []SourceDetails{
					{Source: graph.Source{EntityKey: "s-1", ContentType: "conversation", ContextType: &context, Summary: sources[0].Summary, StartedAt: last}, Name: "Launch", Salience: 0.5, State: "active", Mentions: []graph.NodeRef{boat, {EntityKey: "p-ada", Kind: "person", Name: "Ada"}}},
					{Source: graph.Source{EntityKey: "s-2", ContentType: "note", Summary: sources[1].Summary, StartedAt: day(9)}, Salience: 0.5, State: "active", Mentions: []graph.NodeRef{}},
					{Source: graph.Source{EntityKey: "s-other", ContentType: "note", Summary: "Named in a text, and not found.", StartedAt: day(9)}, Salience: 0.5, Mentions: []graph.NodeRef{}},
				},
				Nodes: []graph.NodeView{note, aNode("person", "p-ada", "Ada", 1, day(1)), aNode("document", "d-plan", "Lines plan", 0.5, day(30)), aNode("storyline", "st-1", "Building the boat", 0.5, day(3))},
				Around: []Surroundings{
					{Node: boat, Links: []graph.RelationshipView{around, away}, Others: []OtherEnd{{}, {Description: "By the mill"}}},
					{Node: graph.NodeRef{EntityKey: "d-plan", Kind: "document", Name: "Lines plan"}, Links: []graph.RelationshipView{{Key: "r-3", From: "d-plan", To: "c-boat", Type: "relates_to", Salience: 0.1, Direction: "outgoing", Node: &boat}}, Others: make([]OtherEnd, 1)},
				},
				Storylines: []Storyline{{
					EntityKey: "st-1", Name: "Building the boat", Description: "From oak to water", SourceCount: 3, FirstAt: &first, LastAt: &last, Anchor: &boat,
					Sources: sources, SourceKeys: []string{"s-1", "s-2", "s-3"}, Macros: []string{"m-1"},
				}},
				Macros: []Macro{{
					EntityKey: "m-1", Name: "Boats", Description: "All of them", StorylineCount: 1, SourceCount: 3, FirstAt: &first, LastAt: &last, Anchor: &boat,
					Storylines: []StorylineLine{{EntityKey: "st-1", Name: "Building the boat", Description: "From oak to water", SourceCount: 3}},
				}},
			}, nil
		},
	}
}

// What each granularity shows, as JSON and as text.
func TestGranularityGolden(t *testing.T) {
	t.Parallel()
	for granularity := 1; granularity <= 3; granularity++ {
		r := query("boat of Ada")
		r.Granularity, r.Expand = granularity, 3
		if granularity == 1 {
			r.Kinds, r.ReturnExplanations = nil, true
		}
		got, _ := explore(t, everything(t), nil, r)
		raw, err := json.MarshalIndent(got, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		golden.Check(t, fmt.Sprintf("testdata/granularity%d.json", granularity), string(raw)+"\n")
		golden.Check(t, fmt.Sprintf("testdata/granularity%d.md", granularity), got.Text())
	}
}

func TestTextOfNothing(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		r    Result
		want string
	}{
		"nothing":  {Result{Meta: Meta{QueryUsed: []string{"a\nb", "c"}, Semantic: MeaningOn}}, "# Found for: a b; c\n\nNothing was found.\n"},
		"no words": {Result{Meta: Meta{QueryUsed: []string{"a"}, Semantic: MeaningOff}}, "# Found for: a\n\nNothing was found.\n\n_Search by meaning: off._\n"},
		"cut":      {Result{Meta: Meta{Semantic: MeaningUnavailable, Cut: 3}}, "# Found for: \n\n_Left out, with the lowest rank: 3._\n\n_Search by meaning: unavailable._\n"},
	} {
		if got := c.r.Text(); got != c.want {
			t.Errorf("%s: %q", what, got)
		}
	}
}

// Kinds say which lists there are.
func TestKinds(t *testing.T) {
	t.Parallel()
	for kinds, want := range map[string]string{
		"":                  "1 person, 1 concept, 1 document, 1 relationship, 2 sources, 0 messages, 1 storylines, 1 macros",
		"message":           "0 person, 0 concept, 0 document, 0 relationship, 0 sources, 2 messages, 0 storylines, 0 macros",
		"source":            "0 person, 0 concept, 0 document, 0 relationship, 2 sources, 0 messages, 0 storylines, 0 macros",
		"concept document":  "0 person, 1 concept, 1 document, 0 relationship, 0 sources, 0 messages, 0 storylines, 0 macros",
		"storyline":         "0 person, 0 concept, 0 document, 0 relationship, 0 sources, 0 messages, 1 storylines, 0 macros",
		"macro":             "0 person, 0 concept, 0 document, 0 relationship, 0 sources, 0 messages, 0 storylines, 1 macros",
		"message source":    "0 person, 0 concept, 0 document, 0 relationship, 2 sources, 2 messages, 0 storylines, 0 macros",
		"person storylines": "",
	} {
		r := query("boat")
		r.Kinds = strings.Fields(kinds)
		if want == "" {
			if r.Validate() == nil {
				t.Errorf("kinds %s pass", kinds)
			}
			continue
		}
		var asked Wanted
		s := everything(t)
		details := s.details
		s.details = func(w Wanted) (Details, error) {
			asked = w
			d, err := details(w)
			if w.Stories == nil && len(w.Sources) == 0 {
				d.Storylines, d.Macros = nil, nil
			}
			return d, err
		}
		got, _ := explore(t, s, nil, r)
		counts := fmt.Sprintf("%d person, %d concept, %d document, %d relationship, %d sources, %d messages, %d storylines, %d macros",
			len(got.Semantic.People), len(got.Semantic.Concepts), len(got.Episodic.Artifacts), min(1, len(got.Semantic.Relationships)),
			len(got.Episodic.Sources), len(got.Episodic.Messages), len(got.Episodic.Storylines), len(got.Episodic.Macros))
		if counts != want {
			t.Errorf("kinds %q: %s, not %s (wanted %+v)", kinds, counts, want, asked)
		}
	}
}

func TestExpand(t *testing.T) {
	t.Parallel()
	for expand, want := range map[int]string{0: "", 1: "Quay 4", 30: "Quay 4"} { // Ada is found, and no neighbour
		r := query("boat")
		r.Expand = expand
		got, _ := explore(t, everything(t), nil, r)
		var names []string
		for _, n := range got.Semantic.Neighbours {
			names = append(names, n.Name)
		}
		if strings.Join(names, " ") != want {
			t.Errorf("expand %d: %q", expand, names)
		}
	}
}

// A relationship that the store found counts only if the filter lets it.
func TestRelationshipFilters(t *testing.T) {
	t.Parallel()
	for want, f := range map[string]RelationshipFilters{
		"r-1 r-2 r-3": {},
		"r-1":         {MinAttitude: given(int64(4))},
		"":            {MaxAttitude: given(int64(3))},
		"r-2 r-3":     {ExcludeRelationshipTypes: []string{"thinks_about"}},
		"r-2":         {RelationshipTypes: []string{"associated_with"}},
	} {
		r := query("boat")
		r.RelationshipFilters = f
		got, _ := explore(t, everything(t), nil, r)
		var found []string
		for i := range got.Semantic.Relationships {
			found = append(found, got.Semantic.Relationships[i].Key)
		}
		if all := strings.Join(distinct(found), " "); all != want {
			t.Errorf("%+v: %s, not %s", f, all, want)
		}
	}
	r := query("boat")
	r.SearchRelationships = given(false)
	if got, _ := explore(t, everything(t), nil, r); len(got.Semantic.Relationships) > 0 {
		t.Errorf("search_relationships is false: %v", got.Semantic.Relationships)
	}
}

// A budget is kept, whatever the format; what goes is of the lowest rank, and it is said how much.
func TestBudget(t *testing.T) {
	t.Parallel()
	whole, _ := explore(t, everything(t), nil, &Request{Queries: []Query{{Query: "boat"}}, Expand: 5})
	all := whole.hits()
	for _, format := range []Format{JSON, Text} {
		for budget := tokens.Least; budget <= 3000; budget += 50 {
			r := &Request{Queries: []Query{{Query: "boat"}}, Expand: 5, MaxTokens: budget, Format: format}
			got, recall := explore(t, everything(t), nil, r)
			cost, err := got.countTokens(format)
			if err != nil || cost > budget {
				t.Errorf("%s: %d tokens for %d (%v)", format, cost, budget, err)
			}
			left := got.hits()
			if len(left)+got.Meta.Cut != len(all) {
				t.Errorf("%s, %d tokens: %d hits left, %d cut, of %d", format, budget, len(left), got.Meta.Cut, len(all))
			}
			if budget > 2000 && got.Meta.Cut > 0 {
				t.Errorf("%s: %d of %d cut for no need", format, got.Meta.Cut, len(all))
			}
			if format == JSON && got.Meta.Cut > 0 {
				kept := map[string]bool{}
				least := 2.0
				for _, h := range left {
					kept[h.key] = true
					least = min(least, h.score)
				}
				for _, h := range all {
					if !kept[h.key] && h.score > least {
						t.Errorf("%d tokens: %s with %v is left out, and something with %v is not", budget, h.key, h.score, least)
					}
				}
			}
			if len(recall.Nodes) > len(left) {
				t.Errorf("what was cut counts as recalled: %v of %v", recall.Nodes, left)
			}
		}
	}
}

type scoredKey struct {
	key   string
	score float64
}

// hits are all hits of a result.
func (r *Result) hits() (all []scoredKey) {
	hitLists := r.hitLists()
	for i, s := range hitLists {
		if i == len(hitLists)-1 {
			i = -1 // of sources, which have shelves of their own before
		}
		for place := range s.size {
			all = append(all, scoredKey{fmt.Sprint(i, " ", place), s.score(place)})
		}
	}
	return all
}

// One text that is too long for the budget does not push everything out, and queries that are too long are not repeated.
func TestBudgetOfLongTexts(t *testing.T) {
	t.Parallel()
	s := everything(t)
	details := s.details
	s.details = func(w Wanted) (Details, error) {
		d, err := details(w)
		d.Sources[0].Summary = strings.Repeat("The boat floats. ", 1000)
		return d, err
	}
	r := query("boat")
	r.MaxTokens, r.Kinds = 600, []string{"source"}
	got, _ := explore(t, s, nil, r)
	if len(got.Episodic.Sources) == 0 || got.Episodic.Sources[0].EntityKey != "s-1" || !strings.HasSuffix(got.Episodic.Sources[0].Summary, "…") {
		t.Errorf("a long summary: %+v", got)
	}
	s = everything(t)
	s.details = func(w Wanted) (Details, error) {
		d, err := details(w)
		long := strings.Repeat("The boat floats. ", 1000)
		for i := range d.Nodes {
			d.Nodes[i].Description = long
			for n := range 10 {
				d.Nodes[i].Notes = append(d.Nodes[i].Notes, graph.Note{Content: fmt.Sprint(n, strings.Repeat(" a note", 70))})
			}
		}
		for i := range d.Around {
			for l := range d.Around[i].Links {
				d.Around[i].Links[l].Description, d.Around[i].Others[l].Description = long, long
			}
		}
		return d, err
	}
	r = query("boat")
	r.MaxTokens, r.Expand = 700, 5
	got, _ = explore(t, s, nil, r)
	if cost, err := got.countTokens(JSON); err != nil || cost > 700 || len(got.hits()) == 0 {
		t.Errorf("long descriptions and notes: %d tokens, %d hits, %v", cost, len(got.hits()), err)
	}
	r = &Request{MaxTokens: tokens.Least}
	for range MaxQueries {
		r.Queries = append(r.Queries, Query{Query: strings.Repeat("boat ", 3000)})
	}
	for _, format := range []Format{JSON, Text} {
		r.Format = format
		got, _ = explore(t, everything(t), nil, r)
		if cost, err := got.countTokens(format); err != nil || cost > tokens.Least {
			t.Errorf("%s: long queries: %d tokens (%v)", format, cost, err)
		}
	}
	raw, _ := json.Marshal(got)
	if n, _ := tokens.Count(string(raw)); n == 0 || got.Meta.QueryUsed == nil {
		t.Errorf("%s", raw)
	}
}

func TestTheArchivedIsLeftOut(t *testing.T) {
	t.Parallel()
	put := aNode("concept", "c-1", "boat", 0.5, day(1))
	put.State = "archived"
	s := concepts(t, []graph.NodeView{put, aNode("concept", "c-2", "boats", 0.5, day(1))}, 2, 1)
	r := query("boat")
	if got, _ := explore(t, s, nil, r); len(got.Semantic.Concepts) != 1 || got.Semantic.Concepts[0].EntityKey != "c-2" {
		t.Errorf("by default: %+v", got.Semantic.Concepts)
	}
	r.IncludeArchived = true
	if got, _ := explore(t, s, nil, r); len(got.Semantic.Concepts) != 2 {
		t.Errorf("with include_archived: %+v", got.Semantic.Concepts)
	}
}

// TestManyArchivedSourcesTakeNoPlaces checks that hits that are left out do not take the places of worse ones, with one more read.
func TestManyArchivedSourcesTakeNoPlaces(t *testing.T) {
	t.Parallel()
	s := &fakeStore{
		search: func(Search) (f Found, err error) {
			for i := range 40 {
				f.Sources = append(f.Sources, FoundSource{Hit: Hit{Score: float64(100 - i), Key: fmt.Sprintf("s%02d", i)}})
			}
			return f, nil
		},
		details: func(w Wanted) (d Details, err error) {
			for _, key := range w.Sources {
				state := "archived"
				if key >= "s20" {
					state = "active"
				}
				d.Sources = append(d.Sources, SourceDetails{Source: graph.Source{EntityKey: key, StartedAt: now}, State: state})
			}
			return d, nil
		},
	}
	got, _ := explore(t, s, nil, query("boat"))
	if len(got.Episodic.Sources) != defaultLimit || got.Episodic.Sources[0].EntityKey != "s20" {
		t.Errorf("%+v", got.Episodic.Sources)
	}
	if want := []string{"search", "details", "details"}; !slices.Equal(s.calls, want) {
		t.Errorf("calls: %v", s.calls)
	}
}

// TestTimesOfNodes checks that since and until hold for nodes however they were found.
func TestTimesOfNodes(t *testing.T) {
	t.Parallel()
	s := concepts(t, []graph.NodeView{aNode("concept", "old", "boat", 0.5, day(20)), aNode("concept", "then", "boat", 0.5, day(10)), aNode("concept", "new", "boat", 0.5, day(1))}, 3, 2, 1)
	r := query("boat")
	r.Since, r.Until = given(day(15)), given(day(5))
	if got, _ := explore(t, s, nil, r); keys(got.Semantic.Concepts) != "then" {
		t.Errorf("found %s", keys(got.Semantic.Concepts))
	}
}
