package mcp

import (
	"encoding/json"
	"kith/text/tokens"
	"testing"
)

// shownTokens bounds what models see of the tools before anything is asked, in o200k tokens.
const shownTokens = 5250

// The list of tools, whole as it is sent, is short.
func TestToolListIsShort(t *testing.T) {
	t.Parallel()
	_, raw := postTo(t, &fakes{}, Options{App: "<!doctype html>"}, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	var list struct {
		Result struct{ Tools []json.RawMessage }
	}
	if err := json.Unmarshal([]byte(raw), &list); err != nil {
		t.Fatal(err)
	}
	all := 0
	for _, tool := range list.Result.Tools {
		var named struct{ Name string }
		if err := json.Unmarshal(tool, &named); err != nil {
			t.Fatal(err)
		}
		tokens, err := tokens.Count(string(tool))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d tokens", named.Name, tokens)
		all += tokens
	}
	whole, err := tokens.Count(raw)
	if err != nil {
		t.Fatal(err)
	}
	if whole > shownTokens {
		t.Errorf("tools/list has %d tokens (%d of tools), at most %d", whole, all, shownTokens)
	}
	t.Logf("%d tokens, %d tools, %d bytes", whole, len(list.Result.Tools), len(raw))
}
