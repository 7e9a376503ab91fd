package graph

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/google/uuid"
)

// Closed lists of a source (S1-20).
var (
	ContentTypes = []string{"conversation", "email", "slack-thread", "meeting", "text-note"}
	ContextTypes = []string{
		"work-session", "team-meeting", "phone-call", "personal-reflection", "planning", "brainstorming",
		"email-thread", "slack-discussion",
	}
	SourceTypes   = []string{"voice-memo", "meeting", "email", "slack-thread", "text-import"}
	Sensitivities = []string{"low", "normal", "high"}
)

// Conversation is the content type of sources that a context shows.
const Conversation = "conversation"

// Source is a conversation, mail, meeting or note as callers see it. EndedAt is null while a conversation is open.
type Source struct {
	EntityKey    string     `json:"entity_key"`
	UserID       *string    `json:"user_id"`
	ContentType  string     `json:"content_type"`
	ContextType  *string    `json:"context_type"`
	SourceType   string     `json:"source_type,omitempty"`
	Sensitivity  string     `json:"sensitivity,omitempty"`
	StartedAt    time.Time  `json:"started_at"`
	EndedAt      *time.Time `json:"ended_at"`
	Summary      string     `json:"summary"`
	Keywords     []string   `json:"keywords,omitempty"`
	Tags         []string   `json:"tags,omitempty"`
	Participants []string   `json:"participants,omitempty"`
	MessageCount int64      `json:"message_count"`
}

// SourceWrite is a source to add or change, with its messages (added to those there are) and what it mentions.
type SourceWrite struct {
	UserID       string              `json:"user_id,omitempty" maxLength:"256" doc:"whose source it is; left out: the user of the key"`
	Strict       bool                `json:"strict,omitempty" doc:"all or nothing: a refused mention is a 422 and nothing is written"`
	EntityKey    string              `json:"entity_key,omitempty" maxLength:"256" doc:"generated (UUIDv7) when left out"`
	ContentType  Optional[string]    `json:"content_type,omitzero" doc:"conversation (default), email, slack-thread, meeting or text-note"`
	ContextType  Optional[string]    `json:"context_type,omitzero" doc:"work-session, team-meeting, phone-call, personal-reflection, planning, brainstorming, email-thread or slack-discussion"`
	SourceType   Optional[string]    `json:"source_type,omitzero" doc:"voice-memo, meeting, email, slack-thread or text-import; never changes"`
	Sensitivity  Optional[string]    `json:"sensitivity,omitzero" doc:"low, normal (default) or high"`
	StartedAt    Optional[time.Time] `json:"started_at,omitzero" doc:"default: now"`
	EndedAt      Optional[time.Time] `json:"ended_at,omitzero" doc:"null or left out: still open"`
	Summary      Optional[string]    `json:"summary,omitzero" doc:"one or two sentences; at most 16,384 characters"`
	Keywords     []string            `json:"keywords,omitempty" maxItems:"100"`
	Tags         []string            `json:"tags,omitempty" maxItems:"100"`
	Participants []string            `json:"participants,omitempty" maxItems:"100" doc:"user ids; the source's own user is always one"`
	Messages     []MessageWrite      `json:"messages,omitempty" maxItems:"10000"`
	Mentions     []string            `json:"mentions,omitempty" maxItems:"1000" doc:"entity keys of persons, concepts and entities"`
}

// SourceResult says what became of a source, its messages and its mentions.
type SourceResult struct {
	UserID    string          `json:"-"` // whose source it is
	EntityKey string          `json:"entity_key"`
	Status    Status          `json:"status" enum:"created,updated,unchanged"`
	Messages  []MessageResult `json:"messages"`
	Mentions  []NodeResult    `json:"mentions"`
	Warnings  []string        `json:"warnings"`
}

func newSourceResult(userID, key string) SourceResult {
	return SourceResult{
		UserID: userID, EntityKey: key, Status: Unchanged,
		Messages: []MessageResult{}, Mentions: []NodeResult{}, Warnings: []string{},
	}
}

// Validate checks all that can be said without the store.
func (w *SourceWrite) Validate(scope Scope, now time.Time) error {
	f := &faults{}
	if scope.UserID == "" {
		f.add("user_id", "is needed: a source belongs to a user")
	} else {
		f.word("user_id", scope.UserID, MaxKeyLength)
	}
	if w.EntityKey != "" {
		f.word("entity_key", w.EntityKey, MaxKeyLength)
	}
	closed := func(field string, o Optional[string], allowed []string) {
		if o.Given && !o.Null {
			f.oneOf(field, o.Value, allowed)
		}
	}
	closed("content_type", w.ContentType, ContentTypes)
	closed("context_type", w.ContextType, ContextTypes)
	closed("source_type", w.SourceType, SourceTypes)
	closed("sensitivity", w.Sensitivity, Sensitivities)
	f.optionalPast("started_at", w.StartedAt, now)
	f.optionalPast("ended_at", w.EndedAt, now)
	if w.StartedAt.Given && w.EndedAt.Given && !w.EndedAt.Null && w.EndedAt.Value.Before(w.StartedAt.Value) {
		f.add("ended_at", "must not be before started_at")
	}
	f.text("summary", w.Summary.Value, MaxTextLength)
	f.words("keywords", w.Keywords)
	f.words("tags", w.Tags)
	f.words("participants", w.Participants)
	checkMentions(f, w.Mentions)
	checkMessages(f, w.Messages, now)
	return f.err()
}

