package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// chatModel is an OpenAI-compatible server that calls the tool remember once, and then answers.
type chatModel struct {
	*httptest.Server
	mu      sync.Mutex
	asked   int
	systems []string // of the first request
	tools   json.RawMessage
	result  string // of the tool
}

func startChat(t *testing.T) *chatModel {
	t.Helper()
	m := &chatModel{}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

const (
	toolCall = `{"choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","tool_calls":[{"id":"call-1","type":"function","function":{"name":"remember",
		"arguments":"{\"nodes\":[{\"kind\":\"person\",\"name\":\"Sarah\",\"description\":\"Her sister, who lives in Ghent\"}]}"}}]}}]}`
	chatAnswer = `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"By train to Sarah in Ghent."}}]}`
)

func (m *chatModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Messages []struct{ Role, Content string }
		Tools    json.RawMessage
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil || r.URL.Path != "/v1/chat/completions" {
		http.Error(w, "not a request as it should be", http.StatusTeapot)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked++
	answer := toolCall
	if last := request.Messages[len(request.Messages)-1]; last.Role == "tool" {
		m.result, answer = last.Content, chatAnswer
	}
	if m.asked == 1 {
		m.tools = request.Tools
		for _, message := range request.Messages {
			if message.Role == "system" {
				m.systems = append(m.systems, message.Content)
			}
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, answer)
}

// check checks what the model got: the system message of the program, then the context, and the result of its call.
func (m *chatModel) check(t *testing.T) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.asked != 2 || len(m.systems) != 2 || m.systems[0] != "You plan journeys." || !strings.Contains(m.systems[1], "# About Ada") {
		t.Fatalf("the model was asked %d times, with %q", m.asked, m.systems)
	}
	if !strings.Contains(m.result, "Stored 1 of 1") {
		t.Errorf("the tool answered %s", m.result)
	}
}
