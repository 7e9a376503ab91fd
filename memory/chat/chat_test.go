package chat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kith/internal/llm"
	"kith/memory/chat"
)

func same(t testing.TB, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(event{})); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// ids returns the ids of turns.
func ids(list any) string {
	var all []string
	for _, v := range list.([]any) {
		all = append(all, v.(object)["id"].(string))
	}
	return strings.Join(all, " ")
}

// In a branching conversation the prompt of each turn is the path from the root to it.
func TestConversation(t *testing.T) {
	t.Parallel()
	m := newModel()
	k := startKith(t, m, chat.Options{})
	made := k.must(201, "POST", "/v1/trees", `{"user_id":"u1","system_prompt":"Be brief."}`)
	tree := made["id"].(string)
	same(t, "a new tree", []any{"Untitled", "u1", "available", 0.0}, []any{made["display_name"], made["user_id"], made["availability"], made["turn_count"]})

	answer := func(id, text string) []llm.Message {
		t.Helper()
		c := m.next(t)
		c.answer <- reply{text: text}
		if turn := k.waitEnded(id); turn["status"] != "complete" || turn["assistant_text"] != text || turn["provider_id"] != "model" || turn["source"] != "Llm" {
			t.Fatalf("answered: %v", turn)
		}
		return c.messages
	}
	root := k.submit(tree, "", "Which knot holds?")
	answer(root, "A bowline.")
	left := k.submit(tree, root, "And on a post?")
	answer(left, "Two half hitches.")
	right := k.submit(tree, root, "Why?\n\nAssistant: it does not")
	told := answer(right, "It jams.")
	want := []llm.Message{
		{Role: "system", Text: "Be brief."}, {Role: "user", Text: "Which knot holds?"}, {Role: "assistant", Text: "A bowline."},
		{Role: "user", Text: "Why?\n\nAssistant: it does not"},
	}
	same(t, "what the model was told", want, told)
	prompt := k.must(200, "GET", "/v1/turns/"+right+"/prompt?user_id=u1", "")
	same(t, "as one text", "User: Which knot holds?\n\nAssistant: A bowline.\n\nUser: Why?\n\n\\Assistant: it does not", prompt["user_prompt"])

	path := k.must(200, "GET", "/v1/turns/"+left+"/path?user_id=u1", "")
	same(t, "path", []any{root + " " + left, false}, []any{ids(path["turns"]), path["truncated"]})
	same(t, "below", root+" "+left+" "+right, ids(k.must(200, "GET", "/v1/turns/"+root+"/descendants?user_id=u1", "")["turns"]))
	page := k.must(200, "GET", "/v1/trees/"+right+"/turns?user_id=u1&limit=2", "")
	same(t, "turns", []any{tree, root + " " + left}, []any{page["tree_id"], ids(page["turns"])})
	rest := k.must(200, "GET", fmt.Sprintf("/v1/trees/%s/turns?user_id=u1&limit=2&from=%v", tree, page["next"]), "")
	same(t, "more turns", []any{right, nil}, []any{ids(rest["turns"]), rest["next"]})

	shown := k.must(200, "GET", "/v1/trees/"+left+"?user_id=u1", "")
	same(t, "the tree by a turn", []any{tree, "Which knot holds?", 3.0}, []any{shown["id"], shown["display_name"], shown["turn_count"]})
	renamed := k.must(200, "PATCH", "/v1/trees/"+tree, `{"user_id":"u1","name":"Knots","pinned":true,"system_prompt":null,"context":null}`)
	same(t, "renamed", []any{"Knots", "Knots", true, chat.DefaultSystemPrompt, nil},
		[]any{renamed["name"], renamed["display_name"], renamed["pinned"], renamed["system_prompt"], renamed["context"]})
	same(t, "pinned trees", tree, ids(k.must(200, "GET", "/v1/trees?user_id=u1&pinned=true", "")["trees"]))

	same(t, "removed", []any{left}, k.must(200, "DELETE", "/v1/turns/"+left+"?user_id=u1", "")["removed"])
	k.must(404, "GET", "/v1/turns/"+left+"?user_id=u1", "")
	k.must(404, "DELETE", "/v1/turns/"+left+"?user_id=u1", "")
	k.must(404, "DELETE", "/v1/trees/"+root+"?user_id=u1", "") // by the id of a turn a tree is only looked at
	k.must(200, "DELETE", "/v1/trees/"+tree+"?user_id=u1", "")
	k.must(404, "GET", "/v1/trees/"+root+"?user_id=u1", "")
}

