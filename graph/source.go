package graph

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"kith/graph/neo"
	"kith/graph/trust"
	"kith/internal/bounds"
	"kith/internal/fault"
)

// findSource finds a source by its key.
var findSource = neo.Load[foundSource]("source_find")

// foundSource is a row of source_find.
type foundSource struct{ Source sourceRow }

// sourceRow is a stored source, in the order of source_find and conversation_list.
type sourceRow struct {
	EntityKey                         string
	UserID                            *string
	ContentType                       string
	ContextType                       *string
	SourceType, Sensitivity           string
	StartedAt                         time.Time
	EndedAt                           *time.Time
	Summary                           string
	Keywords, Tags, Participants      []string
	MessageCount                      int64
	FocusProjectID                    *string // nil: no focus
	FocusKind, FocusID                string
	ProcessingStatus, ProcessingError string
	ProcessedAt                       *time.Time
}

// Closed lists of a source.
var (
	ContentTypes = []string{"conversation", "email", "slack-thread", "meeting", "text-note"}
	ContextTypes = []string{
		"work-session", "team-meeting", "phone-call", "personal-reflection", "planning", "brainstorming",
		"email-thread", "slack-discussion",
	}
	SourceTypes   = []string{"voice-memo", "meeting", "email", "slack-thread", "text-import"}
	Sensitivities = []string{"low", "normal", "high"}
)

// The processing status of a source: what a language model extracted from it.
const (
	sourceRaw       = "raw"       // a summary only
	sourceProcessed = "processed" // a summary
	SourceExtracted = "extracted" // persons, concepts, entities and their relationships
	SourceFailed    = "failed"    // nothing: it was asked for what it proposes, and the reason is with the source
)

// Conversation is the content type of sources that a context shows.
const Conversation = "conversation"

// Source is a conversation, mail, meeting or note as callers see it. A source without a user is shared. EndedAt is
// null while a conversation is open.
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

	Focus *ConversationFocus `json:"focus,omitempty" doc:"the project and node in focus of a conversation"`

	ProcessingStatus string     `json:"processing_status" enum:"raw,processed,extracted,failed" doc:"how far a language model has processed it"`
	ProcessingError  string     `json:"processing_error,omitempty"`
	ProcessedAt      *time.Time `json:"processed_at,omitempty"`
}

// SourceWrite is a source to create or update, with messages to append and its mentions.
type SourceWrite struct {
	UserID         string                      `json:"user_id,omitempty" minLength:"1" maxLength:"256" doc:"whose source it is; default: the user of the API key, else shared by the team, which a conversation cannot be"`
	Strict         bool                        `json:"strict,omitempty" doc:"all or nothing: a refused mention is a 422 and nothing is written"`
	IdempotencyKey string                      `json:"idempotency_key,omitempty" maxLength:"256" doc:"same as the Idempotency-Key header"`
	EntityKey      string                      `json:"entity_key,omitempty" maxLength:"256" doc:"default: a generated UUIDv7"`
	ContentType    Optional[string]            `json:"content_type,omitzero" oneof:"conversation email slack-thread meeting text-note" doc:"conversation (default), email, slack-thread, meeting or text-note"`
	ContextType    Optional[string]            `json:"context_type,omitzero" oneof:"work-session team-meeting phone-call personal-reflection planning brainstorming email-thread slack-discussion" doc:"work-session, team-meeting, phone-call, personal-reflection, planning, brainstorming, email-thread or slack-discussion"`
	SourceType     Optional[string]            `json:"source_type,omitzero" oneof:"voice-memo meeting email slack-thread text-import" doc:"voice-memo, meeting, email, slack-thread or text-import; never changes"`
	Sensitivity    Optional[string]            `json:"sensitivity,omitzero" oneof:"low normal high" doc:"low, normal (default) or high"`
	Origin         Optional[string]            `json:"origin,omitzero" oneof:"user assistant tool external import" doc:"who said it: user (default), assistant, tool, external (default of email and slack-thread: a mail or document of others) or import (default of text-import)"`
	Trust          Optional[float64]           `json:"trust,omitzero" min:"0" max:"1" doc:"how far it is believed, 0 to 1; default: by its origin; at most that of the API key"`
	Author         Optional[string]            `json:"author,omitzero" max:"512" word:"true" doc:"who wrote it, such as a mail address: sources of one author do not confirm each other"`
	StartedAt      Optional[time.Time]         `json:"started_at,omitzero" doc:"default: now"`
	EndedAt        Optional[time.Time]         `json:"ended_at,omitzero" doc:"null or omitted: still open; not before started_at"`
	Summary        Optional[string]            `json:"summary,omitzero" max:"16384" doc:"one or two sentences; at most 16,384 characters"`
	Keywords       []string                    `json:"keywords,omitempty" maxItems:"100"`
	Tags           []string                    `json:"tags,omitempty" maxItems:"100"`
	Participants   []string                    `json:"participants,omitempty" maxItems:"100" doc:"user ids; the source's own user is always one"`
	Focus          Optional[ConversationFocus] `json:"focus,omitzero" doc:"conversations: the project and node in focus; null: clears the focus"`
	Messages       []MessageWrite              `json:"messages,omitempty" maxItems:"10000"`
	Mentions       []string                    `json:"mentions,omitempty" maxItems:"1000" unique:"true" doc:"entity keys of persons, concepts and entities"`
}

