package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"kith/handlers"
)

// operations draws operations: those of operations.md and calls of tools, with values of one in another. Each is drawn once at first,
// in the order of operations.md.
type operations struct {
	random *rand.Rand
	all    []handlers.Operation
	first  []handlers.Operation // not drawn yet
	last   handlers.Operation   // ends the test's own key and team
	values map[string][]string  // texts by the name of their field or parameter
	keys   []string
}

// moreOperations are sent beside those of operations.md. The values of some are those of operations that have another id.
var moreOperations = []handlers.Operation{
	{ID: "end-of-changes", Method: http.MethodGet, Path: "/v1/changes?after=now"},
	{ID: "watch-changes", Method: http.MethodGet, Path: "/v1/changes?after={end-of-changes/next}"},
	{ID: "explore", Method: http.MethodPost, Path: "/v1/explore", Body: `{"user_id":"noor","queries":[{"query":"stones before Friday"},{"query":"Who is Samir?"}],"limit":30,"return_explanations":true,"mode":"deep"}`},
	{ID: "explore", Method: http.MethodPost, Path: "/v1/explore", Body: `{"user_id":"noor","text_matches":["Repair","hand tools"],"kinds":["concept","person","message"],"expand":5,"return_explanations":true}`},
	{ID: "explore", Method: http.MethodPost, Path: "/v1/explore", Body: `{"user_id":"noor","queries":[{"query":"boat and vessel"}],"evidence":["meaning"],"granularity":2,"return_explanations":true,"format":"keyed"}`},
	{ID: "traverse", Method: http.MethodPost, Path: "/v1/traverse", Body: `{"user_id":"noor","mode":"ppr","seed_nodes":["p-noor","mill"],"top_k":20}`},
	{ID: "traverse", Method: http.MethodPost, Path: "/v1/traverse", Body: `{"user_id":"noor","mode":"cypher","cypher":"MATCH (n:Memory) RETURN n.entity_key AS key, n.name AS name ORDER BY key LIMIT 50"}`},
	{ID: "tool resources/read", Method: http.MethodPost, Path: "/mcp", Body: `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"kith://context/noor"}}`},
	{ID: "tool prompts/get", Method: http.MethodPost, Path: "/mcp", Body: `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"session_start","arguments":{"user_id":"noor"}}}`},
}

// fillers are operations that store what others look for.
var fillers = []string{"write-memory", "write-source", "open-conversation", "append-messages", "merge-system-memory", "create-tree", "submit-turn", "link", "create-webhook"}

// needModel are operations that succeed only with a language model, which these Kiths lack: they are sent, and refused alike.
var needModel = []string{"explain", "cancel-turn"}

func newOperations(seed int, receiver string, tools []tool) *operations {
	o := &operations{random: rand.New(rand.NewPCG(uint64(seed), 0)), values: map[string][]string{}} //nolint:gosec // a test's choice
	for _, each := range slices.Concat(handlers.Operations(), moreOperations) {
		each.Body = strings.ReplaceAll(each.Body, "https://receiver.invalid", receiver)
		if each.ID == "erase-team" {
			o.last = each
			continue
		}
		o.all = append(o.all, each)
		var body any
		if json.Unmarshal([]byte(each.Body), &body) == nil {
			o.collect("", body)
		}
		if address, err := url.Parse(each.Path); err == nil {
			for name, values := range address.Query() {
				o.values[name] = append(o.values[name], values...)
			}
		}
	}
	o.values["user_id"] = []string{"noor", "noor", "noor", "ada"}
	o.values["url"] = []string{receiver + "/kith", receiver + "/gone"}
	for name := range o.values {
		slices.Sort(o.values[name])
	}
	o.keys = slices.Compact(o.values["entity_key"])
	for _, each := range tools {
		o.all = append(o.all, handlers.Operation{ID: "tool " + each.Name, Method: http.MethodPost, Path: "/mcp", Body: string(each.InputSchema)})
	}
	o.first = slices.Clone(o.all)
	return o
}

// tool is an entry of the list of tools.
type tool struct {
	Name        string
	InputSchema json.RawMessage
}

