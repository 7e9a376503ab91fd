package loader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"kith/text/tokens"
)

// Receipt is the text of a context with an account of it: what each part shows and why, and what was left out.
type Receipt struct {
	Text      string     `json:"text"`
	Tokens    int        `json:"tokens" doc:"o200k tokens of the text"`
	MaxTokens int        `json:"max_tokens,omitempty"`
	Spans     []Span     `json:"spans" doc:"all of the text, in order"`
	LeftOut   []LeftOut  `json:"left_out" doc:"lines that were cut to keep max_tokens, in the order of cutting"`
	NotShown  []NotShown `json:"not_shown" doc:"what is known and was not read for the context"`
	Degraded  []Section  `json:"degraded,omitempty" doc:"what could not be loaded and is missing"`
}

// Span is a part of the text.
type Span struct {
	From   int  `json:"from" doc:"in bytes of UTF-8"`
	To     int  `json:"to"`
	Tokens int  `json:"tokens" doc:"that begin in the span"`
	Part   Part `json:"part" enum:"title,owner,heading,line,notice,now,conversation,system,guidance,message"`
	Item
}

// LeftOut is a line that was cut.
type LeftOut struct {
	Text   string `json:"text"`
	Tokens int    `json:"tokens"`
	BackAt int    `json:"back_at" doc:"the least max_tokens with which the line is in the text"`
	Item
}

// explain loads a context, and accounts for its text. said is the end of the text that has the conversation. Nothing is taken from the
// cache.
func (l *Loader) explain(ctx context.Context, r *Request, current *CurrentConversation, said string) (Answer, error) {
	read, err := l.read(ctx, r)
	if err != nil {
		return Answer{}, err
	}
	t := read.text(r)
	shown := read.items(t)
	var origins map[string]Origin
	reads, inReads := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		origins, err = l.origins(inReads, r.Scope, read.query, shown)
		return err
	})
	receipt, err := account(r, read, t, said)
	if err := errors.Join(err, reads.Wait()); err != nil {
		return Answer{}, err
	}
	addTo(itemsOf(receipt.Spans, receipt.LeftOut), origins)
	if r.Format == Text {
		tail := &tail{first: true}
		tail.add("receipt", func() ([]byte, error) { return json.Marshal(receipt) })
		return Answer{Head: []byte("{"), Tail: tail.close(), ContentType: "application/json"}, tail.err
	}
	k := read.cachedContext
	if k.Body, err = renderJSON(r, read.found, read.degraded, read.left); err != nil {
		return Answer{}, fmt.Errorf("context: %w", err)
	}
	answer, err := k.object(r, read.now, current, receipt)
	answer.ETag = ""
	return answer, err
}

// account renders the text of what was read, and accounts for it.
func account(r *Request, read *reading, t *textContext, said string) (*Receipt, error) {
	f, err := read.fit(r, t)
	if err != nil {
		return nil, fmt.Errorf("receipt: %w", err)
	}
	var pieces []piece
	text := t.render(f.order[:f.cut], &pieces)
	if closing := read.closing(r, read.now); closing != "" {
		text += closing
		pieces = append(pieces, piece{part: NowPart, end: len(text)})
	}
	if said != "" {
		text += said
		pieces = append(pieces, piece{part: ConversationPart, end: len(text)})
	}
	out := &Receipt{Text: text, MaxTokens: r.MaxTokens, NotShown: notNil(read.left), Degraded: read.degraded, LeftOut: []LeftOut{}}
	if out.Spans, out.Tokens, err = t.spans(text, pieces, f); err != nil {
		return nil, fmt.Errorf("receipt: %w", err)
	}
	read.describe(out.Spans)
	if out.LeftOut, err = t.leftOut(r, f, read.closing(r, read.now)); err != nil {
		return nil, fmt.Errorf("receipt: %w", err)
	}
	return out, nil
}

