package graph_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"kith/graph"
	"kith/graph/neo"
	"kith/memory/preference"
	"kith/memory/statement"
	"kith/memory/system"
	"kith/tests/graphtest"
	"kith/tests/testenv"
)

// TestTheFeedHasWhatChanged writes through all ways at random. The commits of each write must have the next numbers, and an item for
// exactly the records that differ in the database before and after it.
func TestTheFeedHasWhatChanged(t *testing.T) {
	graphtest.New(t)
	for half := range 2 {
		t.Run(fmt.Sprint(half), func(t *testing.T) {
			t.Parallel()
			e := open(t, testenv.Neo4j(t), graph.Options{Said: statement.Listener()})
			rapid.Check(t, func(r *rapid.T) {
				e.Team, e.Now = testenv.Team(t), noon
				m := &feedModel{
					T: r, env: e, systems: system.NewStore(e.Store), preferences: preference.NewStore(e.Store), statements: statement.NewStore(e.Store),
				}
				for range rapid.IntRange(1, 15).Draw(r, "steps") {
					e.Now = e.Now.Add(time.Minute)
					m.check()
				}
			})
		})
	}
}

// feedModel is a memory with all that writes to it.
type feedModel struct {
	*rapid.T
	*env

	systems     *system.Store
	preferences *preference.Store
	statements  *statement.Store
	seq         int64 // of the last commit
}

// feedRecord is a record as it is stored: its user, what changes with each of its versions, and the records that take it along when
// they are deleted or restored.
type feedRecord struct {
	user, state, all string
	with             []string
}

// check does one thing at random, and compares its items with what has changed.
func (m *feedModel) check() {
	before := m.snapshot()
	m.compare(before, m.step())
}

