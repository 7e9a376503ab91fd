package graph_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"kith/graph"
)

// versionOf returns a former version of a record with properties in JSON.
func versionOf(user, kind, of, properties string) graph.VersionLine {
	l := graph.VersionLine{UserID: graph.Null[string](), Kind: kind, Of: of, Until: noon.AddDate(0, 0, -1)}
	if user != "" {
		l.UserID = graph.Some(user)
	}
	if err := json.Unmarshal([]byte(properties), &l.Properties); err != nil {
		panic(err)
	}
	return l
}

// A former version is stored only of a record of the same owner. Of somebody else's record the answer is that of an unknown one.
func TestVersionsAreOfOwnRecords(t *testing.T) {
	e := fresh(t)
	e.Write("", []graph.NodeWrite{called("person", "boss", "Boss"), called("person", "team", "Team")}, link("boss", "relates_to", "team", 0.5))
	e.Write("u2", []graph.NodeWrite{called("person", "priv", "Private"), called("person", "priv2", "Two"), called("person", "gone2", "Gone")}, link("priv", "relates_to", "priv2", 0.5))
	e.Write("u1", []graph.NodeWrite{called("person", "own", "Own"), called("person", "gone", "Gone"), called("person", "own2", "O")}, link("own", "relates_to", "own2", 0.5))
	e.Source("u1", graph.SourceWrite{EntityKey: "s1", Participants: []string{"u3"}})
	e.delete("u1", "person", "gone")
	e.delete("u2", "person", "gone2")
	theirs, mine, shared := e.keyBetween("priv", "relates_to", "priv2"), e.keyBetween("own", "relates_to", "own2"), e.keyBetween("boss", "relates_to", "team")
	relationship := func(user, key, from, to string) graph.VersionLine {
		l := versionOf(user, "relationship", key, `{"description":"forged"}`)
		l.Type, l.From, l.To = "relates_to", from, to
		return l
	}
	lines := map[string]struct {
		line   graph.VersionLine
		bound  graph.Status
		anyone graph.Status
	}{
		"own":                        {versionOf("u1", "person", "own", `{"entity_key":"own","name":"O","version":0}`), graph.Created, graph.Created},
		"deleted":                    {versionOf("u1", "person", "gone", `{"entity_key":"gone","name":"G","version":0}`), graph.Created, graph.Created},
		"of another kind":            {versionOf("u1", "concept", "own", `{"entity_key":"own","version":0}`), graph.Refused, graph.Refused},
		"of another's":               {versionOf("u1", "person", "priv", `{"entity_key":"priv","version":0}`), graph.Refused, graph.Refused},
		"of what another deleted":    {versionOf("u1", "person", "gone2", `{"entity_key":"gone2","version":0}`), graph.Refused, graph.Refused},
		"of a shared one":            {versionOf("u1", "person", "boss", `{"entity_key":"boss","version":0}`), graph.Refused, graph.Refused},
		"unknown":                    {versionOf("u1", "person", "nobody", `{"entity_key":"nobody","version":0}`), graph.Refused, graph.Refused},
		"own relationship":           {relationship("u1", mine, "own", "own2"), graph.Created, graph.Created},
		"another's relationship":     {relationship("u1", theirs, "priv", "priv2"), graph.Refused, graph.Refused},
		"their key, own ends":        {relationship("u1", theirs, "own", "own2"), graph.Refused, graph.Refused},
		"a shared relationship":      {relationship("u1", shared, "boss", "team"), graph.Refused, graph.Refused},
		"an unknown relationship":    {relationship("u1", "nothing", "own", "own2"), graph.Refused, graph.Refused},
		"a statement":                {versionOf("u1", "statement", "m#0", `{"text":"x"}`), graph.Refused, graph.Refused},
		"participants":               {versionOf("u1", "source", "s1", `{"entity_key":"s1","participants":["u3"],"version":0}`), graph.Created, graph.Created},
		"participants of no present": {versionOf("u1", "source", "s1", `{"entity_key":"s1","participants":["u2"],"version":-1}`), graph.Refused, graph.Created},
	}
	for name, c := range lines {
		for _, scope := range []graph.Scope{e.bound("u1"), e.As("")} {
			want := c.anyone
			if scope.Bound {
				want = c.bound
			}
			if fields := e.Store.CheckVersion(&c.line, scope); len(fields) > 0 {
				t.Errorf("%s: %+v", name, fields)
			}
			r := e.imports(scope, &graph.RestoreBatch{Versions: []graph.VersionLine{c.line}})
			got := r.Versions[0]
			if got == graph.Unchanged {
				got = graph.Created // by the other scope
			}
			if got != want {
				t.Errorf("%s by %+v: %s %+v, want %s", name, scope, got, r.Refused, want)
			}
		}
	}
	answer := func(l graph.VersionLine) string {
		return fmt.Sprint(e.imports(e.bound("u1"), &graph.RestoreBatch{Versions: []graph.VersionLine{l}}).Refused)
	}
	for _, other := range []string{"of another's", "of what another deleted", "of a shared one"} {
		e.Same(other, answer(lines["unknown"].line), answer(lines[other].line))
	}
	e.Same("another's relationship", answer(lines["an unknown relationship"].line), answer(lines["another's relationship"].line))
	for _, l := range []graph.VersionLine{
		versionOf("u1", "person", "own", `{"participants":["u2"]}`), versionOf("u1", "preference", "u2\x1fk", `{}`), versionOf("u1", "preference", "k", `{}`),
		versionOf("u1", "system_relationship", "k", `{}`), versionOf("", "person", "boss", `{}`),
	} {
		if fields := e.Store.CheckVersion(&l, e.bound("u1")); len(fields) != 1 {
			t.Errorf("%s of %s: %+v", l.Kind, l.Of, fields)
		}
	}
	e.CheckIntegrity()
}

