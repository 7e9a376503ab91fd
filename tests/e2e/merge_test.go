package e2e

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// kith merge and kith restore send what they are given, and print what was done and how to undo it.
func TestMergeCommand(t *testing.T) {
	t.Parallel()
	const merged = `{"node":{"kind":"person","entity_key":"robert","name":"Robert"},"merged":{"entity_key":"bob/2","kind":"person","name":"Bob"},
		"conflicts":[{"field":"description","kept":"a sailor","dropped":"# her brother"}],"relationships":3,"left":1,"undoable_until":"2026-05-31T10:00:00Z"}`
	for _, c := range []struct {
		args []string
		code int
		sent string
		says []string
	}{
		{[]string{"merge", "person/robert", "bob/2", "--user=u1", "--take=name,type"}, 0,
			`POST /v1/nodes/person/robert/merge?user_id=u1 {"other":"bob/2","take":["name","type"]}`,
			[]string{"**Bob** [bob/2] is merged into **Robert** [robert].", "relationships: 3 move, 1 repeat", `description: "a sailor" is kept, "# her brother" is dropped`, "Until 2026-05-31 this undoes it: kith restore person/bob/2"}},
		{[]string{"merge", "person/robert", "bob/2", "--dry-run"}, 0, `POST /v1/nodes/person/robert/merge? {"other":"bob/2","dry_run":true}`, []string{"would be merged into"}},
		{[]string{"merge", "person/robert", "bob/2", "--json"}, 0, `POST /v1/nodes/person/robert/merge? {"other":"bob/2"}`, []string{`"undoable_until": "2026-05-31T10:00:00Z"`}},
		{[]string{"merge", "relationship/r", "s"}, 1, "", []string{"relationships are not merged"}},
		{[]string{"merge", "robert", "bob"}, 1, "", []string{`"robert" must be KIND/KEY`}},
		{[]string{"merge", "person/robert"}, 2, "", []string{"<other>"}},
		{[]string{"restore", "person/bob/2", "--user=u1"}, 0, "POST /v1/nodes/person/bob%2F2/restore?user_id=u1 ", []string{"person/bob/2 is restored"}},
		{[]string{"restore", "relationship/r"}, 0, "POST /v1/relationships/r/restore? ", []string{"relationship/r is restored"}},
	} {
		sent := ""
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			sent = r.Method + " " + r.URL.EscapedPath() + "?" + r.URL.RawQuery + " " + strings.TrimSpace(string(body))
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, merged)
		}))
		var out bytes.Buffer
		code := run(context.Background(), append(c.args, "--key=k", "--url="+s.URL), nil, streams{nil, &out, &out})
		s.Close()
		if code != c.code || sent != c.sent {
			t.Errorf("kith %v: %d, sent %s", c.args, code, sent)
		}
		for _, text := range c.says {
			if !strings.Contains(out.String(), text) {
				t.Errorf("kith %v: no %q in %s", c.args, text, &out)
			}
		}
	}
}
