package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kith/handlers"
	"kith/internal/golden"
	"kith/internal/testenv"
)

// The requests that the contract shows are sent to a real Kith, one after the other, and what it answers is of the form that
// is shown: go test ./cmd/kith -run Operations -update records it anew.
func TestOperationsAnswerAsShown(t *testing.T) {
	t.Parallel()
	model, s := withModel(t)
	team := testenv.Team(t)
	var live []handlers.Example
	for _, sent := range story(t, s.as(s.newKey(t, team, "read", "write", "admin")), model) {
		e := handlers.Example{ID: sent.ID, Method: sent.Method, Path: strings.ReplaceAll(sent.Path, team, "acme"), Status: sent.status}
		e.Answer = shown(t, sent.answer, team)
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
		if want, got := formOf(t, recorded[i].Answer), formOf(t, e.Answer); !slices.Equal(want, got) {
			t.Errorf("%s answers in another form than is shown (renew with -update):\n%s\n%s", e.ID, want, got)
		}
	}
}

// chapter is a request that was sent, and what it answered.
type chapter struct {
	handlers.Operation
	status int
	answer any
}

// story sends the requests of operations.md in their order, but for some.
func story(t *testing.T, c caller, model *languageModel, without ...string) []chapter {
	t.Helper()
	answers := map[string]any{}
	var sent []chapter
	for _, o := range handlers.Operations() {
		if slices.Contains(without, o.ID) {
			continue
		}
		if o.ID == "explain" { // the next one cancels it
			model.does(stalls)
		}
		o.Path = placeholder.ReplaceAllStringFunc(o.Path, func(name string) string {
			steps := strings.Split(strings.Trim(name, "{}"), "/")
			return fmt.Sprint(at(answers[steps[0]], steppingStones(steps[1:])...))
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
		sent = append(sent, chapter{o, r.status, answer})
	}
	return sent
}

var placeholder = regexp.MustCompile(`\{[a-z-]+/[^}]+\}`)

// steppingStones are the steps into an answer: names, and places in lists.
func steppingStones(steps []string) []any {
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

// shown is an answer as it may be shown: without the name of the test's team, and without a key that looks like a real one.
func shown(t *testing.T, answer any, team string) json.RawMessage {
	if answer == "" {
		return nil
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(raw), team, "acme")
	return json.RawMessage(regexp.MustCompile(`kith_[\w-]{20,}`).ReplaceAllString(text, "kith_shown-this-once"))
}

// formOf are the fields of an answer, wherever they are in it.
func formOf(t *testing.T, answer json.RawMessage) []string {
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
