package chatlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// randomTree is a tree of messages, and what should be taken of it.
type randomTree struct {
	mapping map[string]any
	taken   []string
	others  int // messages of other branches
}

// drawTree draws a tree by adding nodes to earlier ones. The branch to the leaf is computed by walking up from it.
func drawTree(t *rapid.T) (tree randomTree, leaf string) {
	tree.mapping = map[string]any{"n0": map[string]any{"parent": nil, "message": nil}}
	type node struct {
		parent int
		text   string // as it is taken; empty: not
		spoken bool
	}
	nodes := []node{{parent: -1}}
	size := rapid.IntRange(1, 25).Draw(t, "size")
	for n := 1; n <= size; n++ {
		parent := rapid.IntRange(max(0, n-4), n-1).Draw(t, "parent")
		role := rapid.SampledFrom([]string{"user", "assistant", "assistant", "tool", "system"}).Draw(t, "role")
		text := rapid.StringMatching(`[a-zé😀 ]{0,12}`).Draw(t, "text")
		at := node{parent: parent, spoken: true}
		if (role == "user" || role == "assistant") && trimmed(text) != "" {
			at.text = role + " " + trimmed(text)
		}
		nodes = append(nodes, at)
		tree.mapping[fmt.Sprint("n", n)] = map[string]any{
			"parent": fmt.Sprint("n", parent), "children": []string{},
			"message": map[string]any{
				"author": map[string]any{"role": role, "name": nil}, "create_time": 1.7e9 + float64(n),
				"content": map[string]any{"content_type": "text", "parts": []string{text}}, "recipient": "all",
			},
		}
	}
	end := rapid.IntRange(0, size).Draw(t, "leaf")
	on := map[int]bool{}
	for n := end; n >= 0; n = nodes[n].parent {
		on[n] = true
		if nodes[n].text != "" {
			tree.taken = append(tree.taken, nodes[n].text)
		}
	}
	slices.Reverse(tree.taken)
	for n := range nodes {
		if !on[n] && nodes[n].spoken {
			tree.others++
		}
	}
	return tree, fmt.Sprint("n", end)
}

func trimmed(text string) string { return join([]part{{text: text}}, "", nil) }

// What is taken of a random tree is the branch that was seen last.
func TestRandomTrees(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tree, leaf := drawTree(t)
		raw, err := json.Marshal(map[string]any{"id": "c", "current_node": leaf, "mapping": tree.mapping})
		if err != nil {
			t.Fatal(err)
		}
		c := &Conversation{NotTaken: map[Reason]int64{}}
		if err := parseChatGPT(raw, c); err != nil {
			t.Fatal(err)
		}
		var got []string
		for n, m := range c.Messages {
			got = append(got, m.Role+" "+m.Text)
			if n > 0 && !m.At.After(c.Messages[n-1].At) {
				t.Errorf("message %d is at %v", n, m.At)
			}
		}
		if diff := cmp.Diff(tree.taken, got); diff != "" {
			t.Error(diff)
		}
		if int(c.NotTaken[OtherBranches]) != tree.others {
			t.Errorf("%d messages of other branches, want %d", c.NotTaken[OtherBranches], tree.others)
		}
	})
}

// A log of growing requests gives each message once, in its conversation.
func TestRandomLogs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		chats := make([][]map[string]string, rapid.IntRange(1, 4).Draw(t, "chats"))
		var file []byte
		for n := range rapid.IntRange(1, 20).Draw(t, "lines") {
			chat := rapid.IntRange(0, len(chats)-1).Draw(t, "chat")
			for _, role := range []string{"user", "assistant"}[:rapid.IntRange(1, 2).Draw(t, "messages")] {
				chats[chat] = append(chats[chat], map[string]string{"role": role, "content": fmt.Sprint("chat ", chat, " line ", n)})
			}
			raw, _ := json.Marshal(map[string]any{"messages": chats[chat]})
			file = append(append(file, raw...), '\n')
		}
		got := map[string][]string{}
		readLog(t, file, func(c *Conversation) {
			for _, m := range c.Messages {
				got[c.ID] = append(got[c.ID], m.Role+" "+m.Text)
			}
		})
		want := [][]string{}
		for _, chat := range chats {
			var texts []string
			for _, m := range chat {
				texts = append(texts, m["role"]+" "+m["content"])
			}
			if texts != nil {
				want = append(want, texts)
			}
		}
		all := [][]string{}
		for _, texts := range got {
			all = append(all, texts)
		}
		slices.SortFunc(all, slices.Compare)
		slices.SortFunc(want, slices.Compare)
		if diff := cmp.Diff(want, all); diff != "" {
			t.Error(diff)
		}
	})
}

func readLog(t *rapid.T, file []byte, take func(*Conversation)) {
	in, err := Open(bytes.NewReader(file), int64(len(file)), OpenAI, now)
	if err != nil {
		t.Fatal(err)
	}
	for {
		c, err := in.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		take(c)
	}
}
