package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Methods that concern other messages.
const (
	initializeMethod = "initialize"
	canceledMethod   = "notifications/cancelled"
	listenMethod     = "subscriptions/listen" // has no answer until it is canceled
)

// Stdio returns a transport for a server that reads and writes a message a line. Unlike the SDK's, it answers what is no message with
// an error and reads on, echoes ids as they came, and at the end of the input waits for what is being answered.
func Stdio(in io.Reader, out io.Writer) sdk.Transport {
	return &stdio{lines: newLineReader(in), out: &lineWriter{out: out}}
}

type stdio struct {
	lines *lineReader
	out   *lineWriter
}

// Connect begins to read.
func (s *stdio) Connect(context.Context) (sdk.Connection, error) {
	c := &stdioConn{
		stdio: s, incoming: make(chan jsonrpc.Message), closed: make(chan struct{}), answered: make(chan struct{}, 1),
		calls: map[jsonrpc.ID]stdioCall{}, names: map[string]jsonrpc.ID{},
	}
	go c.read()
	return c, nil
}

// stdioConn gives the SDK ids of its own, which it can keep, for those of the caller.
type stdioConn struct {
	*stdio
	incoming chan jsonrpc.Message // closed at the end of the input
	closed   chan struct{}
	close    sync.Once
	answered chan struct{} // has a signal after an answer

	mu    sync.Mutex
	last  int
	calls map[jsonrpc.ID]stdioCall // those that are not answered, by the SDK's ids
	names map[string]jsonrpc.ID    // the SDK's ids by the caller's
}

// stdioCall is a call that is not answered.
type stdioCall struct {
	id   json.RawMessage // as it came
	ends bool            // it is answered without being canceled
}

// SessionID returns no id: there is only one session.
func (c *stdioConn) SessionID() string { return "" }

// Close ends the session. A read of the input may go on until the input ends.
func (c *stdioConn) Close() error {
	c.close.Do(func() { close(c.closed) })
	return nil
}

// Read returns the next message that is one.
func (c *stdioConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.closed:
		return nil, io.EOF
	case m, ok := <-c.incoming:
		if !ok {
			return nil, io.EOF
		}
		return m, nil
	}
}

// read passes the messages of the input on, and answers what is none.
func (c *stdioConn) read() {
	defer close(c.incoming)
	for {
		m, err := c.lines.next()
		var refused *refusal
		switch {
		case errors.As(err, &refused):
			if c.out.refuse(refused) != nil {
				return
			}
			continue
		case err != nil:
			c.wait()
			return
		}
		request := c.request(m)
		if request == nil {
			continue
		}
		select {
		case c.incoming <- request:
		case <-c.closed:
			return
		}
	}
}

// request returns a message as the SDK has it; nil for one that concerns nothing. Kith asks its callers nothing, so that answers are
// of no use.
func (c *stdioConn) request(m envelope) *jsonrpc.Request {
	r := &jsonrpc.Request{Method: m.method, Params: m.params}
	switch {
	case m.method == "":
		return nil
	case m.method == canceledMethod && m.id == nil:
		id, known := c.idOf(canceledID(m.params))
		if !known {
			return nil
		}
		r.Params, _ = json.Marshal(map[string]any{"requestId": id.Raw()}) //nolint:errchkjson // a text always can
	case m.id != nil:
		r.ID = c.newID(m)
	}
	return r
}

// canceledID returns the id of the call that a notification cancels, as it came.
func canceledID(params json.RawMessage) string {
	var canceled struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	_ = json.Unmarshal(params, &canceled) // what is no id cancels nothing
	return string(canceled.RequestID)
}

func (c *stdioConn) idOf(name string) (jsonrpc.ID, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id, known := c.names[name]
	return id, known
}

// newID returns the SDK's id of a call.
func (c *stdioConn) newID(m envelope) jsonrpc.ID {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	id, _ := jsonrpc.MakeID(strconv.Itoa(c.last)) // a text always can
	c.calls[id], c.names[string(m.id)] = stdioCall{m.id, m.method != listenMethod}, id
	return id
}

// done forgets a call that is answered.
func (c *stdioConn) done(id jsonrpc.ID) {
	c.mu.Lock()
	name := string(c.calls[id].id)
	if c.names[name] == id {
		delete(c.names, name)
	}
	delete(c.calls, id)
	c.mu.Unlock()
	select {
	case c.answered <- struct{}{}:
	default:
	}
}

// wait returns when all calls are answered, or when nobody answers any more.
func (c *stdioConn) wait() {
	for c.isAwaited() {
		select {
		case <-c.answered:
		case <-c.closed:
			return
		}
	}
}

func (c *stdioConn) isAwaited() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, call := range c.calls {
		if call.ends {
			return true
		}
	}
	return false
}

// Write sends a message, an answer with the id of its call as that came.
func (c *stdioConn) Write(_ context.Context, m jsonrpc.Message) error {
	response, ok := m.(*jsonrpc.Response)
	if !ok {
		raw, err := jsonrpc.EncodeMessage(m)
		if err != nil {
			return err
		}
		return c.out.write(raw)
	}
	c.mu.Lock()
	answered, known := c.calls[response.ID]
	c.mu.Unlock()
	if !known {
		return nil // nobody waits for it
	}
	defer c.done(response.ID)
	raw, err := encodeAnswer(response, answered.id)
	if err != nil {
		return err
	}
	return c.out.write(raw)
}

// answerBeginning is how the SDK begins every message.
const answerBeginning = `{"jsonrpc":"2.0",`

// encodeAnswer returns an answer with an id as it came.
func encodeAnswer(r *jsonrpc.Response, id json.RawMessage) ([]byte, error) {
	raw, err := jsonrpc.EncodeMessage(&jsonrpc.Response{Result: r.Result, Error: r.Error})
	if err != nil {
		return nil, err
	}
	return slices.Concat([]byte(answerBeginning+`"id":`), id, []byte(","), raw[len(answerBeginning):]), nil
}
