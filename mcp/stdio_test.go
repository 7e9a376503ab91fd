package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"kith/access/auth"
)

// served answers the lines of an input until its end, and returns all that it wrote.
type served func(t testing.TB, input io.Reader) string

// ownMemory serves fakes on standard input and output.
func ownMemory(f *fakes) served {
	return func(t testing.TB, input io.Reader) string {
		t.Helper()
		s := New(Services{f, f, nil, f, f, f, f, fakeReviews{f}, f, f, f, f, f, nil, f.reader, nil}, Options{})
		defer s.Close()
		var out bytes.Buffer
		if err := s.Run(context.Background(), anybody, Stdio(input, &out)); err != nil {
			t.Errorf("ended with %v", err)
		}
		return out.String()
	}
}

// remoteKith serves a proxy of fakes behind some handler.
func remoteKith(f *fakes, before func(http.Handler) http.Handler) served {
	return func(t testing.TB, input io.Reader) string {
		t.Helper()
		s := New(Services{f, f, nil, f, f, f, f, fakeReviews{f}, f, f, f, f, f, nil, f.reader, nil}, Options{})
		defer s.Close()
		handler := s.Handler()
		server := httptest.NewServer(before(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			handler.ServeHTTP(w, r.WithContext(auth.WithPrincipal(r.Context(), anybody)))
		})))
		defer server.Close()
		defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		var out bytes.Buffer
		if err := Proxy(context.Background(), Remote{URL: server.URL, Key: "kith_x"}, input, &out); err != nil {
			t.Errorf("ended with %v", err)
		}
		return out.String()
	}
}

const (
	initialize = `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	goodLine   = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"get_context","arguments":{"user_id":"u1"}}}`
)

// badLines are lines of which each has one error at most: # stands for an id of its own.
var badLines = []string{
	`hello`, `{`, `}`, `{"jsonrpc":"2.0","id":#,"method":"tools/call"`, "\x00", "\xff\xfe", "{\"a\":\"\x00\"}", "\ufeff{}", `7`, `null`, `"text"`, `[]`, `[1]`,
	`[{"jsonrpc":"2.0","id":#,"method":"ping"}]`, `{}`, `{"jsonrpc":"2.0"}`, `{"jsonrpc":"1.0","id":#,"method":"ping"}`, `{"jsonrpc":2,"id":#,"method":"ping"}`,
	`{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","id":{},"method":"ping"}`, `{"jsonrpc":"2.0","id":true,"method":"ping"}`,
	`{"jsonrpc":"2.0","id":#,"id":#,"method":"ping"}`, `{"jsonrpc":"2.0","id":#,"method":"ping","method":"tools/list"}`, `{"jsonrpc":"2.0","id":#,"method":7}`,
	`{"jsonrpc":"2.0","id":#,"method":""}`, `{"jsonrpc":"2.0","id":#}`, `{"jsonrpc":"2.0","id":#,"method":"no/such"}`, `{"jsonrpc":"2.0","id":#,"method":"roots/list"}`,
	`{"jsonrpc":"2.0","id":#,"method":"tools/call"}`, `{"jsonrpc":"2.0","id":#,"method":"tools/call","params":null}`, `{"jsonrpc":"2.0","id":#,"method":"tools/call","params":[]}`,
	`{"jsonrpc":"2.0","id":#,"method":"tools/call","params":"x"}`, `{"jsonrpc":"2.0","id":#,"method":"tools/call","params":{"name":7}}`,
	`{"jsonrpc":"2.0","id":#,"method":"tools/call","params":{"name":"no_such"}}`, `{"jsonrpc":"2.0","id":#,"method":"tools/call","params":{"name":"get_context","arguments":[]}}`,
	`{"jsonrpc":"2.0","id":#,"method":"tools/call","params":{"name":"get_context","arguments":{"user_id":"\ud83d"}}}`,
	`{"jsonrpc":"2.0","id":#,"method":"tools/call","params":{"name":"get_context","arguments":{"user_id":"\u0000"}}}`,
	`{"jsonrpc":"2.0","id":#,"method":"tools/call","params":{"name":"get_context","arguments":{"user_id":"a","user_id":"b"}}}`,
	`{"jsonrpc":"2.0","id":#,"method":"tools/call","params":{"name":"\ud83d\u0000"}}`, `{"jsonrpc":"2.0","method":"tools/call"}`,
	`{"jsonrpc":"2.0","id":#,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":7},"name":"get_context"}}`,
	`{"jsonrpc":"2.0","id":#,"method":"initialize","params":7}`, `{"jsonrpc":"2.0","id":#,"method":"notifications/initialized"}`,
	`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"nobody's"}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":7}`,
	`{"jsonrpc":"2.0","id":#,"result":{}}`, `{"jsonrpc":"2.0","id":#,"error":{"code":"x"}}`, "{\"jsonrpc\":\"2.0\",\"id\":#,\"method\":\"ping\",\"x\":\"\xff\"}",
	`{"jsonrpc":"2.0","id":#,"method":"subscriptions/listen","params":{}}`, `{"jsonrpc":"2.0","id":#,"method":"ping","x":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`,
	strings.Repeat(" ", 100), `{"jsonrpc":"2.0","id":#,"method":"` + strings.Repeat("x", 10_000) + `"}`,
}

