package duplicate

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

func person(names ...string) Node { return Node{Kind: "person", Names: names} }

func thing(names ...string) Node { return Node{Kind: "entity", Names: names} }

func with(n Node, key string, value any) Node {
	properties := map[string]any{key: value}
	for k, v := range n.Properties {
		properties[k] = v
	}
	n.Properties = properties
	return n
}

// among returns a node with the neighbours of a family.
func among(n Node) Node {
	n.Neighbours = map[string]int{}
	for i := range 20 {
		n.Neighbours[strconv.Itoa(i)] = 4
	}
	return n
}

// TestReasons checks what speaks for and against pairs, and on which side of a probability they are.
func TestReasons(t *testing.T) {
	born := func(n Node, day string) Node { return with(n, "date_of_birth", day) }
	for _, c := range []struct {
		name  string
		a, b  Node
		from  float64 // the probability is at least this
		below float64 // and less than this
		codes []string
	}{
		{"one name and birthday", born(person("Anna Kowalska"), "1980-04-01"), born(person("Kowalska, Anna"), "01.04.1980"), 0.95, 1, []string{"same_name", "same_date"}},
		{"a nickname", born(person("Robert Miller"), "1980-04-01"), born(person("Bob Miller"), "1980-04-01"), 0.95, 1, []string{"nickname"}},
		{"initials", person("J. Smith"), person("John Smith"), 0.2, 0.9, []string{"initials"}},
		{"another script", born(person("Пётр Чайковский"), "1840-05-07"), born(person("Petr Chaikovskii"), "1840-05-07"), 0.95, 1, []string{"same_date"}},
		{"spelling", person("Sara Meyer"), person("Sarah Meier"), 0.5, 0.95, nil},
		{"an address in one alias", person("Jane Doe", "jane.doe@example.org"), person("J. Doe", "jane.doe@example.org"), 0.95, 1, []string{"same_email", "initials"}},
		{"an address made of the name", with(person("jd"), "email", "jane.doe@example.org"), person("Jane Doe"), 0, 0.5, []string{"similar_email"}},
		{"another birthday", born(person("Anna Kowalska"), "1980-04-01"), born(person("Anna Kowalska"), "1951-12-24"), 0, 0.6, []string{"other_date"}},
		{"a brother", person("Adam Smith"), person("Eve Smith"), 0, 0.2, []string{"other_name"}},
		{"a daughter", among(person("Noor Verlinde")), among(person("Luc Verlinde")), 0, 0.2, []string{"other_name"}},
		{"a family's name", among(person("Verlinde")), among(person("Luc Verlinde")), 0, 0.8, []string{"shared_neighbours"}},
		{"a branch", among(thing("Acme Ghent")), among(thing("Brewers Ghent")), 0, 0.3, nil},
		{"a nickname among the same", among(person("Robert Miller")), among(person("Bob Miller")), 0.8, 1, []string{"shared_neighbours"}},
		{"strangers", person("Adam Smith"), person("Olga Petrova"), 0, 0.01, nil},
		{"the form of a company", thing("Acme Inc."), thing("ACME"), 0.95, 1, []string{"same_name"}},
		{"blanks", thing("Face Book"), thing("Facebook Ltd"), 0.95, 1, []string{"same_name"}},
		{"an acronym", thing("International Business Machines Corp"), thing("IBM"), 0.4, 0.95, []string{"initials"}},
		{"a typing mistake", thing("Globex Corporation"), thing("Glbex Corp"), 0.8, 1, []string{"spelling"}},
		{"another number", thing("Phase 1"), thing("Phase 2"), 0, 0.3, []string{"other_name"}},
		{"another trade", thing("Northern Foods PLC"), thing("Northern Rail Ltd"), 0, 0.3, nil},
		{"nothing to compare", thing("!!!"), thing("???"), 0, 0.1, nil},
	} {
		for _, m := range []Match{Compare(c.a, c.b), Compare(c.b, c.a)} {
			if m.Probability < c.from || m.Probability >= c.below && c.below < 1 {
				t.Errorf("%s: %.3f is not from %.2f to %.2f: %v", c.name, m.Probability, c.from, c.below, m.Reasons)
			}
			for _, code := range c.codes {
				if !slices.ContainsFunc(m.Reasons, func(r Reason) bool { return r.Code == code }) {
					t.Errorf("%s: no reason %s: %v", c.name, code, m.Reasons)
				}
			}
		}
	}
}

// TestSharedNeighboursCount compares two that are linked with the same nodes, rare and frequent ones.
func TestSharedNeighboursCount(t *testing.T) {
	linked := func(n Node, links int) Node {
		n.Neighbours = map[string]int{"x": links, "y": links}
		return n
	}
	a, b := person("Sara Meyer"), person("Sara Meyer-Lang")
	apart, rare, frequent := Compare(a, b), Compare(linked(a, 2), linked(b, 2)), Compare(linked(a, 5000), linked(b, 5000))
	if !(apart.Probability < frequent.Probability && frequent.Probability < rare.Probability) {
		t.Errorf("apart %.3f, frequent %.3f, rare %.3f", apart.Probability, frequent.Probability, rare.Probability)
	}
}