func checkMentions(f *faults, mentions []string) {
	if len(mentions) > MaxMentions {
		f.add("mentions", "must have at most %d items", MaxMentions)
		return
	}
	seen := map[string]int{}
	for i, key := range mentions {
		f.word(index("mentions", i), key, MaxKeyLength)
		if first, again := seen[key]; again {
			f.add(index("mentions", i), "is the same as mentions[%d]", first)
		}
		seen[key] = i
	}
}

// sourceFields are a source's own fields as stored.
type sourceFields struct {
	ContentType, ContextType, SourceType, Sensitivity any
	StartedAt, EndedAt, Summary                       any
	Keywords, Tags, Participants                      []string
	MessageCount                                      int64
	sourceKey                                         string // of a message
}

// sourceFieldsFrom reads the columns of node_find from content_type on.
func sourceFieldsFrom(v []any) sourceFields {
	return sourceFields{
		ContentType: v[0], ContextType: v[1], SourceType: v[2], Sensitivity: v[3],
		StartedAt: v[4], EndedAt: v[5], Summary: v[6],
		Keywords: texts(v[7]), Tags: texts(v[8]), Participants: texts(v[9]),
		MessageCount: integer(v[10]), sourceKey: text(v[11]),
	}
}

func (s sourceFields) values() map[string]any {
	return map[string]any{
		"content_type": s.ContentType, "context_type": s.ContextType, "source_type": s.SourceType,
		"sensitivity": s.Sensitivity, "started_at": s.StartedAt, "ended_at": s.EndedAt, "summary": s.Summary,
		"keywords": s.Keywords, "tags": s.Tags, "participants": s.Participants,
	}
}

// WriteSource stores a source with its messages and mentions in one transaction; all of it is on disk when it
// returns. A source found by its key is changed where fields are given; a message found by its key is left as it is.
func (s *Store) WriteSource(ctx context.Context, scope Scope, w *SourceWrite) (SourceResult, error) {
	now := s.now()
	if err := w.Validate(scope, now); err != nil {
		return SourceResult{}, err
	}
	var result SourceResult
	err := s.transaction(ctx, "source_write", func(t *tx) error {
		job := &sourceJob{tx: t, scope: scope, write: w, now: now}
		err := job.run()
		result = job.result
		return err
	})
	if err != nil {
		return SourceResult{}, err
	}
	return result, nil
}

// sourceJob is one attempt at writing a source.
type sourceJob struct {
	tx     *tx
	scope  Scope
	write  *SourceWrite
	now    time.Time
	result SourceResult
}

func (j *sourceJob) run() error {
	key := j.write.EntityKey
	if key == "" {
		key = uuid.Must(uuid.NewV7()).String()
	}
	messages, keys := withKeys(j.write.Messages)
	found, err := j.tx.find(j.scope.TeamID, lookups{entityKeys: distinct(append(keys, key))})
	if err != nil {
		return err
	}
	j.result = newSourceResult(j.scope.UserID, key)
	if err := j.writeSource(key, found.byKey[key]); err != nil {
		return err
	}
	if j.result.Messages, err = j.tx.append(j.scope, key, messages, found, j.now); err != nil {
		return err
	}
	return j.mention(key)
}

// writeSource adds the source, or changes what is given of it.
func (j *sourceJob) writeSource(key string, old *stored) error {
	if old == nil {
		j.result.Status = Created
		return j.tx.rows("node_create", j.scope.TeamID, []map[string]any{{
			"entity_key": key, "label": sourceKind.Label, "properties": j.newSource(),
		}})
	}
	if old.label != sourceKind.Label || old.UserID == nil || *old.UserID != j.scope.UserID {
		return fmt.Errorf("write source: the entity_key is taken by something else: %w", ErrConflict)
	}
	changes := j.changes(old.source)
	if endsBeforeStart(old.source, changes) {
		return &InvalidError{Fields: []FieldError{{Location: "ended_at", Message: "must not be before the start"}}}
	}
	changed := difference(old.source.values(), changes)
	if _, ok := changed["source_type"]; ok && old.source.SourceType != nil {
		return &InvalidError{Fields: []FieldError{{Location: "source_type", Message: "never changes"}}}
	}
	j.result.Status = Unchanged
	if len(changed) == 0 {
		return nil
	}
	j.result.Status = Updated
	started, moved := changed["started_at"]
	changed["updated_at"] = j.now
	rows := []map[string]any{{"entity_key": key, "properties": changed}}
	if err := j.tx.rows("node_update", j.scope.TeamID, rows); err != nil || !moved {
		return err
	}
	_, err := j.tx.exec("mention_restart", map[string]any{
		"team_id": j.scope.TeamID, "source_key": key, "started_at": started,
	})
	return err
}

