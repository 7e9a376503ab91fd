package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"unicode"

	"kith/internal/redirect"
)

// Remote is a Kith that runs elsewhere.
type Remote struct {
	URL, Key string
	Log      io.Writer // gets a line when the remote cannot be used, and why
}

// Proxy stands before a remote Kith until the input of its one caller ends, or ctx is done: for clients that start a program instead of
// calling an address. Each message is a request of its own, and what becomes of it concerns no other one.
func Proxy(ctx context.Context, r Remote, in io.Reader, out io.Writer) error {
	client, err := clientOf(r)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &proxy{
		remote: r, client: client, out: &lineWriter{out: out}, failed: cancel, calls: map[string]*proxyCall{},
		endpoint: strings.TrimSuffix(strings.TrimRight(r.URL, "/"), mcpPath) + mcpPath,
	}
	ended := make(chan error, 1)
	go func() { ended <- p.read(ctx, newLineReader(in)) }()
	select {
	case err = <-ended:
		p.cancelEndless()
		p.running.Wait()
	case <-ctx.Done():
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// mcpPath is where a Kith has its tools.
const mcpPath = "/mcp"

// clientOf returns a client that calls a remote Kith and no other host.
func clientOf(r Remote) (*http.Client, error) {
	at, err := url.Parse(r.URL)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
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

// proxy passes messages on.
type proxy struct {
	remote   Remote
	endpoint string
	client   *http.Client
	out      *lineWriter
	failed   func() // ends the proxy: its caller reads no more
	running  sync.WaitGroup

	mu      sync.Mutex
	version string                // of the protocol, as initialize agreed on it
	calls   map[string]*proxyCall // that are not answered, by the caller's ids
	hint    string                // the last one in the log
}

// proxyCall is a call that is not answered.
type proxyCall struct {
	cancel func()
	ends   bool // it is answered without being canceled
}

// read passes the messages of the input on, side by side.
func (p *proxy) read(ctx context.Context, lines *lineReader) error {
	for {
		m, err := lines.next()
		var refused *refusal
		switch {
		case errors.As(err, &refused):
			if err := p.out.refuse(refused); err != nil {
				return err
			}
		case err != nil:
			return err
		case m.method == "": // an answer: the remote asks nothing
		case m.method == canceledMethod && m.id == nil:
			p.cancel(canceledID(m.params))
		case m.method == initializeMethod:
			p.pass(ctx, m) // what follows needs the version of the protocol
		default:
			p.running.Go(func() { p.pass(ctx, m) })
		}
	}
}

// cancel gives a call up.
func (p *proxy) cancel(name string) {
	p.mu.Lock()
	call := p.calls[name]
	p.mu.Unlock()
	if call != nil {
		call.cancel()
	}
}

// cancelEndless gives up the calls that have no answer.
func (p *proxy) cancelEndless() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, call := range p.calls {
		if !call.ends {
			call.cancel()
		}
	}
}

// pass sends a message to the remote, and its answer to the caller.
func (p *proxy) pass(ctx context.Context, m envelope) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if m.id != nil {
		call := &proxyCall{cancel, m.method != listenMethod}
		p.begin(string(m.id), call)
		defer p.end(string(m.id), call)
	}
	err := p.ask(ctx, m)
	var refused *refusal
	if errors.As(err, &refused) && m.id != nil && ctx.Err() == nil { // a call that was given up has no answer
		answer := *refused
		answer.id = m.id
		err = p.out.refuse(&answer)
	}
	if err != nil && refused == nil {
		p.failed()
	}
}

func (p *proxy) begin(name string, call *proxyCall) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls[name] = call
}

func (p *proxy) end(name string, call *proxyCall) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls[name] == call { // the same id may have been sent again
		delete(p.calls, name)
	}
}

// request returns a message as a request.
func (p *proxy) request(ctx context.Context, m envelope) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.endpoint, bytes.NewReader(m.raw))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	p.mu.Lock()
	version := p.version
	p.mu.Unlock()
	var params struct {
		Meta map[string]json.RawMessage `json:"_meta"`
		Name string
		URI  string
	}
	_ = json.Unmarshal(m.params, &params) // the remote refuses what is of another form
	_ = json.Unmarshal(params.Meta["io.modelcontextprotocol/protocolVersion"], &version)
	for name, value := range map[string]string{
		"Mcp-Protocol-Version": version, "Mcp-Method": m.method, "Mcp-Name": params.Name + params.URI,
	} {
		if value != "" && strings.IndexFunc(value, unicode.IsControl) < 0 {
			r.Header.Set(name, value)
		}
	}
	return r, nil
}

// agreed notes the version of the protocol in an answer to initialize.
func (p *proxy) agreed(answer []byte) {
	var initialized struct {
		Result struct {
			Version string `json:"protocolVersion"`
		} `json:"result"`
	}
	_ = json.Unmarshal(answer, &initialized) // an error agrees on none
	p.mu.Lock()
	defer p.mu.Unlock()
	p.version = initialized.Result.Version
}