// anyLine is a bad line of any form: one of the known ones, or a good one that is damaged.
func anyLine(id int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		if rapid.Bool().Draw(t, "known") {
			return strings.ReplaceAll(rapid.SampledFrom(badLines).Draw(t, "bad"), "#", fmt.Sprint(id))
		}
		line := []byte(fmt.Sprintf(goodLine, id))
		at := rapid.IntRange(0, len(line)-1).Draw(t, "at")
		switch rapid.IntRange(0, 2).Draw(t, "how") {
		case 0:
			return string(line[:at])
		case 1:
			line[at] = rapid.Byte().Filter(func(b byte) bool { return b != '\n' }).Draw(t, "byte")
			return string(line)
		}
		return string(line[:at]) + strings.NewReplacer("\n", "").Replace(rapid.String().Draw(t, "text")) + string(line[at:])
	})
}

// lines checks that every good line of a generated input is answered, whatever is between them, and that each line written is a message.
func lines(t *testing.T, serve served) {
	rapid.Check(t, func(r *rapid.T) {
		var input strings.Builder
		if rapid.Bool().Draw(r, "mark") {
			input.WriteString("\ufeff")
		}
		input.WriteString(initialize + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
		good := rapid.IntRange(1, 6).Draw(r, "good")
		for i := range good {
			for j := range rapid.IntRange(0, 4).Draw(r, "bad") {
				input.WriteString(anyLine(1000+10*i+j).Draw(r, "line") + rapid.SampledFrom([]string{"\n", "\r\n", "\n\n"}).Draw(r, "break"))
			}
			fmt.Fprintf(&input, goodLine+"\n", i)
		}
		answered := map[string]int{}
		out := serve(t, strings.NewReader(strings.TrimSuffix(input.String(), "\n")))
		for line := range strings.Lines(out) {
			var a answerOf
			if err := json.Unmarshal([]byte(line), &a); err != nil || (a.Error == nil) == (a.Result == nil) {
				r.Errorf("%v: %.200q", err, line)
			}
			if a.Error == nil {
				answered[string(a.ID)]++
			}
		}
		for i := range good {
			if answered[fmt.Sprint(i)] != 1 {
				r.Errorf("call %d is answered %d times\ninput: %q\noutput: %q", i, answered[fmt.Sprint(i)], input.String(), out)
			}
		}
	})
}

// Whatever a client sends, its good lines are answered, by a memory of its own and by a remote one.
func TestEveryGoodLineIsAnswered(t *testing.T) {
	t.Parallel()
	f := &fakes{text: "# About Ada"}
	t.Run("own", func(t *testing.T) { t.Parallel(); lines(t, ownMemory(f)) })
	t.Run("remote", func(t *testing.T) {
		t.Parallel()
		lines(t, remoteKith(f, func(next http.Handler) http.Handler { return next }))
	})
}

// What is no message is answered by an error of its own; one that is not JSON has no id.
func TestBadLinesAreAnswered(t *testing.T) {
	t.Parallel()
	modes := map[string]served{"own": ownMemory(&fakes{}), "remote": remoteKith(&fakes{}, func(next http.Handler) http.Handler { return next })}
	for _, c := range []struct {
		line, id string
		code     int64
	}{
		{`hello`, "null", parseError},
		{`{"jsonrpc":"2.0","id":1,`, "null", parseError},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\x00\"}", "null", parseError},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "null", invalidRequest},
		{`7`, "null", invalidRequest},
		{`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, "null", invalidRequest},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","method":"ping"}`, "1", invalidRequest},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", "1", parseError},
		{`{"jsonrpc":"2.0","id":9007199254740993,"method":"no/such"}`, "9007199254740993", methodNotFound},
		{`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", maxLine) + `"}`, "1", invalidRequest},
	} {
		for mode, serve := range modes {
			out := serve(t, strings.NewReader(initialize+"\n"+c.line+"\n"))
			var found bool
			for line := range strings.Lines(out) {
				a := readAnswerOf(t, line)
				found = found || a.Error != nil && a.Error.Code == c.code && strings.Contains(line, `"id":`+c.id+`,`)
			}
			if !found || strings.Count(out, "\n") != 2 {
				t.Errorf("%s, %.80q: %.500s", mode, c.line, out)
			}
		}
	}
}