// SourceResult is the outcome of writing a source, its messages and its mentions.
type SourceResult struct {
	UserID    string          `json:"-"` // whose source it is
	Repeated  bool            `json:"-"` // the answer of an earlier write with the same idempotency key
	EntityKey string          `json:"entity_key"`
	Status    Status          `json:"status" enum:"created,updated,unchanged"`
	Messages  []MessageResult `json:"messages"`
	Mentions  []NodeResult    `json:"mentions"`
	Warnings  []string        `json:"warnings"`
}

// changed returns the keys of the source, if it was created or changed, and of the appended messages.
func (r *SourceResult) changed() (keys []string) {
	if r.Status != Unchanged {
		keys = append(keys, r.EntityKey)
	}
	for _, m := range r.Messages {
		if m.Status == Created {
			keys = append(keys, m.EntityKey)
		}
	}
	return keys
}

func newSourceResult(userID, key string) SourceResult {
	return SourceResult{
		UserID: userID, EntityKey: key, Status: Unchanged,
		Messages: []MessageResult{}, Mentions: []NodeResult{}, Warnings: []string{},
	}
}

// Validate checks everything that does not need the store.
func (w *SourceWrite) Validate(scope Scope, now time.Time) error {
	f := &Faults{}
	if scope.UserID != "" {
		f.Word(fault.At("user_id"), scope.UserID, bounds.KeyLength)
	}
	if w.EntityKey != "" {
		f.Word(fault.At("entity_key"), w.EntityKey, bounds.KeyLength)
	}
	if w.IdempotencyKey != "" {
		f.Word(fault.At("idempotency_key"), w.IdempotencyKey, bounds.KeyLength)
	}
	closed := func(field string, o Optional[string], allowed []string) {
		if o.Given && !o.Null {
			f.OneOf(fault.At(field), o.Value, allowed...)
		}
	}
	closed("content_type", w.ContentType, ContentTypes)
	closed("context_type", w.ContextType, ContextTypes)
	closed("source_type", w.SourceType, SourceTypes)
	closed("sensitivity", w.Sensitivity, Sensitivities)
	closed("origin", w.Origin, trust.Origins)
	f.share(fault.At("trust"), w.Trust)
	if w.Author.Given && !w.Author.Null {
		f.Word(fault.At("author"), w.Author.Value, bounds.NameLength)
	}
	f.optionalPast(fault.At("started_at"), w.StartedAt, now)
	f.optionalPast(fault.At("ended_at"), w.EndedAt, now)
	if w.StartedAt.Given && w.EndedAt.Given && !w.EndedAt.Null && w.EndedAt.Value.Before(w.StartedAt.Value) {
		f.Add(fault.At("ended_at"), fault.Contrary, "must not be before started_at")
	}
	f.Text(fault.At("summary"), w.Summary.Value, bounds.TextLength)
	f.Words(fault.At("keywords"), w.Keywords)
	f.Words(fault.At("tags"), w.Tags)
	f.Words(fault.At("participants"), w.Participants)
	if w.Focus.Given && !w.Focus.Null {
		w.Focus.Value.check(f, fault.At("focus"))
	}
	checkMentions(f, w.Mentions)
	checkMessages(f, w.Messages, now)
	return f.Err()
}

func checkMentions(f *Faults, mentions []string) {
	if !f.Items(fault.At("mentions"), len(mentions), bounds.Mentions) {
		return
	}
	seen := map[string]int{}
	for i, key := range mentions {
		f.Word(fault.At("mentions").Index(i), key, bounds.KeyLength)
		if first, again := seen[key]; again {
			f.Same(fault.At("mentions").Index(i), fault.At("mentions").Index(first))
		}
		seen[key] = i
	}
}

