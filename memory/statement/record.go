package statement

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"kith/graph"
	"kith/graph/neo"
	"kith/text/recognise"
)

var (
	findTopics       = neo.Load[foundTopics]("statement_find")
	createStatements = neo.Load[string]("statement_create") // keys
	changeStatements = neo.Load[changed]("statement_change")
)

// foundTopics has the open statements about some topics, and what is known of closed ones.
type foundTopics struct {
	Paused     bool
	Statements []row
	Ended      []ended
}

// ended has when closed statements about a topic and subject were last said, and last ended.
type ended struct {
	Topic, Subject string
	Said, Until    time.Time
}

// Listener finds the statements in messages of users, and keeps those of new ones.
func Listener() *graph.Listener { return &graph.Listener{Hear: hear, Keep: record} }

func hear(ctx context.Context, text string) (any, error) { return recognise.Statements(ctx, text) }

// record stores the statements in new messages of a user. It is called in the transaction that stores the messages. A statement that
// says the same as an older one renews it; one that says something else about the same thing closes it. Messages may arrive late:
// what was said last stays open.
func record(t *graph.Tx, said graph.Said) error {
	r := &recording{
		said: said, open: map[string]*row{}, ended: map[string]time.Time{}, last: map[string]time.Time{}, byKey: map[string]map[string]any{},
	}
	var topics []string
	all := false // what the user said is needed
	for _, m := range said.Messages {
		found, _ := m.Heard.([]recognise.Statement)
		for _, s := range found {
			n := &spoken{Statement: s, message: m.Message}
			r.found = append(r.found, n)
			n.prepare()
			if n.topic != "" {
				topics = append(topics, n.topic)
			}
			topics = append(topics, slices.Concat(n.back...)...)
			all = all || s.Ending()
			if s.Instead != nil {
				topics = append(topics, topicOf(s.Instead))
			}
		}
	}
	if len(r.found) == 0 {
		return nil
	}
	known, err := findTopics.ExecOne(t, map[string]any{"team_id": said.Scope.TeamID, "user_id": said.Scope.UserID, "source_key": said.SourceKey, "topics": graph.Distinct(topics), "all": all})
	if err != nil || known.Paused {
		return err
	}
	for i := range known.Statements {
		r.hold(&known.Statements[i])
	}
	for _, e := range known.Ended {
		r.end(e)
	}
	for _, n := range r.found {
		r.add(n)
	}
	return r.store(t)
}

// recording is one call of Record.
type recording struct {
	said    graph.Said
	found   []*spoken
	open    map[string]*row      // by topic
	holding []*row               // all that are open, as far as they are known
	ended   map[string]time.Time // when closed statements ended, by meaning
	last    map[string]time.Time // when closed statements were said, by topic
	created []change
	changed []change                  // stored statements
	byKey   map[string]map[string]any // the properties of both
}

// change has the new properties of a statement.
type change struct {
	key        string
	properties map[string]any
}

// spoken is a statement in a message.
type spoken struct {
	recognise.Statement

	message graph.Message
	topic   string     // empty: nothing in particular
	back    [][]string // topics that it takes back, in the order of tries
}

// prepare sets the topics.
func (n *spoken) prepare() {
	switch n.Kind {
	case recognise.Forget:
		n.back = topicsBack(&n.Statement)
	case recognise.End:
	default:
		n.topic = topicOf(&n.Statement)
	}
}

// row returns the new statement.
func (n *spoken) row() *row {
	r := &row{
		Key: keyOf(n.message.EntityKey, int64(n.From)), Topic: n.topic, Subject: n.Subject, Text: n.Text, Negative: n.Negative,
		State: Candidate, Kind: string(n.Kind), Confidence: n.Confidence, At: n.message.At,
	}
	if n.Confidence >= sure {
		r.State = Active
	}
	return r
}

func (r *recording) add(n *spoken) {
	switch n.Kind {
	case recognise.Forget:
		if !r.forget(n) {
			r.finish(n)
		}
		return
	case recognise.End:
		r.finish(n)
		return
	}
	next := n.row()
	old := r.open[next.Topic]
	if next.Topic == "" {
		r.create(n, next, nil)
		return
	}
	until := r.ends(next)
	switch {
	case old == nil:
	case old.says(next):
		r.renew(old, next)
		return
	case next.At.Before(old.said()):
		until = new(old.after(next))
	default:
		r.close(old, next.At)
	}
	r.create(n, next, until)
}

// ends returns when a statement that arrives ended, as far as closed ones tell: the user took it back, or said something else, since. It is
// nil if it holds.
func (r *recording) ends(next *row) *time.Time {
	if until := r.ended[meaning(next.Topic, next.Subject)]; next.At.Before(until) {
		return &until
	}
	if last := r.last[next.Topic]; r.open[next.Topic] == nil && next.At.Before(last) {
		return &last
	}
	return nil
}

