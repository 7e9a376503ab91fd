package handlers

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"kith/access/audit"
	"kith/access/auth"
	"kith/exchange"
	"kith/graph"
	"kith/graph/fence"
	"kith/internal/fault"
)

// exchanges are the routes that stream: their bodies are not held, and no deadline ends them while something moves.
var exchanges = map[string]bool{"/v1/export": true, "/v1/import": true} //nolint:gochecknoglobals // a constant table

const ndjsonType = "application/x-ndjson"

// maxExports is how many exports a process makes at once.
const maxExports = 8

// transfers exports and imports the memory.
type transfers interface {
	ExportNodes(ctx context.Context, teamID string, visit func(*graph.NodeWrite) error) error
	ExportRelationships(ctx context.Context, teamID string, visit func(*graph.RelationshipWrite) error) error
	ExportVersions(ctx context.Context, teamID string, visit func(*graph.VersionLine) error) error
	ExportSomeNodes(ctx context.Context, teamID string, keys []string, visit func(*graph.NodeWrite) error) error
	ExportSomeRelationships(ctx context.Context, teamID string, links []graph.ExportLink, visit func(*graph.RelationshipWrite) error) error
	ExportSomeVersions(ctx context.Context, teamID string, of []string, visit func(*graph.VersionLine) error) error
	ExportLinks(ctx context.Context, teamID string, keys []string, limit int) ([]graph.ExportLink, error)
	Restore(ctx context.Context, scope graph.Scope, b *graph.RestoreBatch, mark graph.ImportMark, report func(graph.MemoryResult) string, dryRun bool) (graph.MemoryResult, error)
	CheckNode(w *graph.NodeWrite, scope graph.Scope) []fault.FieldError
	CheckRelationship(w *graph.RelationshipWrite) []fault.FieldError
	CheckVersion(l *graph.VersionLine, scope graph.Scope) []fault.FieldError
	ImportProgress(ctx context.Context, scope graph.Scope, id string) (graph.ImportMark, error)
	EndImport(ctx context.Context, scope graph.Scope, id string) error
}

// wholeTeam is the scope of a caller that may see all of its team: no key that is bound to a user.
func wholeTeam(ctx context.Context, needs string) (graph.Scope, error) {
	p := principal(ctx)
	if p.UserID != "" {
		return graph.Scope{}, fmt.Errorf("the key is bound to a user, and this is of the whole team: %w", auth.ErrForbidden)
	}
	return p.For(needs, "")
}

func (a *API) export(ctx context.Context, _ *struct{}) (*huma.StreamResponse, error) {
	scope, err := wholeTeam(ctx, auth.Read)
	if err != nil {
		return nil, err
	}
	leave, ok := a.exports.Take(scope.TeamID, "")
	if !ok {
		return nil, errExports
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		defer leave()
		hc.SetHeader("Content-Type", ndjsonType)
		hc.SetHeader("Content-Disposition", `attachment; filename="memory.ndjson"`)
		hc.SetHeader("Cache-Control", "no-store")
		hc.SetHeader("Connection", "close") // its deadline would stay for what is asked next
		out := bufio.NewWriterSize(&movingWriter{hc.BodyWriter(), deadlines(ctx), a.options.StreamPause, ctx}, 64<<10)
		reading, end := a.untilStop(ctx)
		defer end()
		err := exchange.Export(reading, exchange.ExportStores{
			Memory: a.Transfers, Statements: a.Statements, Refusals: a.Duplicates, Reviews: a.Trust, Preferences: a.Preferences, Chats: a.ChatStore,
			Changes: a.Changes,
		}, scope.TeamID, sentWriter{out, deadlines(ctx)})
		if err == nil {
			err = out.Flush()
		}
		if err != nil {
			a.breakOff(ctx, out, isStopping(reading), err)
		}
	}}, nil
}

// sentWriter sends what it has when it is flushed.
type sentWriter struct {
	*bufio.Writer
	connection *http.ResponseController
}

// Flush sends what was written.
func (w sentWriter) Flush() error {
	err := w.Writer.Flush()
	if err == nil && w.connection != nil {
		_ = w.connection.Flush() // a reader that has gone ends the context
	}
	return err
}

