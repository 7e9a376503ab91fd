package statement

import (
	"maps"
	"reflect"
	"slices"
	"time"

	"kith/graph"
	"kith/graph/neo"
	"kith/internal/fault"
)

var (
	knownStatements   = neo.Load[found]("statement_known")
	restoreStatements = neo.Load[restored]("statement_restore")
)

// found has what is stored already: statements by key, the open ones about the topics of a batch, and messages.
type found struct {
	Statements, Open []stored
	Messages         []message
}

// message is the message of a statement, in the order of statement_known.
type message struct {
	Key, UserID, SourceKey, Role string
	Size                         int64 // characters of its text
}

// Result is the outcome for a statement of an import. Field names the wrong field of a refused one.
type Result struct {
	Status         graph.Status
	Field, Message string
}

// Planned returns the properties of a node that a dry run would have stored before; nil if it would not.
type Planned func(key string) (graph.Properties, error)

// RestoreStatements stores statements that CheckStatement has passed, in the transaction of an import. A statement replaces the one
// with its key. Those that break a rule are refused in the result; the others are stored. Of two that hold about the same thing, as
// when two memories are put together, the one said last stays open.
func (s *Store) RestoreStatements(t *graph.Tx, scope graph.Scope, lines []Line, planned Planned) ([]Result, error) {
	j := &restoring{
		team: scope.TeamID, now: s.graph.Now(), planned: planned, messages: map[string]*message{},
		byKey: map[string]*Line{}, isStored: map[string]bool{}, open: map[about][]*Line{}, changed: map[string]*Line{},
	}
	if err := j.find(t, lines); err != nil {
		return nil, err
	}
	results := make([]Result, len(lines))
	for i := range lines {
		status, err := j.add(lines[i])
		results[i].Status = status
		if fields := fault.Fields(err); fields != nil {
			results[i] = Result{graph.Refused, fields[0].Path.String(), fields[0].Message}
		} else if err != nil {
			return nil, err
		}
	}
	return results, j.store(t)
}

// restored is how many statements an import has stored, and the characters of their former versions.
type restored struct{ Stored, Former int64 }

// restoring is one call of RestoreStatements.
type restoring struct {
	team     string
	now      time.Time
	planned  Planned
	messages map[string]*message
	byKey    map[string]*Line
	isStored map[string]bool // by key
	open     map[about][]*Line
	changed  map[string]*Line // by key
}

// about has the user and the topic of statements.
type about struct{ user, topic string }

func (l *Line) about() about { return about{l.UserID.Value, l.Topic} }

// find reads what is stored already.
func (j *restoring) find(t *graph.Tx, lines []Line) error {
	keys, messages, topics := map[string]bool{}, map[string]bool{}, map[about]bool{}
	for i := range lines {
		l := &lines[i]
		keys[l.Key], messages[l.Message] = true, true
		if l.Topic != "" && l.ValidTo == nil {
			topics[l.about()] = true
		}
	}
	subjects := make([]map[string]any, 0, len(topics))
	for a := range topics {
		subjects = append(subjects, map[string]any{"user": a.user, "topic": a.topic})
	}
	known, err := knownStatements.ExecOne(t, map[string]any{
		"team_id": j.team, "keys": slices.Collect(maps.Keys(keys)), "entity_keys": slices.Collect(maps.Keys(messages)), "subjects": subjects,
	})
	if err != nil {
		return err
	}
	for i := range known.Messages {
		j.messages[known.Messages[i].Key] = &known.Messages[i]
	}
	for _, l := range slices.Concat(known.Statements, known.Open) {
		j.isStored[l.Key] = true
	}
	for i := range known.Statements {
		j.byKey[known.Statements[i].Key] = known.Statements[i].line()
	}
	for i := range known.Open {
		if l := known.Open[i].line(); !keys[l.Key] { // of the others the file says whether they are open
			j.open[l.about()] = append(j.open[l.about()], l)
		}
	}
	return nil
}