// tools returns the tools of a Kith.
func (k *isolated) tools(t *testing.T) []tool {
	t.Helper()
	r := k.call(t.Context(), handlers.Operation{ID: "tools", Method: http.MethodPost, Path: "/mcp", Body: `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`})
	var list struct{ Result struct{ Tools []tool } }
	if err := json.Unmarshal(r.body, &list); err != nil || len(list.Result.Tools) == 0 {
		t.Fatalf("%v: %s", err, r.body)
	}
	return list.Result.Tools
}

// contractOperations returns the ids of all operations of the contract.
func contractOperations(t *testing.T) []string {
	t.Helper()
	raw, err := os.ReadFile(contractFile)
	if err != nil {
		t.Fatal(err)
	}
	var contract struct {
		Paths map[string]map[string]struct{ OperationID string }
	}
	if err := json.Unmarshal(raw, &contract); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, methods := range contract.Paths {
		for _, operation := range methods {
			ids = append(ids, operation.OperationID)
		}
	}
	if len(ids) < 100 {
		t.Fatalf("the contract has %d operations", len(ids))
	}
	return ids
}

// Every operation of the contract is among those whose answers TestAnswersDoNotDependOnOthers compares.
func TestEveryOperationIsCompared(t *testing.T) {
	t.Parallel()
	o := newOperations(1, "http://receiver.invalid", nil)
	sent := map[string]bool{o.last.ID: true}
	for len(o.first) > 0 {
		sent[o.next().ID] = true
	}
	for _, id := range contractOperations(t) {
		if !sent[id] {
			t.Errorf("%s is not sent: it has no request in operations.md", id)
		}
	}
}

// check reports operations of the contract that were not sent, and, of many, those that never succeeded.
func (o *operations) check(t *testing.T, statuses map[string]map[int]int, refused map[string][]byte, count int) {
	t.Helper()
	for id, counts := range statuses {
		t.Logf("%s: %v", id, counts)
	}
	for _, id := range contractOperations(t) {
		if statuses[id] == nil {
			t.Errorf("%s was not sent", id)
		}
	}
	for _, each := range o.all {
		counts := statuses[each.ID]
		if slices.Contains(needModel, each.ID) || counts[200]+counts[201]+counts[202]+counts[204] > 0 {
			continue
		}
		t.Logf("%s never succeeded: %v %.600s", each.ID, counts, refused[each.ID])
		if count >= 5000 {
			t.Errorf("%s never succeeded in %d operations", each.ID, count)
		}
	}
}

func (o *operations) collect(name string, value any) {
	switch v := value.(type) {
	case string:
		o.values[name] = append(o.values[name], v)
	case []any:
		for _, each := range v {
			o.collect(name, each)
		}
	case map[string]any:
		for name, each := range v {
			o.collect(name, each)
		}
	}
}

func (o *operations) chance(percent int) bool { return o.random.IntN(100) < percent }

func pick[T any](random *rand.Rand, list []T) T { return list[random.IntN(len(list))] }

// next returns an operation. Half of them store something, and few erase or delete, or there would be little to answer.
func (o *operations) next() handlers.Operation {
	if len(o.first) > 0 {
		drawn := o.first[0]
		o.first = o.first[1:]
		if strings.HasPrefix(drawn.ID, "tool ") {
			return o.vary(drawn)
		}
		return drawn
	}
	drawn := pick(o.random, o.all)
	for drawn.ID == "erase-user" && o.chance(95) || drawn.Method == http.MethodDelete && o.chance(60) {
		drawn = pick(o.random, o.all)
	}
	if o.chance(40) {
		filler := pick(o.random, fillers)
		drawn = o.all[slices.IndexFunc(o.all, func(each handlers.Operation) bool { return each.ID == filler })]
	}
	return o.vary(drawn)
}

