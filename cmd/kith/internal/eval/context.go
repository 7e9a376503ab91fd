package eval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	client "kith/clients/go"
	"kith/cmd/kith/internal/terminal"
	"kith/internal/sleep"
	"kith/text/tokens"
)

// ContextOptions selects the files and the service of a measurement of contexts.
type ContextOptions struct {
	Service
	Turns     string   // file of JSON lines with the turns of conversations
	Questions string   // file of JSON lines with questions and the ids of the turns that answer them
	RunFile   string   // file to which the coverage of each question is written. Empty: none
	Without   []string // categories of questions to skip
	Tokens    []int    // budgets of the contexts
	Dated     bool     // keep the times of the turns; otherwise each conversation ends an hour ago
}

// lastTurnAge is how long ago the last turn of a conversation was, unless its times are kept.
const lastTurnAge = time.Hour

// bm25Messages is the number of messages that the reference BM25 takes at most.
const bm25Messages = 40

// Context loads conversations into a new team, reads the context of each user from GET /v1/context without a query, and removes the team.
// It writes to out how much of the evidence of later questions the contexts have.
func Context(ctx context.Context, o ContextOptions, out io.Writer, progress *terminal.Progress) error {
	set, err := readSet(o.Turns, o.Questions, "", progress)
	if err != nil {
		return err
	}
	if !set.dialogue {
		return fmt.Errorf("%s: lines have no conversation", o.Turns)
	}
	if err := set.excludeCategories(o.Without); err != nil {
		return err
	}
	m := newMeasurement(set)
	if len(m.questions) == 0 {
		return errors.New("no question has evidence")
	}
	if err := m.addReferences(o.Tokens, progress); err != nil {
		return err
	}
	var moved map[string]time.Duration
	if !o.Dated {
		moved = set.endAt(time.Now().Add(-lastTurnAge))
	}
	err = o.measure(ctx, 1, set.sessionWrites(moved), progress, func(team *team) error {
		return m.addContexts(ctx, team.api, o.Tokens, progress)
	})
	if err != nil {
		return err
	}
	progress.Clear()
	if err := m.print(out, setName(o.Questions)); err != nil || o.RunFile == "" {
		return err
	}
	return m.writeRun(o.RunFile)
}

// measurement holds which share of each question's evidence several texts have.
type measurement struct {
	set           *dataset
	questions     []question // those that have evidence
	evidence      [][]evidence
	conversations []string // with a question
	columns       []column
	foreign       []column // texts of other users: the rule is too loose if they cover much
	spent         []string // budgets with the mean tokens of the contexts
	words         map[string]passageWords
}

// column holds the shares of one kind of text, by question.
type column struct {
	name   string
	shares []float64
}

func newMeasurement(set *dataset) *measurement {
	m := &measurement{set: set, words: map[string]passageWords{}}
	texts := map[string]string{}
	for i := range set.passages {
		texts[set.passages[i].ID] = set.passages[i].spokenText()
	}
	for i := range set.questions {
		q := &set.questions[i]
		found := questionEvidence(q, texts)
		if len(found) == 0 {
			continue
		}
		m.questions, m.evidence = append(m.questions, *q), append(m.evidence, found)
		if !slices.Contains(m.conversations, q.Conversation) {
			m.conversations = append(m.conversations, q.Conversation)
		}
	}
	return m
}

// cover returns the shares of the questions' evidence that their texts have.
func (m *measurement) cover(name string, textOf func(*question) (string, error)) (column, error) {
	shares := make([]float64, len(m.questions))
	for i := range m.questions {
		text, err := textOf(&m.questions[i])
		if err != nil {
			return column{}, err
		}
		words, read := m.words[text]
		if !read {
			words = readWords(text)
			m.words[text] = words
		}
		shares[i] = words.covered(m.evidence[i])
	}
	return column{name, shares}, nil
}

// addTexts adds a column with the text of each conversation, and one with the text of another conversation.
func (m *measurement) addTexts(name string, texts map[string]string) error {
	own, err := m.cover(name, func(q *question) (string, error) { return texts[q.Conversation], nil })
	if err != nil {
		return err
	}
	m.columns = append(m.columns, own)
	if len(m.conversations) == 1 {
		return nil
	}
	others, err := m.cover(name, func(q *question) (string, error) {
		next := (slices.Index(m.conversations, q.Conversation) + 1) % len(m.conversations)
		return texts[m.conversations[next]], nil
	})
	m.foreign = append(m.foreign, others)
	return err
}