// dialogue is a session whose lines are sent one by one.
type dialogue struct {
	in  io.WriteCloser
	out *bufio.Scanner
}

func (d dialogue) ask(t *testing.T, line string) answerOf {
	t.Helper()
	if _, err := io.WriteString(d.in, line+"\n"); err != nil {
		t.Fatal(err)
	}
	if !d.out.Scan() {
		t.Fatalf("the session is over after %.200s", line)
	}
	return readAnswerOf(t, d.out.Text())
}

// proxied opens a dialogue through a proxy.
func proxied(t *testing.T, r Remote) dialogue {
	t.Helper()
	in, toProxy := io.Pipe()
	fromProxy, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := Proxy(context.Background(), r, in, out)
		_ = out.Close()
		ended <- err
	}()
	t.Cleanup(func() {
		_ = toProxy.Close()
		if err := <-ended; err != nil {
			t.Errorf("the proxy ended with %v", err)
		}
	})
	scanner := bufio.NewScanner(fromProxy)
	scanner.Buffer(nil, 1<<20)
	return dialogue{toProxy, scanner}
}

// Whatever a remote answers to one call is the error of that call, with its text.
func TestProxySurvivesRefusals(t *testing.T) {
	t.Parallel()
	var mode atomic.Value
	mode.Store(func(http.ResponseWriter) bool { return false })
	f := &fakes{text: "# About Ada"}
	s := New(Services{f, f, nil, f, f, f, f, fakeReviews{f}, f, f, f, f, f, nil, f.reader, nil}, Options{})
	defer s.Close()
	handler := s.Handler()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !mode.Load().(func(http.ResponseWriter) bool)(w) {
			handler.ServeHTTP(w, r.WithContext(auth.WithPrincipal(r.Context(), anybody)))
		}
	}))
	defer server.Close()
	var log bytes.Buffer
	d := proxied(t, Remote{URL: server.URL + "/", Key: "kith_x", Log: &log})
	good := func(after string) {
		t.Helper()
		mode.Store(func(http.ResponseWriter) bool { return false })
		if a := d.ask(t, fmt.Sprintf(goodLine, 1)); a.Error != nil || string(a.ID) != "1" {
			t.Errorf("after %s: %+v", after, a)
		}
	}
	d.ask(t, initialize)
	good("the beginning")
	answers := map[string]func(http.ResponseWriter) bool{
		"no JSON": func(w http.ResponseWriter) bool { _, _ = io.WriteString(w, "<html>"); return true },
		"nothing": func(http.ResponseWriter) bool { return true },
		"202":     func(w http.ResponseWriter) bool { w.WriteHeader(http.StatusAccepted); return true },
		"another message": func(w http.ResponseWriter) bool {
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","method":"ping"}`)
			return true
		},
		"cut": func(w http.ResponseWriter) bool {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,`)
			panic(http.ErrAbortHandler)
		},
		"cut events": func(w http.ResponseWriter) bool {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: {\"jsonrpc\"")
			panic(http.ErrAbortHandler)
		},
		"broken": func(http.ResponseWriter) bool { panic(http.ErrAbortHandler) },
		"redirect": func(w http.ResponseWriter) bool {
			w.Header().Set("Location", "http://192.0.2.1/")
			w.WriteHeader(307)
			return true
		},
	}
	for _, status := range []int{300, 400, 401, 402, 403, 404, 405, 408, 409, 410, 413, 415, 422, 429, 451, 499, 500, 501, 502, 503, 504, 599} {
		for form, body := range map[string]string{
			"text": "went wrong", "nothing": "", "cut JSON": `{"detail":"went wrong"`, "another": `["went wrong"]`,
			"problem":   `{"type":"about:blank","title":"x","status":1,"detail":"went","errors":[{"location":"body.x","message":"wrong"}]}`,
			"a message": `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"went wrong"}}`,
		} {
			answers[fmt.Sprint(status, " ", form)] = func(w http.ResponseWriter) bool {
				w.WriteHeader(status)
				_, _ = io.WriteString(w, body)
				return true
			}
		}
	}
	for name, answer := range answers {
		mode.Store(answer)
		a := d.ask(t, fmt.Sprintf(goodLine, 7))
		if a.Error == nil || string(a.ID) != "7" || a.Error.Code >= 0 {
			t.Errorf("%s: %+v", name, a)
		} else if status := strings.Fields(name)[0]; len(name) > 4 && status[0] <= '9' && !strings.Contains(a.Error.Message, status) {
			t.Errorf("%s: %s", name, a.Error.Message)
		} else if strings.HasSuffix(name, " text") && !strings.Contains(a.Error.Message, "went wrong") || strings.HasSuffix(name, " problem") && !strings.Contains(a.Error.Message, "went; body.x wrong") {
			t.Errorf("%s: %s", name, a.Error.Message)
		}
		good(name)
	}
	if strings.Contains(log.String(), "kith_x") || !strings.Contains(log.String(), "KITH_KEY") || !strings.Contains(log.String(), "KITH_URL") {
		t.Errorf("log: %s", log.String())
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

// A remote that is away is the error of the calls meanwhile, also at the beginning, with what to do.
func TestProxyWaitsForNobody(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a port to be free
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	d := proxied(t, Remote{URL: "http://" + address + "/mcp"})
	for _, line := range []string{initialize, fmt.Sprintf(goodLine, 1)} {
		if a := d.ask(t, line); a.Error == nil || !strings.Contains(a.Error.Message, "connection refused") || !strings.Contains(a.Error.Message, "KITH_URL") {
			t.Errorf("%+v", a)
		}
	}
	if listener, err = net.Listen("tcp", address); err != nil { //nolint:noctx // the same port again
		t.Fatal(err)
	}
	s := New(Services{Contexts: &fakes{text: "# About Ada"}, Answers: nil, Recalls: &fakes{}}, Options{})
	defer s.Close()
	handler := s.Handler()
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r.WithContext(auth.WithPrincipal(r.Context(), anybody)))
	})}
	go func() { _ = server.Serve(listener) }()
	defer func() { _ = server.Close() }()
	for _, line := range []string{initialize, fmt.Sprintf(goodLine, 1)} {
		if a := d.ask(t, line); a.Error != nil {
			t.Errorf("%+v", a)
		}
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

// A call that is canceled is not answered, and ends at the remote; the next one is answered.
func TestProxyCancels(t *testing.T) {
	t.Parallel()
	begun, canceled := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		if bytes.Contains(raw, []byte("slow")) {
			close(begun)
			<-r.Context().Done()
			close(canceled)
			return
		}
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":2,"result":{}}`)
	}))
	defer server.Close()
	d := proxied(t, Remote{URL: server.URL})
	_, _ = io.WriteString(d.in, `{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"slow"}}`+"\n")
	<-begun
	_, _ = io.WriteString(d.in, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9007199254740993}}`+"\n")
	<-canceled
	if a := d.ask(t, `{"jsonrpc":"2.0","id":2,"method":"ping"}`); string(a.ID) != "2" {
		t.Errorf("%+v", a)
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}
