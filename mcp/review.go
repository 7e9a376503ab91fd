package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"kith/access/auth"
	"kith/graph"
	"kith/graph/trust"
	"kith/internal/contract"
	"kith/internal/fault"
	"kith/text/markup"
)

// reviews keeps writes that wait because of their trust.
type reviews interface {
	Reviews(ctx context.Context, scope graph.Scope, l graph.ReviewList) (graph.ReviewPage, error)
	Decide(ctx context.Context, scope graph.Scope, key string, d graph.ReviewDecision) (graph.Review, graph.MemoryResult, error)
}

type reviewsInput struct {
	Caller
	Confirm []string `json:"confirm,omitempty" maxItems:"20" unique:"true" doc:"keys of writes to store"`
	Refuse  []string `json:"refuse,omitempty" maxItems:"20" unique:"true" doc:"keys of writes never to store"`
	Always  bool     `json:"always,omitempty" doc:"decide so about all further writes of their origin and author, too"`
	Cursor  string   `json:"cursor,omitempty" maxLength:"4096" doc:"next of the page before"`
}

func (s *Server) addReviews() {
	add(s, tool{"review_writes", "List, confirm or refuse writes that wait", decides, guide("review_writes")}, contract.Input[reviewsInput](), s.reviewWrites)
}

const (
	reviewsPage  = 10  // reviews of one answer
	shownItems   = 10  // nodes and relationships of a review
	shownText    = 300 // characters of a description
	shownSources = 5   // keys of sources of a review
)

func (s *Server) reviewWrites(ctx context.Context, in *reviewsInput) (answer, error) {
	scope, err := scope(ctx, auth.Admin, in.Caller)
	if err != nil {
		return answer{}, err
	}
	if err := in.validate(); err != nil {
		return answer{}, err
	}
	var out strings.Builder
	done := len(in.Confirm)+len(in.Refuse) == 0
	for _, decision := range []struct {
		state string
		keys  []string
	}{{graph.Confirmed, in.Confirm}, {graph.Declined, in.Refuse}} {
		for _, key := range decision.keys {
			_, result, err := s.Trust.Decide(ctx, scope, key, graph.ReviewDecision{State: decision.state, Always: in.Always})
			line := decision.state + stored(&result)
			switch {
			case errors.Is(err, fault.ErrNotFound):
				line = "not found: it is not there, or not this user's"
			case errors.Is(err, fault.ErrInvalid) || errors.Is(err, fault.ErrConflict):
				line = "left as it is: " + markup.Inline(reasonOf(err))
			case err != nil:
				return answer{}, err
			default:
				done = true
			}
			out.WriteString("- " + markup.Item("["+key+"]") + " " + line + "\n")
		}
	}
	page, err := s.Trust.Reviews(ctx, scope, graph.ReviewList{Cursor: in.Cursor, Limit: reviewsPage})
	switch {
	case err != nil && out.Len() == 0:
		return answer{}, err
	case err != nil: // what was decided is decided
		out.WriteString("\nWhat waits cannot be listed now.\n")
	case out.Len() > 0:
		out.WriteString("\n" + reviewsText(page))
	default:
		out.WriteString(reviewsText(page))
	}
	return answer{text: out.String(), wrong: !done}, nil
}

func (in *reviewsInput) validate() error {
	f := &fault.List{}
	refuseCursor(f, in.Cursor, len(in.Confirm)+len(in.Refuse))
	checkKeys(f, "confirm", in.Confirm)
	checkKeys(f, "refuse", in.Refuse)
	return f.Err()
}

// stored returns what became of the items of a confirmed write.
func stored(r *graph.MemoryResult) string {
	var text strings.Builder
	all, refused := len(r.Nodes)+len(r.Relationships), 0
	note := func(what string, fault *string) {
		if fault != nil {
			refused++
			text.WriteString("; " + what + " refused: " + markup.Inline(*fault))
		}
	}
	for i := range r.Nodes {
		note(fmt.Sprintf("nodes[%d]", i), r.Nodes[i].Error)
	}
	for i := range r.Relationships {
		note(fmt.Sprintf("relationships[%d]", i), r.Relationships[i].Error)
	}
	if all == 0 {
		return ""
	}
	return fmt.Sprintf(", stored %d of %d", all-refused, all) + text.String()
}

// reviewsText lists what waits, with all texts of others in quotation marks.
func reviewsText(page graph.ReviewPage) string {
	if len(page.Reviews) == 0 {
		return "No write waits.\n"
	}
	var out strings.Builder
	for i := range page.Reviews {
		writeReview(&out, &page.Reviews[i])
	}
	if page.Next != "" {
		out.WriteString("\nMore: cursor " + page.Next + "\n")
	}
	return out.String()
}

func writeReview(out *strings.Builder, r *graph.Review) {
	fmt.Fprintf(out, "- %s %s", markup.Item("["+r.Key+"]"), trust.Words(r.Origin))
	if r.Author != "" {
		out.WriteString(", by " + markup.Said(r.Author))
	}
	fmt.Fprintf(out, ", trust %.2g, %s", r.Trust, r.CreatedAt.Format(time.DateOnly))
	if r.UserID != nil {
		out.WriteString(", for user " + markup.Inline(*r.UserID))
	}
	if len(r.DerivedFrom) > 0 {
		out.WriteString(", from " + markup.Inline(strings.Join(r.DerivedFrom[:min(len(r.DerivedFrom), shownSources)], ", ")))
	}
	out.WriteString("\n")
	var write graph.MemoryWrite
	if err := json.Unmarshal(r.Write, &write); err != nil {
		out.WriteString("  - cannot be read\n")
		return
	}
	left := shownItems
	item := func(text string) {
		if left--; left >= 0 {
			out.WriteString("  - " + markup.Said(text) + "\n")
		}
	}
	described := func(text string, description graph.Optional[string]) string {
		if description.Value == "" {
			return text
		}
		return text + ": " + markup.Truncate(description.Value, shownText)
	}
	for i := range write.Nodes {
		n := &write.Nodes[i]
		name := n.Name.Value
		if name == "" {
			name = n.EntityKey
		}
		item(described(n.Kind+" "+name, n.Description))
	}
	for i := range write.Relationships {
		e := &write.Relationships[i]
		item(described(e.From+" "+e.Type+" "+e.To, e.Description))
	}
	if left < 0 {
		fmt.Fprintf(out, "  - %d more\n", -left)
	}
}
