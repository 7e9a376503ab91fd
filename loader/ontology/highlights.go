package ontology

import (
	"cmp"
	"math"
	"strings"
	"time"

	"kith/graph/trust"
	"kith/memory/workspace"
	"kith/text/clip"
)

// Highlights are the most important nodes of a project, by kind.
type Highlights struct {
	Goals         HighlightList `json:"goals"`
	Risks         HighlightList `json:"risks"`
	Decisions     HighlightList `json:"decisions"`
	Requirements  HighlightList `json:"requirements"`
	Documents     HighlightList `json:"documents"`
	Milestones    HighlightList `json:"milestones"`
	Plans         HighlightList `json:"plans"`
	Outputs       HighlightList `json:"outputs"`
	Signals       HighlightList `json:"signals"`
	Insights      HighlightList `json:"insights"`
	TasksRecent   HighlightList `json:"tasks_recent" doc:"open ones that changed within 7 days"`
	TasksUpcoming HighlightList `json:"tasks_upcoming" doc:"open ones that start or are due within 7 days"`
}

// HighlightList holds highlights of a kind. More counts those not listed.
type HighlightList struct {
	Items []Highlight `json:"items"`
	More  int64       `json:"more,omitempty"`
}

// Highlight is a node in short: the fields of its kind, shortened texts, and counts of its links.
type Highlight struct {
	ID                  string     `json:"id"`
	Name                string     `json:"name"`
	StateKey            *string    `json:"state_key,omitempty"`
	TypeKey             *string    `json:"type_key,omitempty"`
	CreatedAt           time.Time  `json:"created_at"`
	UpdatedAt           *time.Time `json:"updated_at,omitempty"`
	DirectEdge          bool       `json:"direct_edge"`
	Priority            *int64     `json:"priority,omitempty"`
	Impact              *string    `json:"impact,omitempty"`
	Probability         *float64   `json:"probability,omitempty"`
	StartAt             *time.Time `json:"start_at,omitempty"`
	DueAt               *time.Time `json:"due_at,omitempty"`
	TargetDate          *time.Time `json:"target_date,omitempty"`
	CompletedAt         *time.Time `json:"completed_at,omitempty"`
	DecisionAt          *time.Time `json:"decision_at,omitempty"`
	MitigatedAt         *time.Time `json:"mitigated_at,omitempty"`
	TS                  *time.Time `json:"ts,omitempty"`
	Channel             string     `json:"channel,omitempty"`
	DerivedFromSignalID *string    `json:"derived_from_signal_id,omitempty"`
	Description         string     `json:"description,omitempty"`
	Content             string     `json:"content,omitempty"`
	Outcome             string     `json:"outcome,omitempty"`
	Rationale           string     `json:"rationale,omitempty"`
	Payload             string     `json:"payload,omitempty"`
	Summary             string     `json:"summary,omitempty"`
	ProgressPercent     *int64     `json:"progress_percent,omitempty" doc:"of goals with tasks"`
	TaskCount           *int64     `json:"task_count,omitempty"`
	CompletedTaskCount  *int64     `json:"completed_task_count,omitempty"`
	PlanCount           *int64     `json:"plan_count,omitempty"`
	GoalCount           *int64     `json:"goal_count,omitempty"`
	OutputCount         *int64     `json:"output_count,omitempty"`
	DependencyCount     *int64     `json:"dependency_count,omitempty"`
	DependentCount      *int64     `json:"dependent_count,omitempty"`
	trust.Told
}

func highlightsOf(w *workspace.Workspace) *Highlights {
	list := func(kind string) HighlightList {
		return highlightList(w.Shown[kind], w.Counts[kind].Listed)
	}
	return &Highlights{
		Goals: list("goal"), Risks: list("risk"), Decisions: list("decision"), Requirements: list("requirement"), Documents: list("document"),
		Milestones: list("milestone"), Plans: list("plan"), Outputs: list("output"), Signals: list("signal"), Insights: list("insight"),
		TasksRecent: highlightList(w.Recent, w.RecentTotal), TasksUpcoming: highlightList(w.Upcoming, w.UpcomingTotal),
	}
}