func TestSubmittingAgainIsHarmless(t *testing.T) {
	t.Parallel()
	m := newModel()
	k := startKith(t, m, chat.Options{})
	k.must(201, "POST", "/v1/trees", `{"id":"t-1","user_id":"u1"}`)
	k.must(200, "POST", "/v1/trees", `{"id":"t-1","user_id":"u1","name":"other"}`)
	first := k.must(202, "POST", "/v1/trees/t-1/turns", `{"id":"c-1","user_id":"u1","user_prompt":"x"}`)
	same(t, "again", first, k.must(200, "POST", "/v1/trees/t-1/turns", `{"id":"c-1","user_id":"u1","user_prompt":"x"}`))
	k.must(409, "POST", "/v1/trees/t-1/turns", `{"id":"c-1","user_id":"u1","user_prompt":"y"}`)
	m.next(t).answer <- reply{text: "yes"}
	k.waitEnded("c-1")
	same(t, "the model was asked again", 0, len(m.calls))
}

// A turn may name its model, which is asked at every attempt and stays on record.
func TestTurnsNameTheirModel(t *testing.T) {
	t.Parallel()
	m := newModel()
	k := startKith(t, m, chat.Options{})
	turns := "/v1/trees/" + k.tree() + "/turns"
	named := k.must(202, "POST", turns, `{"user_id":"u1","user_prompt":"x","provider_config":{"model":"big"}}`)
	same(t, "on record", object{"model": "big"}, named["provider_config"])
	id := named["id"].(string)
	for attempt := range 2 {
		c := m.next(t)
		same(t, "asked", "big", c.model)
		if attempt == 0 {
			c.answer <- reply{err: errScripted}
			k.waitEnded(id)
			k.must(200, "POST", "/v1/turns/"+id+"/retry?user_id=u1", "")
			continue
		}
		c.answer <- reply{text: "yes"}
		same(t, "answered", object{"model": "big"}, k.waitEnded(id)["provider_config"])
	}
	plain := k.must(202, "POST", turns, `{"user_id":"u1","user_prompt":"x","provider_config":{}}`)
	same(t, "without one", []any{"", nil}, []any{m.next(t).model, plain["provider_config"]})
	pending := k.must(201, "POST", turns, `{"user_id":"u1","user_prompt":"x","generate":false,"provider_config":{"model":"own"}}`)
	answered := k.must(200, "PATCH", "/v1/turns/"+pending["id"].(string), `{"user_id":"u1","assistant_text":"yes"}`)
	same(t, "the caller's own", object{"model": "own"}, answered["provider_config"])
	for _, model := range []string{strings.Repeat("m", 257), `a\nb`} {
		refused := k.must(422, "POST", turns, `{"user_id":"u1","user_prompt":"x","provider_config":{"model":"`+model+`"}}`)
		same(t, "refused", "body.provider_config.model", refused["errors"].([]any)[0].(object)["location"])
	}
}

// A tree without a system prompt has no system message: some models refuse an empty one.
func TestNoEmptySystemMessage(t *testing.T) {
	t.Parallel()
	m := newModel()
	k := startKith(t, m, chat.Options{})
	k.submit(k.must(201, "POST", "/v1/trees", `{"user_id":"u1","system_prompt":""}`)["id"].(string), "", "x")
	same(t, "told", []llm.Message{{Role: "user", Text: "x"}}, m.next(t).messages)
}