// items returns the nodes that a text shows before it is cut.
func (read *reading) items(t *textContext) (items []*Item) {
	add := func(item Item) {
		if item.hasOrigin() {
			items = append(items, &item)
		}
	}
	for b := range t.blocks {
		for place := range t.blocks[b].lines {
			add(t.blocks[b].items(place))
		}
	}
	parts := []Span{{Part: OwnerPart}, {Part: NowPart}}
	read.describe(parts)
	for i := range parts {
		add(parts[i].Item)
	}
	return items
}

// describe says what the parts show that are not of a section.
func (read *reading) describe(spans []Span) {
	for i := range spans {
		switch s := &spans[i]; s.Part {
		case TitlePart, OwnerPart:
			if read.found.Owner != nil {
				s.Item = nodeItem("person", read.found.Owner, "the person that the user is")
			}
		case NowPart:
			if last := read.found.LastConversation; last != nil {
				s.Item = Item{
					Kind: "source", Key: last.EntityKey, Rule: "the newest conversation", At: &last.StartedAt,
					Provenance: []Provenance{{Source: last.EntityKey, Holds: true}},
				}
			}
		}
	}
}

// spans returns the pieces of a text with their tokens, and the tokens of all.
func (t *textContext) spans(text string, pieces []piece, f fitted) ([]Span, int, error) {
	spans := make([]Span, len(pieces))
	from := 0
	for i, p := range pieces {
		spans[i] = Span{From: from, To: p.end, Part: p.part}
		switch p.part {
		case LinePart:
			spans[i].Item = t.item(p.block, p.row)
		case HeadingPart:
			spans[i].Item = Item{Section: t.blocks[p.block].section}
		}
		from = p.end
	}
	if f.sizer != nil {
		return spans, f.sizer.countSpans(text, spans, pieces), f.sizer.err
	}
	count, err := CountSpans(text, spans)
	return spans, count, err
}

// countSpans sets the tokens of spans that cover a text, and returns the tokens of the text. Those of lines and headings were counted
// to keep the budget.
func (s *sizer) countSpans(text string, spans []Span, pieces []piece) (sum int) {
	for i := range spans {
		switch p := pieces[i]; p.part {
		case HeadingPart:
			spans[i].Tokens = s.blocks[p.block].heading
		case LinePart:
			b := &s.blocks[p.block]
			if spans[i].Tokens = b.lines[p.row]; p.row == b.last {
				spans[i].Tokens = b.lastSize
			}
		default:
			spans[i].Tokens = s.count(text[spans[i].From:spans[i].To])
		}
		sum += spans[i].Tokens
	}
	return sum
}

// CountSpans sets the tokens of spans that cover a text, and returns the tokens of the text.
func CountSpans(text string, spans []Span) (int, error) {
	lengths, err := tokens.Each(text)
	if err != nil {
		return 0, fmt.Errorf("receipt: %w", err)
	}
	at, next := 0, 0
	for i := range spans {
		spans[i].Tokens = 0
		for ; next < len(lengths) && at < spans[i].To; next++ {
			spans[i].Tokens++
			at += lengths[next]
		}
	}
	return len(lengths), nil
}

// item returns what a line shows, with its rank and the line that it beat.
func (t *textContext) item(block, place int) Item {
	b := &t.blocks[block]
	item := b.items(place)
	item.Section, item.Rank, item.Of = b.section, place+1, len(b.lines)
	if place+1 < len(b.lines) {
		next := b.items(place + 1)
		item.Beat = &Beaten{next.Key, next.Value}
	}
	return item
}

// leftOut returns the lines that were cut. A line is in the text if the budget holds a text without fewer lines than were cut before
// it, and as the note on what was cut takes tokens too, a text without more lines may be larger.
func (t *textContext) leftOut(r *Request, f fitted, closing string) ([]LeftOut, error) {
	reserved, err := r.reserve(closing)
	if err != nil {
		return nil, err
	}
	out, least := make([]LeftOut, f.cut), 0
	for i, line := range f.order[:f.cut] {
		if least == 0 || f.sizes[i] < least {
			least = f.sizes[i]
		}
		out[i] = LeftOut{
			Text: t.blocks[line.block].lines[line.place], Tokens: line.tokens, BackAt: max(least+reserved, tokens.Least),
			Item: t.item(line.block, line.place),
		}
	}
	return out, nil
}
