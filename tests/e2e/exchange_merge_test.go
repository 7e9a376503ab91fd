package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kith/tests/testenv"
)

// An older export merges into a newer memory: newer data stays and is counted.
func TestImportOfAnOlderExport(t *testing.T) {
	t.Parallel()
	s := shared(t)
	c := s.team(t)
	c.must(t, http.MethodPost, "/v1/sources", `{"user_id":"u1","entity_key":"s","messages":[{"entity_key":"m0","role":"user","text":"a"},{"entity_key":"m1","role":"user","text":"b"}]}`)
	old := c.exported(t)
	c.must(t, http.MethodPost, "/v1/sources", `{"user_id":"u1","entity_key":"s","messages":[{"entity_key":"m2","role":"user","text":"c"}]}`)
	c.importComplete(t, old)
	c.must(t, http.MethodPost, "/v1/sources", `{"user_id":"u1","entity_key":"s","messages":[{"entity_key":"m3","role":"user","text":"d"}]}`)
	if got := numbers(t, c); got != "m0=0 m1=1 m2=2 m3=3" {
		t.Errorf("numbers: %s", got)
	}
	if got := at(c.must(t, http.MethodGet, "/v1/nodes/source/s?user_id=u1", ""), "message_count"); got != 4.0 {
		t.Errorf("messages counted: %v", got)
	}
}

// Two memories are merged. Items with taken numbers get new ones in the order of the file, across batches, and nothing is
// lost.
func TestImportOfTwoMemories(t *testing.T) {
	t.Parallel()
	s := shared(t)
	mine := func(c caller) {
		c.must(t, http.MethodPost, "/v1/sources", `{"user_id":"u","entity_key":"s","messages":[{"entity_key":"m-a","role":"user","text":"a"},{"entity_key":"m-b","role":"user","text":"b"}]}`)
		c.must(t, http.MethodPost, "/v1/systems/sys/memory", `{"entities":[{"name":"A","type":"t"},{"name":"B","type":"t"}],"relationships":[{"from":"A","to":"B","type":"uses"}]}`)
	}
	lines := []string{`{"node":{"kind":"source","entity_key":"s","user_id":"u","history":{}}}`}
	for i, seq := range []int{0, 1, 2, 9, 9, 10} {
		lines = append(lines, fmt.Sprintf(`{"node":{"kind":"message","entity_key":"m%d","source_key":"s","role":"user","text":"%d","user_id":"u","seq":%d,"history":{}}}`, i, i, seq))
	}
	for i, name := range []string{"B", "C", "D", "E"} {
		lines = append(lines, fmt.Sprintf(`{"node":{"kind":"system_entity","entity_key":"e%s","system":"sys","name":%q,"type":"t","seq":%d,"user_id":null}}`, name, name, i))
	}
	for i, to := range []string{"D", "E", "D"} {
		lines = append(lines, fmt.Sprintf(`{"relationship":{"from":"eC","to":"e%s","type":"system_relationship","relationship_type":"uses %d","key":"r%d","history":{"system":"sys","seq":%d}}}`, to, i, i, i+1))
	}
	const want = "A=0 B=1 C=3 D=4 E=5 m-a=0 m-b=1 m0=2 m1=3 m2=4 m3=9 m4=10 m5=11 m6=12"
	var exports []string
	for _, piece := range []int{len(lines), 1} {
		c := s.team(t)
		mine(c)
		for again := range 2 {
			for some := range slices.Chunk(lines, piece) {
				c.importComplete(t, strings.Join(some, "\n"))
			}
			if again == 0 {
				exports = append(exports, strings.Join(relationshipNumbers(t, c), " "))
			} else if got := strings.Join(relationshipNumbers(t, c), " "); got != exports[len(exports)-1] {
				t.Errorf("imported again: %s, before %s", got, exports[len(exports)-1])
			}
		}
		c.must(t, http.MethodPost, "/v1/sources", `{"user_id":"u","entity_key":"s","messages":[{"entity_key":"m6","role":"user","text":"c"}]}`)
		if got := numbers(t, c); got != want {
			t.Errorf("pieces of %d: %s, want %s", piece, got, want)
		}
	}
	if exports[0] != exports[1] || len(strings.Fields(exports[0])) != 4 {
		t.Errorf("relationships of the system, by pieces: %v", exports)
	}
	refused, _ := s.team(t).imported(t, `{"node":{"kind":"system_entity","entity_key":"e","system":"sys","name":"N","type":"t","seq":-1,"user_id":null}}
{"relationship":{"from":"a","to":"b","type":"system_relationship","history":{"system":"sys","seq":9007199254740992}}}
{"node":{"kind":"source","entity_key":"s","user_id":"u","history":{"seq":1}}}
{"node":{"kind":"source","entity_key":"s","user_id":"u","history":{"next_seq":-1}}}`)
	if got := fmt.Sprint(refused.Refused); strings.Count(got, "must be from 0 to 9007199254740991") != 2 ||
		!strings.Contains(got, "must be from 0 to 9007199254740992") || !strings.Contains(got, "set them on the node") {
		t.Errorf("numbers that cannot be: %s", got)
	}
	highest, copied := s.team(t), s.team(t)
	highest.importComplete(t, `{"node":{"kind":"source","entity_key":"s","user_id":"u"}}
{"node":{"kind":"message","entity_key":"m","source_key":"s","role":"user","text":"x","user_id":"u","seq":9007199254740991}}`)
	copied.importComplete(t, highest.exported(t))
}