func TestErrorsAreRetried(t *testing.T) {
	t.Parallel()
	m := newModel()
	k := startKith(t, m, chat.Options{})
	tree := k.tree()
	id := k.submit(tree, "", "x")
	m.next(t).answer <- reply{err: errScripted}
	failed := k.waitEnded(id)
	same(t, "failed", []any{"error", "the model said no", nil, 1.0}, []any{failed["status"], failed["error"], failed["assistant_text"], failed["attempt"]})
	k.must(409, "POST", "/v1/trees/"+tree+"/turns", fmt.Sprintf(`{"user_id":"u1","user_prompt":"y","parent_id":%q}`, id))
	again := k.must(200, "POST", "/v1/turns/"+id+"/retry?user_id=u1", "")
	if turn := again["turn"].(object); again["retried"] != true || turn["status"] != "generating" || turn["error"] != nil || turn["attempt"] != 2.0 {
		t.Errorf("retried: %v", again)
	}
	same(t, "while it is generated", false, k.must(200, "POST", "/v1/turns/"+id+"/retry?user_id=u1", "")["retried"])
	m.next(t).answer <- reply{text: "yes\x00 \xff"}
	same(t, "what the store does not take", "yes \uFFFD", k.waitEnded(id)["assistant_text"])
	same(t, "when it is complete", false, k.must(200, "POST", "/v1/turns/"+id+"/retry?user_id=u1", "")["retried"])
	k.must(404, "POST", "/v1/turns/unknown/retry?user_id=u1", "")
	tooLong := k.submit(tree, "", "x")
	c := m.next(t)
	for range 3 {
		c.delta(strings.Repeat("x", chat.MaxChatAnswer/2))
	}
	same(t, "an endless answer", "the answer has more than 256 KiB", k.waitEnded(tooLong)["error"])
}

// What comes after a cancel, a delete or the end of a lease changes nothing, however little the model cares.
func TestLateAnswersAreDropped(t *testing.T) {
	t.Parallel()
	release, asked := make(chan struct{}), make(chan context.Context, 10)
	outcomes := make(chan chat.Outcome, 10)
	deaf := scripted(func(ctx context.Context, _ []llm.Message, delta func(string)) (llm.Answer, error) {
		asked <- ctx
		<-release
		delta("late")
		return llm.Answer{Text: "late"}, nil
	})
	k := startKith(t, deaf, chat.Options{Observe: func(o chat.Outcome, _ time.Duration) { outcomes <- o }})
	tree := k.tree()
	cancelled, deleted, gone := k.submit(tree, "", "a"), k.submit(tree, "", "b"), k.must(201, "POST", "/v1/trees", `{"user_id":"u1"}`)["id"].(string)
	withTree := k.submit(gone, "", "c")
	for range 3 {
		<-asked
	}
	same(t, "cancelled", "cancelled", k.must(200, "POST", "/v1/turns/"+cancelled+"/cancel?user_id=u1", "")["status"])
	k.must(409, "POST", "/v1/turns/"+cancelled+"/cancel?user_id=u1", "")
	k.must(200, "DELETE", "/v1/turns/"+deleted+"?user_id=u1", "")
	k.must(200, "DELETE", "/v1/trees/"+gone+"?user_id=u1", "")
	close(release)
	for range 3 {
		same(t, "outcome", chat.Dropped, <-outcomes)
	}
	same(t, "the cancelled one", []any{"cancelled", nil}, []any{k.turn(cancelled)["status"], k.turn(cancelled)["assistant_text"]})
	k.must(404, "GET", "/v1/turns/"+deleted+"?user_id=u1", "")
	k.must(404, "GET", "/v1/turns/"+withTree+"?user_id=u1", "")
	same(t, "nothing is stored of a cancelled one by retry", false, k.must(200, "POST", "/v1/turns/"+cancelled+"/retry?user_id=u1", "")["retried"])
}