// vary returns an operation with some values of others.
func (o *operations) vary(drawn handlers.Operation) handlers.Operation {
	if name, isTool := strings.CutPrefix(drawn.ID, "tool "); isTool && !strings.Contains(name, "/") {
		var schema argument
		if err := json.Unmarshal([]byte(drawn.Body), &schema); err != nil {
			panic(err) // it was read from JSON
		}
		arguments, err := json.Marshal(o.argument("", &schema))
		if err != nil {
			panic(err) // it was made of JSON
		}
		drawn.Body = fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, name, arguments)
		return drawn
	}
	path, query, _ := strings.Cut(drawn.Path, "?")
	steps := strings.Split(path, "/")
	for i, step := range steps {
		if unescaped, err := url.PathUnescape(step); err == nil && slices.Contains(o.keys, unescaped) && o.chance(15) {
			steps[i] = url.PathEscape(pick(o.random, o.keys))
		}
	}
	drawn.Path = strings.Join(steps, "/")
	if parameters, err := url.ParseQuery(query); err == nil && query != "" {
		for _, name := range slices.Sorted(maps.Keys(parameters)) {
			if o.chance(15) {
				parameters.Set(name, pick(o.random, o.values[name]))
			}
		}
		drawn.Path += "?" + parameters.Encode()
	}
	var body any
	if json.Unmarshal([]byte(drawn.Body), &body) == nil {
		raw, err := json.Marshal(o.change("", body))
		if err != nil {
			panic(err) // it was read from JSON
		}
		drawn.Body = string(raw)
	}
	return drawn
}

// change returns a value with some texts of other operations, and without some fields.
func (o *operations) change(name string, value any) any {
	switch v := value.(type) {
	case string:
		if o.chance(3) {
			return pick(o.random, o.values[name])
		}
	case []any:
		for i := range v {
			v[i] = o.change(name, v[i])
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if v[name] = o.change(name, v[name]); o.chance(1) {
				delete(v, name)
			}
		}
	}
	return value
}

// argument is the schema of an argument of a tool.
type argument struct {
	Type       any
	Enum       []any
	Properties map[string]*argument
	Required   []string
	Items      *argument
}

// argument returns an argument of a tool, with values of operations.
func (o *operations) argument(name string, schema *argument) any {
	kind, _ := schema.Type.(string)
	if kinds, ok := schema.Type.([]any); ok {
		kind = fmt.Sprint(kinds[len(kinds)-1])
	}
	switch {
	case len(schema.Enum) > 0:
		return pick(o.random, schema.Enum)
	case kind == "object":
		object := map[string]any{}
		for _, property := range slices.Sorted(maps.Keys(schema.Properties)) {
			if slices.Contains(schema.Required, property) || property == "max_tokens" || o.chance(map[bool]int{true: 80, false: 8}[slices.Contains(mostlyGiven, property)]) {
				object[property] = o.argument(property, schema.Properties[property])
			}
		}
		return object
	case kind == "array" && schema.Items != nil:
		list := []any{}
		for range 1 + o.random.IntN(3) {
			list = append(list, o.argument(name, schema.Items))
		}
		return list
	case name == "max_tokens": // a smaller budget would cut at other places: random ids have differing numbers of tokens
		return 50_000
	case kind == "integer":
		return 1 + o.random.IntN(5)
	case kind == "number":
		return float64(o.random.IntN(100)) / 100
	case kind == "boolean":
		return o.chance(50)
	}
	values := slices.Concat(o.values[name], o.values[toolFields[name]])
	if len(values) == 0 {
		values = o.keys
	}
	return pick(o.random, values)
}

// mostlyGiven are optional arguments without which a tool has nothing to do.
var mostlyGiven = []string{"user_id", "nodes", "relationships", "queries", "entity_keys", "messages", "name", "entity_key", "entities"}

// toolFields are the names that values of a tool's arguments have in operations.
var toolFields = map[string]string{
	"queries": "query", "entity_id": "entity_key", "entity_keys": "entity_key", "relationship_keys": "key", "names": "name", "entityNames": "name",
	"entityName": "name", "mode": "mode", "observations": "text", "contents": "text", "from": "entity_key", "to": "entity_key",
	"mentions": "name", "relationType": "type", "entityType": "type", "system": "system", "note": "content", "keys": "key",
}