// Every field of a message is stored, or the message is refused.
func TestImportOfMessages(t *testing.T) {
	t.Parallel()
	c := shared(t).team(t)
	message := func(key, source, more string) string {
		return `{"node":{"kind":"message","entity_key":"` + key + `","source_key":"` + source + `","role":"user","text":"x","user_id":"u"` + more + `}}`
	}
	lines := []string{
		`{"node":{"kind":"source","entity_key":"s","user_id":"u"}}`,
		`{"node":{"kind":"source","entity_key":"r","user_id":"u"}}`,
		message("a", "s", `,"created_at":"2020-01-01T00:00:00Z","updated_at":"2021-01-01T00:00:00Z","history":{"version":3}`),
		message("b", "r", ""),
		message("b", "s", ""),                                   // 5: its source
		message("a", "s", `,"name":"Ada"`),                      // 6: who spoke
		strings.ReplaceAll(message("b", "r", ""), `"x"`, `"y"`), // 7: its text
		message("b", "r", ""),
		message("c", "s", `,"description":"d"`),                         // 9
		message("c", "s", `,"salience":0.5`),                            // 10
		message("c", "s", `,"properties":{}`),                           // 11
		message("c", "s", `,"notes":[{"content":"n"}]`),                 // 12
		message("c", "s", `,"seq":1,"state":"active"`),                  // 13
		message("c", "s", `,"last_accessed_at":"2020-01-01T00:00:00Z"`), // 14
	}
	report, _ := c.imported(t, strings.Join(lines, "\n"))
	var got []string
	for _, r := range report.Refused {
		got = append(got, fmt.Sprintf("%d %s", r.Line, r.Location))
	}
	want := []string{"5 entity_key", "6 name", "7 text", "9 description", "10 salience", "11 properties", "12 notes", "13 state", "14 last_accessed_at"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(counted(4, 0, 1, 9), report.Nodes); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	a := c.must(t, http.MethodGet, "/v1/nodes/message/a?user_id=u", "")
	if diff := cmp.Diff([]any{"2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z", 3.0}, []any{a["created_at"], a["updated_at"], a["version"]}); diff != "" {
		t.Errorf("what is kept (-want +got):\n%s", diff)
	}
}

// relationshipNumbers returns the numbers of the relationships of systems, which must be unique.
func relationshipNumbers(t *testing.T, c caller) []string {
	t.Helper()
	var out []string
	once := map[int64]bool{}
	for line := range strings.Lines(c.exported(t)) {
		var l struct {
			Relationship struct {
				From             string `json:"from"`
				RelationshipType string `json:"relationship_type"`
				History          struct {
					Seq *int64 `json:"seq"`
				} `json:"history"`
			} `json:"relationship"`
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		if seq := l.Relationship.History.Seq; seq != nil {
			if once[*seq] {
				t.Errorf("two relationships have the number %d", *seq)
			}
			once[*seq] = true
			out = append(out, fmt.Sprintf("%s=%d", strings.ReplaceAll(l.Relationship.RelationshipType, " ", "-"), *seq))
		}
	}
	return bySort(out)
}

func nodesOf(keys ...string) string {
	var lines strings.Builder
	for _, k := range keys {
		_, _ = fmt.Fprintf(&lines, `{"node":{"kind":"concept","user_id":"u1","name":%q,"entity_key":%q}}`+"\n", k, k)
	}
	return lines.String()
}

// No two relationships have the same key, whichever request writes the second.
func TestAKeyIsOfOneRelationship(t *testing.T) {
	t.Parallel()
	s := shared(t)
	k := func(from, to string) string {
		return `{"relationship":{"from":"` + from + `","to":"` + to + `","type":"relates_to","key":"K","valid_from":"2021-01-01T00:00:00Z"}}` + "\n"
	}
	t.Run("behind the one that it follows", func(t *testing.T) {
		t.Parallel()
		c := s.team(t)
		c.importComplete(t, nodesOf("a", "b", "c", "d")+`{"relationship":{"from":"a","to":"b","type":"relates_to","key":"X","valid_from":"2020-01-01T00:00:00Z"}}`+"\n"+k("c", "d"))
		r, _ := c.imported(t, `{"relationship":{"from":"a","to":"b","type":"relates_to","key":"X","valid_to":"2021-01-01T00:00:00Z"}}`+"\n"+k("a", "b"))
		if r.Relationships != counted(0, 1, 0, 1) || len(r.Refused) != 1 || r.Refused[0].Line != 2 || r.Refused[0].Location != "key" {
			t.Errorf("%+v", r)
		}
	})
	t.Run("from two imports", func(t *testing.T) {
		t.Parallel()
		for range 5 {
			c := s.team(t)
			c.importComplete(t, nodesOf("a", "b", "c", "d"))
			var created [2]int64
			var running sync.WaitGroup
			for n, line := range []string{k("a", "b"), k("c", "d")} {
				running.Go(func() {
					r, _ := c.imported(t, line)
					created[n] = r.Relationships.Created
				})
			}
			running.Wait()
			if created[0]+created[1] != 1 {
				t.Errorf("created: %v", created)
			}
		}
	})
	for name, path := range map[string]string{"a deleted one": "/v1/relationships/K", "one of a deleted node": "/v1/nodes/concept/a"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := s.team(t)
			c.importComplete(t, nodesOf("a", "b", "c")+k("a", "b"))
			c.must(t, http.MethodDelete, path+"?user_id=u1", "")
			r, _ := c.imported(t, k("b", "c"))
			status := c.do(t, http.MethodPost, path+"/restore?user_id=u1", "").status
			if refused := r.Relationships.Refused == 1; refused != (status == http.StatusOK) || !refused && status != http.StatusConflict {
				t.Errorf("imported %+v, restored %d", r.Relationships, status)
			}
			if n := strings.Count(c.exported(t), `"key":"K"`); n != 1 {
				t.Errorf("%d have the key", n)
			}
		})
	}
}

