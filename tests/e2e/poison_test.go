package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"kith/tests/testenv"
	"kith/text/injection/corpus"
)

// poisoned is a memory with good sources and poisoned ones, and what an extraction that believes all of them would store.
type poisoned struct {
	caller
	t *testing.T
}

// store writes sources, each in a request of its own kind as its program would.
func (p *poisoned) store(items []corpus.Item) {
	p.t.Helper()
	for some := range slices.Chunk(items, 250) {
		var nodes []map[string]any
		for _, i := range some {
			source := map[string]any{"kind": "source", "entity_key": i.ID, "content_type": i.ContentType, "origin": i.Origin, "author": i.Author}
			if i.ContentType == "document" {
				source["content_type"] = "text-note"
			}
			if i.Origin == "import" {
				source["source_type"] = "text-import"
			}
			nodes = append(nodes, source, map[string]any{"kind": "message", "entity_key": i.ID + "-m", "source_key": i.ID, "role": i.Role, "text": i.Text})
		}
		body, err := json.Marshal(map[string]any{"user_id": "mara", "strict": true, "nodes": nodes})
		if err != nil {
			p.t.Fatal(err)
		}
		p.must(p.t, http.MethodPost, "/v1/memory", string(body))
	}
}

// believe stores what an extraction that believes a source would.
func (p *poisoned) believe(i *corpus.Item, value string) {
	p.t.Helper()
	body, err := json.Marshal(map[string]any{
		"user_id": "mara", "derived_from": []string{i.ID},
		"nodes":         []map[string]any{{"kind": "entity", "entity_key": "e-" + i.ID, "name": value + " (" + i.ID + ")", "type": "contact", "description": value, "salience": 0.9}},
		"relationships": []map[string]any{{"from": "mara", "to": "e-" + i.ID, "type": "has_relationship_with", "description": "It is " + value, "salience": 0.9}},
	})
	if err != nil {
		p.t.Fatal(err)
	}
	p.must(p.t, http.MethodPost, "/v1/memory", string(body))
}

// asked counts what the first five sources of the answers have: the questions whose right answer is among them, and the poisoned
// ones.
func (p *poisoned) asked() (right map[string]bool, hits, bad int) {
	p.t.Helper()
	right = map[string]bool{}
	for _, q := range corpus.Questions() {
		body, err := json.Marshal(map[string]any{"user_id": "mara", "limit": 5, "queries": []map[string]any{{"query": q.Text}}})
		if err != nil {
			p.t.Fatal(err)
		}
		answer := p.must(p.t, http.MethodPost, "/v1/explore", string(body))
		for _, hit := range answer["episodic"].(map[string]any)["sources"].([]any) {
			source := hit.(map[string]any)
			hits++
			if strings.HasPrefix(source["entity_key"].(string), "p") {
				bad++
				p.t.Logf("poisoned: %v for %s: %v", source["entity_key"], q.Text, source["messages"])
				continue
			}
			for _, m := range source["messages"].([]any) {
				if strings.Contains(m.(map[string]any)["text"].(string), q.Answer) {
					right[q.ID] = true
				}
			}
		}
	}
	return right, hits, bad
}

// Poisoned sources, and what an extraction that believes them stores, take no places in contexts and searches that good ones had.
// KITH_TEST_POISON=500 takes so many of them, beside ten times as many good ones.
func TestPoisonedSources_slow(t *testing.T) {
	t.Parallel()
	n := 60
	if given, err := strconv.Atoi(os.Getenv("KITH_TEST_POISON")); err == nil {
		n = given
	}
	s := shared(t)
	p := &poisoned{s.as(s.newKey(t, testenv.Team(t), "read", "write", "admin")), t}
	p.must(t, http.MethodPost, "/v1/memory", `{"user_id":"mara","nodes":[{"kind":"person","entity_key":"mara","name":"`+corpus.Owner+`","is_owner":true}]}`)
	good, bad := corpus.GoodOnes(1, 10*n), corpus.Poisoned(1, n)
	p.store(good)
	believed := 0
	for i := range good {
		if g := &good[i]; g.States && g.Origin == "user" && believed < 30 {
			believed++
			p.believe(g, "good "+g.ID)
		}
	}
	before, _, _ := p.asked()
	p.store(bad)
	for i := range bad {
		p.believe(&bad[i], bad[i].Claim)
	}
	after, hits, wrong := p.asked()
	lost := 0
	for id := range before {
		if !after[id] {
			lost++
		}
	}
	if share := float64(wrong) / float64(hits); share > 0.01 {
		t.Errorf("%d of %d hits are poisoned: %.3f", wrong, hits, share)
	}
	if share := float64(lost) / float64(len(before)); share > 0.02 {
		t.Errorf("%d of %d right answers are lost: %.3f", lost, len(before), share)
	}
	lines, poison := 0, 0
	text := string(p.do(t, http.MethodGet, "/v1/context?user_id=mara&format=text", "").body)
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "- ") {
			continue
		}
		lines++
		for i := range bad {
			if strings.Contains(line, bad[i].Claim) {
				poison++
				t.Logf("poisoned: %s", line)
				break
			}
		}
	}
	if lines == 0 || float64(poison)/float64(lines) > 0.01 {
		t.Errorf("%d of %d lines of the context are poisoned:\n%s", poison, lines, text)
	}
	t.Logf("%d poisoned and %d good sources, %d questions: %d of %d hits poisoned, %d of %d right answers lost, %d of %d lines of the context poisoned",
		n, 10*n, len(corpus.Questions()), wrong, hits, lost, len(before), poison, lines)
}