// after returns the first time known at which the statement was said after another one about the same was said last. It was: of its
// renewals only the last one is known.
func (r *row) after(other *row) time.Time {
	if r.At.After(other.said()) {
		return r.At
	}
	return r.said()
}

// meaning tells statements about a topic apart of which a user may take back only one.
func meaning(topic, subject string) string {
	if isSingle(topic) {
		return topic + topicOfWords("", subject)
	}
	return topic
}

// end notes when a statement about a topic and subject was said last, and ended.
func (r *recording) end(e ended) {
	if m := meaning(e.Topic, e.Subject); e.Until.After(r.ended[m]) {
		r.ended[m] = e.Until
	}
	if e.Said.After(r.last[e.Topic]) {
		r.last[e.Topic] = e.Said
	}
}

// says reports whether another statement about the same says the same.
func (r *row) says(other *row) bool {
	return r.Negative == other.Negative && (r.Subject == other.Subject || !compares(r.Text) && !compares(other.Text)) &&
		(!r.isSingle() || strings.EqualFold(r.Text, other.Text))
}

// isSingle reports whether a user has only one of what the statement is about.
func (r *row) isSingle() bool { return isSingle(r.Topic) }

func isSingle(topic string) bool {
	return slices.Contains(single, strings.TrimPrefix(topic, facts+" ")) || strings.Contains(topic, " "+recognise.SlotSign)
}