// addReferences adds the newest words of each user, and the messages that BM25 finds with each question.
func (m *measurement) addReferences(budgets []int, progress *terminal.Progress) error {
	said, messages := map[string][]string{}, map[string][]string{} // by conversation
	role := m.set.roles()
	for i := range m.set.passages {
		p := &m.set.passages[i]
		messages[p.Conversation] = append(messages[p.Conversation], p.spokenText())
		if role(p) == userRole {
			said[p.Conversation] = append(said[p.Conversation], p.spokenText())
		}
	}
	for _, texts := range said { // the newest first
		slices.Reverse(texts)
	}
	found := map[string][]string{}
	indexes := map[string]*bm25Index{}
	for i := range m.questions {
		q := &m.questions[i]
		progress.Update(fmt.Sprintf("references: question %d of %d", i+1, len(m.questions)))
		if indexes[q.Conversation] == nil {
			indexes[q.Conversation] = newBM25(messages[q.Conversation])
		}
		for _, place := range indexes[q.Conversation].find(q.Question, bm25Messages) {
			found[q.QID] = append(found[q.QID], messages[q.Conversation][place])
		}
	}
	for _, budget := range budgets {
		newest := map[string]string{}
		for _, conversation := range m.conversations {
			var err error
			if newest[conversation], err = cutToTokens(said[conversation], budget); err != nil {
				return err
			}
		}
		if err := m.addTexts("newest "+strconv.Itoa(budget), newest); err != nil {
			return err
		}
	}
	for _, budget := range budgets {
		asked, err := m.cover("BM25 "+strconv.Itoa(budget), func(q *question) (string, error) { return cutToTokens(found[q.QID], budget) })
		if err != nil {
			return err
		}
		m.columns = append(m.columns, asked)
	}
	return nil
}

// addContexts adds the contexts of all users as texts within the budgets, and as JSON without a limit, before the references.
func (m *measurement) addContexts(ctx context.Context, api *client.Client, budgets []int, progress *terminal.Progress) error {
	whole, err := m.settledContexts(ctx, api, progress)
	if err != nil {
		return err
	}
	references := m.columns
	m.columns = nil
	for _, budget := range budgets {
		texts := map[string]string{}
		for _, user := range m.conversations {
			if texts[user], err = api.ContextText(ctx, client.ContextQuery{UserID: user, MaxTokens: int64(budget)}); err != nil {
				return err
			}
		}
		if err := m.addContext(strconv.Itoa(budget), texts); err != nil {
			return err
		}
	}
	texts := map[string]string{}
	for user, context := range whole {
		texts[user] = strings.Join(textsOf(context), "\n")
	}
	if err := m.addContext("JSON", texts); err != nil {
		return err
	}
	m.columns = append(m.columns, references...)
	return nil
}

func (m *measurement) addContext(name string, texts map[string]string) error {
	sum := 0
	for _, text := range texts {
		n, err := tokens.Count(text)
		if err != nil {
			return err
		}
		sum += n
	}
	m.spent = append(m.spent, fmt.Sprintf("%s: %d", name, sum/len(texts)))
	return m.addTexts("Kith "+name, texts)
}

const (
	settledFor    = 4 * time.Second // without a change
	maxSettleWait = 2 * time.Minute
	pollInterval  = time.Second
)

// settledContexts returns the users' contexts when none has changed for settledFor, or after maxSettleWait.
func (m *measurement) settledContexts(ctx context.Context, api *client.Client, progress *terminal.Progress) (contexts map[string]any, err error) {
	begun := time.Now()
	changed := begun
	for time.Since(changed) < settledFor && time.Since(begun) < maxSettleWait {
		now := map[string]any{}
		for _, user := range m.conversations {
			context := map[string]any{}
			if err := api.Call(ctx, http.MethodGet, "/v1/context?user_id="+url.QueryEscape(user), nil, &context); err != nil {
				return nil, err
			}
			delete(context, "temporal") // the time of day
			now[user] = context
		}
		if !reflect.DeepEqual(now, contexts) {
			contexts, changed = now, time.Now()
		}
		progress.Update("waiting until no context changes: " + time.Since(begun).Round(time.Second).String())
		if !sleep.For(ctx, pollInterval) {
			return nil, ctx.Err()
		}
	}
	return contexts, nil
}

// textsOf returns all texts in a JSON value.
func textsOf(value any) (texts []string) {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		for _, item := range v {
			texts = append(texts, textsOf(item)...)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			texts = append(texts, textsOf(v[name])...)
		}
	}
	return texts
}
