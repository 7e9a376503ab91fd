package transfer

import (
	"encoding/json"
	"fmt"
	"strings"

	"kith/cmd/kith/internal/terminal"
)

// Report is the response of POST /v1/import.
type Report struct {
	Lines         int64  `json:"lines"`
	Nodes         Counts `json:"nodes"`
	Relationships Counts `json:"relationships"`
	Statements    Counts `json:"statements"`
	Pauses        Counts `json:"pauses"`
	Refusals      Counts `json:"refusals"`
	Reviews       Counts `json:"reviews"`
	TrustRules    Counts `json:"trust_rules"`
	Preferences   Counts `json:"preferences"`
	ChatTrees     Counts `json:"chat_trees"`
	ChatTurns     Counts `json:"chat_turns"`
	Refused       []Note `json:"refused"`
	Warnings      []Note `json:"warnings"`
	ResumedAtLine int64  `json:"resumed_at_line"`
	DryRun        bool   `json:"dry_run"`

	Conversations *Conversations `json:"conversations,omitempty"` // of a file that was converted
}

// Counts counts items by outcome.
type Counts struct {
	Created   int64 `json:"created"`
	Updated   int64 `json:"updated"`
	Unchanged int64 `json:"unchanged"`
	Refused   int64 `json:"refused"`
}

// Note is a refusal or warning about a line. A warning may also be a JSON string.
type Note struct {
	Line     int64  `json:"line"`
	Location string `json:"location"`
	Message  string `json:"message"`
}

// UnmarshalJSON decodes an object or a string.
func (n *Note) UnmarshalJSON(raw []byte) error {
	if strings.HasPrefix(string(raw), `"`) {
		return json.Unmarshal(raw, &n.Message)
	}
	type plain Note
	return json.Unmarshal(raw, (*plain)(n))
}

func (n *Note) text() string {
	return strings.TrimSpace(n.Location + " " + n.Message)
}

// PrintNotes prints refusals and warnings.
func (r *Report) PrintNotes(p *terminal.Progress) {
	for i := range r.Refused {
		if note := &r.Refused[i]; note.Line > 0 {
			p.Fault(int(note.Line), note.text())
		} else {
			p.FaultAt(note.Location, note.Message)
		}
	}
	for i := range r.Warnings {
		if w := &r.Warnings[i]; w.Line > 0 {
			p.Fault(int(w.Line), "warning: "+w.text())
		} else {
			p.Line("warning: " + w.text())
		}
	}
}

// CountRefused returns the number of refused items. A line that could not be read is only in Refused.
func (r *Report) CountRefused() int64 {
	refused := int64(0)
	for _, c := range r.counts() {
		refused += c.Refused
	}
	if r.Conversations != nil {
		refused += r.Conversations.Refused
	}
	return max(refused, int64(len(r.Refused)))
}

func (r *Report) counts() []Counts {
	return []Counts{r.Nodes, r.Relationships, r.Statements, r.Pauses, r.Refusals, r.Reviews, r.TrustRules, r.Preferences, r.ChatTrees, r.ChatTurns}
}

// countItems returns the number of items processed so far.
func (r *Report) countItems() (n int64) {
	for _, c := range r.counts() {
		n += c.Created + c.Updated + c.Unchanged + c.Refused
	}
	return n
}

// String returns a summary of several lines.
func (r *Report) String() string {
	var out strings.Builder
	if r.DryRun {
		_, _ = fmt.Fprintln(&out, "dry run: nothing was stored; an import would report")
	}
	if r.Conversations != nil {
		_, _ = out.WriteString(r.Conversations.String())
	} else {
		_, _ = fmt.Fprintf(&out, "lines:         %d\n", r.Lines)
	}
	if r.ResumedAtLine > 0 {
		_, _ = fmt.Fprintf(&out, "resumed at:    line %d\n", r.ResumedAtLine)
	}
	_, _ = fmt.Fprintf(&out, "nodes:         %s\nrelationships: %s\npreferences:   %s\n", r.Nodes, r.Relationships, r.Preferences)
	none := Counts{}
	if r.Statements != none {
		_, _ = fmt.Fprintf(&out, "statements:    %s\n", r.Statements)
	}
	if r.Refusals != none {
		_, _ = fmt.Fprintf(&out, "refusals:      %s\n", r.Refusals)
	}
	if r.Reviews != none || r.TrustRules != none {
		_, _ = fmt.Fprintf(&out, "reviews:       %s\ntrust rules:   %s\n", r.Reviews, r.TrustRules)
	}
	if r.Pauses != none {
		_, _ = fmt.Fprintf(&out, "pauses:        %s\n", r.Pauses)
	}
	if r.ChatTrees != none || r.ChatTurns != none {
		_, _ = fmt.Fprintf(&out, "chat trees:    %s\nchat turns:    %s\n", r.ChatTrees, r.ChatTurns)
	}
	return out.String()
}

// String lists the counts.
func (c Counts) String() string {
	return fmt.Sprintf("%d created, %d updated, %d unchanged, %d refused", c.Created, c.Updated, c.Unchanged, c.Refused)
}
