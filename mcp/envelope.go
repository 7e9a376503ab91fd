package mcp

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// envelope is a message of JSON-RPC whose id and params are as they came.
type envelope struct {
	raw    []byte
	id     json.RawMessage // nil: it is a notification
	method string          // empty: it is an answer
	params json.RawMessage
	idAt   int // where the id begins in raw
}

// Codes of refusals.
const (
	parseError     = jsonrpc.CodeParseError
	invalidRequest = jsonrpc.CodeInvalidRequest
	methodNotFound = jsonrpc.CodeMethodNotFound
	internalError  = jsonrpc.CodeInternalError
)

// refusal is the error of one message.
type refusal struct {
	id   json.RawMessage // nil: it is not known
	code int64
	text string
	data json.RawMessage // nil: there is none
}

// Error returns the text of the refusal.
func (r *refusal) Error() string { return r.text }

// answer returns the message that answers with the refusal.
func (r *refusal) answer() []byte {
	type details struct {
		Code    int64           `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data,omitempty"`
	}
	answer, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   details         `json:"error"`
	}{"2.0", r.id, details{r.code, r.text, r.data}})
	if err != nil {
		panic("mcp: " + err.Error()) // id and data have been read as JSON
	}
	return answer
}

// readEnvelope reads a message, and returns a refusal of what is none. An id is echoed as it came, so it is not decoded: as
// a number it may have more digits than a float64.
func readEnvelope(raw []byte) (envelope, error) {
	m := envelope{raw: raw}
	switch {
	case !json.Valid(raw):
		return m, &refusal{code: parseError, text: "the message is not valid JSON"}
	case raw[0] == '[':
		return m, &refusal{code: invalidRequest, text: refusedList}
	case raw[0] != '{':
		return m, &refusal{code: invalidRequest, text: "the message must be a JSON object"}
	}
	members, twice := m.members()
	refuse := func(text string) (envelope, error) {
		return m, &refusal{id: m.id, code: invalidRequest, text: text}
	}
	if id := members["id"]; id != nil && twice != "id" {
		if !isID(id) {
			return refuse("id must be a text or a number")
		}
		m.id = id
	}
	_, isAnswer := members["result"]
	if _, isError := members["error"]; isError {
		isAnswer = true
	}
	var version string
	_ = json.Unmarshal(members["jsonrpc"], &version) // another type is another version
	method, isCall := members["method"]
	switch {
	case !utf8.Valid(raw):
		return m, &refusal{id: validUTF8(m.id), code: parseError, text: "the message must be valid UTF-8"}
	case twice != "":
		return refuse("the message has a name twice")
	case version != "2.0":
		return refuse(`jsonrpc must be "2.0"`)
	case isCall && (json.Unmarshal(method, &m.method) != nil || m.method == ""):
		return refuse("method must be a text that is not empty")
	case !isCall && !isAnswer:
		return refuse("method is required")
	}
	m.params = members["params"]
	return m, nil
}

// members returns the members of the message by name, and one of the names that are there twice.
func (m *envelope) members() (members map[string]json.RawMessage, twice string) {
	members = map[string]json.RawMessage{}
	decoder := json.NewDecoder(bytes.NewReader(m.raw))
	_, _ = decoder.Token() // the raw message is valid JSON, so that neither this nor what follows fails
	for decoder.More() {
		token, _ := decoder.Token()
		name, _ := token.(string)
		var value json.RawMessage
		_ = decoder.Decode(&value)
		if _, again := members[name]; again {
			twice = name
		}
		if name == "id" {
			m.idAt = int(decoder.InputOffset()) - len(value)
		}
		members[name] = value
	}
	return members, twice
}

// isID reports whether a JSON value is a text or a number.
func isID(value json.RawMessage) bool {
	return len(value) > 0 && (value[0] == '"' || value[0] == '-' || value[0] >= '0' && value[0] <= '9')
}

// validUTF8 returns an id that can be sent; nil for another one.
func validUTF8(id json.RawMessage) json.RawMessage {
	if !utf8.Valid(id) {
		return nil
	}
	return id
}

// withID returns the message with another id.
func (m *envelope) withID(id []byte) []byte {
	raw := append([]byte{}, m.raw[:m.idAt]...)
	return append(append(raw, id...), m.raw[m.idAt+len(m.id):]...)
}
