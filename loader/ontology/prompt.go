package ontology

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"kith/graph"
	"kith/internal/fault"
	"kith/loader"
	"kith/text/markup"
	"kith/text/tokens"
)

// Bounds of a prompt. Its parts have shares of its budget: of 5,000 tokens 800 for the system prompt, which is never cut, 500 for
// what is linked with the focus, 300 for preferences, 1,000 for the snapshot, and at most 2,500 for the conversation, which takes what the
// others leave but for 400 in reserve.
const (
	DefaultPromptTokens = 5000
	MinPromptTokens     = 1000

	MaxPromptText    = 100_000 // characters of one text
	MaxPromptHistory = 1000    // messages

	snapshotHeading = 8 // tokens, at most

	linkedShare, preferencesShare, snapshotShare = 500, 300, 1000 // of DefaultPromptTokens
)

// PromptRequest asks for the messages to send to a language model.
type PromptRequest struct {
	Ontology  Request                // of the snapshot; format and budget are set by the prompt
	System    string                 // stands before the guidance
	History   []loader.PromptMessage // the oldest first
	Message   string                 // the user's, that is to be answered
	MaxTokens int                    // o200k; 0: DefaultPromptTokens
	Explain   bool                   // account for the messages
}

// Prompt holds messages in the order to send them, and their use of the budget.
type Prompt struct {
	ContextType Type                   `json:"context_type" enum:"global,project,element,combined,none"`
	Messages    []loader.PromptMessage `json:"messages" doc:"the system prompt with what is linked with the focus, preferences, the context snapshot, the conversation, the current message"`
	Usage       PromptUsage            `json:"usage"`
	History     loader.HistoryUsage    `json:"history"`
	Warnings    []string               `json:"warnings,omitempty"`
	Receipt     *PromptReceipt         `json:"receipt,omitempty" doc:"where explain was asked for"`
}

// PromptUsage counts the o200k tokens of the messages' contents.
type PromptUsage struct {
	PartUsage
	Parts PromptParts `json:"parts"`
}

// PromptParts holds the usage of each part.
type PromptParts struct {
	System      PartUsage `json:"system"`
	Linked      PartUsage `json:"linked_entities"`
	Preferences PartUsage `json:"preferences"`
	Snapshot    PartUsage `json:"context_snapshot"`
	History     PartUsage `json:"history"`
	Message     PartUsage `json:"message"`
}

// PartUsage compares the tokens of a part with its budget: near_limit from 85 %, over_budget above 100 %.
type PartUsage struct {
	Tokens int    `json:"tokens"`
	Budget int    `json:"budget"`
	Status string `json:"status" enum:"ok,near_limit,over_budget"`
}

func usage(tokens, budget int) PartUsage {
	status := "ok"
	switch {
	case tokens > budget:
		status = "over_budget"
	case tokens*100 >= budget*85 && tokens > 0:
		status = "near_limit"
	}
	return PartUsage{tokens, budget, status}
}

// Validate checks the request; locations refer to the body.
func (r *PromptRequest) Validate() error {
	f := &fault.List{}
	if r.Message == "" {
		f.Required(fault.At("message"))
	}
	checkPromptText(f, fault.At("message"), r.Message)
	checkPromptText(f, fault.At("system_prompt"), r.System)
	if len(r.History) > MaxPromptHistory {
		f.Add(fault.At("history"), fault.WrongCount, "must have at most %d messages", MaxPromptHistory)
		return f.Err()
	}
	for i := range r.History {
		at := fault.At("history").Index(i)
		f.OneOf(at.Field("role"), r.History[i].Role, "system", "user", "assistant", "tool")
		checkPromptText(f, at.Field("content"), r.History[i].Content)
	}
	f.OptionalBetween(fault.At("max_tokens"), int64(r.MaxTokens), MinPromptTokens, tokens.Most)
	if err := f.Err(); err != nil {
		return err
	}
	return r.Ontology.Validate()
}

// checkPromptText checks the length of a text. What else is wrong with it is cleaned.
func checkPromptText(f *fault.List, place fault.Path, text string) {
	if len(text) > MaxPromptText && utf8.RuneCountInString(text) > MaxPromptText {
		f.Add(place, fault.TooLong, "must have at most %d characters", MaxPromptText)
	}
}

// clean removes invisible characters from the caller's texts. Line breaks stay, as each text is a message.
func (r *PromptRequest) clean() {
	r.System, r.Message, r.History = markup.Lines(r.System), markup.Lines(r.Message), slices.Clone(r.History)
	for i := range r.History {
		r.History[i].Content = markup.Lines(r.History[i].Content)
	}
}

// promptText is a part of a prompt that is loaded, and where it is asked for an account of it.
type promptText struct {
	text  string
	spans []loader.Span
	left  []loader.LeftOut // back_at is for the text
}

// promptTexts are the texts of a prompt that are loaded.
type promptTexts struct{ linked, preferences, snapshot promptText }

// Prompt makes the messages for a language model; it calls none. Errors: fault.InvalidError, fault.ErrNotFound, graph.ErrUnavailable.
func (l *Loader) Prompt(ctx context.Context, r PromptRequest) (*Prompt, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	r.clean()
	for {
		p, err := l.prompt(ctx, &r)
		if !errors.Is(err, fault.ErrNotFound) || !r.Ontology.dropFocus() {
			return p, err
		}
	}
}

