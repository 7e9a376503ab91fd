package fault

import "testing"

func TestPaths(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]Path{
		"":                             {},
		"name":                         At("name"),
		"nodes[3].name":                At("nodes").Index(3).Field("name"),
		"body.nodes[3].notes[0].text":  At("nodes").Index(3).Field("notes").Index(0).Field("text").Under(At("body")),
		"[2]":                          Path{}.Index(2),
		"a[1][2]":                      At("a").Index(1).Index(2),
		"a.b.c.d.e.f[4].g":             At("a").Field("b").Field("c").Field("d").Field("e").Field("f").Index(4).Field("g"),
		"relationships[0].history.seq": At("relationships").Index(0).Field("history").Field("seq"),
	} {
		if p.String() != want {
			t.Errorf("%q, want %q", p, want)
		}
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	item := At("nodes").Index(3)
	for _, c := range []struct {
		place, within, rest Path
		found               bool
	}{
		{item.Field("name"), item, At("name"), true},
		{item, item, Path{}, true},
		{item.Field("name"), Path{}, item.Field("name"), true},
		{item.Field("name"), At("nodes").Index(4), item.Field("name"), false},
		{item, item.Field("name"), item, false},
		{At("nodes"), item, At("nodes"), false},
	} {
		if rest, found := c.place.Cut(c.within); rest != c.rest || found != c.found {
			t.Errorf("%s within %s: %s, %t", c.place, c.within, rest, found)
		}
	}
	if i, rest, found := item.Field("name").Item("nodes"); i != 3 || rest != At("name") || !found {
		t.Errorf("item %d, %s, %t", i, rest, found)
	}
	for _, p := range []Path{{}, At("nodes"), At("relationships").Index(3)} {
		if _, rest, found := p.Item("nodes"); found || rest != p {
			t.Errorf("%s is in an item: %s", p, rest)
		}
	}
}

// TestPathsAllocateNothing holds for the checks of an input without faults.
func TestPathsAllocateNothing(t *testing.T) { // no parallel test may allocate beside it
	var f List
	if n := testing.AllocsPerRun(100, func() {
		at := At("nodes").Index(3)
		f.Word(at.Field("name"), "Ada", 512)
		f.Text(at.Field("notes").Index(1).Field("content"), "sings", 4096)
		f.OneOf(at.Field("state"), "active", "active", "core")
		f.Between(at.Field("grade"), 3, 1, 5)
	}); n > 0 || f.Len() > 0 {
		t.Errorf("%v allocations, %d faults", n, f.Len())
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "a", "nodes[3].name", "a[03]", "a[]", "[1]", "a.b.c.d.e[1].f.g", "a[1][2]", "..", "a[-1]", "a[4294967296]", "a]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, location string) {
		if got := Parse(location).String(); got != location {
			t.Errorf("%q is read as %q", location, got)
		}
	})
}
