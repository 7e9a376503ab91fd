package explore

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"kith/text/words"

	"github.com/google/go-cmp/cmp"
)

func TestTellingWords(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"When did Ada sell the boat?": "ada sell the boat",
		"what would":                  "what would", // nothing else
		"":                            "",
	} {
		if got := strings.Join(contentWords(words.Of(query)), " "); got != want {
			t.Errorf("%q: %q", query, got)
		}
	}
	for query, want := range map[string]string{
		"What did Ada sell to Jon?": "ada jon",
		"what did ada sell":         "ada sell",
		"When?":                     "when",
	} {
		if got := strings.Join(nameWords(query), " "); got != want {
			t.Errorf("names in %q: %q", query, got)
		}
	}
}

func TestSimilarity(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text  string
		least, most float64
	}{
		{"Ada Lind", "ada  lind", 1, 1},
		{"Ada Lind", "Ada", 0.7, 0.99},
		{"Ada", "Ada Lind of Orn", 0.7, 0.99},
		{"Jonas", "Jonsa", 0.3, 0.9},
		{"Lind Ada", "Ada Lind", 0.6, 0.7}, // the words, in another order
		{"Ada", "xyz", 0.3, 0.3},
		{"", "Ada", 0.3, 0.3},
		{"Ада", "ада", 1, 1},
		{strings.Repeat("a", 5000), strings.Repeat("b", 5000), 0.3, 0.3},
	} {
		if got := similarity(c.name, c.text); got < c.least-1e-9 || got > c.most {
			t.Errorf("%.20q and %.20q: %v, not %v to %v", c.name, c.text, got, c.least, c.most)
		}
	}
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"kitten", "sitting", 3}, {"é", "e", 1}, {"日本", "本", 1}} {
		if a, b := distance([]rune(c.a), []rune(c.b)), distance([]rune(c.b), []rune(c.a)); a != c.want || b != c.want {
			t.Errorf("%q and %q: %d, and back %d", c.a, c.b, a, b)
		}
	}
}

func TestTitles(t *testing.T) {
	t.Parallel()
	names := map[string]bool{"Ida Moll": true, "Lighthouse of Orn": true, "Orn": true, "boat": true, "3 Kings": true}
	for text, want := range map[string]string{
		"The Lighthouse of Orn was built by Ida Moll.": "Lighthouse of Orn|Ida Moll", // not Orn, which is part of another
		"Orn's harbour, and Ida  Moll's boat.":         "Orn|Ida Moll",               // a single word in lower case is none
		"ida moll":                                     "",
		"3 Kings":                                      "3 Kings",
		"":                                             "",
	} {
		if got := strings.Join(findTitles(text, names), "|"); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
		for _, name := range findTitles(text, names) {
			if !slices.Contains(titleCandidates(text), strings.ToLower(name)) {
				t.Errorf("%q is in %q, and is not looked up: %q", name, text, titleCandidates(text))
			}
		}
	}
	if got := titleCandidates("by the sea"); got != nil {
		t.Errorf("titles %q", got)
	}
}

// worded are rankings by words only.
func worded(scores map[string]float64) ranking {
	r := ranking{}
	for key, s := range scores {
		r.entry(key).words = s
	}
	return r
}

// Of one ask the scores stay, against the best; of several the reciprocals of the ranks are added.
func TestFuse(t *testing.T) {
	t.Parallel()
	one := fuse([]ranking{worded(map[string]float64{"a": 2, "b": 1, "c": 1})}, defaultTuning())
	if diff := cmp.Diff([]string{"a", "b", "c"}, one.keys); diff != "" || one.relevance["a"] != 1 || one.relevance["b"] != 0.5 {
		t.Errorf("%s %v", diff, one.relevance)
	}
	both := fuse([]ranking{worded(map[string]float64{"a": 9, "b": 1}), worded(map[string]float64{"b": 3, "c": 2})}, defaultTuning())
	if diff := cmp.Diff([]string{"b", "a", "c"}, both.keys); diff != "" {
		t.Error(diff)
	}
	for key, want := range map[string]float64{"b": (61.0/62 + 1) / 2, "a": 0.5, "c": 61.0 / 62 / 2} {
		if math.Abs(both.relevance[key]-want) > 1e-12 {
			t.Errorf("%s: %v, not %v", key, both.relevance[key], want)
		}
	}
	if none := fuse([]ranking{{}, {}}, defaultTuning()); len(none.keys) != 0 {
		t.Errorf("of nothing: %v", none.keys)
	}
	if none := fuse(nil, defaultTuning()); len(none.keys) != 0 || none.relevance["a"] != 0 {
		t.Errorf("of no ask: %v", none.keys)
	}
}