// add checks a statement against what is stored, and returns what becomes of it.
func (j *restoring) add(l Line) (graph.Status, error) {
	m, err := j.message(l.Message)
	if err != nil {
		return "", err
	}
	old := j.byKey[l.Key]
	switch {
	case m == nil || m.UserID != l.UserID.Value || !graph.IsUserRole(m.Role):
		return "", fault.Invalid(fault.At("message"), fault.Missing, "must be the key of a message that the user wrote")
	case m.SourceKey != l.Source:
		return "", fault.Invalid(fault.At("source"), fault.Missing, "must be the key of the message's source")
	case l.To > m.Size:
		return "", fault.Invalid(fault.At("to"), fault.OutOfRange, "must be at most %d, the length of the message", m.Size)
	case old != nil && old.UserID != l.UserID:
		return "", fault.Invalid(fault.At("key"), fault.Conflict, "is already in use")
	}
	l.At, l.RenewedAt, l.ValidTo = l.At.UTC(), utc(l.RenewedAt), utc(l.ValidTo)
	j.settle(&l)
	if old != nil && reflect.DeepEqual(*old, l) {
		return graph.Unchanged, nil
	}
	j.byKey[l.Key], j.changed[l.Key] = &l, &l
	if old == nil {
		return graph.Created, nil
	}
	return graph.Updated, nil
}

// message returns a message that is stored, or that a dry run would have stored; nil if there is none.
func (j *restoring) message(key string) (*message, error) {
	if m := j.messages[key]; m != nil {
		return m, nil
	}
	p, err := j.planned(key)
	if err != nil || p == nil {
		return nil, err
	}
	size, _ := p["text_size"].(int64)
	return &message{Key: key, UserID: p.Text("user_id"), SourceKey: p.Text("source_key"), Role: p.Text("role"), Size: size}, nil
}

// settle closes all but the last of the statements that hold about the same thing.
func (j *restoring) settle(l *Line) {
	if l.Topic == "" {
		return
	}
	holds := l.ValidTo == nil
	var open []*Line
	for _, other := range j.open[l.about()] {
		switch {
		case other.Key == l.Key: // the file has it twice
		case holds && !other.said().After(l.said()):
			j.close(other, l.row().after(other.row()))
		default:
			open = append(open, other)
			if end := other.row().after(l.row()); holds && (l.ValidTo == nil || end.Before(*l.ValidTo)) {
				l.ValidTo = &end
			}
		}
	}
	if l.ValidTo == nil {
		open = append(open, l)
	}
	j.open[l.about()] = open
}

// close ends a statement at the time at which something else was said.
func (j *restoring) close(l *Line, end time.Time) {
	closed := *l
	closed.ValidTo = &end
	j.byKey[closed.Key], j.changed[closed.Key] = &closed, &closed
}

// said is the last time at which the user said it.
func (l *Line) said() time.Time { return l.row().said() }

// row returns what rank and group need.
func (l *Line) row() *row {
	return &row{Text: l.Text, State: l.State, Kind: l.Kind, Confidence: l.Confidence, Renewals: l.Renewals, At: l.At, RenewedAt: l.RenewedAt}
}

// properties returns the properties of the stored statement, as Record stores them.
func (l *Line) properties() map[string]any {
	r := l.row()
	p := map[string]any{
		"user_id": l.UserID.Value, "source_key": l.Source, "message_key": l.Message, "kind": l.Kind, "text": l.Text, "from": l.From, "to": l.To,
		"negative": l.Polarity == Polarity(true), "subject": l.Subject, "confidence": l.Confidence, "state": l.State, "renewals": l.Renewals,
		"renewed_at": nil, "at": l.At, "valid_to": nil, "topic": graph.OrNil(l.Topic), "rank": r.rank(), "shown": r.group(),
	}
	if l.RenewedAt != nil {
		p["renewed_at"] = *l.RenewedAt
	}
	if l.ValidTo != nil {
		p["valid_to"], p["shown"] = *l.ValidTo, nil
	}
	return p
}

// store stores what has changed, and reports whose contexts it changes.
func (j *restoring) store(t *graph.Tx) error {
	if len(j.changed) == 0 {
		return nil
	}
	keys := slices.Sorted(maps.Keys(j.changed))
	changes, users := make([]change, len(keys)), make([]string, len(keys))
	for i, key := range keys {
		changes[i], users[i] = change{key, j.changed[key].properties()}, j.changed[key].UserID.Value
		changes[i].properties["updated_at"] = j.now
	}
	t.Changes(graph.Distinct(users), keys...)
	did, err := restoreStatements.ExecOne(t, map[string]any{"team_id": j.team, "rows": signedRows(t, changes), "now": j.now})
	if err != nil {
		return err
	}
	t.Replaced(did.Former)
	for i, key := range keys {
		op := graph.CreatedOp
		if j.isStored[key] {
			op = graph.UpdatedOp
		}
		note(t, users[i], op, key)
	}
	return nil
}