// changes are the given fields as they are stored.
func (j *sourceJob) changes(old sourceFields) map[string]any {
	w, p := j.write, map[string]any{}
	w.ContentType.set(p, "content_type", Conversation)
	w.ContextType.set(p, "context_type", nil)
	w.SourceType.set(p, "source_type", nil)
	w.Sensitivity.set(p, "sensitivity", "normal")
	w.StartedAt.set(p, "started_at", old.StartedAt)
	w.EndedAt.set(p, "ended_at", nil)
	w.Summary.set(p, "summary", "")
	if w.Keywords != nil {
		p["keywords"] = w.Keywords
	}
	if w.Tags != nil {
		p["tags"] = w.Tags
	}
	if w.Participants != nil || old.Participants == nil {
		p["participants"] = withUser(w.Participants, j.scope.UserID)
	}
	return p
}

// endsBeforeStart says whether a source would end before it starts.
func endsBeforeStart(old sourceFields, changes map[string]any) bool {
	after := old.values()
	maps.Copy(after, changes)
	ended, ok := after["ended_at"].(time.Time)
	return ok && ended.Before(moment(after["started_at"]))
}

// newSource are all properties of a new source: the given ones over the defaults.
func (j *sourceJob) newSource() map[string]any {
	started := j.now
	if ended := j.write.EndedAt.or(j.now); ended.Before(started) {
		started = ended // unless the start is given
	}
	properties := map[string]any{
		"user_id": j.scope.UserID, "created_by": j.scope.UserID, "created_at": j.now, "updated_at": j.now,
		"content_type": Conversation, "sensitivity": "normal", "started_at": started, "summary": "",
		"salience": defaultSalience, "confidence": defaultConfidence, "state": "candidate", "ttl_policy": "decay",
		"access_count": 0, "message_count": 0,
	}
	maps.Copy(properties, j.changes(sourceFields{StartedAt: started}))
	return properties
}

func withUser(participants []string, user string) []string {
	all := []string{user}
	for _, p := range participants {
		if p != user {
			all = append(all, p)
		}
	}
	return all
}

// mention links the source to what it mentions, through the same way as any other relationship.
func (j *sourceJob) mention(key string) error {
	write := &MemoryWrite{Strict: j.write.Strict}
	for _, to := range j.write.Mentions {
		write.Relationships = append(write.Relationships, RelationshipWrite{From: key, To: to, Type: mentionsType})
	}
	results, warnings, err := j.tx.mention(j.scope, write, j.now)
	j.result.Mentions, j.result.Warnings = results, warnings
	return err
}

// mention writes mentions in a transaction, and tells of each by the key of what is mentioned.
func (t *tx) mention(scope Scope, write *MemoryWrite, now time.Time) ([]NodeResult, []string, error) {
	job := &memoryJob{tx: t, scope: scope, write: write, now: now}
	job.result.Relationships = make([]RelationshipResult, len(write.Relationships))
	if _, err := job.writeRelationships(); err != nil {
		return nil, nil, err
	}
	results, warnings := make([]NodeResult, len(write.Relationships)), []string{}
	faults := &faults{}
	for i, r := range job.result.Relationships {
		results[i] = NodeResult{EntityKey: r.To, Status: r.Status, Error: r.Error}
		if r.Error != nil {
			faults.add(index("mentions", i), "%s", *r.Error)
			warnings = append(warnings, index("mentions", i)+": "+*r.Error)
		}
	}
	if write.Strict {
		return results, warnings, faults.err()
	}
	return results, warnings, nil
}

// Source reads one source that the scope may see. ErrNotFound.
func (s *Store) Source(ctx context.Context, scope Scope, key string) (Source, error) {
	row, err := s.readOne(ctx, "source_find", map[string]any{
		"team_id": scope.TeamID, "user_id": scope.user(), "entity_key": key,
	})
	if err != nil {
		return Source{}, err
	}
	l := items(row.Values[0])
	return Source{
		EntityKey: text(l[0]), UserID: optionalText(l[1]), ContentType: text(l[2]), ContextType: optionalText(l[3]),
		SourceType: text(l[4]), Sensitivity: text(l[5]), StartedAt: moment(l[6]), EndedAt: optionalMoment(l[7]),
		Summary: text(l[8]), Keywords: texts(l[9]), Tags: texts(l[10]), Participants: texts(l[11]),
		MessageCount: integer(l[12]),
	}, nil
}
