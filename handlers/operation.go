package handlers

import (
	_ "embed"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"kith/internal/contract"
)

//go:embed operations.md
var operationsText string

//go:embed operations.json
var operationsAnswers []byte

// Operation is a section of operations.md: a description and a request that can be sent.
type Operation struct {
	ID, Description    string
	Method, Path, Body string
}

// Example is the request of an operation as it was sent to a real Kith, and what that answered; a text where that is no JSON.
type Example struct {
	ID     string          `json:"id"`
	Method string          `json:"method"`
	Path   string          `json:"path"`
	Status int             `json:"status"`
	Answer json.RawMessage `json:"answer,omitempty"`
}

// Operations returns the sections of operations.md, in the order in which the requests can be sent.
func Operations() []Operation {
	sections := strings.Split(operationsText, "\n## ")[1:]
	all := make([]Operation, len(sections))
	for i, section := range sections {
		id, rest, _ := strings.Cut(section, "\n")
		description, example, _ := strings.Cut(rest, "```http\n")
		request, body, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(example), "```"), "\n")
		method, path, _ := strings.Cut(request, " ")
		all[i] = Operation{id, strings.TrimSpace(description), method, path, strings.TrimSpace(body)}
	}
	return all
}

// Examples returns the examples of operations.json.
func Examples() []Example {
	var all []Example
	if err := json.Unmarshal(operationsAnswers, &all); err != nil {
		panic("handlers: operations.json cannot be read: " + err.Error()) // a broken binary
	}
	return all
}

// describeOperations adds descriptions, examples and tags to the contract.
func describeOperations(api *huma.OpenAPI) {
	operations := map[string]*huma.Operation{}
	for path, item := range api.Paths {
		for _, o := range operationsAt(item) {
			o.Tags, operations[o.OperationID] = []string{tagOf(path)}, o
			answerAlike(o)
			explain(o)
		}
	}
	for _, told := range Operations() {
		told.show(operations[told.ID])
	}
	for _, e := range Examples() {
		e.show(operations[e.ID])
	}
	for _, tag := range tags {
		if tag.about != "" {
			api.Tags = append(api.Tags, &huma.Tag{Name: tag.name, Description: tag.about})
		}
	}
}

// publish returns the contract as clients read it. Huma validates with the original.
func publish(api *huma.OpenAPI) *huma.OpenAPI {
	var taken []*huma.Schema
	whole, components := *api, *api.Components
	whole.Paths = maps.Clone(api.Paths)
	for path, item := range api.Paths {
		for _, o := range operationsAt(item) {
			if o.RequestBody != nil {
				taken = append(taken, o.RequestBody.Content[jsonType].Schema)
			}
		}
		whole.Paths[path] = patternedAt(item)
	}
	components.Schemas = contract.Publish(components.Schemas, taken)
	whole.Components = &components
	return &whole
}

// patternedAt is a path with the patterns of its parameters.
func patternedAt(item *huma.PathItem) *huma.PathItem {
	shown := *item
	for _, o := range []**huma.Operation{&shown.Get, &shown.Post, &shown.Put, &shown.Patch, &shown.Delete} {
		if *o != nil {
			one := **o
			one.Parameters = contract.Parameters(one.Parameters)
			*o = &one
		}
	}
	return &shown
}

// operationsAt are the operations of a path.
func operationsAt(item *huma.PathItem) []*huma.Operation {
	all := []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete}
	return slices.DeleteFunc(all, func(o *huma.Operation) bool { return o == nil })
}

// answerAlike gives the other good answers of an operation the form of its usual one.
func answerAlike(o *huma.Operation) {
	usual := o.Responses[strconv.Itoa(o.DefaultStatus)]
	if usual == nil {
		return
	}
	for status, response := range o.Responses {
		if status < "300" && status != strconv.Itoa(http.StatusNoContent) && response.Content == nil {
			response.Content = map[string]*huma.MediaType{}
			for kind, media := range usual.Content {
				response.Content[kind] = &huma.MediaType{Schema: media.Schema}
			}
		}
	}
}

func (t Operation) show(o *huma.Operation) {
	o.Description = t.Description
	if o.RequestBody == nil {
		return
	}
	if media := o.RequestBody.Content[jsonType]; media != nil && o.RequestBody.Content[ndjsonType] == nil {
		media.Example = json.RawMessage(t.Body)
	} else if media = o.RequestBody.Content[ndjsonType]; media != nil {
		media.Example = t.Body
	}
}