// breakOff ends an export that is incomplete: neither its last line nor the end of its stream is that of a complete one.
func (a *API) breakOff(ctx context.Context, out *bufio.Writer, isStopping bool, err error) {
	reason := "the export broke off: request it again"
	if isStopping {
		reason = "Kith is stopping: request the export again"
		a.options.Log.WarnContext(ctx, "export stopped, as Kith is stopping", "request_id", requestID(ctx))
	} else {
		a.options.Log.ErrorContext(ctx, "export broke off", "request_id", requestID(ctx), "error", err)
	}
	if exchange.WriteIncomplete(out, reason) == nil && out.Flush() == nil {
		_ = deadlines(ctx).Flush() // a reader that has gone is nobody's error
	}
	panic(http.ErrAbortHandler)
}

// deadlines let a connection stand still for a while, but not for ever.
func deadlines(ctx context.Context) *http.ResponseController {
	c, _ := ctx.Value(controllerKey).(*http.ResponseController)
	return c
}

type movingWriter struct {
	io.Writer
	connection *http.ResponseController
	pause      time.Duration
	ctx        context.Context //nolint:containedctx // of the request that is answered: its end ends a write
}

func (w *movingWriter) Write(p []byte) (int, error) {
	if w.connection != nil {
		_ = w.connection.SetWriteDeadline(time.Now().Add(w.pause))
		defer context.AfterFunc(w.ctx, func() { _ = w.connection.SetWriteDeadline(time.Now()) })()
	}
	return w.Writer.Write(p)
}

// minRate is how many bytes a second a stream has to bring on average, beside the pause that it may make.
const minRate = 4 << 10

// movingReader bounds how long a stream may stand still, and how long it may be waited for in all.
type movingReader struct {
	io.Reader
	connection *http.ResponseController
	pause      time.Duration
	ctx        context.Context //nolint:containedctx // of the request whose body it is: its end ends a read

	came   int64
	waited time.Duration
}

func (r *movingReader) Read(p []byte) (int, error) {
	if r.connection == nil {
		return r.Reader.Read(p)
	}
	begun := time.Now()
	_ = r.connection.SetReadDeadline(begun.Add(min(r.pause, r.patience())))
	defer context.AfterFunc(r.ctx, func() { _ = r.connection.SetReadDeadline(time.Now()) })()
	n, err := r.Reader.Read(p)
	r.came, r.waited = r.came+int64(n), r.waited+time.Since(begun)
	if errors.Is(err, io.EOF) { // or it would end the request while the last of it is stored
		_ = r.connection.SetReadDeadline(time.Time{})
	}
	return n, err
}

// patience is for how long the stream may still be waited for.
func (r *movingReader) patience() time.Duration {
	return r.pause + time.Duration(r.came)*time.Second/minRate - r.waited
}

// stream lets the routes that stream reach their connection.
func stream(c *gin.Context) {
	if isStream(c) {
		controller := http.NewResponseController(c.Writer)
		c.Request = c.Request.WithContext(context.WithValue(c.Request.Context(), controllerKey, controller))
	}
}

// ImportInput says how to import the body: NDJSON, or the JSON of another system.
type ImportInput struct {
	Format   string `query:"format" enum:"kith,mcp-memory,graphiti,mem0,zep,letta,cognee,langgraph" default:"kith"`
	UserID   string `query:"user_id" minLength:"1" doc:"for whom items are that name no user; those of another user are refused"`
	Owner    string `query:"owner" minLength:"1" maxLength:"256" doc:"the name of the person who is the user: of the file, else one is made"`
	ImportID string `query:"import_id" minLength:"1" maxLength:"256" doc:"a name of your own for this file: sent again with it after a break, the import goes on where it stopped"`
	DryRun   bool   `query:"dry_run" doc:"say what would become of each item, and store nothing"`
	Strict   bool   `query:"strict" doc:"stop at the first fault: what stands before it is stored, and the rest of its piece of at most 1,000 items where only the database could tell"`
}