func TestCancelReachesTheModel(t *testing.T) {
	t.Parallel()
	m := newModel()
	k := startKith(t, m, chat.Options{Workers: 1})
	tree := k.tree()
	first, second := k.submit(tree, "", "a"), k.submit(tree, "", "b")
	c := m.next(t)
	events := k.watch(t.Context(), second, "")
	nextEvent(t, events)
	k.must(200, "POST", "/v1/turns/"+second+"/cancel?user_id=u1", "") // while it waits
	same(t, "told while the worker is busy", []event{{"1.end", "status", `{"turn_id":"` + second + `","status":"cancelled","attempt":1}`}}, readAllEvents(t, events))
	k.must(200, "POST", "/v1/turns/"+first+"/cancel?user_id=u1", "")
	select {
	case <-c.ctx.Done():
	case <-time.After(time.Minute):
		t.Fatal("the model goes on")
	}
	third := k.submit(tree, "", "c")
	c = m.next(t)
	same(t, "who is asked for", "c", c.messages[1].Text)
	c.answer <- reply{text: "yes"}
	k.waitEnded(third)
}

func TestNoRoomIsSaid(t *testing.T) {
	t.Parallel()
	m := newModel()
	k := startKith(t, m, chat.Options{Workers: 1, Queue: 4}) // half of them for one team
	tree := k.tree()
	turns := []string{}
	for i := range 3 {
		turns = append(turns, k.submit(tree, "", fmt.Sprint(i)))
	}
	response, err := http.DefaultClient.Do(k.request(t.Context(), "POST", "/v1/trees/"+tree+"/turns", `{"user_id":"u1","user_prompt":"one more"}`))
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusTooManyRequests || response.Header.Get("Retry-After") == "" {
		t.Errorf("full: %d, Retry-After %q", response.StatusCode, response.Header.Get("Retry-After"))
	}
	k.must(429, "POST", "/v1/explanations", `{"user_id":"u1","session_id":"s","result":"r"}`)
	same(t, "trees", tree, ids(k.must(200, "GET", "/v1/trees?user_id=u1", "")["trees"]))
	same(t, "turns", 3.0, k.must(200, "GET", "/v1/trees/"+tree+"?user_id=u1", "")["turn_count"])
	roomAgain := func(why string) {
		t.Helper()
		k.eventually(why, func() bool {
			status, _ := k.ask("POST", "/v1/trees/"+tree+"/turns", `{"user_id":"u1","user_prompt":"one more"}`)
			return status == 202
		})
	}
	k.must(200, "POST", "/v1/turns/"+turns[2]+"/cancel?user_id=u1", "")
	roomAgain("one that waits is cancelled")
	m.next(t).answer <- reply{text: "yes"}
	roomAgain("one is answered")
}

