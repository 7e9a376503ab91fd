package handlers

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/contract"
	"kith/internal/fault"
	"kith/memory/chat"
	"kith/memory/feed"
)

// Problem is every error's body (RFC 9457). It never repeats what was submitted.
type Problem struct {
	Type   string  `json:"type" example:"about:blank" doc:"about:blank: the status says all; urn:kith:problem:no-language-model: what was asked needs a language model, and none is configured"`
	Title  string  `json:"title"`
	Status int     `json:"status"`
	Detail string  `json:"detail"`
	Errors []Fault `json:"errors,omitempty"`
	Oldest string  `json:"oldest_cursor,omitempty" doc:"of changes, in a 410: the oldest cursor that works"`
}

// Fault is one fault of a request, with its place: body.nodes[3].name, query.time_zone, path.id.
type Fault struct {
	Location string `json:"location"`
	Message  string `json:"message"`
	Code     string `json:"code,omitempty" doc:"the sort of the fault, for programs: the codes are in the reference; a fault of another sort has none"`
	Version  *int64 `json:"current_version,omitempty" doc:"the stored version, where another one was asked for"`
}

// Error is the problem's detail.
func (p *Problem) Error() string { return p.Detail }

// GetStatus is the problem's status; it makes Problem a huma.StatusError.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType returns the content type of problems.
func (p *Problem) ContentType(string) string { return problemType }

const problemType = "application/problem+json"

func problemOf(status int, detail string, faults ...Fault) *Problem {
	return &Problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: detail, Errors: faults}
}

func abort(c *gin.Context, p *Problem) {
	if p.Status == http.StatusServiceUnavailable || p.Status == http.StatusTooManyRequests && c.Writer.Header().Get("Retry-After") == "" {
		c.Header("Retry-After", retryAfter)
	}
	c.Header("Content-Type", problemType)
	c.AbortWithStatusJSON(p.Status, p)
}

// errExports reports that as many exports are made as may.
var errExports = errors.New("as many exports are made as may")

// errStreams reports that as many streams of events are open as may.
var errStreams = errors.New("as many streams of events are open as may")

// outcomes is the one table from error to status. The first that fits counts.
var outcomes = []struct { //nolint:gochecknoglobals // a constant table
	is     error
	status int
	detail string // empty: the error's own text, which names no values
}{
	{fault.ErrInvalid, http.StatusUnprocessableEntity, "the request has faults"},
	{fault.ErrNotFound, http.StatusNotFound, "there is nothing of this id"},
	{fault.ErrConflict, http.StatusConflict, ""},
	{auth.ErrUnauthorized, http.StatusUnauthorized, "a valid API key or token is needed: Authorization: Bearer …"},
	{auth.ErrAttempts, http.StatusTooManyRequests, "too many requests with a wrong API key came from your address; correct the key, and try again later"},
	{auth.ErrIssuer, http.StatusServiceUnavailable, "the issuer of tokens does not answer; try again"},
	{auth.ErrForbidden, http.StatusForbidden, ""},
	{graph.ErrQuota, http.StatusForbidden, ""},
	{graph.ErrTooLarge, http.StatusUnprocessableEntity, "the request needs more memory than the database gives to one transaction (db.memory.transaction.max), and nothing was written: send or ask for less at once, or have the operator raise it, as with KITH_NEO4J_HEAP"},
	{graph.ErrBusy, http.StatusTooManyRequests, "too many statements of the team run at once; try again"},
	{chat.ErrFull, http.StatusTooManyRequests, "as many generations run and wait as may; try again"},
	{errNoPlace, http.StatusServiceUnavailable, ""},
	{errExports, http.StatusTooManyRequests, "as many exports are made as may at once; try again when one has ended"},
	{errStreams, http.StatusTooManyRequests, "as many streams of events are open as may; read without a stream, or try again"},
	{feed.ErrGone, http.StatusGone, ""},
	{chat.ErrNoModel, http.StatusNotImplemented, ""},
	{context.Canceled, statusClientClosed, "the request was given up"},
	{graph.ErrInDoubt, http.StatusServiceUnavailable, "the database did not answer to the commit: what was to be written may be stored, or will be in a moment; send it again"},
	{graph.ErrUnavailable, http.StatusServiceUnavailable, "the database does not answer; try again"},
	{context.DeadlineExceeded, http.StatusServiceUnavailable, "the request took too long; try again"},
}

// noModelType is the type of the problem that no language model is configured. It is a choice of the operator, and no failure: the
// same request answers the same until somebody configures one.
const noModelType = "urn:kith:problem:no-language-model"

// statusClientClosed is for logs and metrics: nobody is left to read it.
const statusClientClosed = 499

func problemFor(err error) *Problem {
	for _, o := range outcomes {
		if !errors.Is(err, o.is) {
			continue
		}
		detail := o.detail
		if detail == "" {
			detail = strings.TrimSuffix(err.Error(), ": "+o.is.Error())
		}
		p := problemOf(o.status, detail, faultsOf(err)...)
		if o.status == http.StatusNotImplemented {
			p.Type, p.Title = noModelType, "No Language Model"
		}
		if gone := (*feed.GoneError)(nil); errors.As(err, &gone) {
			p.Oldest = gone.Oldest
		}
		return p
	}
	return problemOf(http.StatusInternalServerError, "something went wrong here; the request id leads to the log")
}

func faultsOf(err error) []Fault {
	fields := fault.Fields(err)
	if len(fields) == 0 {
		return nil
	}
	return faultsFrom(contract.Bounded(slices.Clone(fields)))
}

func faultsFrom(fields []fault.FieldError) []Fault {
	faults := make([]Fault, len(fields))
	for i, f := range fields {
		faults[i] = Fault{f.Path.String(), f.Message, string(f.Code), f.Version}
	}
	return faults
}

// problem turns an error into what is sent, and logs those that are not the caller's.
func (a *API) problem(ctx context.Context, operation string, err error) error {
	p := problemFor(err)
	if p.Status >= http.StatusInternalServerError && p.Status != http.StatusNotImplemented {
		a.options.Log.ErrorContext(ctx, "request failed", "operation", operation, "request_id", requestID(ctx), "error", err)
	}
	if errors.Is(err, graph.ErrTooLarge) { // the operator can raise the bound
		a.options.Log.WarnContext(ctx, "request too large for the database", "operation", operation, "request_id", requestID(ctx), "error", err)
	}
	if p.Status == http.StatusServiceUnavailable || p.Status == http.StatusTooManyRequests {
		return huma.ErrorWithHeaders(p, http.Header{"Retry-After": {retryAfter}})
	}
	return p
}

// located returns an error with faults of a part of the request (body, query or path) as faults of the request.
func located(part string, err error) error { return fault.Under(err, fault.At(part)) }

// newError returns the answer to a request that does not fit the contract: huma's 400s become faults like all others,
// without values.
func newError(status int, message string, details ...error) huma.StatusError {
	if status == http.StatusBadRequest {
		status = http.StatusUnprocessableEntity
	}
	if status == http.StatusUnsupportedMediaType {
		return problemOf(status, "send the body as JSON, with Content-Type: application/json")
	}
	if status == http.StatusUnprocessableEntity {
		message = "the request has faults"
	}
	p := problemOf(status, message, faultsFrom(contract.Faults(details))...)
	if len(p.Errors) == 0 && status == http.StatusUnprocessableEntity {
		p.Errors = []Fault{{Location: "body", Message: "is required", Code: string(fault.Required)}}
	}
	return p
}
