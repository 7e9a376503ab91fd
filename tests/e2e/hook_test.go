package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"

	"kith/cmd/kith/machine"
	"kith/tests/testenv"
	"kith/text/tokens"
)

// A session of each agent is stored once, however often its hooks run, and helps in the next one.
func TestHooksOfEachAgent(t *testing.T) {
	t.Parallel()
	for _, agent := range []string{"claude-code", "codex", "cursor"} {
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			c, key := hookUser(t)
			h := newHooks(t, agent, shared(t).url, key)
			if out := h.must(t, "session-start", map[string]any{"source": "startup"}); out != "" {
				t.Errorf("the context of an empty memory: %s", out)
			}
			want := []string{"user: Where is the lighthouse?", "assistant: I look it up.", "assistant: It is on Fastnet Rock."}
			for _, event := range []string{"stop", "stop", "compact"} {
				if out := h.must(t, event, nil); out != "" {
					t.Errorf("%s prints %s", event, out)
				}
				h.has(t, c, want...)
			}
			if out := h.must(t, "prompt", map[string]any{"prompt": "Where is the lighthouse?"}); out != "" {
				t.Errorf("a session gets what it has said: %s", out)
			}
			h.append(t, `{"role":"user","message":{"content":"Thank you, Fastnet is far"}}`+"\n")
			h.must(t, "stop", nil)
			h.has(t, c, append(want, "user: Thank you, Fastnet is far")...)

			h.session, h.transcript = "session-2", ""
			if said := h.told(t, h.must(t, "session-start", map[string]any{"source": "startup"})); !strings.Contains(said, "About ada") {
				t.Errorf("the context: %s", said)
			}
			if out := h.must(t, "session-start", map[string]any{"source": "resume"}); out != "" {
				t.Errorf("the context of a resumed session: %s", out)
			}
			if said := h.told(t, h.must(t, "prompt", map[string]any{"prompt": "Where is the lighthouse?"})); !strings.Contains(said, "Fastnet Rock") {
				t.Errorf("the search: %s", said)
			}
			for _, prompt := range []string{"yes", "/clear the lighthouse now", "How do I bake bread with rye and honey?"} {
				if out := h.must(t, "prompt", map[string]any{"prompt": prompt}); out != "" {
					t.Errorf("%s: %s", prompt, out)
				}
			}
			h.must(t, "stop", nil) // without a transcript there is nothing to store
		})
	}
}

// An answer to a prompt keeps its budget, whatever is stored.
func TestHookBudget(t *testing.T) {
	t.Parallel()
	c, key := hookUser(t)
	h := newHooks(t, "claude-code", shared(t).url, key)
	var lines []string
	for i := range 300 {
		lines = append(lines, userLine(fmt.Sprint(i), fmt.Sprintf("The lighthouse keeper number %d of the island %s", i, strings.Repeat("counts gulls and ships ", 20))))
	}
	h.write(t, lines...)
	h.must(t, "stop", nil)
	eventually(t, time.Minute, "all is stored", func() bool { return len(h.stored(t, c)) == len(lines) }) // in the background, if the machine is slow
	h.session = "another"
	said := h.told(t, h.must(t, "prompt", map[string]any{"prompt": "Who is the lighthouse keeper of the island?"}))
	if n, err := tokens.Count(said); err != nil || n < 30 || n > 300 {
		t.Errorf("%d tokens, %v: %s", n, err, said)
	}
}