func (l *Loader) prompt(ctx context.Context, r *PromptRequest) (*Prompt, error) {
	budget := cmp.Or(r.MaxTokens, DefaultPromptTokens)
	share := func(of int) int { return of * budget / DefaultPromptTokens }
	kind, warnings := r.Ontology.choose()
	p := &Prompt{ContextType: kind, Warnings: warnings}
	texts, err := l.promptTexts(ctx, r, p, share)
	if err != nil {
		return nil, err
	}
	system := strings.TrimSpace(r.System + "\n\n" + guidance(kind))
	counts, err := tokensOf(system, texts.linked.text, texts.preferences.text, texts.snapshot.text, r.Message)
	if err != nil {
		return nil, err
	}
	others := counts[0] + counts[1] + counts[2] + counts[3]
	conversation := max(0, min(share(2500), budget-share(400)-others))
	history, err := loader.Compress(r.History, max(0, conversation-counts[4]))
	if err != nil {
		return nil, err
	}
	p.History = history.Usage
	p.Messages = stack(system, texts, history.Messages, r.Message)
	if r.Explain {
		if p.Receipt, err = r.receipt(p, system, texts); err != nil {
			return nil, err
		}
	}
	p.Usage = PromptUsage{usage(others+history.Tokens+counts[4], budget), PromptParts{
		System: usage(counts[0], share(800)), Linked: usage(counts[1], share(linkedShare)), Preferences: usage(counts[2], share(preferencesShare)),
		Snapshot: usage(counts[3], share(snapshotShare)), History: usage(history.Tokens, max(0, conversation-counts[4])),
		Message: usage(counts[4], conversation),
	}}
	return p, nil
}

func tokensOf(texts ...string) ([]int, error) {
	counts := make([]int, len(texts))
	for i, text := range texts {
		var err error
		if counts[i], err = tokens.Count(text); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// stack orders the messages; empty parts are omitted.
func stack(system string, texts promptTexts, history []loader.PromptMessage, message string) []loader.PromptMessage {
	if texts.linked.text != "" {
		system += "\n\n" + texts.linked.text
	}
	var all []loader.PromptMessage
	for _, text := range []string{strings.TrimSpace(system), texts.preferences.text, texts.snapshot.text} {
		if text != "" {
			all = append(all, loader.PromptMessage{Role: "system", Content: text})
		}
	}
	return append(append(all, history...), loader.PromptMessage{Role: "user", Content: message})
}

// promptTexts loads the parts in parallel. Missing links or preferences are reported as warnings.
func (l *Loader) promptTexts(ctx context.Context, r *PromptRequest, p *Prompt, share func(int) int) (promptTexts, error) {
	var texts promptTexts
	var unlinked, unpreferred error
	o := &r.Ontology
	group, inGroup := errgroup.WithContext(ctx)
	if p.ContextType != NoOntology {
		group.Go(func() (err error) {
			snapshot := *o
			snapshot.Remembered, snapshot.Explain = false, r.Explain
			snapshot.Format, snapshot.MaxTokens, snapshot.WithoutLinked = loader.Text, share(snapshotShare)-snapshotHeading, true
			texts.snapshot, err = l.snapshotText(inGroup, snapshot)
			return err
		})
	}
	if !o.WithoutLinked && (p.ContextType == ElementOntology || p.ContextType == CombinedOntology) {
		group.Go(func() error {
			texts.linked, unlinked = l.linkedText(inGroup, LinkedRequest{
				Scope: o.Scope, Kind: o.focusKind(), Key: o.FocusID, Format: loader.Text, MaxTokens: share(linkedShare),
			}, r.Explain)
			return nil
		})
	}
	if o.Scope.UserID != "" {
		group.Go(func() error {
			texts.preferences, unpreferred = l.preferencesText(inGroup, o.Scope, share(preferencesShare), r.Explain)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return texts, err
	}
	if unlinked != nil {
		p.Warnings = append(p.Warnings, unlinkedWarning)
	}
	if unpreferred != nil {
		p.Warnings = append(p.Warnings, "the preferences could not be loaded")
	}
	return texts, ctx.Err()
}

// preferencesText returns a user's preferences as a message; empty if there are none. The last ones are cut to keep the
// budget.
func (l *Loader) preferencesText(ctx context.Context, scope graph.Scope, budget int, explain bool) (promptText, error) {
	if explain {
		found, err := l.users.Preferences(ctx, scope)
		if err != nil {
			return promptText{}, err
		}
		return accountPreferences(found, budget)
	}
	view := strings.Join([]string{"preferences", strconv.Itoa(budget)}, "\x1f")
	answer, err := l.users.Rendered(ctx, scope, view, loader.Text, func(ctx context.Context) ([]byte, bool, error) {
		found, err := l.users.Preferences(ctx, scope)
		if err != nil {
			return nil, false, err
		}
		cut := preferenceCuts(loader.PreferenceLines(found))
		if err := cut.fit(budget); err != nil {
			return nil, false, err
		}
		text, err := cut.text()
		return []byte(text), true, err
	})
	return promptText{text: strings.TrimSpace(string(answer.Head))}, err
}

// preferenceCuts returns preferences as a message, of which the last lines can be cut.
func preferenceCuts(lines []string) cuts {
	return newCuts(len(lines), func(gone int) (string, error) { return preferencesBlock(lines, gone), nil })
}

func preferencesBlock(lines []string, gone int) string {
	if len(lines) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("## User Preferences\n\n")
	for _, line := range lines[:len(lines)-gone] {
		b.WriteString("- " + line + "\n")
	}
	if gone > 0 {
		b.WriteString("- ... and " + strconv.Itoa(gone) + " more\n")
	}
	return b.String()
}
