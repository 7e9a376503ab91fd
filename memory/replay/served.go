package replay

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"time"

	"kith/graph"
	"kith/graph/cursors"
	"kith/internal/fault"
)

// Kind names what was answered.
type Kind string

// Context: a context alone, which a replay of its moment gives again. Conversation: an opened conversation with its context.
const (
	Context      Kind = "context"
	Conversation Kind = "conversation"
)

// answer is one answer, for its digest.
type answer struct {
	user
	at    int64
	kind  Kind
	parts [][]byte
}

// Sent notes the bytes of an answer at a moment that Served returned, if that is switched on. The parts must not be changed.
func (r *Recorder) Sent(scope graph.Scope, at time.Time, kind Kind, parts ...[]byte) {
	if !r.options.Events || at.IsZero() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.answers) >= r.options.Size {
		r.options.Observe(Dropped, 1)
		return
	}
	r.answers = append(r.answers, answer{user{scope.TeamID, scope.UserID}, at.UnixNano(), kind, parts})
}

// Digest returns the SHA-256 of some bytes in hex.
func Digest(parts ...[]byte) string {
	h := sha256.New()
	for _, part := range parts {
		_, _ = h.Write(part) // never fails
	}
	return hex.EncodeToString(h.Sum(nil))
}

// events returns the rows of the answers.
func (b *batch) events() []map[string]any {
	rows := make([]map[string]any, len(b.answers))
	for i, a := range b.answers {
		rows[i] = map[string]any{"user_id": a.id, "at": a.at, "kind": string(a.kind), "digest": Digest(a.parts...)}
	}
	return rows
}

// servedRow is a row of served_list.
type servedRow struct {
	At           int64
	Kind, Digest string
}

// Served is an answer that was given.
type Served struct {
	At     time.Time `json:"at" doc:"the moment of the answer: Kith-As-Of"`
	Kind   Kind      `json:"kind" enum:"context,conversation" doc:"context: a replay of the moment gives the same bytes; conversation: the answer to an opened conversation"`
	Digest string    `json:"digest" doc:"SHA-256 of the body, in hex"`
}

// Query asks for the answers to a user in a period.
type Query struct {
	From, To time.Time // zero: no bound; To is exclusive
	Cursor   string
	Limit    int
}

// Page is a page of answers, the oldest first, with the cursor of the next page; empty after the last.
type Page struct {
	Served []Served
	Next   string
}

const pageCursor = "served" + graph.KeySeparator

// Served lists the answers to the scope's user. It returns an InvalidError for a bad cursor.
func (s *Store) Served(ctx context.Context, scope graph.Scope, q Query) (Page, error) {
	after, err := q.after()
	if err != nil {
		return Page{}, err
	}
	until := int64(math.MaxInt64)
	if !q.To.IsZero() {
		until = nanos(q.To)
	}
	rows, err := listServed.Read(ctx, s.db, map[string]any{
		"team_id": scope.TeamID, "user_id": scope.UserID, "after": after, "until": until, "limit": q.Limit + 1,
	})
	if err != nil {
		return Page{}, err
	}
	page := Page{Served: []Served{}}
	for i, row := range rows {
		if i == q.Limit {
			page.Next = cursors.Encode(pageCursor + strconv.FormatInt(rows[i-1].At, 10))
			break
		}
		page.Served = append(page.Served, Served{time.Unix(0, row.At).UTC(), Kind(row.Kind), row.Digest})
	}
	return page, nil
}

// after returns the moment after which a page begins.
func (q *Query) after() (int64, error) {
	after := int64(0)
	if !q.From.IsZero() {
		after = nanos(q.From) - 1
	}
	if q.Cursor == "" {
		return after, nil
	}
	decoded, err := cursors.Decode(q.Cursor)
	text, ok := strings.CutPrefix(decoded, pageCursor)
	last, bad := strconv.ParseInt(text, 10, 64)
	if err != nil || bad != nil || !ok {
		return 0, fault.Invalid(fault.At("after"), fault.Malformed, "invalid cursor")
	}
	return max(after, last), nil
}
