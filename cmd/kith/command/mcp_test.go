package command

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"kith/graph/neo"
	"kith/mcp"
	"kith/tests/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// The agent is answered while the memory starts; its first call waits for the memory.
func TestMCPAnswersBeforeTheMemory(t *testing.T) {
	t.Parallel()
	in, toKith := io.Pipe()
	fromKith, out := io.Pipe()
	begin, ended := make(chan struct{}), make(chan error, 1)
	c := &mcpCmd{Team: testenv.Team(t), User: "me"}
	c.RequestTimeout = time.Minute
	held := func(ctx context.Context, _ *slog.Logger, _ Streams) (database, error) {
		select {
		case <-begin:
		case <-ctx.Done():
			return database{}, ctx.Err()
		}
		return database{Connection: neo.Connection(testenv.Neo4j(t)), close: noClose}, nil
	}
	log := slog.New(slog.DiscardHandler)
	go func() {
		ended <- c.serve(t.Context(), held, log, Streams{in, io.Discard, io.Discard}, mcp.Stdio(in, out))
		_ = out.Close()
	}()
	a, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.IOTransport{Reader: fromKith, Writer: toKith}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if tools, err := a.ListTools(t.Context(), nil); err != nil || len(tools.Tools) != 16 {
		t.Fatalf("tools: %v", err)
	}
	answered := make(chan string, 1)
	go func() {
		r, err := a.CallTool(t.Context(), &sdk.CallToolParams{Name: "list_nodes", Arguments: json.RawMessage(`{"kind":"task"}`)})
		if err != nil {
			answered <- err.Error()
			return
		}
		answered <- r.Content[0].(*sdk.TextContent).Text
	}()
	if _, err := a.ListPrompts(t.Context(), nil); err != nil || len(answered) > 0 {
		t.Errorf("prompts: %v, answered %d", err, len(answered))
	}
	close(begin)
	if got := <-answered; !strings.Contains(got, "There is no task") {
		t.Error(got)
	}
	_ = a.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