// TestBlocks checks that pairs that are likely to be one meet, and others do not.
func TestBlocks(t *testing.T) {
	for _, c := range []struct {
		a, b Node
		meet bool
	}{
		{person("Robert Miller"), person("Bob Miller"), true},
		{person("J. Smith"), person("John Smith"), true},
		{person("Bob"), person("Robert Miller"), true},
		{person("Miller Robert"), person("Robert Miller"), true},
		{person("Sara Meyer"), person("Sarah Meier"), true},
		{with(person("Al"), "phone", "+49 30 1234567"), with(person("Bea Huber"), "phone", "030 1234567"), true},
		{with(person("Al"), "phone", "+49 30 1234567"), with(person("Bea Huber"), "phone", "030 7654321"), false},
		{thing("International Business Machines"), thing("IBM"), true},
		{thing("Acme Inc"), thing("Acme Holding AG"), true},
		{person("Adam Smith"), person("Olga Petrova"), false},
	} {
		other := newProfile(c.b).blocks()
		meet := slices.ContainsFunc(newProfile(c.a).blocks(), func(b string) bool { return slices.Contains(other, b) })
		if meet != c.meet {
			t.Errorf("%v and %v meet: %t", c.a.Names, c.b.Names, meet)
		}
	}
}

// FuzzCompare compares any texts: no panic, a probability, and the same in both directions.
func FuzzCompare(f *testing.F) {
	f.Add("J. Smith", "John Smith", "a@b.example", "person")
	f.Add("", "\x00", "@", "entity")
	f.Add("王小明", "Wang Xiaoming", "2000-01-01", "person")
	f.Fuzz(func(t *testing.T, a, b, field, kind string) {
		x, y := Node{Kind: kind, Names: []string{a, field}, Properties: map[string]any{"x": field, "y": b}}, Node{Kind: kind, Names: []string{b}, Properties: map[string]any{"x": a, "y": field}}
		one, other := Compare(x, y).Probability, Compare(y, x).Probability
		if !(one >= 0 && one <= 1) || one-other > 1e-9 || other-one > 1e-9 {
			t.Errorf("%f and %f", one, other)
		}
		newProfile(x).blocks()
	})
}

// TestComparisonsTakeFewSteps compares nodes whose names and properties were made to take long: a comparison ends within its steps, finds
// what is equal, and has the same result in both directions.
func TestComparisonsTakeFewSteps(t *testing.T) {
	letters := func(length int) string { return strings.Repeat("a", length) }
	for name, make := range map[string]func(i, length int) string{
		"equal letters":       func(i, length int) string { return letters(length - i) },
		"equal but one":       func(i, length int) string { return letters(length-i-1) + "b" },
		"eight equal words":   func(i, length int) string { return strings.Repeat(letters(max(1, length/8-i%4))+" ", 8) },
		"words of all sizes":  func(i, length int) string { return letters(i+1) + " " + letters(length-i-2) },
		"a script that grows": func(i, length int) string { return strings.Repeat("щ", max(1, length/2-i)) },
	} {
		for _, kind := range []string{"person", "entity"} {
			for _, length := range []int{30, 40, 90, 240} {
				a, b := Node{Kind: kind, Properties: map[string]any{}}, Node{Kind: kind, Properties: map[string]any{}}
				for i := range maxNames {
					a.Names, b.Names = append(a.Names, make(i, length)), append(b.Names, "b"+make(i, length))
				}
				for i := range maxFields {
					a.Properties[strconv.Itoa(i)], b.Properties[strconv.Itoa(i)] = make(i%20, length), make(i%20, length)+"c"
				}
				x, y := newProfile(a), newProfile(b)
				c := newComparison(x, y)
				for _, x := range x.names {
					for _, y := range y.names {
						c.names(x, y)
					}
				}
				c.fields(features{})
				if c.left < 0 || c.left > mostSteps {
					t.Errorf("%s, %s of %d letters: %d steps are left", name, kind, length, c.left)
				}
				one, other := Compare(a, b), Compare(b, a)
				if one.Probability != other.Probability {
					t.Errorf("%s, %s of %d letters: %f and %f", name, kind, length, one.Probability, other.Probability)
				}
				b.Names[maxNames-1] = a.Names[maxNames-1]
				if p := Compare(a, b).Probability; p < one.Probability || kind == "entity" && p < 0.3 {
					t.Errorf("%s, %s of %d letters: %f with a name in common, %f without", name, kind, length, p, one.Probability)
				}
			}
		}
	}
}

// TestWordsAreComparedOnce compares a pair of words that many names have.
func TestWordsAreComparedOnce(t *testing.T) {
	a, b := Node{Kind: "person"}, Node{Kind: "person"}
	for i := range maxNames {
		a.Names, b.Names = append(a.Names, "Katherina "+strconv.Itoa(i)), append(b.Names, "Katharina "+strconv.Itoa(i))
	}
	c := newComparison(newProfile(a), newProfile(b))
	for _, x := range c.a.names {
		for _, y := range c.b.names {
			c.names(x, y)
		}
	}
	if took := mostSteps - c.left; took > 2*len("Katherina")*len("Katharina") {
		t.Errorf("%d steps", took)
	}
}
