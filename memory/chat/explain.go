package chat

import (
	"context"
	"regexp"
	"strings"

	"github.com/google/uuid"

	"kith/graph"
	"kith/internal/fault"
)

// Explanation asks the model to explain a result, in the tree of a session.
type Explanation struct {
	SessionID string    `json:"session_id" minLength:"1" maxLength:"256" doc:"one tree for each of a user's sessions"`
	ID        string    `json:"id,omitempty" maxLength:"256" doc:"of the turn; generated (UUIDv7) when left out; asking again is harmless"`
	Result    string    `json:"result" max:"92160" word:"filled" doc:"what is to be explained; at most 90 KiB"`
	Subjects  []Subject `json:"subjects,omitempty" maxItems:"20" doc:"what the result is about"`
	Question  string    `json:"question,omitempty" max:"4096" doc:"what is to be explained about it; at most 4 KiB"`
}

// Subject is a node of the memory, named by its kind in CamelCase and its key.
type Subject struct {
	EntityType string `json:"entity_type" maxLength:"64" matches:"^[A-Z][A-Za-z]*$" doc:"a kind in CamelCase"`
	EntityID   string `json:"entity_id" maxLength:"256" matches:"^[^\\s\\x00-\\x1F\\x7F-\\x9F]+$" doc:"entity_key; it must not be blank, contain blanks or end with punctuation, or a prompt could not name it"`
}

const (
	explainPrompt = "You explain results to the person who got them: what they say, what led to them, and what is uncertain. " +
		"Use plain words and short paragraphs, and nothing that you are not told here."
	explainName = "Explanations"

	maxResult   = 90 << 10
	maxQuestion = 4 << 10
	maxSubjects = 20
)

// explainSpace is the namespace of the ids of trees, which are made from users and sessions.
var explainSpace = uuid.MustParse("6f0f54ae-9d0c-4f6b-8f39-1d6f0c3f7a11")

var subjectType = regexp.MustCompile(`^[A-Z][A-Za-z]*$`)

// Explain adds a root turn that asks for the explanation to the session's tree. The first call creates the tree.
// Errors: those of Submit.
func (s *Service) Explain(ctx context.Context, scope graph.Scope, e *Explanation) (turn Turn, created bool, err error) {
	if err := e.validate(); err != nil {
		return Turn{}, false, err
	}
	id := uuid.NewSHA1(explainSpace, []byte(scope.UserID+"\x1f"+e.SessionID)).String()
	turn, created, err = s.submit(ctx, scope, id, TurnWrite{
		ID: e.ID, UserPrompt: e.prompt(), PromptVersion: PromptVersion,
		Tree: &TreeWrite{Name: graph.Some(explainName), SystemPrompt: graph.Some(explainPrompt)},
	})
	err = fault.Relocate(err, func(p fault.Path) fault.Path {
		if p == fault.At("user_prompt") { // the other parts have their own bounds
			return fault.At("result")
		}
		return p
	})
	return turn, created, err
}

func (e *Explanation) validate() error {
	f := &fault.List{}
	text := func(place fault.Path, value string, limit int) {
		if f.Bytes(place, len(value), limit) && strings.ContainsRune(value, 0) {
			f.Add(place, fault.Malformed, "must not contain NUL characters")
		}
	}
	f.Key(fault.At("session_id"), e.SessionID)
	text(fault.At("result"), e.Result, maxResult)
	f.NotBlank(fault.At("result"), e.Result)
	text(fault.At("question"), e.Question, maxQuestion)
	f.Items(fault.At("subjects"), len(e.Subjects), maxSubjects)
	for i, subject := range e.Subjects[:min(len(e.Subjects), maxSubjects)] {
		at := fault.At("subjects").Index(i)
		if !subjectType.MatchString(subject.EntityType) {
			f.Add(at.Field("entity_type"), fault.Malformed, "must be a kind in CamelCase")
		}
		if tokens := Tokens(Subject{"T", subject.EntityID}.token()); len(tokens) != 1 || tokens[0].EntityID != subject.EntityID {
			f.Add(at.Field("entity_id"), fault.Malformed, "must be a key without blanks that a prompt can name")
		}
	}
	return f.Err()
}

func (s Subject) token() string { return "@" + s.EntityType + ":" + s.EntityID }

// prompt returns the user prompt of the root turn.
func (e *Explanation) prompt() string {
	parts := []string{"Explain this result."}
	if len(e.Subjects) > 0 {
		tokens := make([]string, len(e.Subjects))
		for i, subject := range e.Subjects {
			tokens[i] = subject.token()
		}
		parts = append(parts, "It is about "+strings.Join(tokens, ", ")+".")
	}
	if question := strings.TrimSpace(e.Question); question != "" {
		parts = append(parts, question)
	}
	return strings.Join(append(parts, "Result:\n"+e.Result), "\n\n")
}