// compares reports whether a text prefers one thing to another, so that the order of its words matters.
func compares(text string) bool {
	for _, word := range []string{" over ", " than ", " instead of ", " statt ", " lieber ", " que ", " plutôt ", " en vez de ", " dan ", " che ", "より", "比", "而不是"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// renew counts that an older statement was said again.
func (r *recording) renew(old, next *row) {
	old.Renewals++
	if next.At.After(old.said()) {
		old.RenewedAt = &next.At
	}
	old.Confidence = max(old.Confidence, next.Confidence)
	if old.State == Candidate && (next.State == Active || old.Renewals > 1) {
		old.State = Active
	}
	r.change(old, map[string]any{
		"renewals": old.Renewals, "renewed_at": old.said(), "confidence": old.Confidence, "state": old.State, "rank": old.rank(), "shown": old.group(),
	})
}

// close ends a statement at the time at which something else was said.
func (r *recording) close(old *row, at time.Time) {
	delete(r.open, old.Topic)
	r.holding = slices.DeleteFunc(r.holding, func(open *row) bool { return open == old })
	r.end(ended{old.Topic, old.Subject, old.said(), at})
	r.change(old, map[string]any{"valid_to": at, "shown": nil})
}

// hold notes that a statement is open.
func (r *recording) hold(x *row) {
	if x.Topic != "" {
		r.open[x.Topic] = x
	}
	r.holding = append(r.holding, x)
}

// mostEnded is how many statements one sentence ends at most. What names more of them tells of something else.
const mostEnded = 3

// shareOfInstruction is the least share of what an instruction is about that a sentence must name to end it.
const shareOfInstruction = 0.5

// finish closes what no longer holds: what a sentence ends, but for what it says again itself, and what was said after it. What arrives
// later than the sentence stays open.
func (r *recording) finish(n *spoken) {
	type ended struct {
		*row

		share float64
	}
	var all []ended
	for _, old := range r.holding {
		share := n.Ends(old.Text)
		if n.Kind == recognise.End && n.Single && strings.HasSuffix(old.Topic, " "+n.About) {
			share = 1
		}
		if share == 0 || old.Kind == string(recognise.Instruction) && share < shareOfInstruction || n.message.At.Before(old.said()) {
			continue
		}
		if !slices.ContainsFunc(r.found, func(other *spoken) bool {
			return other.isPartOf(n) && other.topic == old.Topic && old.says(other.row())
		}) {
			all = append(all, ended{old, share})
		}
	}
	slices.SortStableFunc(all, func(a, b ended) int { return cmp.Compare(b.share, a.share) })
	all = all[:min(len(all), mostEnded)]
	for _, old := range all {
		r.close(old.row, n.message.At)
	}
	switch {
	case n.Instead == nil:
	case len(all) == 0 && n.Instead.Confidence >= recognise.Worthy,
		len(all) > 0 && (n.Instead.Kind == recognise.Preference || n.SaysMoreThan(all[0].Text)):
		instead := &spoken{Statement: *n.Instead, message: n.message}
		instead.prepare()
		r.add(instead)
	}
}

// isPartOf reports whether a statement is part of a sentence.
func (n *spoken) isPartOf(sentence *spoken) bool {
	return n.topic != "" && n.message.EntityKey == sentence.message.EntityKey && sentence.From <= n.From && n.To <= sentence.To
}

func (r *recording) change(old *row, properties map[string]any) {
	properties["updated_at"] = r.said.Now
	if pending := r.byKey[old.Key]; pending != nil {
		maps.Copy(pending, properties)
		return
	}
	r.changed = append(r.changed, change{old.Key, properties})
	r.byKey[old.Key] = properties
}

func (r *recording) create(n *spoken, next *row, until *time.Time) {
	p := map[string]any{
		"user_id": r.said.Scope.UserID, "source_key": r.said.SourceKey, "message_key": n.message.EntityKey, "kind": next.Kind, "text": next.Text,
		"from": int64(n.From), "to": int64(n.To), "negative": next.Negative, "subject": next.Subject, "confidence": next.Confidence,
		"state": next.State, "renewals": next.Renewals, "at": next.At, "rank": next.rank(), "shown": next.group(),
		"created_at": r.said.Now, "updated_at": r.said.Now,
	}
	if next.Topic != "" {
		p["topic"] = next.Topic
	}
	if until != nil {
		p["valid_to"], p["shown"] = *until, nil
		r.end(ended{next.Topic, next.Subject, next.At, *until})
	} else {
		r.hold(next)
	}
	r.created = append(r.created, change{next.Key, p})
	r.byKey[next.Key] = p
}

// forget closes what a statement takes back. Of something that a user has only one of, that is only what the statement names: who
// should forget that the user lives in Paris does not forget Lyon. What was said again since stays. It reports whether there was something.
func (r *recording) forget(n *spoken) bool {
	said := strings.Fields(n.Subject)
	for _, topics := range n.back {
		closed := false
		for _, topic := range topics {
			old := r.open[topic]
			if old == nil || n.message.At.Before(old.At) {
				continue
			}
			words := strings.Fields(old.Subject)
			other := slices.ContainsFunc(words, func(word string) bool { return !slices.Contains(said, word) })
			if old.isSingle() && (other || len(words) == 0 && topic != facts+" "+n.About) {
				continue
			}
			closed = true
			if !n.message.At.Before(old.said()) {
				r.close(old, n.message.At)
			}
		}
		if closed {
			return true
		}
	}
	return false
}

func (r *recording) store(t *graph.Tx) error {
	scope := r.said.Scope
	if rows := signedRows(t, r.created); len(rows) > 0 {
		keys, err := createStatements.Exec(t, map[string]any{"team_id": scope.TeamID, "rows": rows})
		if err != nil {
			return err
		}
		note(t, scope.UserID, graph.CreatedOp, keys...)
	}
	return storeChanges(t, scope, r.changed)
}

// Warm plans the statement for what a user says again. The first time, which graph.Store.Warm stands for, does not send it.
func Warm(ctx context.Context, s *graph.Store) error {
	nobody := graph.Nobody()
	return s.TryTransaction(ctx, changeStatements.Name, true, func(t *graph.Tx) error {
		return changeStatements.Run(t, map[string]any{"team_id": nobody.TeamID, "user_id": nobody.UserID, "rows": []map[string]any{}})
	})
}

// changed is how many statements a write has changed, and the characters of their former versions.
type changed struct{ Changed, Former int64 }

// storeChanges changes statements of the scope's user that the transaction has locked.
func storeChanges(t *graph.Tx, scope graph.Scope, changes []change) error {
	rows := signedRows(t, changes)
	if len(rows) == 0 {
		return nil
	}
	did, err := changeStatements.ExecOne(t, map[string]any{"team_id": scope.TeamID, "user_id": scope.UserID, "rows": rows})
	if err != nil {
		return err
	}
	t.Replaced(did.Former)
	for _, c := range changes {
		note(t, scope.UserID, graph.UpdatedOp, c.key)
	}
	return nil
}

// signedRows returns the rows of changes, with their writer.
func signedRows(t *graph.Tx, changes []change) []map[string]any {
	rows := make([]map[string]any, len(changes))
	for i, c := range changes {
		c.properties["written"] = nil // not that of the former version
		rows[i] = map[string]any{"key": c.key, "properties": c.properties}
	}
	t.Sign(rows)
	return rows
}

// note adds what a write did to statements of a user to the feed.
func note(t *graph.Tx, user string, op graph.Op, keys ...string) {
	for _, key := range keys {
		t.Record(user, graph.FeedItem{Op: op, Kind: graph.StatementRecord, Key: key})
	}
}
