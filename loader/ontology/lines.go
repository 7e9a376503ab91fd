package ontology

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"kith/text/markup"
)

// highlightsList is a list of highlights with its heading, and how its lines are made. rule is why they are in it.
type highlightsList struct {
	heading, kind, rule string
	of                  HighlightList
	parts               func(*Highlight) []string
	text                func(*Highlight) string
}

// lists returns the lists of highlights in the order of the text.
func (h *Highlights) lists() []highlightsList {
	const changed, created = ", by its last change", ", by its creation"
	return []highlightsList{
		{"Goals", "goal", "a goal of the project" + changed, h.Goals, goalParts, description},
		{"Risks", "risk", "a risk of the project" + created, h.Risks, riskParts, func(h *Highlight) string { return h.Content }},
		{"Decisions", "decision", "a decision of the project, by its date", h.Decisions, decisionParts, decisionText},
		{"Requirements", "requirement", "a requirement of the project" + created, h.Requirements, requirementParts, nil},
		{"Documents", "document", "a document of the project" + changed, h.Documents, documentParts, description},
		{"Milestones", "milestone", "a milestone of the project, by its date", h.Milestones, milestoneParts, description},
		{"Plans", "plan", "a plan of the project" + changed, h.Plans, planParts, description},
		{"Outputs", "output", "an output of the project" + changed, h.Outputs, outputParts, description},
		{"Signals", "signal", "a signal of the project, by its time", h.Signals, signalParts, func(h *Highlight) string { return labelled("Payload", h.Payload) }},
		{"Insights", "insight", "an insight of the project" + created, h.Insights, insightParts, func(h *Highlight) string { return labelled("Summary", h.Summary) }},
		{"Tasks (Recent Updates)", "task", "an open task that changed within 7 days", h.TasksRecent, recentParts, nil},
		{"Tasks (Upcoming)", "task", "an open task that starts or is due within 7 days", h.TasksUpcoming, upcomingParts, nil},
	}
}

// texts returns the highlights as lines, without empty lists.
func (h *Highlights) texts() []highlightText {
	var all []highlightText
	for _, list := range h.lists() {
		if len(list.of.Items) == 0 {
			continue
		}
		text := highlightText{heading: list.heading, more: list.of.More}
		for i := range list.of.Items {
			text.lines = append(text.lines, list.of.Items[i].line(list.parts, list.text))
		}
		all = append(all, text)
	}
	return all
}

// line returns a highlight as one line: name [id] (parts) — text.
func (h *Highlight) line(parts func(*Highlight) []string, text func(*Highlight) string) string {
	line := fmt.Sprintf("%s [%s]", markup.Item(cmp.Or(h.Channel, h.Name)), markup.Inline(h.ID))
	if said := slices.DeleteFunc(parts(h), func(p string) bool { return p == "" }); len(said) > 0 {
		line += " (" + strings.Join(said, ", ") + ")"
	}
	if text != nil {
		if closing := markup.Inline(text(h)); closing != "" {
			line += " — " + closing
		}
	}
	return h.Line(line)
}

func description(h *Highlight) string { return h.Description }

// labelled returns a value after its name; empty without a value.
func labelled(name, value string) string {
	if value == "" {
		return ""
	}
	return name + ": " + value
}

func word(name string, value *string) string {
	if value == nil {
		return ""
	}
	return labelled(name, markup.Inline(*value))
}

func day(name string, at *time.Time) string { return labelled(name, dateOf(at)) }

func number(name string, value *int64) string {
	if value == nil {
		return ""
	}
	return labelled(name, strconv.FormatInt(*value, 10))
}

// dates returns the date of creation and, if it differs, of the last update.
func (h *Highlight) dates() []string {
	dates := []string{day("created", &h.CreatedAt)}
	if h.UpdatedAt != nil && dateOf(h.UpdatedAt) != dateOf(&h.CreatedAt) {
		dates = append(dates, day("updated", h.UpdatedAt))
	}
	return dates
}