// show puts the request, and the answer in the form in which it came, into an operation.
func (e Example) show(o *huma.Operation) {
	o.Extensions = map[string]any{requestExtension: e.Method + " " + e.Path}
	response := o.Responses[strconv.Itoa(e.Status)]
	if response == nil || len(e.Answer) == 0 {
		return
	}
	for kind, media := range response.Content {
		if text := e.Answer[0] == '"'; text == (kind != jsonType) {
			media.Example = e.Answer
		}
	}
}

// requestExtension is the request line of an operation's example.
const requestExtension = "x-request"

// explain says of an operation's errors when they come.
func explain(o *huma.Operation) {
	for status, response := range o.Responses {
		if n, _ := strconv.Atoi(status); meanings[n] != "" {
			response.Description = meanings[n]
		}
	}
}

var meanings = map[int]string{ //nolint:gochecknoglobals // a constant table
	http.StatusUnauthorized:          "There is no API key, or none that is good",
	http.StatusForbidden:             "The key is good, but not for this: it lacks a scope, or is bound to another user",
	http.StatusNotFound:              "There is nothing of this id that the caller may see",
	http.StatusRequestTimeout:        "The body did not come in time",
	http.StatusGone:                  "The changes behind the cursor are not kept any more; oldest_cursor works",
	http.StatusConflict:              "What is stored does not allow it: another version, an idempotency key with another body, a key that is taken",
	http.StatusRequestEntityTooLarge: "The body is larger than may be",
	http.StatusUnprocessableEntity:   "The request has faults; each is named with its place, and never repeated",
	http.StatusTooManyRequests:       "Too much of the team runs at once, or the key has spent its units; Retry-After says when to try again",
	http.StatusInternalServerError:   "Something went wrong here; X-Request-Id leads to the log",
	http.StatusNotImplemented:        "It needs a language model, and none is configured; the type of the problem says so",
	http.StatusServiceUnavailable:    "The database does not answer, or not in time, or too many large bodies are read; Retry-After says when to try again",
}

// errorsOf are the statuses of problems that an operation may answer with, beside those that are its own.
func errorsOf(method, path string) []int {
	all := []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusUnprocessableEntity, http.StatusTooManyRequests, http.StatusServiceUnavailable}
	if strings.Contains(path, "{") {
		all = append(all, http.StatusNotFound)
	}
	if method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch {
		all = append(all, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge)
	}
	if reading := path == "/v1/explore" || path == "/v1/traverse"; method != http.MethodGet && !reading {
		all = append(all, http.StatusConflict)
	}
	return all
}

// tags are the parts of the contract, and where the paths of each begin; the first of a part says what it is about.
var tags = []struct{ name, prefix, about string }{ //nolint:gochecknoglobals // a constant table
	{"Context", "/v1/context", "What an agent should know of a user at the start"},
	{"Context", "/v1/served", ""},
	{"Workspaces", "/v1/ontology", "What an agent should know of a project"},
	{"Workspaces", "/v1/prompt", ""},
	{"Workspaces", "/v1/edges", ""},
	{"Conversations", "/v1/conversations", "Conversations, from their start to their end"},
	{"Search and walks", "/v1/explore", "Finding what the context does not have"},
	{"Search and walks", "/v1/traverse", ""},
	{"Search and walks", "/v1/schema", ""},
	{"Memory", "/v1/memory", "Writing and reading what is known"},
	{"Memory", "/v1/sources", ""},
	{"Memory", "/v1/nodes", ""},
	{"Memory", "/v1/namespaces", ""},
	{"Memory", "/v1/relationships", ""},
	{"Memory", "/v1/consolidation", ""},
	{"Memory", "/v1/duplicates", ""},
	{"Trust", "/v1/reviews", "What waits for a decision, and what was decided"},
	{"Trust", "/v1/trust", ""},
	{"Changes", "/v1/changes", "What was committed, as a list, a stream, or sent to webhooks"},
	{"Changes", "/v1/webhooks", ""},
	{"Systems", "/v1/systems", "What is known of software systems"},
	{"Chats", "/v1/trees", "Branching conversations with a language model"},
	{"Chats", "/v1/turns", ""},
	{"Chats", "/v1/explanations", ""},
	{"Users and teams", "/v1/users", "Preferences, erasure, export, import and keys"},
	{"Users and teams", "/v1/me", ""},
	{"Users and teams", "/v1/teams", ""},
	{"Users and teams", "/v1/export", ""},
	{"Users and teams", "/v1/import", ""},
	{"Users and teams", "/v1/keys", ""},
}

func tagOf(path string) string {
	for _, t := range tags {
		if strings.HasPrefix(path, t.prefix) {
			return t.name
		}
	}
	panic("handlers: the path " + path + " has no tag") // a broken binary
}
