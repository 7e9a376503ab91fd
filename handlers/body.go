package handlers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"kith/internal/contract"
)

// maxDepth bounds how deep a request's JSON is nested; properties have a closer bound of their own.
const maxDepth = 32

// body reads the request's body within its bound, and refuses what a JSON decoder would quietly repair.
func (a *API) body(c *gin.Context) {
	if c.Request.Body == nil || c.Request.Body == http.NoBody || exchanges[c.Request.URL.Path] {
		return
	}
	raw, err := io.ReadAll(http.MaxBytesReader(c.Writer, c.Request.Body, a.options.MaxBody))
	if err != nil {
		abort(c, a.unread(err))
		return
	}
	if fault := bodyFault(raw); fault != "" && len(raw) > 0 {
		abort(c, problemOf(http.StatusUnprocessableEntity, "the request has faults", Fault{Location: "body", Message: fault}))
		return
	}
	c.Request.Body = io.NopCloser(bytes.NewReader(raw))
}

func (a *API) unread(err error) *Problem {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return problemOf(http.StatusRequestEntityTooLarge, tooLarge(a.options.MaxBody))
	}
	return problemOf(http.StatusRequestTimeout, "the body did not come in time")
}

// bodyFault says what is wrong with a body before its meaning is looked at; empty: nothing.
func bodyFault(raw []byte) string {
	if !utf8.Valid(raw) {
		return "must be valid UTF-8"
	}
	if !json.Valid(raw) {
		return syntaxFault(raw)
	}
	depth, inString := 0, false
	for i := 0; i < len(raw); i++ {
		switch b := raw[i]; {
		case inString && b == '\\':
			if raw[i+1] == 'u' && loneSurrogate(raw, &i) {
				return fmt.Sprintf("has half a surrogate pair at byte %d", i)
			}
			i++
		case b == '"':
			inString = !inString
		case inString:
		case b == '{' || b == '[':
			if depth++; depth > maxDepth {
				return fmt.Sprintf("must be nested at most %d deep", maxDepth)
			}
		case b == '}' || b == ']':
			depth--
		}
	}
	return ""
}

func syntaxFault(raw []byte) string {
	var (
		value  any
		syntax *json.SyntaxError
	)
	if err := json.Unmarshal(raw, &value); errors.As(err, &syntax) {
		return fmt.Sprintf("is not valid JSON at byte %d", syntax.Offset)
	}
	return "is not valid JSON"
}

// loneSurrogate looks at the escape \uXXXX that begins at *i, in valid JSON. A whole pair is stepped over.
func loneSurrogate(raw []byte, i *int) bool {
	switch half := hex4(raw[*i+2:]); {
	case half >= 0xDC00 && half <= 0xDFFF:
		return true
	case half >= 0xD800 && half <= 0xDBFF:
		next := raw[*i+6:]
		if len(next) < 6 || next[0] != '\\' || next[1] != 'u' {
			return true
		}
		if low := hex4(next[2:]); low < 0xDC00 || low > 0xDFFF {
			return true
		}
		*i += 6
	}
	return false
}

func hex4(b []byte) int {
	n := 0
	for _, c := range b[:4] {
		switch {
		case c <= '9':
			n = n<<4 | int(c-'0')
		default:
			n = n<<4 | int(c|0x20-'a'+10)
		}
	}
	return n
}

// filled refuses parameters that are there and empty, where empty is no value of theirs: huma takes them for left out.
func filled(api huma.API) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		if u := ctx.URL(); u.RawQuery != "" {
			if faults := emptyIn(u.Query(), ctx.Operation().Parameters); len(faults) > 0 {
				_ = huma.WriteErr(api, ctx, http.StatusUnprocessableEntity, "the request has faults", faults...) // a caller that has gone is nobody's error
				return
			}
		}
		next(ctx)
	}
}

func emptyIn(query url.Values, parameters []*huma.Param) []error {
	var faults []error
	for _, p := range parameters {
		values, given := query[p.Name]
		anyText := p.Schema.Type == huma.TypeString && p.Schema.Format == "" && len(p.Schema.Enum) == 0 && p.Schema.MinLength == nil
		if p.In == "query" && given && !anyText && p.Schema.Type != huma.TypeArray && slices.Contains(values, "") {
			faults = append(faults, &huma.ErrorDetail{Location: "query." + p.Name, Message: contract.Empty("query." + p.Name)})
		}
	}
	return faults
}
