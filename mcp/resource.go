package mcp

import (
	"context"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"kith/access/auth"
	"kith/loader"
)

const (
	contextURI   = "kith://context"
	schemaURI    = "kith://schema"
	markdownType = "text/markdown"
)

// addResources offers what clients may show or attach without a model that asks for it.
func (s *Server) addResources() {
	s.sdk.AddResource(&sdk.Resource{
		URI: contextURI, Name: "context", Title: "What to know about the user", MIMEType: markdownType,
		Description: "The context of the user to whom the key is bound, as get_context tells it.",
	}, s.readContext)
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: contextURI + "/{user_id}", Name: "context of a user", Title: "What to know about a user", MIMEType: markdownType,
		Description: "The context of any user for whom the key may act.",
	}, s.readContext)
	s.sdk.AddResource(&sdk.Resource{
		URI: schemaURI, Name: "schema", Title: "What Cypher can ask here", MIMEType: markdownType,
		Description: "Kinds of nodes, their properties, types of relationships, rules and examples, for traverse with mode cypher.",
	}, s.readSchema)
}

func (s *Server) readContext(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	named, given := strings.CutPrefix(strings.TrimPrefix(r.Params.URI, contextURI), "/")
	user, err := url.PathUnescape(named)
	if err != nil || given && user == "" {
		return nil, sdk.ResourceNotFoundError(r.Params.URI)
	}
	return s.read(ctx, r.Params.URI, func(ctx context.Context) (string, error) { return s.contextText(ctx, user) })
}

func (s *Server) readSchema(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	return s.read(ctx, r.Params.URI, func(ctx context.Context) (string, error) {
		scope, err := scope(ctx, auth.Read, Caller{})
		if err != nil {
			return "", err
		}
		schema, err := s.Traverser.Schema(ctx, scope, 0)
		if err != nil {
			return "", err
		}
		return schema.Text(), nil
	})
}

// contextText is a user's context for a prompt.
func (s *Server) contextText(ctx context.Context, user string) (string, error) {
	scope, err := scope(ctx, auth.Read, Caller{user})
	if err != nil {
		return "", err
	}
	a, err := s.Contexts.Context(ctx, loader.Request{Scope: scope, Format: loader.Text, MaxTokens: contextTokens}, nil)
	return string(a.Body()), err
}

// read is a resource, bounded and counted as calls of tools are.
func (s *Server) read(ctx context.Context, uri string, text func(context.Context) (string, error)) (*sdk.ReadResourceResult, error) {
	got, err := s.text(ctx, "resource", text)
	if err != nil {
		return nil, err
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: markdownType, Text: got}}}, nil
}

// text returns the text of a resource or prompt. They have no results that are errors: the text of an error
// is in the error of the protocol.
func (s *Server) text(ctx context.Context, what string, make func(context.Context) (string, error)) (string, error) {
	result := s.call(ctx, what, func(ctx context.Context) (answer, error) {
		text, err := make(ctx)
		return answer{text: text}, err
	})
	text := result.Content[0].(*sdk.TextContent).Text //nolint:forcetypeassert // call's own
	if result.IsError {
		return "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: text}
	}
	return text, nil
}
