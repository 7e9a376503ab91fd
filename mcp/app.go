package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// MCP Apps (SEP-1865): a tool names a resource with a page that clients show beside its answers. The page calls the tool through the
// client, with the rights of the client's key.
const (
	appExtension = "io.modelcontextprotocol/ui"
	appURI       = "ui://kith/context"
	appType      = "text/html;profile=mcp-app"
)

// extensions returns the extensions of the protocol that the server has.
func (o Options) extensions() map[string]any {
	if o.App == "" {
		return nil
	}
	return map[string]any{appExtension: map[string]any{"mimeTypes": []string{appType}}}
}

// appMeta returns what ties a tool to its page; nil for a tool without one.
func (o Options) appMeta(tool string) sdk.Meta {
	if o.App == "" || tool != contextTool {
		return nil
	}
	return sdk.Meta{"ui": map[string]any{"resourceUri": appURI}}
}

// addApp offers the page. It loads nothing from elsewhere, so that it needs no permission of the client.
func (s *Server) addApp() {
	app := s.options.App
	if app == "" {
		return
	}
	meta := sdk.Meta{"ui": map[string]any{"prefersBorder": true}}
	s.sdk.AddResource(&sdk.Resource{
		Meta: meta, URI: appURI, Name: "context app", Title: "What the agent knows, line by line", MIMEType: appType,
		Description: "A page that shows the answer of get_context with what each line costs and why it is there.",
	}, func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{Meta: meta, URI: r.Params.URI, MIMEType: appType, Text: app}}}, nil
	})
}
