package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"kith/handlers"
	"kith/tests/golden"
	"kith/tests/testenv"
)

// The documented requests are sent to a real Kith in order, and the responses have the documented form. go test ./tests/e2e
// -run Operations -update records them.
func TestOperationsAnswerAsShown(t *testing.T) {
	t.Parallel()
	model, s := startWithModel(t)
	team := testenv.Team(t)
	var live []handlers.Example
	for _, sent := range sendExamples(t, s.as(s.newKey(t, team, "read", "write", "admin")), model) {
		e := handlers.Example{ID: sent.ID, Method: sent.Method, Path: strings.ReplaceAll(sent.Path, team, "acme"), Status: sent.status}
		e.Answer = redacted(t, sent.answer, team)
		live = append(live, e)
	}
	recorded := handlers.Examples()
	if golden.Updating() || len(recorded) == 0 {
		raw, err := json.MarshalIndent(live, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		golden.Check(t, "../../handlers/operations.json", string(raw)+"\n")
		return
	}
	for i, e := range live {
		if i >= len(recorded) || recorded[i].ID != e.ID || recorded[i].Status != e.Status {
			t.Fatalf("operations.json is not of the requests in operations.md: %s", e.ID)
		}
		if want, got := fieldPaths(t, recorded[i].Answer), fieldPaths(t, e.Answer); !slices.Equal(want, got) {
			t.Errorf("%s answers in another form than is shown (renew with -update):\n%s\n%s", e.ID, want, got)
		}
	}
}

// exampleCall is a request and its response.
type exampleCall struct {
	handlers.Operation
	status int
	answer any
}

// sendExamples sends the requests of operations.md in their order, except some.
func sendExamples(t *testing.T, c caller, model *languageModel, without ...string) []exampleCall {
	t.Helper()
	answers := map[string]any{}
	var sent []exampleCall
	for _, o := range handlers.Operations() {
		if slices.Contains(without, o.ID) {
			continue
		}
		if o.ID == "explain" { // the next one cancels it
			model.setScript(stall)
		}
		if o.ID == "list-failed-deliveries" { // they fail after a day
			addFailedDeliveries(t, testenv.Neo4j(t), fmt.Sprint(at(answers["create-webhook"], "id")))
		}
		o.Path = placeholder.ReplaceAllStringFunc(o.Path, func(name string) string {
			steps := strings.Split(strings.Trim(name, "{}"), "/")
			return fmt.Sprint(at(answers[steps[0]], pathSteps(steps[1:])...))
		})
		r := c.do(t, o.Method, o.Path, o.Body)
		if r.status >= http.StatusBadRequest {
			t.Errorf("%s: %s %s: %d %s", o.ID, o.Method, o.Path, r.status, r.body)
			continue
		}
		var answer any
		if json.Unmarshal(r.body, &answer) != nil {
			answer = string(r.body)
		}
		answers[o.ID] = answer
		sent = append(sent, exampleCall{o, r.status, answer})
	}
	return sent
}

// addFailedDeliveries stores failed deliveries of a webhook.
func addFailedDeliveries(t *testing.T, db testenv.Database, webhook string) {
	t.Helper()
	driver, err := neo4j.NewDriverWithContext(db.URI, neo4j.BasicAuth(db.User, db.Password, ""))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = driver.Close(t.Context()) }()
	_, err = neo4j.ExecuteQuery(t.Context(), driver, `MATCH (w:Webhook {id: $id}) UNWIND ['first', 'second'] AS name
		CREATE (:WebhookDead {team_id: w.team_id, webhook_id: w.id, user_id: w.user_id, id: 'msg_' + name, failed_at: 1795600000000, attempts: 33,
			reason: 'undelivered', last_result: 'timeout', from_seq: 1, from_item: 0, to_seq: 1, to_item: 1})`,
		map[string]any{"id": webhook}, neo4j.EagerResultTransformer, neo4j.ExecuteQueryWithDatabase(db.Database))
	if err != nil {
		t.Fatal(err)
	}
}

var placeholder = regexp.MustCompile(`\{[a-z-]+/[^}]+\}`)

// pathSteps returns the steps of a path into a response: names and list indexes.
func pathSteps(steps []string) []any {
	var stones []any
	for _, step := range steps {
		var place int
		if _, err := fmt.Sscanf(step, "%d", &place); err == nil {
			stones = append(stones, place)
		} else {
			stones = append(stones, step)
		}
	}
	return stones
}

// redacted returns a response without the team of the test and without texts that look like a real API key.
func redacted(t *testing.T, answer any, team string) json.RawMessage {
	if answer == "" {
		return nil
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(raw), team, "acme")
	text = regexp.MustCompile(`whsec_[\w+/=]{20,}`).ReplaceAllString(text, "whsec_shown-this-once")
	return json.RawMessage(regexp.MustCompile(`kith_[\w-]{20,}`).ReplaceAllString(text, "kith_shown-this-once"))
}

// fieldPaths returns the paths of all fields of a response.
func fieldPaths(t *testing.T, answer json.RawMessage) []string {
	t.Helper()
	var v any
	if len(answer) > 0 && json.Unmarshal(answer, &v) != nil {
		t.Fatalf("not JSON: %s", answer)
	}
	found := map[string]bool{}
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, value := range v {
				walk(at+"."+name, value)
			}
		case []any:
			for _, item := range v {
				walk(at+"[]", item)
			}
		default:
			found[at] = true
		}
	}
	walk("", v)
	var form []string
	for field := range found {
		form = append(form, field)
	}
	slices.Sort(form)
	return form
}