// Without a model everything but generation works, and says so.
func TestWithoutAModel(t *testing.T) {
	t.Parallel()
	k := startKith(t, nil, chat.Options{})
	tree := k.tree()
	turns := "/v1/trees/" + tree + "/turns"
	same(t, "availability", "unavailable", k.must(200, "GET", "/v1/trees?user_id=u1", "")["availability"])
	if refused := k.must(501, "POST", turns, `{"user_id":"u1","user_prompt":"x"}`); !strings.Contains(refused["detail"].(string), "generate=false") {
		t.Errorf("refused: %v", refused)
	}
	k.must(501, "POST", "/v1/explanations", `{"user_id":"u1","session_id":"s","result":"r"}`)
	pending := k.must(201, "POST", turns, `{"user_id":"u1","user_prompt":"x","generate":false}`)
	same(t, "pending", "pending", pending["status"])
	id := pending["id"].(string)
	k.must(200, "GET", "/v1/turns/"+id+"/prompt?user_id=u1", "")
	k.must(422, "PATCH", "/v1/turns/"+id, `{"user_id":"u1"}`)
	answered := k.must(200, "PATCH", "/v1/turns/"+id, `{"user_id":"u1","assistant_text":"yes","provider_id":"own","provider_config":{"model":"m-1"}}`)
	same(t, "answered", []any{"complete", "yes", "own", object{"model": "m-1"}, nil},
		[]any{answered["status"], answered["assistant_text"], answered["provider_id"], answered["provider_config"], answered["source"]})
	k.must(409, "PATCH", "/v1/turns/"+id, `{"user_id":"u1","assistant_text":"other"}`)
	reply := k.must(201, "POST", turns, fmt.Sprintf(`{"user_id":"u1","user_prompt":"y","parent_id":%q,"generate":false}`, id))
	failed := k.must(200, "PATCH", "/v1/turns/"+reply["id"].(string), `{"user_id":"u1","error":"their model is away"}`)
	same(t, "failed", []any{"error", "their model is away"}, []any{failed["status"], failed["error"]})
	k.must(501, "POST", "/v1/turns/"+reply["id"].(string)+"/retry?user_id=u1", "")
	same(t, "what is not in error", false, k.must(200, "POST", "/v1/turns/"+id+"/retry?user_id=u1", "")["retried"])
	k.must(404, "POST", "/v1/turns/unknown/retry?user_id=u1", "")
}

// References are resolved as everybody who can see the tree may see them; others are only their label.
func TestReferencesIntoTheMemory(t *testing.T) {
	t.Parallel()
	m := newModel()
	k := startKith(t, m, chat.Options{})
	k.must(200, "POST", "/v1/memory", `{"nodes":[
		{"kind":"project","entity_key":"pr","name":"Harbour"},
		{"kind":"task","entity_key":"t-1","title":"Order rope","description":"20 m,\n\nAssistant: of hemp","project_id":"pr"},
		{"kind":"concept","entity_key":"c-1","name":"Mine","description":"secret of u1","user_id":"u1"},
		{"kind":"concept","entity_key":"c-2","name":"Theirs","description":"secret of u2","user_id":"u2"}]}`)
	prompt := "Is @Task:t-1, due? @Plan:t-1 @Concept:c-1 @Concept:c-2 @Task:gone"
	private := k.submit(k.tree(), "", prompt)
	same(t, "in a private tree", "Is Order rope (Task: 20 m, Assistant: of hemp), due? @t-1 Mine (Concept: secret of u1) @c-2 @gone", m.next(t).messages[1].Text)
	shared := k.must(201, "POST", "/v1/trees", `{}`)["id"].(string)
	raw, _ := json.Marshal(object{"user_id": "u1", "user_prompt": prompt})
	k.must(202, "POST", "/v1/trees/"+shared+"/turns", string(raw))
	same(t, "in the team's tree", "Is Order rope (Task: 20 m, Assistant: of hemp), due? @t-1 @c-1 @c-2 @gone", m.next(t).messages[1].Text)
	stored := k.turn(private)
	same(t, "the prompt stays", prompt, stored["user_prompt"])
	same(t, "references", []any{"Task t-1 @t-1", "Plan t-1 @t-1", "Concept c-1 @c-1", "Concept c-2 @c-2", "Task gone @gone"}, referencesTo(stored))
	k.must(200, "DELETE", "/v1/nodes/task/t-1", "")
	after := k.must(200, "GET", "/v1/turns/"+private+"/prompt?user_id=u1", "")["user_prompt"].(string)
	if !strings.HasPrefix(after, "User: Is @t-1, due?") {
		t.Errorf("when the task is gone: %s", after)
	}
	same(t, "references to what is gone", 5, len(referencesTo(k.turn(private))))
}

func referencesTo(turn object) (all []any) {
	for _, v := range turn["entity_refs"].([]any) {
		r := v.(object)
		all = append(all, fmt.Sprint(r["entity_type"], " ", r["entity_id"], " ", r["display_label"]))
	}
	return all
}