func (h *Highlight) edge() string {
	if h.DirectEdge {
		return "edge: direct"
	}
	return "edge: project_id"
}

func goalParts(h *Highlight) []string {
	parts := append([]string{word("type", h.TypeKey), word("state", h.StateKey)}, h.dates()...)
	parts = append(parts, day("target", h.TargetDate), day("completed", h.CompletedAt))
	if h.ProgressPercent != nil {
		parts = append(parts, fmt.Sprintf("progress: %d%%", *h.ProgressPercent), fmt.Sprintf("tasks: %d/%d", *h.CompletedTaskCount, *h.TaskCount))
	}
	return append(parts, h.edge())
}

func riskParts(h *Highlight) []string {
	parts := append([]string{word("type", h.TypeKey), word("state", h.StateKey)}, h.dates()...)
	parts = append(parts, word("impact", h.Impact))
	if h.Probability != nil {
		parts = append(parts, labelled("probability", strconv.FormatFloat(*h.Probability, 'f', -1, 64)))
	}
	return append(parts, day("mitigated", h.MitigatedAt))
}

func decisionParts(h *Highlight) []string {
	return append([]string{day("decision", h.DecisionAt), word("state", h.StateKey)}, h.dates()...)
}

func decisionText(h *Highlight) string {
	said := []string{labelled("Outcome", h.Outcome), labelled("Rationale", h.Rationale), labelled("Desc", h.Description)}
	return strings.Join(slices.DeleteFunc(said, func(s string) bool { return s == "" }), " | ")
}

func requirementParts(h *Highlight) []string {
	return append([]string{number("priority", h.Priority), word("type", h.TypeKey)}, h.dates()...)
}

func documentParts(h *Highlight) []string {
	return append(append([]string{word("type", h.TypeKey), word("state", h.StateKey)}, h.dates()...), h.edge())
}

func milestoneParts(h *Highlight) []string {
	parts := append([]string{day("due", h.DueAt), word("type", h.TypeKey), word("state", h.StateKey)}, h.dates()...)
	return append(parts, day("completed", h.CompletedAt))
}

func planParts(h *Highlight) []string {
	parts := append([]string{word("type", h.TypeKey), word("state", h.StateKey)}, h.dates()...)
	return append(parts, fmt.Sprintf("tasks: %d/%d", *h.CompletedTaskCount, *h.TaskCount))
}

func outputParts(h *Highlight) []string {
	parts := append([]string{word("type", h.TypeKey), word("state", h.StateKey)}, h.dates()...)
	return append(parts, fmt.Sprintf("links: goals: %d, tasks: %d", *h.GoalCount, *h.TaskCount), h.edge())
}

func signalParts(h *Highlight) []string {
	return []string{day("ts", h.TS), day("created", &h.CreatedAt)}
}

func insightParts(h *Highlight) []string {
	return []string{day("created", &h.CreatedAt), word("signal", h.DerivedFromSignalID)}
}

func recentParts(h *Highlight) []string {
	return append([]string{
		word("state", h.StateKey), word("type", h.TypeKey), number("priority", h.Priority), day("updated", h.UpdatedAt),
		day("start", h.StartAt), day("due", h.DueAt), day("completed", h.CompletedAt),
	}, h.counts()...)
}

func upcomingParts(h *Highlight) []string {
	return append([]string{
		word("state", h.StateKey), word("type", h.TypeKey), number("priority", h.Priority), day("start", h.StartAt), day("due", h.DueAt),
		day("updated", h.UpdatedAt),
	}, h.counts()...)
}

func (h *Highlight) counts() []string {
	return []string{
		number("plans", h.PlanCount), number("goals", h.GoalCount), number("outputs", h.OutputCount),
		number("dependencies", h.DependencyCount), number("dependents", h.DependentCount),
	}
}
