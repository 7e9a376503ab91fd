package mcp

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A server whose memory has not started answers all that needs none. Calls wait, and whoever asks hears of it.
func TestAnswersBeforeTheMemory(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	server := Starting(Options{Version: "1"})
	t.Cleanup(server.Close)
	here, there := sdk.NewInMemoryTransports()
	ended := make(chan struct{})
	go func() {
		_ = server.Run(ctx, anybody, there) // until the client hangs up
		close(ended)
	}()
	heard := make(chan *sdk.ProgressNotificationParams, 100)
	client := sdk.NewClient(&sdk.Implementation{Name: "test"}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { heard <- r.Params },
	})
	s, err := client.Connect(ctx, here, nil)
	if err != nil {
		t.Fatal(err)
	}
	called := make(chan *sdk.CallToolResult, 1)
	go func() {
		params := &sdk.CallToolParams{Name: "get_context", Arguments: json.RawMessage(`{"user_id":"u1"}`)}
		params.SetProgressToken("p")
		r, err := s.CallTool(ctx, params)
		if err != nil {
			t.Error(err)
		}
		called <- r
	}()
	select { // so the call waits
	case p := <-heard:
		if p.ProgressToken != "p" || p.Message == "" {
			t.Errorf("%+v", p)
		}
	case <-ctx.Done():
		t.Fatal("no progress")
	}
	tools, err := s.ListTools(ctx, nil)
	if err != nil || len(tools.Tools) != 16 {
		t.Fatalf("tools: %v", err)
	}
	if _, err := s.ListPrompts(ctx, nil); err != nil {
		t.Error(err)
	}
	if _, err := s.ListResourceTemplates(ctx, nil); err != nil {
		t.Error(err)
	}
	if len(called) > 0 {
		t.Error("the call did not wait")
	}
	f := &fakes{text: "# About Ada"}
	server.Start(Services{f, f, nil, f, f, f, f, fakeReviews{f}, f, f, f, f, f, nil, nil, nil}, Options{})
	if r := <-called; r == nil || textOf(r) != "# About Ada" {
		t.Errorf("%+v", r)
	}
	_ = s.Close()
	cancel()
	<-ended
}