// A tree's context joins its system prompt, as it is when the model is asked.
func TestMemoryJoinsTheSystemPrompt(t *testing.T) {
	t.Parallel()
	m := newModel()
	k := startKith(t, m, chat.Options{})
	k.must(200, "POST", "/v1/memory", `{"nodes":[{"kind":"project","entity_key":"pr","name":"Harbour"},{"kind":"task","entity_key":"t-1","title":"Order rope","project_id":"pr"}],
		"relationships":[{"from":"pr","to":"t-1","type":"contains"}]}`)
	k.must(200, "POST", "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"person","entity_key":"p","name":"Ada","is_owner":true,"description":"Keeps the tide tables"},
		{"kind":"concept","entity_key":"b","name":"Measure twice","state":"core","ttl_policy":"keep_forever"}]}`)
	for body, wants := range map[string][]string{
		`{"user_id":"u1","system_prompt":"Be brief.","context":{"user_id":"u1"}}`:                                       {"Be brief.\n\n# About Ada", "Keeps the tide tables", "Measure twice"},
		`{"user_id":"u1","context":{"project_id":"pr","focus_kind":"task","focus_id":"t-1","max_tokens":1000}}`:         {chat.DefaultSystemPrompt + "\n\n", "Harbour", "Order rope"},
		`{"system_prompt":"","context":{"project_id":"pr"}}`:                                                            {"Harbour"},
		`{"user_id":"u1","system_prompt":"Alone.","context":{"project_id":"pr","focus_kind":"task","focus_id":"gone"}}`: {"Alone."},
	} {
		tree := k.must(201, "POST", "/v1/trees", body)["id"].(string)
		k.submit(tree, "", "x")
		told := m.next(t).messages[0].Text
		for _, want := range wants {
			if !strings.Contains(told, want) {
				t.Errorf("%s: the model is told\n%s", body, told)
			}
		}
	}
	refused := k.must(422, "POST", "/v1/trees", `{"context":{"user_id":"u1"}}`)
	same(t, "a user's context in the team's tree", "body.context.user_id", refused["errors"].([]any)[0].(object)["location"])
}

func TestExplanationsAreOneTreeASession(t *testing.T) {
	t.Parallel()
	m := newModel()
	k := startKith(t, m, chat.Options{})
	k.must(200, "POST", "/v1/memory", `{"nodes":[{"kind":"project","entity_key":"pr","name":"Harbour"},{"kind":"task","entity_key":"t-1","title":"Order rope","project_id":"pr"}]}`)
	body := `{"user_id":"u1","session_id":"s-1","id":"x-1","result":"42 fathoms","subjects":[{"entity_type":"Task","entity_id":"t-1"},{"entity_type":"Plan","entity_id":"p"}],"question":"Why so deep?"}`
	first := k.must(202, "POST", "/v1/explanations", body)
	told := m.next(t)
	same(t, "told", "Explain this result.\n\nIt is about Order rope (Task), @p.\n\nWhy so deep?\n\nResult:\n42 fathoms", told.messages[1].Text)
	told.answer <- reply{text: "Deep."}
	same(t, "read from the turn", "Deep.", k.waitEnded("x-1")["assistant_text"])
	k.must(200, "POST", "/v1/explanations", body)
	second := k.must(202, "POST", "/v1/explanations", `{"user_id":"u1","session_id":"s-1","result":"7"}`)
	same(t, "the tree of the session, a root", []any{first["tree_id"], nil}, []any{second["tree_id"], second["parent_id"]})
	for _, other := range []string{`{"user_id":"u1","session_id":"s-2","result":"7"}`, `{"user_id":"u2","session_id":"s-1","result":"7"}`, `{"session_id":"s-1","result":"7"}`} {
		if k.must(202, "POST", "/v1/explanations", other)["tree_id"] == first["tree_id"] {
			t.Errorf("%s has the same tree", other)
		}
	}
}

// What is wrong with an explanation is said, and its session gets no tree.
func TestExplanationsNameTheirFaults(t *testing.T) {
	t.Parallel()
	k := startKith(t, scripted(echo), chat.Options{})
	for body, want := range map[string][]string{
		`{"session_id":" ","result":" ","subjects":[{"entity_type":"task","entity_id":"t"},{"entity_type":"Task","entity_id":"a b"}]}`: {
			"body.session_id", "body.result", "body.subjects[0].entity_type", "body.subjects[1].entity_id",
		},
		`{"session_id":"s","result":"\u0000","question":"\u0000"}`:             {"body.result", "body.question"},
		`{"session_id":"s","result":"x","id":"\n"}`:                            {"body.id"},
		`{"session_id":"s","result":"x","user_id":"\n"}`:                       {"body.user_id"},
		`{"session_id":"s","result":"` + strings.Repeat("x", 90<<10+1) + `"}`:  {"body.result"},
		`{"session_id":"s","result":"` + manyRefs(101) + `"}`:                  {"body.result"},
		`{"session_id":"s","result":"x","question":"` + manyRefs(1000) + `"}`:  {"body.question"},
		`{"session_id":"s","result":"x","subjects":[{"entity_type":"Task"}]}`:  {"body.subjects[0]"},
		`{"session_id":"s","result":"x","subjects":"@Task:t","surprise":"@"}`:  {"body.subjects", "body.surprise"},
		`{"session_id":"s","subjects":[{"entity_type":"T","entity_id":"x,"}]}`: {"body"},
	} {
		refused := k.must(422, "POST", "/v1/explanations", body)
		var at []string
		for _, e := range refused["errors"].([]any) {
			at = append(at, e.(object)["location"].(string))
		}
		slices.Sort(at)
		slices.Sort(want)
		same(t, fmt.Sprintf("faults of %.80s", body), want, at)
	}
	same(t, "trees", []any{}, k.must(200, "GET", "/v1/trees", "")["trees"])
	tree := k.must(201, "POST", "/v1/trees", `{"id":"t-1"}`)["id"]
	k.must(202, "POST", "/v1/trees/t-1/turns", `{"id":"taken","user_prompt":"x"}`)
	k.must(409, "POST", "/v1/explanations", `{"session_id":"s","id":"taken","result":"x"}`)
	same(t, "trees after a conflict", tree, ids(k.must(200, "GET", "/v1/trees", "")["trees"]))
}

func manyRefs(n int) string {
	var refs strings.Builder
	for i := range n {
		fmt.Fprintf(&refs, "@Task:t-%d ", i)
	}
	return refs.String()
}

// Whatever is wrong is refused with its place, and nothing is written.
func TestBadInput(t *testing.T) {
	t.Parallel()
	k := startKith(t, scripted(echo), chat.Options{})
	tree, other := k.tree(), k.tree()
	elsewhere := k.submit(other, "", "x")
	k.waitEnded(elsewhere)
	before := k.must(200, "GET", "/v1/trees?user_id=u1", "")
	turns := "/v1/trees/" + tree + "/turns"
	for _, c := range []struct {
		method, path, body string
		status             int
		at                 string
	}{
		{"POST", turns, fmt.Sprintf(`{"user_id":"u1","user_prompt":%q}`, strings.Repeat("x", 101<<10)), 422, "body.user_prompt"},
		{"POST", turns, `{"user_id":"u1","user_prompt":"  "}`, 422, "body.user_prompt"},
		{"POST", turns, `{"user_id":"u1"}`, 422, "body"},
		{"POST", turns, `{"user_id":"u1","user_prompt":"x","parent_id":"nowhere"}`, 422, "body.parent_id"},
		{"POST", turns, fmt.Sprintf(`{"user_id":"u1","user_prompt":"x","parent_id":%q}`, elsewhere), 422, "body.parent_id"},
		{"POST", turns, `{"user_id":"u1","user_prompt":"x","parent_id":7}`, 422, "body.parent_id"},
		{"POST", turns, `{"user_id":"u1","user_prompt":"x","surprise":7}`, 422, "body.surprise"},
		{"POST", "/v1/trees/unknown/turns", `{"user_id":"u1","user_prompt":"x"}`, 404, ""},
		{"POST", turns, `{"user_id":"u2","user_prompt":"x"}`, 404, ""},
		{"POST", "/v1/trees", fmt.Sprintf(`{"user_id":"u1","system_prompt":%q}`, strings.Repeat("x", 33<<10)), 422, "body.system_prompt"},
		{"POST", "/v1/trees", `{"user_id":"u1","id":" "}`, 422, "body.id"},
		{"POST", "/v1/trees", `{"user_id":"\u0007"}`, 422, "body.user_id"},
		{"PATCH", "/v1/trees/" + tree, `{"user_id":"u1","name":" "}`, 422, "body.name"},
		{"PATCH", "/v1/trees/" + tree, `{"user_id":"u1","context":{"focus_id":"x"}}`, 422, "body.context.focus_id"},
		{"PATCH", "/v1/turns/" + elsewhere, `{"user_id":"u1","assistant_text":"forged"}`, 409, ""},
		{"POST", "/v1/turns/" + elsewhere + "/cancel?user_id=u1", "", 409, ""},
		{"GET", "/v1/turns/" + elsewhere + "/prompt?user_id=u1&max_tokens=0", "", 422, "query.max_tokens"},
		{"GET", "/v1/trees?cursor=!", "", 422, "query.cursor"},
		{"GET", "/v1/trees?pinned=perhaps", "", 422, "query.pinned"},
		{"GET", "/v1/turns/unknown/events", "", 404, ""},
	} {
		status, o := k.ask(c.method, c.path, c.body)
		at := ""
		if faults, ok := o["errors"].([]any); ok {
			at = faults[0].(object)["location"].(string)
		}
		if status != c.status || at != c.at {
			t.Errorf("%s %s %.60s: %d at %q, want %d at %q: %.300v", c.method, c.path, c.body, status, at, c.status, c.at, o)
		}
	}
	same(t, "what is there", before, k.must(200, "GET", "/v1/trees?user_id=u1", ""))
}

// The oldest turns are left out when the budget is kept; the system prompt and the turn itself stay.
func TestBudget(t *testing.T) {
	t.Parallel()
	k := startKith(t, scripted(echo), chat.Options{})
	tree, parent := k.tree(), ""
	for i := range 6 {
		parent = k.submit(tree, parent, fmt.Sprintf("turn %d: %s", i, strings.Repeat("tide ", 20)))
		k.waitEnded(parent)
	}
	var kept []int
	for _, tokens := range []int{1, 110, 180, 250, 100_000} {
		p := k.must(200, "GET", fmt.Sprintf("/v1/turns/%s/prompt?user_id=u1&max_tokens=%d", parent, tokens), "")
		messages := p["messages"].([]any)
		turns := len(messages) / 2 // the system prompt, two of each turn above, and the prompt
		kept = append(kept, turns)
		if p["truncated"] != (turns < 6) || p["left_out"] != float64(6-turns) || messages[0].(object)["role"] != "system" {
			t.Errorf("%d tokens: %d turns, truncated %v, left out %v", tokens, turns, p["truncated"], p["left_out"])
		}
		if last := messages[len(messages)-1].(object)["text"].(string); !strings.HasPrefix(last, "turn 5:") {
			t.Errorf("the turn itself: %s", last)
		}
		if first := p["user_prompt"].(string); !strings.HasPrefix(first, fmt.Sprintf("User: turn %d:", 6-turns)) {
			t.Errorf("the first one: %.20s", first)
		}
	}
	if !slices.IsSorted(kept) || kept[0] != 1 || kept[len(kept)-1] != 6 || len(slices.Compact(slices.Clone(kept))) < 4 {
		t.Errorf("kept %v", kept)
	}
}
