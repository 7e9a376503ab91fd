package cypher

import (
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

func TestMigrationsAreNumberedAndRepeatable(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("schema/*.cypher")
	if err != nil {
		t.Fatal(err)
	}
	all := Migrations()
	if len(all) == 0 || len(all) != len(paths) {
		t.Fatalf("%d migrations of %d files", len(all), len(paths))
	}
	form := regexp.MustCompile(`^\d{4}_[a-z_]+\.cypher$`)
	statement := regexp.MustCompile(`^(CREATE (CONSTRAINT|INDEX|FULLTEXT INDEX|VECTOR INDEX) [a-z_]+ IF NOT EXISTS\s|DROP INDEX [a-z_]+ IF EXISTS$)`)
	names := map[string]bool{}
	for i, m := range all {
		if m.Version != i+1 || m.Name == "" || len(m.Statements) == 0 || !form.MatchString(filepath.Base(paths[i])) {
			t.Errorf("%s: number %d, name %q, %d statements", paths[i], m.Version, m.Name, len(m.Statements))
		}
		for _, s := range m.Statements {
			if !statement.MatchString(s) {
				t.Errorf("%s has a statement that may not be run again: %s", paths[i], s)
			}
			if found := regexp.MustCompile(`CREATE .*(?:CONSTRAINT|INDEX) ([a-z_]+)`).FindStringSubmatch(s); found != nil {
				if names[found[1]] {
					t.Errorf("%s creates %s again", paths[i], found[1])
				}
				names[found[1]] = true
			}
		}
	}
}

// Uniqueness within a team, not beyond: otherwise one tenant's keys would collide with another's.
func TestUniquenessIsOfTheTeam(t *testing.T) {
	t.Parallel()
	serverWide := []string{"api_key_id", "kith_schema_name", "lease_name"}
	for _, m := range Migrations() {
		for _, s := range m.Statements {
			name := regexp.MustCompile(`CONSTRAINT (\w+)`).FindStringSubmatch(s)
			if name == nil || slices.Contains(serverWide, name[1]) {
				continue
			}
			if !regexp.MustCompile(`REQUIRE (\(\w\.team_id, |\w\.team_id IS UNIQUE)`).MatchString(s) {
				t.Errorf("is unique over teams: %s", s)
			}
		}
	}
}

func TestStatementsAreSplit(t *testing.T) {
	t.Parallel()
	got := statements("// one; two\nCREATE INDEX a;\n\n// three\nCREATE INDEX\n  b;\n")
	if want := []string{"CREATE INDEX a", "CREATE INDEX\n  b"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
