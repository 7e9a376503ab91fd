package ontology

import (
	"context"
	"fmt"
	"strings"

	"kith/loader"
	"kith/memory/preference"
)

// PromptReceipt accounts for the messages of a prompt.
type PromptReceipt struct {
	Messages []MessageReceipt `json:"messages" doc:"of each message, in order"`
	LeftOut  []loader.LeftOut `json:"left_out" doc:"lines of the memory that were cut to keep the share of their part, in the order of cutting; back_at is the max_tokens of the prompt. history counts the messages that were cut"`
}

// MessageReceipt accounts for a message.
type MessageReceipt struct {
	Spans []loader.Span `json:"spans" doc:"all of its content, in order"`
}

// The parts of a prompt that are not of the memory.
const (
	SystemPart   loader.Part = "system"   // the caller's system prompt
	GuidancePart loader.Part = "guidance" // Kith's, for the model
	MessagePart  loader.Part = "message"  // that is to be answered
)

// receipt accounts for the messages of a prompt.
func (r *PromptRequest) receipt(p *Prompt, system string, texts promptTexts) (*PromptReceipt, error) {
	out := &PromptReceipt{Messages: make([]MessageReceipt, len(p.Messages)), LeftOut: []loader.LeftOut{}}
	last := len(p.Messages) - 1
	history := last - (p.History.Whole + p.History.Shortened)
	next := 0
	add := func(a *lineAccount) {
		out.Messages[next].Spans = a.spans
		next++
	}
	if first := accountSystem(system, p.ContextType, texts.linked); len(first.spans) > 0 {
		add(first)
	}
	for _, t := range []promptText{texts.preferences, texts.snapshot} {
		if t.text != "" {
			add(&lineAccount{spans: t.spans})
		}
	}
	for next < last {
		part := loader.ConversationPart
		if next < history { // how many messages are left out
			part = loader.NoticePart
		}
		add(whole(part, p.Messages[next].Content))
	}
	add(whole(MessagePart, r.Message))
	for i := range p.Messages {
		if _, err := loader.CountSpans(p.Messages[i].Content, out.Messages[i].Spans); err != nil {
			return nil, err
		}
	}
	for _, part := range []struct {
		text          promptText
		share, margin int
	}{{texts.linked, linkedShare, 0}, {texts.preferences, preferencesShare, 0}, {texts.snapshot, snapshotShare, snapshotHeading}} {
		for _, l := range part.text.left {
			l.BackAt = max(MinPromptTokens, ((l.BackAt+part.margin)*DefaultPromptTokens+part.share-1)/part.share)
			out.LeftOut = append(out.LeftOut, l)
		}
	}
	return out, nil
}

func whole(part loader.Part, text string) *lineAccount {
	a := &lineAccount{}
	if text != "" {
		a.span(part, text, loader.Item{})
	}
	return a
}

// accountSystem accounts for the system message: the caller's text with the guidance, and what is linked with the focus.
func accountSystem(system string, kind Type, linked promptText) *lineAccount {
	a := &lineAccount{}
	add := func(part loader.Part, text string) {
		if text != "" {
			a.span(part, text, loader.Item{})
		}
	}
	own := len(system) - len(guidance(kind))
	add(SystemPart, system[:own])
	add(GuidancePart, system[own:])
	if linked.text == "" {
		return a
	}
	if system != "" {
		add(loader.NoticePart, "\n\n")
	}
	a.append(linked)
	return a
}

// append adds a text with its spans.
func (a *lineAccount) append(t promptText) {
	from := a.text.Len()
	a.text.WriteString(t.text)
	for _, s := range t.spans {
		s.From, s.To = s.From+from, s.To+from
		a.spans = append(a.spans, s)
	}
}

// trimmed returns the text without white space around it.
func (a *lineAccount) trimmed() promptText {
	text := a.text.String()
	from := len(text) - len(strings.TrimLeft(text, " \t\n"))
	t := promptText{text: strings.TrimSpace(text)}
	for _, s := range a.spans {
		if s.From, s.To = max(0, s.From-from), min(s.To-from, len(t.text)); s.From < s.To {
			t.spans = append(t.spans, s)
		}
	}
	return t
}

// snapshotText returns the context snapshot of a prompt.
func (l *Loader) snapshotText(ctx context.Context, r Request) (promptText, error) {
	const heading = "## Context Snapshot\n\n"
	if !r.Explain {
		answer, err := l.Ontology(ctx, r)
		return promptText{text: heading + strings.TrimSpace(string(answer.Head))}, err
	}
	if err := r.Validate(); err != nil {
		return promptText{}, err
	}
	c, err := l.ontology(ctx, r)
	if err != nil {
		return promptText{}, fmt.Errorf("ontology: %w", err)
	}
	receipt, err := c.account(&r)
	if err != nil {
		return promptText{}, err
	}
	body := &lineAccount{spans: receipt.Spans}
	body.text.WriteString(receipt.Text)
	a := whole(loader.HeadingPart, heading)
	a.append(body.trimmed())
	t := promptText{text: a.text.String(), spans: a.spans, left: receipt.LeftOut}
	return t, l.users.AddOrigins(ctx, r.Scope, t.spans, t.left)
}

// linkedText returns what is linked with the focus of a prompt.
func (l *Loader) linkedText(ctx context.Context, r LinkedRequest, explain bool) (promptText, error) {
	if !explain {
		answer, err := l.Linked(ctx, r)
		return promptText{text: strings.TrimSpace(string(answer.Head))}, err
	}
	r.setDefaults()
	c, err := l.linked(ctx, &r)
	if err != nil {
		return promptText{}, err
	}
	links := c.abbreviated()
	cut := links.cuts()
	if err := cut.fit(r.MaxTokens); err != nil {
		return promptText{}, err
	}
	a := &lineAccount{}
	a.add(textPart{linkedPart, links.render(cut.gone)}, c.item)
	t := a.trimmed()
	if t.left, err = cut.leftOut(func(i int) (string, loader.Item) { return links.cutLine(c, i) }); err != nil {
		return t, err
	}
	return t, l.users.AddOrigins(ctx, r.Scope, t.spans, t.left)
}

// accountPreferences returns preferences as a message, with an account of it.
func accountPreferences(found []preference.Preference, budget int) (promptText, error) {
	lines, items := loader.PreferenceLines(found), loader.PreferenceItems(found)
	cut := preferenceCuts(lines)
	if err := cut.fit(budget); err != nil {
		return promptText{}, err
	}
	item := func(place int) loader.Item {
		item := items(place)
		item.Section, item.Rank, item.Of = string(loader.PreferencesSection), place+1, len(lines)
		return item
	}
	a := &lineAccount{}
	a.add(textPart{string(loader.PreferencesSection), preferencesBlock(lines, cut.gone)}, func(_ string, n int) loader.Item { return item(n) })
	t := a.trimmed()
	var err error
	t.left, err = cut.leftOut(func(i int) (string, loader.Item) { return lines[len(lines)-1-i], item(len(lines) - 1 - i) })
	return t, err
}