// node converts the source to a node to write.
func (w *SourceWrite) node(key string) NodeWrite {
	own := &OwnFields{
		ContentType: w.ContentType, ContextType: w.ContextType, SourceType: w.SourceType, Sensitivity: w.Sensitivity,
		StartedAt: w.StartedAt, EndedAt: w.EndedAt, Summary: w.Summary, Origin: w.Origin, Trust: w.Trust, Author: w.Author,
	}
	list := func(slot *Optional[[]string], values []string) {
		if values != nil {
			*slot = Some(values)
		}
	}
	own.putFocus(w.Focus)
	list(&own.Keywords, w.Keywords)
	list(&own.Tags, w.Tags)
	list(&own.Participants, w.Participants)
	return NodeWrite{Kind: SourceKind.Name, EntityKey: key, OwnFields: own}
}

// WriteSource stores a source with its messages and mentions in one transaction, which is durable when it returns. A
// source found by its key is updated with the given fields; a message found by its key stays unchanged.
func (s *Store) WriteSource(ctx context.Context, scope Scope, w *SourceWrite) (SourceResult, error) {
	now := s.Now()
	if err := w.Validate(scope, now); err != nil {
		return SourceResult{}, err
	}
	node := w.node(w.EntityKey)
	ctx, err := s.read(ctx, append(s.textsOf(w.Messages, node.writtenOrigin(), WriterOf(ctx).Limit), toRead{text: w.Summary.Value}))
	if err != nil {
		return SourceResult{}, err
	}
	var result SourceResult
	err = s.Transaction(ctx, "source_write", func(t *Tx) error {
		result = SourceResult{}
		repeated, err := t.once(scope, w.IdempotencyKey, w, now, &result, func() error {
			job := &sourceJob{tx: t, scope: scope, write: w, now: now}
			err := job.run()
			result = job.result
			return err
		})
		if result.Repeated = repeated; repeated {
			result.UserID = scope.UserID
			t.Changes([]string{scope.UserID})
		} else {
			t.Changes([]string{result.UserID}, result.changed()...)
		}
		return err
	})
	if err != nil {
		return SourceResult{}, err
	}
	return result, nil
}

// sourceJob is one attempt at writing a source.
type sourceJob struct {
	tx     *Tx
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
	ends := slices.Clone(j.write.Mentions)
	if j.write.Focus.Given && !j.write.Focus.Null {
		ends = append(ends, j.write.Focus.Value.ends()...)
	}
	sought := lookups{entityKeys: append(keys, key), ends: ends, users: []string{j.scope.UserID}}
	sought.lookUpOwn(j.scope.UserID, append(slices.Clone(sought.entityKeys), ends...)...)
	found, err := j.tx.find(j.scope.TeamID, sought)
	if err != nil {
		return err
	}
	key = found.storedKey(key, j.scope.UserID, role{made: true})
	for i := range messages {
		messages[i].EntityKey = found.storedKey(messages[i].EntityKey, j.scope.UserID, role{made: true})
	}
	j.write = j.write.withKeys(func(key *string) { *key = found.storedKey(*key, j.scope.UserID, role{}) })
	if err := focusFault(j.scope, found, j.write.Focus); err != nil {
		return err
	}
	j.result = newSourceResult(j.scope.UserID, key)
	if err := j.writeSource(key, found); err != nil {
		return err
	}
	j.result.UserID = found.byKey[key].user() // a user may append to a shared source
	whose := Scope{TeamID: j.scope.TeamID, UserID: j.result.UserID}
	if j.result.Messages, j.result.Warnings, err = j.tx.append(whose, key, messages, found, j.now); err != nil {
		return err
	}
	return j.mention(key, found)
}

// withKeys returns the write with the keys of what it mentions, and of its focus, changed.
func (w *SourceWrite) withKeys(change func(key *string)) *SourceWrite {
	changed := *w
	changed.Mentions = slices.Clone(w.Mentions)
	for i := range changed.Mentions {
		change(&changed.Mentions[i])
	}
	change(&changed.Focus.Value.ProjectID)
	change(&changed.Focus.Value.FocusID)
	return &changed
}

// writeSource creates or updates the source like any other node.
func (j *sourceJob) writeSource(key string, found known) error {
	job := (&batch{MemoryWrite: MemoryWrite{Nodes: []NodeWrite{j.write.node(key)}}}).job(j.tx, j.scope, j.now)
	job.found, job.ownerName = found, ownerNameIn(j.write.Messages)
	plan := &nodePlan{job: job, created: map[string]map[string]any{}}
	result := plan.place(0)
	j.result.Status = result.Status
	if result.Status == Refused {
		return sourceFault(job.result.Refused[0])
	}
	return job.store(plan)
}

// sourceFault returns the error for a source that was refused as a node.
func sourceFault(refused fault.FieldError) error {
	err := fault.Within(&fault.InvalidError{Fields: []fault.FieldError{refused}}, fault.At("nodes").Index(0))
	if fault.Fields(err)[0].Path == fault.At("entity_key") {
		return fmt.Errorf("write source: the entity_key belongs to another node: %w", fault.ErrConflict)
	}
	return err
}