// A version of what is no source is seen by its user only, whatever participants it names.
func TestParticipantsAreOfSources(t *testing.T) {
	e := fresh(t)
	e.Write("u2", []graph.NodeWrite{called("person", "priv", "Private")})
	e.Now = e.Now.AddDate(0, 0, 1)
	e.Write("u2", []graph.NodeWrite{change("person", "priv", described("true"))})
	at := noon.AddDate(0, 0, -3)
	read := func() string {
		page, err := e.Store.NodeVersions(t.Context(), e.As("u2"), graph.PersonKind, "priv", "", 10)
		changes, changesErr := e.Store.NodeChanges(t.Context(), e.As("u2"), graph.PersonKind, "priv", graph.ChangePeriod{Since: noon.AddDate(-1, 0, 0), Until: noon.AddDate(0, 0, 2), Limit: 50})
		view, viewErr := e.Store.Node(t.Context(), e.As("u2"), graph.PersonKind, "priv", graph.NodeQuery{AsOf: &at})
		raw, _ := json.Marshal([]any{page, changes, view})
		return fmt.Sprint(string(raw), err, changesErr, viewErr)
	}
	before := read()
	e.Raw(`CREATE (:Former {team_id: $team, former_of: 'priv', former_kind: 'person', user_id: 'u1', until: 1772000000000, thin_at: 1, participants: ['u2'],
		entity_key: 'priv', name: 'Forged', description: 'forged', created_at: datetime('2026-01-01T00:00Z'), version: 0})`)
	e.Same("what u2 reads", before, read())
}

// A bound user is the writer and author of the versions that its imports bring.
func TestBoundKeysSignVersions(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{called("person", "own", "Own")})
	l := versionOf("u1", "person", "own", `{"entity_key":"own","name":"O","version":0,"written":"deadbeef put-by-admin","created_by":"u2"}`)
	ctx := graph.WithWriter(t.Context(), graph.Writer{KeyID: "key1", Through: "import:kith"})
	if _, err := e.Store.Restore(ctx, e.bound("u1"), &graph.RestoreBatch{Versions: []graph.VersionLine{l}}, graph.ImportMark{}, func(graph.MemoryResult) string { return "" }, false); err != nil {
		t.Fatal(err)
	}
	e.Same("signed", [][]any{{"key1 import:kith", "u1"}}, e.Raw(`MATCH (f:Former {team_id: $team, former_of: 'own'}) RETURN f.written, f.created_by`))
}
