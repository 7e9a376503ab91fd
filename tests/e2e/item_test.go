package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"kith/tests/testenv"
)

// Items are written, found, listed, changed by their name and moved to another team, and messages keep their parts on the way.
func TestItemsOverHTTP(t *testing.T) {
	t.Parallel()
	s := shared(t)
	c := s.as(s.newKey(t, testenv.Team(t), "read", "write", "admin"))
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"ada","nodes":[
		{"kind":"item","namespace":["notes","sea"],"name":"tide","value":{"text":"High water at noon","level":4}},
		{"kind":"item","namespace":["notes","sea"],"name":"wind","value":{"text":"Calm water","level":1}},
		{"kind":"item","namespace":["notes","land"],"name":"well","value":{"text":"Water from the well","level":3}},
		{"kind":"entity","name":"Water board","properties":{"level":4}}]}`)

	find := func(more string) string {
		t.Helper()
		found := c.must(t, http.MethodPost, "/v1/explore", `{"user_id":"ada","queries":[{"query":"water"}]`+more+`}`)
		return names(at(found, "semantic", "others"), "name")
	}
	for more, want := range map[string]string{
		`,"kinds":["item"],"namespace":["notes","sea"]`:                         "tide wind",
		`,"kinds":["item"],"namespace":["notes"],"filter":{"level":{"$gte":3}}`: "tide well",
		`,"kinds":["item"],"namespace":["elsewhere"]`:                           "",
	} {
		if got := find(more); got != want && got != reversed(want) {
			t.Errorf("%s: %s, want %s", more, got, want)
		}
	}
	found := c.must(t, http.MethodPost, "/v1/explore", `{"user_id":"ada","queries":[{"query":"noon"}],"kinds":["item"]}`)
	if got := fmt.Sprint(at(found, "semantic", "others", 0, "value"), at(found, "semantic", "others", 0, "namespace")); got != "map[level:4 text:High water at noon] [notes sea]" {
		t.Errorf("the hit has %s", got)
	}

	list := func(query string) string {
		t.Helper()
		return names(c.must(t, http.MethodGet, "/v1/nodes/"+query, "")["nodes"], "name")
	}
	for query, want := range map[string]string{
		"item?user_id=ada&namespace=notes":                                                  "well tide wind",
		"item?user_id=ada&namespace=notes&namespace=sea&name=wind":                          "wind",
		"item?user_id=ada&namespace=notes&filter=" + url.QueryEscape(`{"level":{"$lt":4}}`): "well wind",
		"entity?user_id=ada&filter=" + url.QueryEscape(`{"level":4}`):                       "Water board",
		"entity?user_id=ada&filter=" + url.QueryEscape(`{"level":5}`):                       "",
		"item?user_id=bea&namespace=notes":                                                  "",
	} {
		if got := list(query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	for _, query := range []string{
		"item?filter=x", "item?filter=" + url.QueryEscape(`{"a":{"$in":[1]}}`), "entity?namespace=a", "entity?name=a", "item?deleted=true&namespace=a",
	} {
		if r := c.do(t, http.MethodGet, "/v1/nodes/"+query, ""); r.status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d %s", query, r.status, r.body)
		}
	}
	if got := fmt.Sprint(c.must(t, http.MethodGet, "/v1/namespaces?user_id=ada&prefix=notes&suffix=sea", "")["namespaces"]); got != "[[notes sea]]" {
		t.Errorf("namespaces: %s", got)
	}

	c.must(t, http.MethodPost, "/v1/sources", `{"user_id":"ada","entity_key":"talk","messages":[
		{"entity_key":"m-1","role":"assistant","parts":[{"type":"tool_call","name":"tide","arguments":{"at":"noon"}}]}]}`)
	exported := c.do(t, http.MethodGet, "/v1/export", "").body
	other := s.as(s.newKey(t, testenv.Team(t)+"-copy", "read", "write", "admin"))
	imported := other.must(t, http.MethodPost, "/v1/import", string(exported))
	if at(imported, "refused") != nil && fmt.Sprint(at(imported, "refused")) != "[]" {
		t.Errorf("refused: %v", imported)
	}
	copied := other.must(t, http.MethodGet, "/v1/nodes/item?user_id=ada&namespace=notes&namespace=sea&name=tide", "")
	if got := fmt.Sprint(at(copied, "nodes", 0, "value")); got != "map[level:4 text:High water at noon]" {
		t.Errorf("the copy has %s", got)
	}
	talk := other.must(t, http.MethodGet, "/v1/conversations/talk?user_id=ada", "")
	if got := fmt.Sprint(at(talk, "messages", 0, "text"), at(talk, "messages", 0, "parts", 0, "arguments")); got != "[tool_call tide]map[at:noon]" {
		t.Errorf("the copied message has %s", got)
	}
	popped := other.must(t, http.MethodPost, "/v1/conversations/talk/messages/pop", `{"user_id":"ada"}`)
	if names(popped["messages"], "entity_key") != "m-1" {
		t.Errorf("popped %v", popped)
	}
}

// reversed returns two words in the other order.
func reversed(words string) string {
	for i := range words {
		if words[i] == ' ' {
			return words[i+1:] + " " + words[:i]
		}
	}
	return words
}