// compare compares the items of a step with what has changed since a snapshot.
func (m *feedModel) compare(before map[string]feedRecord, step string) {
	after := m.snapshot()
	want, got, ops := changesBetween(before, after), map[string]string{}, m.items(step)
	for id, i := range ops {
		got[id] = i.text()
	}
	for id, change := range want {
		record := before[id]
		if strings.HasPrefix(change, "created") {
			record = after[id]
		}
		taken := func(other string) bool {
			return ops[other] != nil && (ops[other].op == "deleted" && strings.HasPrefix(change, "deleted") || ops[other].op == "restored" && strings.HasPrefix(change, "created"))
		}
		if ops[id] == nil && slices.ContainsFunc(record.with, taken) {
			delete(want, id)
		}
	}
	for id := range got { // an import may change only what Kith itself keeps, and says which version that is
		if strings.HasPrefix(step, "import") && want[id] == "" && before[id].all != after[id].all {
			delete(got, id)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		m.Fatalf("%s: items (-what changed +feed):\n%s", step, diff)
	}
}

// changesBetween returns what differs between two snapshots.
func changesBetween(before, after map[string]feedRecord) map[string]string {
	changes := map[string]string{}
	for id, r := range before {
		if is, ok := after[id]; !ok {
			changes[id] = "deleted of " + r.user
		} else if is.state != r.state && !strings.HasPrefix(id, "system ") {
			changes[id] = "updated of " + is.user + is.version()
		}
	}
	for id, r := range after {
		if _, ok := before[id]; !ok && !strings.HasPrefix(id, "system ") { // a system is told of by what it has
			changes[id] = "created of " + r.user + r.version()
		}
	}
	return changes
}

// version returns the version of a record that has one.
func (r *feedRecord) version() string {
	if v, ok := strings.CutPrefix(r.state, "version "); ok {
		return " version " + strings.Fields(v)[0]
	}
	return ""
}

// recordsOf returns the labels, key, user and state of all records of a team, and what takes them along. That entity_key is there makes
// Neo4j read the index of the team's nodes, not the nodes of all teams.
const recordsOf = `MATCH (n:Memory {team_id: $team}) WHERE n.entity_key IS NOT NULL
	RETURN labels(n) AS kind, n.entity_key AS key, coalesce(n.user_id, '') AS user, 'version ' + coalesce(n.version, 1) + ' ' + coalesce(n.name, '') + coalesce(n.description, '') + coalesce(n.summary, '') + coalesce(toString(n.is_owner), '') AS state,
		[x IN [n.source_key, n.system] | coalesce(x, '')] AS along, properties(n) AS all
	UNION ALL MATCH (a:Memory {team_id: $team})-[r]->(b:Memory) WHERE a.entity_key IS NOT NULL AND r.key IS NOT NULL
	RETURN [CASE WHEN type(r) = 'system_relationship' THEN type(r) ELSE 'relationship' END] AS kind, r.key AS key, coalesce(r.user_id, '') AS user,
		'version ' + coalesce(r.version, 1) + ' ' + a.entity_key + ' ' + b.entity_key + ' ' + coalesce(r.description, '') + coalesce(toString(r.valid_to), '') AS state, [labels(a), a.entity_key, labels(b), b.entity_key, r.system] AS along, properties(r) AS all
	UNION ALL MATCH (x:Statement {team_id: $team})
	RETURN ['statement'] AS kind, x.key AS key, x.user_id AS user, x.state + x.renewals + x.confidence + coalesce(toString(x.valid_to), '') AS state, [] AS along, null AS all
	UNION ALL MATCH (p:Preference {team_id: $team}) RETURN ['preference'] AS kind, p.key AS key, p.user_id AS user, p.value AS state, [] AS along, null AS all
	UNION ALL MATCH (s:System {team_id: $team}) WHERE s.version > 0 RETURN ['system'] AS kind, s.name AS key, '' AS user, '' AS state, [] AS along, null AS all`

// snapshot returns all records of the team that the feed tells of.
func (m *feedModel) snapshot() map[string]feedRecord {
	records := map[string]feedRecord{}
	for _, row := range m.Raw(recordsOf) {
		kind := recordKind(row[0])
		user, r := neo.Text(row[2]), feedRecord{user: neo.Text(row[2]), state: neo.Text(row[3]), all: fmt.Sprint(row[5])}
		switch with := neo.List(row[4]); {
		case len(with) == 2:
			r.with = []string{recordID("source", neo.Text(with[0]), ""), recordID("system", neo.Text(with[1]), "")}
		case len(with) == 5:
			r.with = []string{
				recordID(recordKind(with[0]), neo.Text(with[1]), ""), recordID(recordKind(with[2]), neo.Text(with[3]), ""), recordID("system", neo.Text(with[4]), ""),
			}
		}
		records[recordID(kind, neo.Text(row[1]), user)] = r
	}
	return records
}

// recordKind returns the kind of a node's labels, or the only name in a list.
func recordKind(labels any) string {
	names := neo.List(labels)
	if len(names) == 1 {
		return neo.Text(names[0])
	}
	return graph.KindOfLabel(graph.KindLabel(names)).Name
}

// recordID identifies a record. Preferences of several users have the same keys.
func recordID(kind, key, user string) string {
	if kind == graph.PreferenceRecord {
		key = user + " " + key
	}
	return kind + " " + key
}

// feedChange is what the items of a record say together.
type feedChange struct {
	op, user string // created, updated, deleted or restored
	version  int64
}

func (c *feedChange) text() string {
	text := strings.Replace(c.op, "restored", "created", 1) + " of " + c.user
	if c.version > 0 && c.op != "deleted" {
		text += fmt.Sprint(" version ", c.version)
	}
	return text
}

// items returns what the commits since the last call say of each record, and checks their numbers.
func (m *feedModel) items(step string) map[string]*feedChange {
	changes := map[string]*feedChange{}
	for _, row := range m.Raw(fmt.Sprintf(`MATCH (f:Feed {team_id: $team}), (c:Commit {team_id: $team}) WHERE c.seq > f.begun + %d RETURN c.seq - f.begun, coalesce(c.user_id, ''), c.items, c.packed ORDER BY c.seq`, m.seq)) {
		var texts []string
		for _, text := range neo.List(row[2]) {
			texts = append(texts, neo.Text(text))
		}
		packed, _ := row[3].([]byte)
		items, err := graph.FeedItems(texts, packed)
		if m.seq++; row[0] != m.seq || len(items) == 0 || err != nil {
			m.Fatalf("%s: commit %v follows %d with %v, %v", step, row[0], m.seq-1, row[2:], err)
		}
		for _, i := range items {
			id, c := recordID(i.Kind, i.Key, neo.Text(row[1])), &feedChange{string(i.Op), neo.Text(row[1]), i.Version}
			if earlier := changes[id]; earlier != nil {
				c.op = earlier.then(c.op)
			}
			changes[id] = c
		}
	}
	maps.DeleteFunc(changes, func(_ string, c *feedChange) bool { return c.op == "" })
	return changes
}

// then returns what two items say together; nothing if the second takes the first back.
func (c *feedChange) then(op string) string {
	wasThere := c.op == "updated" || c.op == "deleted"
	switch isThere := op != "deleted"; {
	case wasThere && isThere:
		return "updated"
	case isThere:
		return c.op
	case wasThere:
		return "deleted"
	}
	return ""
}
