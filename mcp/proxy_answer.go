package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"

	"kith/text/clip"
)

// Bounds of what the remote sends.
const (
	maxAnswer   = 64 << 20 // bytes of an answer
	maxProblem  = 64 << 10 // bytes of a problem
	maxReported = 1_000    // bytes of a text that is no problem
)

var (
	errBrokenOff = &refusal{code: internalError, text: "the answer of the remote Kith broke off: what was to be written may be stored"}
	errNoAnswer  = errors.New("the message is no answer")
)

// ask sends a message and passes the answer on. It returns a refusal if the remote does not answer as a Kith does, and another error if
// the caller does not read.
func (p *proxy) ask(ctx context.Context, m envelope) error {
	request, err := p.request(ctx, m)
	if err != nil {
		return &refusal{code: internalError, text: err.Error()}
	}
	response, err := p.client.Do(request)
	if err != nil {
		return p.unreachable(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch {
	case response.StatusCode >= http.StatusMultipleChoices:
		return p.refused(response, m)
	case m.id == nil:
		return nil // no answer is due
	case kind == "text/event-stream":
		return p.events(response.Body)
	}
	raw, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return errBrokenOff
	case len(raw) > maxAnswer:
		return &refusal{code: internalError, text: "the answer of the remote Kith is too large"}
	}
	answer, err := readAnswer(raw)
	if err != nil {
		return p.strange("its answer is no message of the protocol")
	}
	if m.method == initializeMethod {
		p.agreed(raw)
	}
	p.reached()
	return p.out.write(answer.withID(m.id))
}

// readAnswer reads the answer to a call.
func readAnswer(raw []byte) (envelope, error) {
	var line bytes.Buffer
	if err := json.Compact(&line, raw); err != nil {
		return envelope{}, err
	}
	answer, err := readEnvelope(line.Bytes())
	if err == nil && (answer.method != "" || answer.id == nil) {
		err = errNoAnswer
	}
	return answer, err
}

// events passes on the messages of a stream of events, of which the last one is the answer.
func (p *proxy) events(stream io.Reader) error {
	lines := newLineReader(stream)
	for {
		text, _, err := lines.line()
		if data, ok := bytes.CutPrefix(bytes.TrimSpace(text), []byte("data:")); ok && json.Valid(data) {
			sent, err := readEnvelope(bytes.TrimSpace(data))
			if err != nil {
				return p.strange("an event is no message of the protocol")
			}
			if err := p.out.write(sent.raw); err != nil || sent.method == "" {
				return err
			}
		}
		if err != nil {
			return errBrokenOff
		}
	}
}

// refused returns a refusal with what the remote says of a message that it does not take.
func (p *proxy) refused(response *http.Response, m envelope) error {
	raw, _ := io.ReadAll(io.LimitReader(response.Body, maxProblem)) // one that breaks off is reported as far as it came
	if answer, err := readAnswer(raw); err == nil && m.id != nil {
		p.reached()
		return p.out.write(answer.withID(m.id))
	}
	r := &refusal{code: invalidRequest, text: fmt.Sprintf("Kith refused the request with HTTP status %d: %s", response.StatusCode, reported(raw))}
	if json.Valid(raw) && len(raw) > 0 && raw[0] == '{' {
		r.data = raw
	}
	hint := ""
	switch status := response.StatusCode; {
	case status == http.StatusUnauthorized:
		hint = fmt.Sprintf("KITH_KEY is no valid key of the Kith at %s: create one there with kith key create", p.remote.URL)
	case status == http.StatusNotFound, status < http.StatusBadRequest, status == http.StatusMethodNotAllowed:
		hint = fmt.Sprintf("no Kith answers at %s: set KITH_URL to the address of a running Kith, such as http://127.0.0.1:8080", p.endpoint)
	case status >= http.StatusInternalServerError:
		r.code = internalError
	}
	if hint != "" {
		r.text += " (" + hint + ")"
		p.log(hint)
	}
	return r
}

// reported returns the text of a problem, with its faults; of another body, its beginning.
func reported(raw []byte) string {
	var problem struct {
		Detail string
		Errors []struct{ Location, Message string }
		Error  struct{ Message string } // of an answer to no call
	}
	if json.Unmarshal(raw, &problem) != nil || problem.Detail+problem.Error.Message == "" {
		text := strings.ToValidUTF8(strings.TrimSpace(string(raw)), "")
		return clip.Bytes(text, maxReported)
	}
	text := problem.Detail + problem.Error.Message
	for _, fault := range problem.Errors {
		text += "; " + strings.TrimSpace(fault.Location+" "+fault.Message)
	}
	return text
}

// unreachable returns a refusal because no remote was reached.
func (p *proxy) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return &refusal{code: internalError, text: "the call was given up"}
	}
	var dial *net.OpError
	isDial := errors.As(err, &dial) && dial.Op == "dial"
	for wrapped := err; wrapped != nil; wrapped = errors.Unwrap(wrapped) {
		err = wrapped // the inmost says why, without the address
	}
	hint := fmt.Sprintf("Kith does not answer at %s (%v): start it with kith serve, or correct KITH_URL", p.remote.URL, err)
	p.log(hint)
	if !isDial {
		hint += "; what was to be written may be stored"
	}
	return &refusal{code: internalError, text: hint}
}

// strange returns a refusal because an answer is not one of a Kith.
func (p *proxy) strange(what string) error {
	hint := fmt.Sprintf("what answers at %s is no Kith, as %s: correct KITH_URL", p.endpoint, what)
	p.log(hint)
	return &refusal{code: internalError, text: hint}
}

// log reports a remote that cannot be used, once as long as that stays the same.
func (p *proxy) log(hint string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.remote.Log != nil && hint != p.hint {
		_, _ = fmt.Fprintln(p.remote.Log, "kith mcp: "+hint)
	}
	p.hint = hint
}

// reached notes that the remote can be used.
func (p *proxy) reached() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hint = ""
}
