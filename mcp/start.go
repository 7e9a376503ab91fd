package mcp

import (
	"context"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// progressEvery is how often a caller that waits for the memory hears that it starts.
const progressEvery = 2 * time.Second

// needsMemory are the messages that need the memory.
var needsMemory = map[string]bool{ //nolint:gochecknoglobals // a constant table
	"tools/call": true, "resources/read": true, "prompts/get": true, "completion/complete": true,
}

// started has messages that need the memory wait until there is one.
func (s *Server) started(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		if needsMemory[method] {
			if err := s.wait(ctx, r); err != nil {
				return nil, err
			}
		}
		return next(ctx, method, r)
	}
}

// wait returns when the memory has started. A caller that gave a progress token hears of it meanwhile.
func (s *Server) wait(ctx context.Context, r sdk.Request) error {
	select {
	case <-s.ready:
		return nil
	default:
	}
	ticker := time.NewTicker(progressEvery)
	defer ticker.Stop()
	for seconds := 0.0; ; seconds += progressEvery.Seconds() {
		notifyStart(ctx, r, seconds)
		select {
		case <-s.ready:
			return nil
		case <-ctx.Done():
			return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the memory did not start: its log says why"}
		case <-ticker.C:
		}
	}
}

// notifyStart sends the caller the number of seconds that it has waited.
func notifyStart(ctx context.Context, r sdk.Request, seconds float64) {
	params, ok := r.GetParams().(sdk.RequestParams)
	if !ok || params.GetProgressToken() == nil {
		return
	}
	if session, ok := r.GetSession().(*sdk.ServerSession); ok {
		_ = session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ // a caller that does not listen is no fault
			ProgressToken: params.GetProgressToken(), Progress: seconds, Message: "Kith's memory is starting",
		})
	}
}