func TestHookBadTranscripts(t *testing.T) {
	t.Parallel()
	c, key := hookUser(t)
	first, last := userLine("1", "One"), userLine("9", "Nine")
	for session, test := range map[string]struct {
		text, said string
		code       int
		want       []string
	}{
		"half-a-line":   {first + "\n" + last[:30], "is cut short", 0, []string{"user: One"}},
		"unknown-role":  {first + "\n" + `{"type":"user","message":{"role":"wizard","content":"x"}}` + "\n" + last, `unknown role "wizard"`, 0, []string{"user: One", "user: Nine"}},
		"latin-1":       {first + "\n" + userLine("2", "caf") + "\xe9\n" + last, "is not valid UTF-8", 0, []string{"user: One", "user: Nine"}},
		"before-1970":   {strings.Replace(first, `"type"`, `"timestamp":"1901-01-01T00:00:00Z","type"`, 1), "is before 1970", 0, []string{"user: One"}},
		"fast-clock":    {strings.Replace(first, `"type"`, `"timestamp":"2199-01-01T00:00:00Z","type"`, 1), "", 0, []string{"user: One"}},
		"same-id":       {first + "\n" + first + "\n" + last + "\n" + userLine("1", "Another"), "", 0, []string{"user: One", "user: Nine"}},
		"binary":        {strings.Repeat("\x00\x01\n", 50) + first, "47 more lines", 0, []string{"user: One"}},
		"secret":        {userLine("1", "use kith_abcdefghijklmnopqrstu"), "", 0, []string{"user: use [secret removed]"}},
		"long":          {userLine("1", strings.Repeat("é", 70000)), "", 0, []string{"user: " + strings.Repeat("é", 65536)}},
		"utf-16":        {"\xff\xfe{\x00", "must be UTF-8", 1, nil},
		"no-transcript": {"", "there is no file", 0, nil},
	} {
		h := newHooks(t, "claude-code", shared(t).url, key)
		h.session = session
		if err := os.WriteFile(h.transcript, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if test.text == "" {
			h.transcript += ".missing"
		}
		code, out, said := h.answered(t, "stop", nil)
		if log, err := os.ReadFile(filepath.Join(filepath.Dir(h.project), "data", "background.log")); err == nil && test.said != "" {
			said += string(log) // a process in the background has gone on
		}
		if code != test.code || out != "" || !strings.Contains(said, test.said) || test.said == "" && said != "" {
			t.Errorf("%s: %d %q %q", session, code, out, said)
		}
		if test.want == nil {
			if r := c.do(t, http.MethodGet, "/v1/conversations/claude-code%2F"+session, ""); r.status != http.StatusNotFound {
				t.Errorf("%s: something is stored: %s", session, r.body)
			}
		} else {
			h.has(t, c, test.want...)
		}
	}
}

// Two users' conversations with the same id are two.
func TestHookConversationOfAnother(t *testing.T) {
	t.Parallel()
	s, team := shared(t), testenv.Team(t)
	for _, user := range []string{"ada", "bob"} {
		key := at(s.as(bootstrapKey).must(t, http.MethodPost, "/v1/keys", `{"team_id":"`+team+`","user_id":"`+user+`","scopes":["read","write"]}`), "key").(string)
		h := newHooks(t, "claude-code", s.url, key)
		h.write(t, `{"type":"user","uuid":"1","message":{"role":"user","content":"I am `+user+`"}}`)
		if code, out, said := h.answered(t, "stop", nil); code != 0 || out != "" || said != "" {
			t.Errorf("%s: %d %s %s", user, code, out, said)
		}
		h.has(t, s.as(key), "user: I am "+user)
	}
}

// A hook that gets no good input fails with a line for the user. It never exits with 2, which would stop the agent.
func TestHookBadInput(t *testing.T) {
	t.Parallel()
	h := newHooks(t, "claude-code", "http://127.0.0.1:1", "k")
	for _, input := range []string{"", "hello", "{", "[]", `{"hook_event_name":"Stop"}`, strings.Repeat("x", 2<<20)} {
		code, out, said := h.call(t, "stop", strings.NewReader(input))
		if code != 1 || out != "" || strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, "kith: ") {
			t.Errorf("%.20q: %d %q %q", input, code, out, said)
		}
	}
	if code, _, said := h.call(t, "dance", strings.NewReader("{}")); code != 1 || !strings.Contains(said, "must be one of") {
		t.Errorf("an unknown event: %d %s", code, said)
	}
}

