package mcp

import (
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The page of get_context is a resource, for clients that show apps. Without the page, nothing leads to it.
func TestApp(t *testing.T) {
	t.Parallel()
	for _, app := range []string{"", "<!doctype html>"} {
		s := session(t, &fakes{}, anybody, Options{App: app})
		extension := s.InitializeResult().Capabilities.Extensions[appExtension]
		read, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: appURI})
		if app == "" {
			if err == nil || extension != nil {
				t.Errorf("without a page: %v, %v", extension, err)
			}
			continue
		}
		if err != nil || extension == nil || read.Contents[0].Text != app || read.Contents[0].MIMEType != appType {
			t.Errorf("%v, %v", extension, err)
		}
	}
}

// A context that is explained has its receipt as an object, and the same text for the model.
func TestContextIsExplained(t *testing.T) {
	t.Parallel()
	s := session(t, &fakes{text: `{"receipt":{"text":"# About Noor","tokens":4,"spans":[],"left_out":[],"not_shown":[]}}`}, anybody, Options{})
	r := call(t, s, contextTool, `{"user_id":"u","explain":true}`)
	object, _ := r.StructuredContent.(map[string]any)
	if receipt, _ := object["receipt"].(map[string]any); r.IsError || textOf(r) != "# About Noor" || receipt["tokens"] != 4.0 {
		t.Errorf("%s: %v", textOf(r), r.StructuredContent)
	}
}
