package graph

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"kith/graph/cursors"
	"kith/graph/neo"
	"kith/internal/fault"
)

var listMentions = neo.Load[[]mentionRow]("mention_list")

type mentionRow struct {
	Source, ContentType string
	ContextType         *string
	At                  time.Time
	Summary             string
	Messages            []mentionMessage
}

type mentionMessage struct{ Key, Role, Text string }

// Mention is a source that mentions a node, or both ends of a relationship. Where a message says it with their names, it is the first.
type Mention struct {
	Source      string    `json:"source" doc:"entity_key"`
	ContentType string    `json:"content_type"`
	ContextType *string   `json:"context_type"`
	At          time.Time `json:"at" doc:"when the source began"`
	Summary     string    `json:"summary"`
	Message     string    `json:"message,omitempty" doc:"entity_key of the first message with the name, of a relationship with both names; absent: none of the first 1,000 has it"`
	Role        string    `json:"role,omitempty"`
	From        int       `json:"from,omitempty" doc:"of the name in the message, in code points; of a relationship, of the first name"`
	To          int       `json:"to,omitempty" doc:"the end of the name, or of the last name"`
	Quote       string    `json:"quote,omitempty" doc:"the names with what stands around them, at most 400 code points"`
}

// MentionPage is a page of mentions, and the cursor of the next one; empty after the last.
type MentionPage struct {
	Mentions []Mention
	Next     string
}

// mentionCursor begins the cursors of lists of mentions.
const mentionCursor = "mention" + KeySeparator

// NodeMentions returns a page of the user's sources that mention a node, the newest first. It returns ErrNotFound for the node, and an
// InvalidError for an invalid cursor.
func (s *Store) NodeMentions(ctx context.Context, scope Scope, kind Kind, key, cursor string, limit int) (MentionPage, error) {
	n, err := s.Node(ctx, scope, kind, key, NodeQuery{})
	if err != nil {
		return MentionPage{}, err
	}
	return s.mentions(ctx, scope, []NodeView{n}, cursor, limit)
}

// RelationshipMentions returns a page of the user's sources that mention both ends of a relationship, as NodeMentions does.
func (s *Store) RelationshipMentions(ctx context.Context, scope Scope, key, cursor string, limit int) (MentionPage, error) {
	r, err := s.locate(ctx, scope, key)
	if err != nil {
		return MentionPage{}, err
	}
	ends, err := s.NodesByKey(ctx, scope, []string{r.from, r.to})
	if err == nil && len(ends) != 2 {
		err = fault.ErrNotFound
	}
	if err != nil {
		return MentionPage{}, err
	}
	return s.mentions(ctx, scope, ends, cursor, limit)
}

func (s *Store) mentions(ctx context.Context, scope Scope, of []NodeView, cursor string, limit int) (MentionPage, error) {
	page := MentionPage{Mentions: []Mention{}}
	before, key, err := timePlace(mentionCursor, cursor)
	if err != nil {
		return page, fault.Invalid(fault.At("cursor"), fault.Malformed, "is not a valid cursor")
	}
	names := make([][]string, len(of))
	for i := range of {
		names[i] = of[i].spokenNames()
	}
	params := map[string]any{
		"team_id": scope.TeamID, "user_id": scope.User(), "entity_key": of[0].EntityKey, "other_key": nil, "groups": names,
		"before": before, "before_key": key, "limit": limit + 1, "now": s.Now(),
	}
	if len(of) > 1 {
		params["other_key"] = of[1].EntityKey
	}
	rows, err := listMentions.ReadOne(ctx, s.db, params)
	if err != nil {
		return page, err
	}
	for i := range rows {
		if i == limit {
			last := page.Mentions[limit-1]
			page.Next = cursors.Encode(timeCursor(mentionCursor, last.At, last.Source))
			break
		}
		page.Mentions = append(page.Mentions, rows[i].mention(names))
	}
	return page, nil
}

// spokenNames returns the names by which texts mention a node, in lower case: of a person also the first.
func (n *NodeView) spokenNames() []string {
	names := []string{strings.ToLower(n.Name)}
	if n.CanonicalName != "" {
		names = append(names, strings.ToLower(n.CanonicalName))
	}
	if first, _, more := strings.Cut(names[0], " "); more && n.Kind == PersonKind.Name && utf8.RuneCountInString(first) > 2 {
		names = append(names, first)
	}
	return Distinct(names)
}

func (r *mentionRow) mention(names [][]string) Mention {
	m := Mention{Source: r.Source, ContentType: r.ContentType, ContextType: r.ContextType, At: r.At, Summary: r.Summary}
	for _, message := range r.Messages {
		text := []rune(message.Text)
		if from, to, ok := saidIn(text, names); ok {
			m.Message, m.Role, m.From, m.To, m.Quote = message.Key, message.Role, from, to, quote(text, from, to)
			break
		}
	}
	return m
}

// saidIn returns the part of a text from the first to the last of the names, one of each group; false if one is missing.
func saidIn(text []rune, groups [][]string) (from, to int, ok bool) {
	lower := make([]rune, len(text))
	for i, r := range text {
		lower[i] = unicode.ToLower(r)
	}
	from = len(text)
	for _, names := range groups {
		start, end := -1, 0
		for _, name := range names {
			if at := wordsAt(lower, []rune(name)); at >= 0 && (start < 0 || at < start) {
				start, end = at, at+utf8.RuneCountInString(name)
			}
		}
		if start < 0 {
			return 0, 0, false
		}
		from, to = min(from, start), max(to, end)
	}
	return from, to, true
}

// wordsAt returns where a text has whole words; -1: nowhere.
func wordsAt(text, words []rune) int {
	isPart := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	breaks := func(i int) bool { return i == 0 || i == len(text) || !isPart(text[i-1]) || !isPart(text[i]) }
	for at := 0; len(words) > 0 && at+len(words) <= len(text); at++ {
		end := at + len(words)
		if slices.Equal(text[at:end], words) && breaks(at) && breaks(end) {
			return at
		}
	}
	return -1
}

// quote returns a part of a text with what stands around it.
func quote(text []rune, from, to int) string {
	const around, most = 80, 400
	start, end := max(0, from-around), min(len(text), to+around)
	end = min(end, start+most-2)
	shown := string(text[start:end])
	if start > 0 {
		shown = "…" + shown
	}
	if end < len(text) {
		shown += "…"
	}
	return shown
}
