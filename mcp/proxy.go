package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"kith/internal/redirect"
)

// Remote is a Kith that runs elsewhere.
type Remote struct{ URL, Key string }

// Proxy stands before a remote Kith until its one caller hangs up, or ctx is done: for clients that start a program instead of
// calling an address.
func Proxy(ctx context.Context, r Remote, version string, transport sdk.Transport) error {
	over, err := clientOf(r)
	if err != nil {
		return err
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "kith-proxy", Version: version}, nil)
	session, err := client.Connect(ctx, &sdk.StreamableClientTransport{
		Endpoint: strings.TrimRight(r.URL, "/") + "/mcp", HTTPClient: over, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		return fmt.Errorf("connect to %s: %w", r.URL, err)
	}
	defer func() { _ = session.Close() }()
	remote := session.InitializeResult()
	server := sdk.NewServer(remote.ServerInfo, &sdk.ServerOptions{Instructions: remote.Instructions, Capabilities: remote.Capabilities})
	server.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
			if result, err, ours := forward(ctx, session, r.GetParams()); ours {
				return result, err
			}
			return next(ctx, method, r)
		}
	})
	return server.Run(ctx, transport)
}

// clientOf returns a client that calls a remote Kith and no other host.
func clientOf(r Remote) (*http.Client, error) {
	at, err := url.Parse(r.URL)
	if err != nil || at.Host == "" {
		return nil, errors.New("KITH_URL is not an http:// or https:// address")
	}
	return &http.Client{Transport: &bearer{at, r.Key}, CheckRedirect: redirect.SameHost}, nil
}

// bearer sends a key with every request to one host.
type bearer struct {
	to  *url.URL
	key string
}

// RoundTrip sends a request.
func (b *bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if redirect.IsSame(b.to, r.URL) {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+b.key)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// forward asks the remote what is its to answer.
func forward(ctx context.Context, to *sdk.ClientSession, params sdk.Params) (result sdk.Result, err error, ours bool) { //nolint:revive // ours says whether there are the other two
	switch p := params.(type) {
	case *sdk.ListToolsParams:
		result, err = to.ListTools(ctx, p)
	case *sdk.CallToolParamsRaw:
		result, err = to.CallTool(ctx, &sdk.CallToolParams{Meta: p.Meta, Name: p.Name, Arguments: p.Arguments})
	case *sdk.ListResourcesParams:
		result, err = to.ListResources(ctx, p)
	case *sdk.ListResourceTemplatesParams:
		result, err = to.ListResourceTemplates(ctx, p)
	case *sdk.ReadResourceParams:
		result, err = to.ReadResource(ctx, p)
	case *sdk.ListPromptsParams:
		result, err = to.ListPrompts(ctx, p)
	case *sdk.GetPromptParams:
		result, err = to.GetPrompt(ctx, p)
	case *sdk.CompleteParams:
		result, err = to.Complete(ctx, p)
	default:
		return nil, nil, false
	}
	return result, err, true
}