// What the best hits mention speaks for what else mentions it; a seed does not speak for itself, and what everything
// mentions says little.
func TestSpread(t *testing.T) {
	t.Parallel()
	found := &Found{
		Sources: []FoundSource{{Hit: Hit{Key: "s1", Score: 4}}, {Hit: Hit{Key: "s2", Score: 1}}},
		Links: []Link{
			{Key: "e-rare", Name: "Rare", Degree: 2, Seeds: []string{"s1"}, Sources: []LinkedSource{{Key: "s1"}, {Key: "s3"}}},
			{Key: "e-often", Name: "Often", Degree: 100, Seeds: []string{"s1"}, Sources: []LinkedSource{{Key: "s1"}, {Key: "s4"}}},
			{Key: "e-asked", Name: "Orn", Degree: 1, Sources: []LinkedSource{{Key: "s5", Named: true}, {Key: "s6"}}},
			{Key: "e-many", Name: "Mill", Degree: 500, Newest: true, Seeds: []string{"s1"}, Sources: []LinkedSource{{Key: "s1"}, {Key: "s8"}}},
			{Key: "e-none", Name: "Other", Degree: 1, Sources: []LinkedSource{{Key: "s7"}}},
		},
	}
	a := (&plan{Request: &Request{}}).newAsk("the mill of Orn", 0)
	sources, nodes := rankSources(found, 0, &a), ranking{}
	seeds := sources.seeds(0, defaultTuning())
	if len(seeds) != 2 || seeds[0].Key != "s1" || seeds[0].Weight != 1 || seeds[1].Weight != math.Pow(0.25, defaultTuning().seedPower) {
		t.Fatalf("seeds %+v", seeds)
	}
	spreadLinks(found, seeds, &a, sources, nodes)
	for what, is := range map[string]bool{
		"a seed does not speak for itself":  sources["s1"].links == 0,
		"the rarer counts more":             sources["s3"].links > sources["s4"].links && sources["s4"].links > 0,
		"what the query names":              sources["s6"].named > 0,
		"the source of that name the more":  sources["s5"].named == 2*sources["s6"].named,
		"what nobody asks for":              sources["s7"] == nil,
		"what too many mention":             sources["s8"] == nil,
		"nodes that are mentioned":          nodes["e-rare"].links > nodes["e-often"].links,
		"nodes that nothing speaks for":     nodes["e-none"] == nil,
		"an explanation names what links":   slices.Equal(sources["s3"].via, []string{"Rare"}),
		"words of the hits are as they are": sources["s1"].words == 1 && sources["s2"].words == 0.25,
	} {
		if !is {
			t.Error(what)
		}
	}
	if many := worded(map[string]float64{"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "g": 1}).seeds(3, defaultTuning()); len(many) != defaultTuning().seeds || many[0].Ask != 3 {
		t.Errorf("%+v", many)
	}
}

// Vectors that mean nothing do not count beside words; those that agree with them do.
func TestGate(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	const trials = 500
	senseless, agreed := 0, 0
	for range trials {
		r, noise, agreement := ranking{}, &vectorEvidence{above: map[string]float64{}}, &vectorEvidence{above: map[string]float64{}}
		for i := range agreeingHits {
			key := fmt.Sprint(i)
			r.entry(key).words = random.Float64()
			noise.above[key] = random.NormFloat64()
			agreement.above[key] = 2 + random.NormFloat64()
		}
		if noise.gate(r, defaultTuning()) > 0 {
			senseless++
		}
		if agreement.gate(r, defaultTuning()) > 0.3 {
			agreed++
		}
	}
	if senseless > 1 || agreed < trials*99/100 {
		t.Errorf("of %d: vectors without meaning are trusted %d times, those that agree %d times", trials, senseless, agreed)
	}
	s := &vectorEvidence{above: map[string]float64{"a": 3}}
	for what, c := range map[string]struct {
		r    ranking
		want float64
	}{
		"no words":           {ranking{}, 1},
		"words of no vector": {worded(map[string]float64{"b": 1}), 0},
		"one hit is chance":  {worded(map[string]float64{"a": 1}), 0},
	} {
		if got := s.gate(c.r, defaultTuning()); got != c.want {
			t.Errorf("%s: %v", what, got)
		}
	}
}

// The threshold is for what meaning finds by itself; what the words have found, it does not take away.
func TestThreshold(t *testing.T) {
	t.Parallel()
	s := &vectorEvidence{above: map[string]float64{"worded": 2, "near": 4, "far": 3}, cosines: map[string]float64{"worded": 0.2, "near": 0.9, "far": 0.4}, near: map[string]bool{"near": true, "far": true, "worded": true}}
	r := worded(map[string]float64{"worded": 1})
	s.addTo(r, 0.5, defaultTuning())
	if r["far"] != nil || r["near"] == nil || r["near"].meaning <= 0 || *r["near"].cosine != 0.9 || r["worded"].words != 1 {
		t.Errorf("%+v", r)
	}
	if got := (*vectorEvidence)(nil).addTo(r, 0, defaultTuning()); got != 0 {
		t.Errorf("without meaning: %v", got)
	}
}

// TestSourcesOfALink reads the text that search.cypher makes.
func TestSourcesOfALink(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                  "",
		"a\x1f5\x1f":                        "a false 1970-01-01T00:00:00.005Z",
		"a\x1f+-5\x1fb\x1f\x1fc +\x1f+\x1f": "a true 1969-12-31T23:59:59.995Z, b false 0001-01-01T00:00:00Z, c + true 0001-01-01T00:00:00Z",
		"a\x1f1600000000000\x1fb\x1f+1\x1f": "a false 2020-09-13T12:26:40Z, b true 1970-01-01T00:00:00.001Z",
	} {
		link := searchLink{Sources: text}
		var got []string
		for _, s := range link.sources() {
			got = append(got, fmt.Sprintf("%s %t %s", s.Key, s.Named, s.At.Format(time.RFC3339Nano)))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