func (a *API) importMemory(ctx context.Context, in *ImportInput) (*huma.StreamResponse, error) {
	scope, err := scopeFor(ctx, auth.Write, "", in.UserID)
	if err != nil {
		return nil, err
	}
	if in.Owner != "" && scope.UserID == "" {
		return nil, fault.Invalid(fault.At("query").Field("owner"), fault.Required, "needs a user_id")
	}
	for field, value := range map[string]string{"user_id": scope.UserID, "import_id": in.ImportID, "owner": in.Owner} {
		if value != "" && !fault.ValidKey(value) {
			return nil, fault.Invalid(fault.At("query").Field(field), fault.Malformed, "must not be blank, nor contain control characters")
		}
	}
	if in.ImportID != "" {
		audit.Note(ctx, nil, in.ImportID)
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		report, err := a.runImport(ctx, scope, in, hc.BodyReader())
		status := a.importStatus(ctx, report, err)
		if status >= http.StatusInternalServerError {
			hc.SetHeader("Retry-After", retryAfter)
		}
		hc.SetHeader("Content-Type", jsonType)
		hc.SetStatus(status)
		_ = json.NewEncoder(hc.BodyWriter()).Encode(report) // a caller that has gone is nobody's error
	}}, nil
}

func (a *API) runImport(ctx context.Context, scope graph.Scope, in *ImportInput, body io.Reader) (report *exchange.Report, err error) {
	limited := http.MaxBytesReader(nil, io.NopCloser(body), a.options.MaxImport)
	reading, end := a.untilStop(ctx)
	defer end()
	defer func() {
		if err != nil && isStopping(reading) {
			err = errors.Join(errStopping, err)
		}
	}()
	reader, err := exchange.NewReader(&movingReader{Reader: limited, connection: deadlines(ctx), pause: a.options.StreamPause, ctx: reading}, exchange.Format(in.Format))
	if err != nil {
		return &exchange.Report{}, err
	}
	defer func() { _ = reader.Close() }()
	reader.UserID = scope.UserID
	into := exchange.ImportStores{Memory: a.Transfers, Statements: a.Statements, Refusals: a.Duplicates, Reviews: a.Trust, Preferences: a.Preferences, Chats: a.ChatStore}
	writer := graph.Writer{Limit: principal(ctx).Limit}    // an export has its writers
	if in.Format != string(exchange.Kith) || scope.Bound { // nobody who speaks for one user names other writers
		writer.KeyID, writer.Through = principal(ctx).WriterID(), "import:"+in.Format
	}
	return exchange.Import(graph.WithWriter(ctx, writer), into, scope, reader, exchange.ImportOptions{
		Stop: reading.Done(),
		ID:   in.ImportID, DryRun: in.DryRun, Strict: in.Strict, Owner: in.Owner, Admin: principal(ctx).Allows(auth.Admin), Guess: exchange.Format(in.Format) != exchange.Kith,
	})
}

// errStopping reports that an import ended because Kith ends.
var errStopping = errors.New("Kith is stopping")

// untilStop returns a context that also ends when Kith stops. It must be ended.
func (a *API) untilStop(ctx context.Context) (stopping context.Context, end func()) {
	stopping, cancel := context.WithCancelCause(ctx)
	forget := a.options.Stopping(func() { cancel(errStopping) })
	return stopping, func() {
		forget()
		cancel(nil)
	}
}

// isStopping reports whether a context of untilStop ended because Kith stops.
func isStopping(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errStopping) }

// ImportProgressInput names an import that runs or was interrupted.
type ImportProgressInput struct {
	ID     string `path:"id" minLength:"1" maxLength:"256" doc:"the import_id"`
	UserID string `query:"user_id" minLength:"1" doc:"the user_id of the import"`
}

// ImportProgressOutput is the report of what is stored so far.
type ImportProgressOutput struct{ Body exchange.Report }

// importProgress returns how far an import has come, also while its body still comes.
func (a *API) importProgress(ctx context.Context, in *ImportProgressInput) (*ImportProgressOutput, error) {
	scope, err := scopeFor(ctx, auth.Write, "", in.UserID)
	if err != nil {
		return nil, err
	}
	report, _, err := exchange.Progress(ctx, a.Transfers, scope, in.ID)
	if err != nil {
		return nil, err
	}
	return &ImportProgressOutput{Body: *report}, nil
}