// The agent goes on within two seconds, whatever the other side does.
func TestHookTimeLimit(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts, never answers
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() }) // after the parallel tests
	for _, address := range []string{silent.Addr().String(), "127.0.0.1:1"} {
		for _, event := range []string{"session-start", "prompt", "stop", "compact"} {
			t.Run(address+" "+event, func(t *testing.T) {
				t.Parallel()
				h := newHooks(t, "claude-code", "http://"+address, "k")
				in := h.input(event, map[string]any{"prompt": "Where is the lighthouse?"})
				code, out, said := h.call(t, event, strings.NewReader(in))
				want := "the agent goes on without it\n"
				if address == silent.Addr().String() && (event == "stop" || event == "compact") {
					want = ": the rest is stored in the background\n"
				}
				if code != 0 || !strings.HasSuffix(said, want) {
					t.Errorf("%d %s", code, said)
				} else if strings.Contains(want, "background") {
					h.eventually(t, "*.next")
				}
				if notice := event == "session-start"; notice != strings.Contains(out, `{"systemMessage":"Kith: memory cannot be reached`) || !notice && out != "" {
					t.Errorf("prints %s", out)
				}
			})
		}
	}
	t.Run("input without an end", func(t *testing.T) {
		t.Parallel()
		in, agent := io.Pipe()
		defer func() { _ = agent.Close() }()
		h := newHooks(t, "claude-code", "http://127.0.0.1:1", "k")
		if code, out, said := h.call(t, "prompt", in); code != 0 || out != "" || !strings.Contains(said, "two seconds") {
			t.Errorf("%d %s %s", code, out, said)
		}
	})
}

// hookLimit is the time that a hook takes at most for what it does itself.
const hookLimit = 1500 * time.Millisecond

// stuck is an output whose first write takes until it is freed. What is written gets lost.
type stuck struct {
	used  atomic.Bool
	freed chan struct{}
}

func (s *stuck) Write(p []byte) (int, error) {
	if s.used.CompareAndSwap(false, true) {
		<-s.freed
	}
	return len(p), nil
}

// What a hook is still storing when its time is over, a process in the background stores.
func TestHookThatIsStuck(t *testing.T) {
	t.Parallel()
	c, key := hookUser(t)
	h := newHooks(t, "claude-code", shared(t).url, key)
	h.write(t, "{", userLine("1", "One"))
	out := &stuck{freed: make(chan struct{})}
	free := sync.OnceFunc(func() { close(out.freed) })
	defer free()
	began := time.Now()
	if code := run(t.Context(), []string{"hook", "stop"}, h.environ, streams{strings.NewReader(h.input("stop", nil)), io.Discard, out}); code != 0 {
		t.Errorf("it ends with %d", code)
	}
	if took := time.Since(began); took < hookLimit {
		t.Errorf("it was not stuck: it took %v", took)
	}
	h.eventually(t, "*.next") // a process waits for its turn
	free()
	h.has(t, c, "user: One")
}

// A session whose last hook runs while the memory of the machine is away is stored when that is back.
func TestHookWhileTheMemoryIsAway(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"refused", "busy"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			var away atomic.Bool
			stored := make(chan int, 10)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if away.Load() {
					w.Header().Set("Retry-After", "1")
					w.WriteHeader(http.StatusServiceUnavailable)
					return
				}
				var sent struct{ Messages []any }
				if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
					t.Error(err)
				}
				stored <- len(sent.Messages)
				_, _ = io.WriteString(w, "{}")
			}))
			defer server.Close()
			h := newHooks(t, "claude-code", "", "")
			folder := filepath.Join(filepath.Dir(h.project), "data")
			_, release, err := machine.Claim(t.Context(), folder)
			if err != nil {
				t.Fatal(err)
			}
			defer release()
			publish := func(url string) {
				if err := (&machine.Server{URL: url, Key: "k", Team: "default"}).Publish(folder); err != nil {
					t.Fatal(err)
				}
			}
			away.Store(true)
			publish(map[string]string{"refused": "http://127.0.0.1:1", "busy": server.URL}[how])
			code, out, said := h.call(t, "stop", strings.NewReader(h.input("stop", nil)))
			if code != 0 || out != "" || !strings.HasSuffix(said, ": the rest is stored in the background\n") {
				t.Errorf("%d %s %s", code, out, said)
			}
			away.Store(false)
			publish(server.URL)
			select {
			case n := <-stored:
				if h.eventually(t, "*.json"); n != 3 { // the process ends
					t.Errorf("%d messages", n)
				}
			case <-time.After(time.Minute):
				t.Error("nothing is stored")
			}
			states, err := filepath.Glob(filepath.Join(folder, "hooks", "*.lock")) // that of the session
			if err != nil || len(states) != 1 {
				t.Fatalf("states: %v, %v", states, err)
			}
			lock := flock.New(states[0])
			eventually(t, time.Minute, "the process in the background ends", func() bool { // or it starts a memory when this one is released
				free, err := lock.TryLock()
				return err == nil && free && lock.Close() == nil
			})
		})
	}
}