func highlightList(shown []workspace.Item, total int64) HighlightList {
	l := HighlightList{Items: make([]Highlight, len(shown)), More: max(0, total-int64(len(shown)))}
	for i := range shown {
		l.Items[i] = highlightOf(&shown[i])
	}
	return l
}

// Lengths of texts in highlights, in characters.
const (
	taskText   = 120
	shortText  = 140
	middleText = 160
	longText   = 180
)

func highlightOf(n *workspace.Item) Highlight {
	own := ownOf(&n.NodeView)
	h := Highlight{
		ID: n.EntityKey, Name: n.Name, StateKey: valueOrNil(own.StateKey), TypeKey: valueOrNil(own.TypeKey), CreatedAt: n.CreatedAt, DirectEdge: n.Direct,
		Priority: valueOrNil(own.Priority), Impact: valueOrNil(own.Impact), Probability: valueOrNil(own.Probability), StartAt: valueOrNil(own.StartAt), DueAt: valueOrNil(own.DueAt),
		TargetDate: valueOrNil(own.TargetDate), CompletedAt: valueOrNil(own.CompletedAt), DecisionAt: valueOrNil(own.DecisionAt), MitigatedAt: valueOrNil(own.MitigatedAt),
		TS: valueOrNil(own.TS), DerivedFromSignalID: valueOrNil(own.DerivedFromSignalID), Told: n.Told(),
	}
	if n.Kind != "signal" && n.Kind != "insight" {
		h.UpdatedAt = &n.UpdatedAt
	}
	links := n.Links
	switch n.Kind {
	case "goal":
		h.Description = clip.Shorten(cmp.Or(strings.TrimSpace(n.Description), own.Goal.Value), shortText)
		h.TaskCount, h.CompletedTaskCount, h.ProgressPercent = &links.Tasks, &links.Done, progress(links)
	case "plan":
		h.Description, h.TaskCount, h.CompletedTaskCount = clip.Shorten(n.Description, shortText), &links.Tasks, &links.Done
	case "milestone":
		h.Description = clip.Shorten(n.Description, shortText)
	case "decision":
		h.Outcome, h.Rationale, h.Description = clip.Shorten(own.Outcome.Value, shortText), clip.Shorten(own.Rationale.Value, longText), clip.Shorten(n.Description, middleText)
	case "risk":
		h.Content = clip.Shorten(cmp.Or(strings.TrimSpace(own.Content.Value), n.Description), middleText)
	case "requirement":
		h.Name = clip.Shorten(cmp.Or(strings.TrimSpace(own.Text.Value), n.Name), middleText)
	case "output":
		h.Description, h.GoalCount, h.TaskCount = clip.Shorten(n.Description, middleText), &links.Goals, &links.Tasks
	case "document":
		h.Description = clip.Shorten(n.Description, longText)
	case "signal":
		h.Channel, h.Payload = cmp.Or(own.Channel.Value, n.Name), clip.Shorten(n.Raw, middleText)
	case "insight":
		h.Summary = clip.Shorten(cmp.Or(strings.TrimSpace(n.Description), n.Raw), middleText)
	case "task":
		h.Name = clip.Shorten(n.Name, taskText)
		h.PlanCount, h.GoalCount, h.OutputCount = &links.Plans, &links.Goals, &links.Outputs
		h.DependencyCount, h.DependentCount = &links.Dependencies, &links.Dependents
	}
	return h
}

// progress returns the percentage of a goal's tasks that are done; nil without tasks.
func progress(links workspace.Links) *int64 {
	if links.Tasks == 0 {
		return nil
	}
	percent := int64(math.Round(100 * float64(links.Done) / float64(links.Tasks)))
	return &percent
}