// importStatus returns the status of a report's response. What the report counts is stored, whatever the status.
func (a *API) importStatus(ctx context.Context, report *exchange.Report, err error) int {
	var large *http.MaxBytesError
	var document *exchange.DocumentError
	var unread *exchange.ReadError
	switch {
	case err == nil:
		return http.StatusOK
	case isRefused(ctx):
		report.Stopped = "the key or token is not good any more: what is counted is stored; send the rest with another"
		return http.StatusUnauthorized
	case errors.Is(err, graph.ErrUnavailable):
	case errors.Is(err, errStopping):
		report.Stopped = "Kith is stopping: what is counted is stored; send all again with the same import_id, or the rest"
		a.options.Log.WarnContext(ctx, "import stopped, as Kith is stopping", "request_id", requestID(ctx))
		return http.StatusServiceUnavailable
	case errors.As(err, &large):
		report.Stopped = tooLarge(a.options.MaxImport)
		return http.StatusRequestEntityTooLarge
	case errors.As(err, &document):
		report.Stopped = document.Error()
		return http.StatusUnprocessableEntity
	case errors.Is(err, exchange.ErrStopped):
		first := report.Refused[0]
		report.Stopped = fmt.Sprintf("%v: line %d: %s", err, first.Line, strings.TrimSpace(first.Location+" "+first.Message))
		return http.StatusUnprocessableEntity
	case errors.As(err, &unread):
		report.Stopped = "the body did not come in time, or not to its end"
		return http.StatusRequestTimeout
	}
	p := problemFor(err)
	report.Stopped = p.Detail
	for _, f := range p.Errors {
		report.Stopped += ": " + f.Message
	}
	if p.Status == http.StatusConflict && !errors.Is(err, fence.ErrErased) { // the other one will be done, or give up
		p.Status = http.StatusServiceUnavailable
	}
	if p.Status >= http.StatusInternalServerError {
		a.options.Log.ErrorContext(ctx, "import stopped", "request_id", requestID(ctx), "error", err)
	}
	return p.Status
}

func tooLarge(limit int64) string { return fmt.Sprintf("the body must have at most %d bytes", limit) }

// admit refuses an import that says itself that it is too large or nothing, before any of it is read.
func (a *API) admit(c *gin.Context) {
	if c.FullPath() == "/v1/import" && c.Request.ContentLength == 0 {
		abort(c, problemOf(http.StatusUnprocessableEntity, "the request has faults", Fault{Location: "body", Message: "is required", Code: string(fault.Required)}))
		return
	}
	if exchanges[c.Request.URL.Path] && c.Request.ContentLength > a.options.MaxImport {
		c.Header("Connection", "close")
		abort(c, problemOf(http.StatusRequestEntityTooLarge, tooLarge(a.options.MaxImport)))
	}
}

// importResponse describes the answer, which is sent as bytes.
func importResponse(api huma.API, o *huma.Operation) {
	schema := api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[exchange.Report](), true, "ImportReport")
	o.Responses = map[string]*huma.Response{
		"200": {Description: "What became of the items", Content: map[string]*huma.MediaType{jsonType: {Schema: schema}}},
	}
}

// importBody describes the body. If huma knew it at registration, it would read and hold it. An import that stops
// answers with its report, which counts what is stored, and one that does not begin with a problem.
func importBody(api huma.API) {
	o := api.OpenAPI().Paths["/v1/import"].Post
	binary := &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	o.RequestBody = &huma.RequestBody{
		Required: true, Content: map[string]*huma.MediaType{ndjsonType: binary, jsonType: binary},
	}
	for _, status := range []int{http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity, http.StatusServiceUnavailable} {
		o.Responses[strconv.Itoa(status)].Content[jsonType] = o.Responses["200"].Content[jsonType]
	}
}

// exportResponse describes the answer, which is a stream.
func exportResponse(_ huma.API, o *huma.Operation) {
	o.Responses = map[string]*huma.Response{
		"200": {Description: "One JSON object a line; the last one is {\"end\":…}, and without it the export is incomplete", Content: map[string]*huma.MediaType{
			ndjsonType: {Schema: &huma.Schema{Type: huma.TypeString}},
		}},
	}
}