// Another key may be that of another user: with it the whole session is sent.
func TestHookWithAnotherKey(t *testing.T) {
	t.Parallel()
	var sent []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = append(sent, r.Header.Get("Authorization"))
		_, _ = io.WriteString(w, "{}")
	}))
	defer server.Close()
	h := newHooks(t, "claude-code", server.URL, "")
	for _, key := range []string{"k1", "k1", "k2"} {
		h.environ[1] = "KITH_KEY=" + key
		h.must(t, "stop", nil)
	}
	if diff := cmp.Diff([]string{"Bearer k1", "Bearer k2"}, sent); diff != "" {
		t.Error(diff)
	}
}

// Who switches hooks off, or has given no key, sends nothing.
func TestHooksOff(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	defer server.Close()
	for _, off := range []string{"session", "project", "key"} {
		h := newHooks(t, "claude-code", server.URL, "k")
		want, code := "", 0
		switch off {
		case "session":
			h.environ = append(h.environ, "KITH_HOOK=off")
		case "project":
			if err := os.MkdirAll(filepath.Join(h.project, ".kith"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(h.project, ".kith", "off"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		case "key":
			h.environ[1] = "KITH_KEY="
			want, code = "KITH_KEY is required", 1
		}
		for _, event := range []string{"session-start", "prompt", "stop", "compact"} {
			got, out, said := h.call(t, event, strings.NewReader(h.input(event, map[string]any{"prompt": "Where is the lighthouse?"})))
			if got != code || out != "" || !strings.Contains(said, want) || want == "" && said != "" {
				t.Errorf("%s, %s: %d %s %s", off, event, got, out, said)
			}
		}
	}
	if n := requests.Load(); n > 0 {
		t.Errorf("%d requests", n)
	}
}

// A hook that is killed before it knows that a chunk is stored stores nothing twice when it runs again.
func TestHookIsKilled_slow(t *testing.T) {
	t.Parallel()
	c, key := hookUser(t)
	to, err := url.Parse(shared(t).url)
	if err != nil {
		t.Fatal(err)
	}
	var cut atomic.Bool
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.ErrorLog = log.New(io.Discard, "", 0)
	proxy.ModifyResponse = func(*http.Response) error {
		if cut.Load() {
			panic(http.ErrAbortHandler) // after the service has stored it
		}
		return nil
	}
	server := httptest.NewServer(proxy)
	defer server.Close()
	h := newHooks(t, "claude-code", server.URL, key)
	var lines, want []string
	for i := range 450 { // three chunks
		lines, want = append(lines, userLine(fmt.Sprint(i), fmt.Sprint("Number ", i))), append(want, fmt.Sprint("user: Number ", i))
	}
	h.write(t, lines...)
	cut.Store(true)
	if code, _, said := h.answered(t, "stop", nil); code != 0 || said == "" {
		t.Fatalf("%d %s", code, said)
	}
	h.has(t, c, want[:200]...)
	cut.Store(false)
	h.must(t, "stop", nil)
	h.has(t, c, want...)
	eventually(t, time.Minute, "the state is removed, once no hook writes it in the background", func() bool {
		return os.RemoveAll(strings.TrimPrefix(h.environ[2], "KITH_DATA=")) == nil
	})
	h.must(t, "stop", nil) // all of it again
	h.has(t, c, want...)
}

// A transcript of 500 MB blocks no hook. What there is no time for is stored in the background.
func TestHookLongTranscript(t *testing.T) {
	t.Parallel()
	c, key := hookUser(t)
	h := newHooks(t, "claude-code", shared(t).url, key)
	h.write(t, userLine("1", "The first"))
	if err := os.Truncate(h.transcript, 500<<20); err != nil { // one line of 500 MB without content
		t.Fatal(err)
	}
	h.append(t, "\n"+userLine("2", "The last")+"\n")
	if code, out, said := h.call(t, "stop", strings.NewReader(h.input("stop", nil))); code != 0 || out != "" {
		t.Fatalf("%d %s %s", code, out, said)
	}
	h.has(t, c, "user: The first", "user: The last")
}