// The import ids of different users are independent.
func TestImportsOfTwoUsersHaveOneID(t *testing.T) {
	t.Parallel()
	s, team := shared(t), testenv.Team(t)
	bound := func(user string) caller {
		made := s.as(bootstrapKey).must(t, http.MethodPost, "/v1/keys", `{"team_id":"`+team+`","user_id":"`+user+`","scopes":["read","write"]}`)
		return s.as(made["key"].(string))
	}
	u1, u2 := bound("u1"), bound("u2")
	var file strings.Builder
	for n := range 1500 {
		_, _ = fmt.Fprintf(&file, `{"node":{"kind":"concept","name":"n%d"}}`+"\n", n)
	}
	if _, _, ok := u1.sendBody(t, cut(file.String(), file.Len()-200), "import_id", "i"); ok {
		t.Fatal("the first import is whole")
	}
	report, _ := u2.imported(t, file.String(), "import_id", "i")
	if report.Nodes != counted(1500, 0, 0, 0) || report.ResumedAtLine != 0 {
		t.Errorf("the other user's: %+v", report)
	}
	if n := strings.Count(s.as(s.newKey(t, team, "read")).exported(t), `"user_id":"u2"`); n != 1501 { // with the user's own person
		t.Errorf("%d are the other user's", n)
	}
}
