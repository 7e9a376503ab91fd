package handlers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"kith/graph"
	"kith/loader"
)

// sendUnlessMatched sends a ready answer, or 304 if the caller already has it.
func sendUnlessMatched(ifNoneMatch string, answer loader.Answer, err error) (*huma.StreamResponse, error) {
	if err != nil {
		return nil, located("query", err)
	}
	if matchesETag(ifNoneMatch, answer.ETag) {
		return sendBytes(http.StatusNotModified, answer), nil
	}
	return sendBytes(http.StatusOK, answer, answer.Head, answer.Tail), nil
}

// matchesETag reports whether an If-None-Match header names an ETag. It compares weakly.
func matchesETag(header, etag string) bool {
	for candidate := range strings.SplitSeq(header, ",") {
		candidate = strings.TrimSpace(candidate)
		if candidate == "*" || strings.TrimPrefix(candidate, "W/") == strings.TrimPrefix(etag, "W/") {
			return header != ""
		}
	}
	return false
}

// textAnswer can also be written as text for a prompt.
type textAnswer interface{ Text() string }

// sendResult sends an answer as JSON, or as text for a prompt.
func sendResult(answer textAnswer, asText bool) (*huma.StreamResponse, error) {
	if asText {
		return sendBytes(http.StatusOK, loader.Answer{ContentType: markdownType}, []byte(answer.Text())), nil
	}
	return sendJSON(answer)
}

// sendJSON sends an answer as JSON.
func sendJSON(answer any) (*huma.StreamResponse, error) {
	raw, err := json.Marshal(answer)
	if err != nil {
		return nil, fmt.Errorf("write the answer: %w", err)
	}
	return sendBytes(http.StatusOK, loader.Answer{ContentType: jsonType}, raw), nil
}

// sendBytes writes the parts in one piece and with their length; net/http would send them in chunks.
func sendBytes(status int, answer loader.Answer, parts ...[]byte) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		ctx.SetHeader("Content-Type", answer.ContentType)
		ctx.SetHeader("Cache-Control", "private, no-cache")
		ctx.AppendHeader("Vary", "Authorization") // compression and CORS add their own
		if answer.ETag != "" {
			ctx.SetHeader("ETag", answer.ETag)
		}
		if !answer.At.IsZero() {
			ctx.SetHeader(asOfHeader, answer.At.UTC().Format(time.RFC3339Nano))
		}
		if answer.Replay != "" {
			ctx.SetHeader(replayHeader, string(answer.Replay))
		}
		if len(parts) == 0 {
			ctx.SetStatus(status)
			return
		}
		whole, _ := answerBuffers.Get().(*[]byte)
		*whole = (*whole)[:0]
		for _, part := range parts {
			*whole = append(*whole, part...)
		}
		body := graph.CutKeyMarks(*whole)
		ctx.SetHeader("Content-Length", strconv.Itoa(len(body)))
		ctx.SetStatus(status)
		_, _ = ctx.BodyWriter().Write(body) // the caller may have disconnected
		answerBuffers.Put(whole)
	}}
}

// answerBuffers are reused for answers that are put together from parts.
var answerBuffers = sync.Pool{New: func() any { return new([]byte) }} //nolint:gochecknoglobals // a pool

// replayedHeader returns the value of Idempotency-Replayed: "true", or empty for a first answer.
func replayedHeader(repeated bool) string {
	if repeated {
		return "true"
	}
	return ""
}

// stringOrNil returns nil for an empty string.
func stringOrNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// jsonOrText describes a response that is JSON, or Markdown for a prompt.
func jsonOrText(description string, schema *huma.Schema) *huma.Response {
	return &huma.Response{Description: description, Content: map[string]*huma.MediaType{
		jsonType: {Schema: schema}, "text/markdown": {Schema: &huma.Schema{Type: huma.TypeString}},
	}}
}
