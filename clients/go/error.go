package client

import (
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	maxProblem  = 8 << 20 // bytes
	shownFaults = 3
)

// Error is an unsuccessful response. Status is the HTTP status. Detail and Errors are empty if the response is not
// Kith's.
type Error struct {
	Problem
	RetryAfter time.Duration // requested by the service; 0: none
	RequestID  string        // as in the service log
	named      bool          // the service named the time after which to retry
}

// Error returns status, detail and the first faults.
func (e *Error) Error() string {
	text := strconv.FormatInt(e.Status, 10)
	if e.Detail != "" {
		text += " " + e.Detail
	} else if name := http.StatusText(int(e.Status)); name != "" {
		text += " " + strings.ToLower(name)
	}
	for _, f := range e.Errors[:min(len(e.Errors), shownFaults)] {
		text += "; " + f.Location + " " + f.Message
	}
	if more := len(e.Errors) - shownFaults; more > 0 {
		text += "; and " + strconv.Itoa(more) + " more"
	}
	return text
}

// unavailable reports whether the service is unavailable, and named the time after which to retry.
func (e *Error) unavailable() bool { return e.Status == http.StatusServiceUnavailable && e.named }

// errorOf reads a problem (RFC 9457), or the report of an import that stopped. Another response, such as a proxy's page,
// becomes an error with its status alone.
func errorOf(response *http.Response) error {
	e := &Error{RequestID: response.Header.Get("X-Request-Id")}
	var body struct {
		Problem
		Stopped string `json:"stopped"`
	}
	if raw, err := io.ReadAll(io.LimitReader(response.Body, maxProblem)); err == nil && json.Unmarshal(raw, &body) == nil {
		e.Problem = body.Problem
		e.Detail = cmp.Or(e.Detail, body.Stopped)
	}
	e.Status = int64(response.StatusCode)
	if seconds, err := strconv.ParseUint(response.Header.Get("Retry-After"), 10, 31); err == nil {
		e.RetryAfter, e.named = time.Duration(seconds)*time.Second, true
	}
	return e
}