// settleSource sets the properties that every source has.
func settleSource(p Properties, now time.Time) {
	fallback := func(name string, value any) {
		if _, ok := p[name]; !ok {
			p[name] = value
		}
	}
	started := now
	if ended := p.Moment("ended_at"); ended != nil && ended.Before(started) {
		started = *ended // unless the start is given
	}
	fallback("content_type", Conversation)
	fallback("sensitivity", "normal")
	fallback("started_at", started)
	fallback("summary", "")
	fallback("message_count", int64(0))
	p.putUnless(p.Text("user_id") == "" && len(p.Texts("participants")) == 0, "participants", withUser(p.Texts("participants"), p.Text("user_id")))
}

// sourceClash returns the field that would make a source inconsistent, and the reason.
func sourceClash(old, next *stored) refusal {
	if next.user() == "" && next.Text("content_type") == Conversation {
		return refusal{"user_id", fault.Required, "is required: a conversation belongs to a user; sources of another content_type may be shared"}
	}
	if ended := next.Moment("ended_at"); ended != nil && ended.Before(*next.Moment("started_at")) {
		return refusal{"ended_at", fault.Contrary, "must not be before started_at"}
	}
	if old != nil && old.Text("source_type") != "" && old.Text("source_type") != next.Text("source_type") {
		return refusal{"source_type", fault.Conflict, "cannot be changed"}
	}
	return refusal{}
}

// withUser returns the user of a source, if it has one, followed by the other participants.
func withUser(participants []string, user string) []string {
	if user == "" {
		return participants
	}
	all := []string{user}
	for _, p := range participants {
		if p != user {
			all = append(all, p)
		}
	}
	return all
}

// mention links the source to the nodes that it mentions, like any other relationship, and reports each by the key of
// the node.
func (j *sourceJob) mention(key string, found known) error {
	write := &batch{}
	for _, to := range j.write.Mentions {
		if n := found.byKey[to]; n != nil {
			to = n.key()
		}
		write.Relationships = append(write.Relationships, RelationshipWrite{From: key, To: to, Type: mentionsType})
	}
	job := write.job(j.tx, j.scope, j.now)
	job.found = found
	job.result.Relationships = make([]RelationshipResult, len(write.Relationships))
	if _, err := job.writeRelationships(); err != nil {
		return err
	}
	j.result.Mentions = make([]NodeResult, len(write.Relationships))
	for i, r := range job.result.Relationships {
		j.result.Mentions[i] = NodeResult{EntityKey: r.To, Status: r.Status, Error: r.Error}
	}
	f := &Faults{}
	for _, refused := range job.result.Refused {
		i, _, _ := refused.Path.Item("relationships")
		refused.Path = fault.At("mentions").Index(i)
		f.Append(refused)
		j.result.Warnings = append(j.result.Warnings, refused.String())
	}
	if j.write.Strict {
		return f.Err()
	}
	return nil
}

// Source returns one source that the scope may see, or ErrNotFound.
func (s *Store) Source(ctx context.Context, scope Scope, key string) (Source, error) {
	found, err := findSource.ReadOne(ctx, s.db, map[string]any{
		"team_id": scope.TeamID, "user_id": scope.User(), "entity_key": key,
	})
	if err != nil {
		return Source{}, err
	}
	return found.Source.source(), nil
}

// IsReadBy reports whether a scope may read the messages of a source that it may see. A participant may not.
func (s *Source) IsReadBy(scope Scope) bool {
	return scope.UserID == "" || s.UserID == nil || *s.UserID == scope.UserID
}

func (r *sourceRow) source() Source {
	s := Source{
		EntityKey: r.EntityKey, UserID: r.UserID, ContentType: r.ContentType, ContextType: r.ContextType,
		SourceType: r.SourceType, Sensitivity: r.Sensitivity, StartedAt: r.StartedAt, EndedAt: r.EndedAt,
		Summary: r.Summary, Keywords: r.Keywords, Tags: r.Tags, Participants: r.Participants, MessageCount: r.MessageCount,
		ProcessingStatus: r.ProcessingStatus, ProcessingError: r.ProcessingError, ProcessedAt: r.ProcessedAt,
	}
	for _, list := range []*[]string{&s.Keywords, &s.Tags, &s.Participants} {
		if *list == nil {
			*list = []string{}
		}
	}
	if r.FocusProjectID != nil {
		s.Focus = &ConversationFocus{ProjectID: *r.FocusProjectID, FocusKind: r.FocusKind, FocusID: r.FocusID}
	}
	return s
}
