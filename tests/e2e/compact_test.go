package e2e

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
)

// filesWith returns the files below a folder that contain a text in UTF-8, UTF-16 or Latin-1.
func filesWith(t *testing.T, dir, text string) (found []string) {
	t.Helper()
	forms := [][]byte{[]byte(text)}
	var little, big []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		little = append(little, byte(unit), byte(unit>>8))
		big = append(big, byte(unit>>8), byte(unit))
	}
	forms = append(forms, little, big)
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if os.IsNotExist(err) { // files come and go while Neo4j runs
			return nil
		}
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			return nil
		}
		if slices.ContainsFunc(forms, func(form []byte) bool { return bytes.Contains(bytes.ToLower(content), form) }) {
			name, _ := filepath.Rel(dir, path)
			found = append(found, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// currentLog returns the transaction log that is being written.
func currentLog(t *testing.T, dir string) string {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(dir, "neostore.transaction.db.*"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("no logs in %s: %v", dir, err)
	}
	return slices.MaxFunc(logs, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
}

// writeCanaries writes a text to each place that stores texts of a user.
func writeCanaries(t *testing.T, c caller, canary string) {
	t.Helper()
	made := 0
	next := func() string { made++; return fmt.Sprintf("%s%d", canary, made) }
	c.must(t, http.MethodPost, "/v1/memory", fmt.Sprintf(`{"idempotency_key":"%s","nodes":[
		{"kind":"person","entity_key":"%sme","name":"%s","description":"%s","is_owner":true,"notes":[{"content":"%s"}],"properties":{"%s":"%s"}},
		{"kind":"concept","entity_key":"%sgone","name":"%s","description":"%s"},
		{"kind":"concept","entity_key":"%sc","name":"%s","description":"%s"}],
		"relationships":[{"from":"%sme","to":"%sc","type":"thinks_about","description":"%s","notes":[{"content":"%s"}],"properties":{"x":"%s"}}]}`,
		next(), canary, next(), next(), next(), next(), next(), canary, next(), next(), canary, next(), next(), canary, canary, next(), next(), next()))
	c.must(t, http.MethodDelete, "/v1/nodes/concept/"+canary+"gone", "")
	c.must(t, http.MethodPost, "/v1/sources", fmt.Sprintf(`{"entity_key":"%ss","summary":"%s","messages":[{"role":"user","name":"%s","text":"%s"}],"mentions":["%sc"]}`,
		canary, next(), next(), next(), canary))
	c.must(t, http.MethodPut, "/v1/users/"+canary+"u/preferences", fmt.Sprintf(`{"preferences":[{"key":"%s","value":"%s"}]}`, next(), next()))
	tree := c.must(t, http.MethodPost, "/v1/trees", fmt.Sprintf(`{"name":"%s","system_prompt":"%s"}`, next(), next()))["id"].(string)
	turn := c.must(t, http.MethodPost, "/v1/trees/"+tree+"/turns", fmt.Sprintf(`{"user_prompt":"%s","generate":false}`, next()))["id"].(string)
	c.must(t, http.MethodPatch, "/v1/turns/"+turn, fmt.Sprintf(`{"assistant_text":"%s"}`, next()))
}

// eraseAndCompact erases a user of a service on its own Neo4j, stops the service and compacts its data. Erased data is in no transaction
// log after the erasure, and in no file after the compaction. The compaction changes nothing else: same checks this on the next service.
func eraseAndCompact(t *testing.T, environ []string, data string, s *service, admin caller) (same func(caller)) {
	t.Helper()
	canary, stays := "canary"+strings.ToLower(rand.Text()), "stays"+strings.ToLower(rand.Text())
	logs := filepath.Join(data, "neo4j", "data", "transactions", "neo4j")
	for _, user := range []string{canary, stays} {
		writeCanaries(t, s.as(admin.must(t, http.MethodPost, "/v1/keys", `{"user_id":"`+user+`u","scopes":["read","write"]}`)["key"].(string)), user)
	}
	eventually(t, time.Minute, "the texts are in a transaction log", func() bool { return len(filesWith(t, logs, canary)) > 0 })
	admin.must(t, http.MethodDelete, "/v1/users/"+canary+"u", "")
	eventually(t, time.Minute, "a new transaction log has begun", func() bool { return len(filesWith(t, currentLog(t, logs), canary)) == 0 })
	exported := storyDue.ReplaceAllString(admin.exported(t), "") // maintenance forms stories at any time
	if code, out := command(t, environ, "compact"); code != 1 || !strings.Contains(out, "another Kith") {
		t.Errorf("beside a service: %d %s", code, out)
	}
	if code := s.stop(); code != 0 { // with a checkpoint, which drops the logs that have ended
		t.Fatalf("stop: %d %s", code, s.err)
	}
	if left := filesWith(t, logs, canary); left != nil {
		t.Errorf("in transaction logs: %q", left)
	}
	t.Logf("before the compaction: %q", filesWith(t, data, canary))

	code, out := command(t, environ, "compact", "--json")
	var result struct{ Nodes, Relationships int64 }
	if err := json.Unmarshal([]byte(out[max(0, strings.LastIndex(strings.TrimSpace(out), "\n")+1):]), &result); err != nil || code != 0 || result.Nodes < 8 || result.Relationships < 2 {
		t.Fatalf("compact: %d %+v, %v: %s", code, result, err, out)
	}
	if left := filesWith(t, data, canary); left != nil {
		t.Errorf("after it: %q", left)
	}
	if there := filesWith(t, data, stays); len(there) == 0 {
		t.Error("what stays is in no file: the look finds nothing")
	}
	return func(again caller) {
		t.Helper()
		if now := storyDue.ReplaceAllString(again.exported(t), ""); now != exported {
			t.Errorf("the export was\n%s\nand is\n%s", exported, now)
		}
		if code, out := command(t, environ, "check"); code != 0 {
			t.Errorf("check: %d %s", code, out)
		}
	}
}

// An external database, and a folder without a database, are refused and not changed.
func TestCompactRefuses(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	if code, out := command(t, []string{"KITH_DATA=" + data}, "compact"); code != 1 || !strings.Contains(out, "holds no database") {
		t.Errorf("no database: %d %s", code, out)
	}
	if _, err := os.Stat(data); !os.IsNotExist(err) {
		t.Errorf("the folder: %v", err)
	}
	if code, out := command(t, []string{"KITH_NEO4J_URI=bolt://127.0.0.1:1"}, "compact"); code != 1 || !strings.Contains(out, "neo4j-admin") {
		t.Errorf("another's database: %d %s", code, out)
	}
}
