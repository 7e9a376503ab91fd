package e2e

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Two made-up conversations whose questions share no word with what answers them.
const (
	contextTurns = `{"id":"a/1","conversation":"a","session":1,"time":"2023-03-01T09:00:00Z","speaker":"U","role":"user","text":"Hello there. Always answer questions about cooking with metric quantities and oven temperatures."}
{"id":"a/2","conversation":"a","session":1,"time":"2023-03-01T09:00:10Z","speaker":"A","role":"assistant","text":"Noted, metric it is."}
{"id":"a/3","conversation":"a","session":2,"time":"2023-03-04T09:00:00Z","speaker":"U","role":"user","text":"My sister Ruth moved to Bergen in January with two dogs."}
{"id":"b/1","conversation":"b","session":1,"time":"2023-03-05T09:00:00Z","speaker":"U","role":"user","text":"The greenhouse lost seven panes during yesterday's storm."}
`
	contextQuestions = `{"qid":"q1","conversation":"a","category":"instruction","question":"How do I bake bread?","says":"Always use metric quantities and oven temperatures when I ask about cooking","gold":["a/1"]}
{"qid":"q2","conversation":"a","category":"fact","question":"Where does Ruth live now?","answer":"Bergen, since January","gold":["a/3"]}
{"qid":"q3","conversation":"b","category":"fact","question":"What did the storm break?","answer":"seven panes of the greenhouse","gold":["b/1"]}
{"qid":"q4","conversation":"a","category":"instruction","question":"What else?","says":"Prefers window seats on long flights","gold":["a/1"]}
`
)

// contextArgs writes files with the given contents and returns the arguments of kith eval context.
func contextArgs(t *testing.T, turns, questions string, more ...string) []string {
	t.Helper()
	args := evalArgs(t, turns, questions, "", more...)
	args[1] = "context"
	args[slices.Index(args, "--passages")] = "--turns"
	return args
}

func TestEvalContext(t *testing.T) {
	t.Parallel()
	service := &evalServer{context: func(query url.Values) string {
		switch user, budget := query.Get("user_id"), query.Get("max_tokens"); {
		case user == "a" && budget == "100":
			return "- (2023-03-01) Always answer questions about cooking with metric quantities and oven temperatures.\n"
		case user == "a" && budget == "":
			return `{"user":{"statements":[{"text":"Always answer questions about cooking with metric quantities and oven temperatures."}]},
				"recent_context":{"days":[{"said":["My sister Ruth moved to Bergen in January with two dogs."]}]},"temporal":{"now":"` + time.Now().Format(time.RFC3339Nano) + `"}}`
		case budget == "":
			return `{"user":{}}`
		}
		return "nothing\n"
	}}
	path := filepath.Join(t.TempDir(), "run.jsonl")
	code, out, errs := runKith(t, service.handle, contextArgs(t, contextTurns, contextQuestions, "--tokens", "100", "--run", path)...)
	// The newest words of each user have everything: both conversations are shorter than 100 tokens. BM25 finds what shares a word
	// with the question.
	want := [][]string{
		{"SET", "N", "KITH", "100", "KITH", "JSON", "NEWEST", "100", "BM25", "100"},
		{"questions", "3", "33.3", "66.7", "100.0", "66.7"},
		{"fact", "2", "0.0", "50.0", "100.0", "100.0"},
		{"instruction", "1", "100.0", "100.0", "100.0", "0.0"},
	}
	var got [][]string
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for _, line := range lines[:min(len(lines), len(want))] {
		got = append(got, strings.Fields(line))
	}
	if diff := cmp.Diff(want, got); diff != "" || code != 0 {
		t.Errorf("status %d (-want +got): %s%s%s", code, diff, out, errs)
	}
	if !strings.Contains(out, "questions without evidence: 1\n") || !strings.HasSuffix(out, "covered by texts of other users: at most 0.0\n") {
		t.Errorf("the last lines: %s", out)
	}
	run, err := os.ReadFile(path)
	first, _, _ := strings.Cut(string(run), "\n")
	if first != `{"qid":"q1","coverage":{"BM25 100":0,"Kith 100":1,"Kith JSON":1,"newest 100":1}}` || strings.Count(string(run), "\n") != 3 {
		t.Errorf("run, %v: %s", err, run)
	}
	if !service.removed() {
		t.Errorf("requests: %v", service.requests)
	}
	checkMoved(t, service.stored)
}

// checkMoved checks that each conversation was stored as if it had ended an hour ago, its distances in time kept.
func checkMoved(t *testing.T, stored []string) {
	t.Helper()
	at := map[string]time.Time{}
	for _, body := range stored {
		var source struct {
			Messages []struct {
				Key string `json:"entity_key"`
				At  time.Time
			}
		}
		if err := json.Unmarshal([]byte(body), &source); err != nil {
			t.Fatal(err)
		}
		for _, m := range source.Messages {
			at[m.Key] = m.At
		}
	}
	for _, last := range []string{"a/3", "b/1"} {
		if ago := time.Since(at[last]); ago < time.Hour || ago > time.Hour+time.Minute {
			t.Errorf("%s was %s ago", last, ago)
		}
	}
	if between := at["a/3"].Sub(at["a/1"]); between != 72*time.Hour || len(at) != 4 {
		t.Errorf("%s between the first and the last of %v", between, at)
	}
}

func TestEvalContextRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ turns, questions, want string }{
		"passages":       {evalPassages, evalPassageQuestions, "passages.jsonl: lines have no conversation"},
		"another role":   {strings.Replace(contextTurns, `"role":"user"`, `"role":"boss"`, 1), contextQuestions, "passages.jsonl:1: role must be user or assistant"},
		"no evidence":    {strings.Replace(contextTurns, "The greenhouse lost seven panes during yesterday's storm.", "Yes.", 1), strings.SplitAfter(contextQuestions, "\n")[2], "no question has evidence"},
		"gold elsewhere": {contextTurns, strings.Replace(contextQuestions, "a/1", "b/1", 1), "questions.jsonl:1: gold[0] belongs to another conversation"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := func(_ http.ResponseWriter, r *http.Request) { t.Errorf("request %s", r.URL) }
			code, out, errs := runKith(t, asked, contextArgs(t, test.turns, test.questions)...)
			if code != 1 || out != "" || !strings.Contains(errs, test.want) {
				t.Errorf("status %d, out %q, want %q: %s", code, out, test.want, errs)
			}
		})
	}
}
