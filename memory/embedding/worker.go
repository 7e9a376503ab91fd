package embedding

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"kith/graph"
	"kith/graph/neo"
	"kith/graph/searchscope"
	"kith/graph/trust"
	"kith/internal/llm"
	"kith/internal/vector"
)

var (
	findWaitingTeam   = neo.Load[string]("embedding_team")
	findWaiting       = neo.Load[waitingRow]("embedding_due")
	saveVectors       = neo.Load[savedVectors]("embedding_save")
	postponeEmbedding = neo.Load[neo.None]("embedding_postpone")
)

// Worker computes the vectors of new and changed texts. The queue is in the database: a text stays in it until its vector is
// stored, whichever process stops or dies. Any number of processes may run it. A lease lets one of them work at a time, and
// another takes over when it dies.
type Worker struct {
	store   *Store
	options Options
	holder  string
	held    time.Time     // when the lease was last taken or renewed; zero: another process holds it
	pause   time.Duration // after a failure; grows
	size    int           // texts of a batch, as many as the embedder does in about a second
	team    string        // the last one of the last turn

	suspects map[string]int // teams for whose texts the embedder failed, and how many of them are tried together next

	postponed struct { // how long texts were last postponed, by team and key
		sync.Mutex
		by map[[2]string]time.Duration
	}
}

// Options are the options of Embedding.
type Options struct {
	Log     *slog.Logger
	Observe func(outcome string, count int64) // called for the texts of each outcome
}

// Outcomes of a text.
const (
	Embedded  = "embedded"  // its vector is stored
	Empty     = "empty"     // it has no text to embed
	Given     = "refused"   // the embedder accepts other texts but not this one: given up
	Postponed = "postponed" // the embedder fails for this text, or answers wrongly: retried later
	Failed    = "failed"    // the embedder or the database is down or refuses everything: the text stays queued
)

const (
	embeddingLease  = "embedding"
	embeddingLife   = time.Minute
	embeddingKept   = 15 * time.Second // until the lease is renewed
	embeddingLook   = time.Second      // between reads of the queue, unless this process writes
	embeddingWait   = 5 * time.Second  // between reads of the lease of another process
	embeddingBound  = 40 * time.Second // of a batch: the lease outlives it
	embeddingBatch  = 256              // texts at most
	embeddingFirst  = 32
	embeddingLeast  = 1 // texts at least
	embeddingQuick  = 500 * time.Millisecond
	embeddingSlow   = 2 * time.Second  // a slower batch is made smaller: queries wait behind it, and a failure loses all of it
	embeddingAtOnce = 2                // batches
	embeddingTeams  = 32               // teams of a turn, each with the same share
	embeddingPage   = 2_000            // nodes of a step of the walk
	embeddingLater  = 10 * time.Minute // for a text for which the embedder failed; twice as long each time
	embeddingLatest = 24 * time.Hour
	mostPostponed   = 10_000 // texts of which the pause is known; above that they begin anew
	pauseFirst      = time.Second
	pauseLast       = time.Minute
)

// NewWorker returns the Embedding of a store that has an embedder.
func NewWorker(s *Store, o Options) *Worker {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Observe == nil {
		o.Observe = func(string, int64) {}
	}
	return &Worker{store: s, options: o, holder: uuid.NewString(), size: embeddingFirst, suspects: map[string]int{}}
}

// Run embeds queued texts until ctx is done.
func (e *Worker) Run(ctx context.Context) error {
	defer e.release(context.WithoutCancel(ctx))
	for {
		done, err := e.turn(ctx)
		if ctx.Err() != nil {
			return nil
		}
		wait, woken := e.next(done, err), e.store.graph.Texts()
		if err != nil || e.held.IsZero() { // texts written from now on have to wait too
			woken = nil
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-woken:
		}
		timer.Stop()
	}
}

// next returns how long to wait after a turn.
func (e *Worker) next(done bool, err error) time.Duration {
	switch {
	case err != nil:
		e.pause = min(max(2*e.pause, pauseFirst), pauseLast)
		e.options.Log.Warn("embedding failed, retrying after a pause", "error", err, "pause", e.pause)
		return e.pause
	case e.held.IsZero():
		return embeddingWait
	case done:
		e.pause = 0
		return embeddingLook
	}
	e.pause = 0
	return 0
}

// turn embeds some of the queue if no other process does. done reports that the queue is empty.
func (e *Worker) turn(ctx context.Context) (done bool, err error) {
	if err := e.hold(ctx); err != nil || e.held.IsZero() {
		return false, err
	}
	state, err := e.store.readState(ctx)
	if err != nil {
		return false, err
	}
	if state.Model != e.store.embedder.Model() { // another process may have the right one
		e.release(ctx)
		return false, fmt.Errorf("embed: %w", graph.ErrModel)
	}
	rows, err := e.due(ctx, e.limit())
	if err != nil {
		return false, err
	}
	if err := e.embed(ctx, rows); err != nil {
		return false, err
	}
	if len(rows) > 0 || state.Walked {
		return len(rows) == 0, nil
	}
	// The walk waits for newly written texts, not the other way round.
	return false, e.walk(ctx, state)
}

// hold takes or renews the lease.
func (e *Worker) hold(ctx context.Context) error {
	if now := e.store.graph.Now(); e.held.IsZero() || now.Sub(e.held) >= embeddingKept {
		_, _, held, err := e.store.graph.TakeLease(ctx, embeddingLease, e.holder, embeddingLife)
		e.held = time.Time{}
		if err != nil {
			return err
		}
		if held {
			e.held = now
		}
	}
	return nil
}

func (e *Worker) release(ctx context.Context) {
	if e.held.IsZero() {
		return
	}
	e.held = time.Time{}
	if err := e.store.graph.EndLease(ctx, embeddingLease, e.holder, nil); err != nil {
		e.options.Log.Warn("embedding lease not released, it expires by itself", "error", err)
	}
}

// waitingRow is a node that waits for its vector.
type waitingRow struct {
	TeamID, EntityKey, UserID string
	EmbedDue                  int64
	Labels                    graph.Labels
	Texts                     struct{ Name, Description, Summary, Text string }
	Keywords, Aliases         []string
}

// savedVectors counts stored vectors. Fits reports whether they are of the model and length of the others.
type savedVectors struct {
	Fits  bool
	Saved int64
}

// waiting is a node that waits for its vector.
type waiting struct {
	team, key, user string
	due             int64
	text            string
}

func (w *waiting) row(vector []byte) map[string]any {
	row := map[string]any{
		"team_id": w.team, "entity_key": w.key, "embed_due": w.due, "vector_scope": searchscope.Owner(w.team, w.user), "vector": nil,
	}
	if vector != nil {
		row["vector"] = vector
	}
	return row
}

// limit returns how many texts a turn embeds. After a failure it is one batch, which shows whether the embedder is back: after a
// pause the circuit breaker lets one request through.
func (e *Worker) limit() int {
	if e.pause > 0 {
		return e.size
	}
	return embeddingAtOnce * e.size
}

// waitingTeams returns at most so many teams with texts that wait, from the one after the last turn's on, in a circle.
func (e *Worker) waitingTeams(ctx context.Context, most int, now int64) (teams []string, err error) {
	begin, after, around := e.team, e.team, false
	for len(teams) < most {
		found, err := findWaitingTeam.Read(ctx, e.store.db, map[string]any{"after": after, "now_ms": now})
		switch {
		case err != nil:
			return nil, err
		case len(found) == 0 && (around || begin == ""):
			return teams, nil
		case len(found) == 0:
			after, around = "", true
			continue
		case around && found[0] > begin:
			return teams, nil
		}
		teams, after = append(teams, found[0]), found[0]
	}
	return teams, nil
}

// due returns queued nodes: some teams in turn have the same share of a limit, each of its oldest nodes. So no team waits for all
// that another one has written. A suspect is alone, so that no other team's texts fail with its own.
func (e *Worker) due(ctx context.Context, limit int) ([]waiting, error) {
	now := e.store.graph.Now().UnixMilli()
	teams, err := e.waitingTeams(ctx, min(limit, embeddingTeams), now)
	if err != nil || len(teams) == 0 {
		return nil, err
	}
	if i := slices.IndexFunc(teams, e.isSuspect); i == 0 {
		teams, limit = teams[:1], e.suspects[teams[0]]
	} else if i > 0 {
		teams = teams[:i]
	}
	e.team = teams[len(teams)-1]
	found, err := findWaiting.Read(ctx, e.store.db, map[string]any{"teams": teams, "now_ms": now, "limit": limit / len(teams), "least_trust": trust.Least})
	rows := make([]waiting, len(found))
	for i, row := range found {
		text := graph.EmbeddingText(row.Labels.Kind(), graph.Properties{
			"name": row.Texts.Name, "description": row.Texts.Description, "summary": row.Texts.Summary, "text": row.Texts.Text, "keywords": row.Keywords, "aliases": row.Aliases,
		})
		rows[i] = waiting{row.TeamID, row.EntityKey, row.UserID, row.EmbedDue, text}
	}
	return rows, err
}

// embed computes and stores vectors, in concurrent batches.
func (e *Worker) embed(ctx context.Context, rows []waiting) error {
	begun := time.Now()
	var group errgroup.Group
	for batch := range slices.Chunk(rows, e.size) {
		group.Go(func() error {
			bounded, cancel := context.WithTimeout(ctx, embeddingBound)
			defer cancel()
			err := e.batch(bounded, batch)
			if err != nil && ctx.Err() == nil {
				e.options.Observe(Failed, int64(len(batch)))
			}
			return err
		})
	}
	err := group.Wait()
	e.judge(rows, err)
	switch took := time.Since(begun); {
	case err != nil || took > embeddingSlow:
		e.size = max(embeddingLeast, e.size/2)
	case took < embeddingQuick && len(rows) > e.size:
		e.size = min(embeddingBatch, 2*e.size)
	}
	return err
}

func (e *Worker) isSuspect(team string) bool { return e.suspects[team] > 0 }

// judge notes of which teams the texts of a turn are that failed, and fewer of them are tried together. A suspect whose texts pass is none
// in the end.
func (e *Worker) judge(rows []waiting, err error) {
	texts := map[string]int{}
	for i := range rows {
		texts[rows[i].team]++
	}
	for team, count := range texts {
		switch {
		case err != nil && (e.isSuspect(team) || len(e.suspects) < mostPostponed):
			e.suspects[team] = max(1, min(count, e.size)/2)
		case 2*e.suspects[team] >= e.size:
			delete(e.suspects, team)
		case e.isSuspect(team):
			e.suspects[team] *= 2
		}
	}
}

func (e *Worker) batch(ctx context.Context, batch []waiting) error {
	slices.SortFunc(batch, func(a, b waiting) int { return cmp.Or(cmp.Compare(a.team, b.team), cmp.Compare(a.key, b.key)) }) // in the order in which writers lock
	if e.isAlone(batch) {
		return e.singly(ctx, batch)
	}
	vectors, err := e.vectors(ctx, batch)
	switch {
	case errors.Is(err, llm.ErrRefused), errors.Is(err, llm.ErrGarbled):
		return e.singly(ctx, batch)
	case err != nil:
		return err
	}
	return e.save(ctx, batch, vectors)
}

// isAlone reports whether a batch is one text of a suspect: is it the text, or the embedder?
func (e *Worker) isAlone(batch []waiting) bool { return len(batch) == 1 && e.isSuspect(batch[0].team) }

// vectors returns the encoded vectors of a batch; nil for a text without one.
func (e *Worker) vectors(ctx context.Context, batch []waiting) ([][]byte, error) {
	texts, places := make([]string, 0, len(batch)), make([]int, 0, len(batch))
	for i := range batch {
		if batch[i].text != "" {
			texts, places = append(texts, batch[i].text), append(places, i)
		}
	}
	encoded := make([][]byte, len(batch))
	if len(texts) == 0 {
		return encoded, nil
	}
	asked, cancel := context.WithTimeout(ctx, embeddingBound/2) // the rest is for what becomes of the answer
	defer cancel()
	units, err := e.store.embedder.Embed(asked, texts)
	if err != nil {
		return nil, err
	}
	if len(units) != len(texts) {
		return nil, llm.ErrGarbled
	}
	for i, unit := range units {
		if unit == nil {
			continue
		}
		if !sound(unit, e.store.embedder.Dimensions()) {
			return nil, llm.ErrGarbled
		}
		encoded[places[i]] = vector.Encode(unit)
	}
	return encoded, nil
}

// sound reports whether a vector can be stored: it has the right length and is finite.
func sound(unit []float32, dimensions int) bool {
	for _, x := range unit {
		if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
			return false
		}
	}
	return len(unit) == dimensions
}

// probe is a text that every embedder accepts.
const probe = "memory"

// singly embeds a refused or wrongly answered batch, or a text that is alone, text by text. If the embedder refuses even the probe, the
// texts are not the reason, and they stay queued.
func (e *Worker) singly(ctx context.Context, batch []waiting) error {
	if _, err := e.vectors(ctx, []waiting{{text: probe}}); err != nil {
		return fmt.Errorf("the embedder refuses every text: %w", err)
	}
	for i := range batch {
		one := batch[i : i+1]
		vectors, err := e.vectors(ctx, one)
		switch {
		case errors.Is(err, llm.ErrRefused):
			e.options.Log.Warn("embedder refused a text, stored without vector", "team_id", one[0].team, "entity_key", one[0].key)
			err = e.store.saveVectors(ctx, one, [][]byte{nil}, nil)
			e.options.Observe(Given, 1)
		case errors.Is(err, llm.ErrGarbled), e.isAlone(batch) && errors.Is(err, llm.ErrUnavailable) && ctx.Err() == nil:
			e.options.Log.Warn("embedder fails for a text and works for another, retrying later", "team_id", one[0].team, "entity_key", one[0].key, "error", err)
			err = e.postpone(ctx, &one[0])
			e.options.Observe(Postponed, 1)
		case err == nil:
			err = e.save(ctx, one, vectors)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// save stores the vectors of a batch and counts them.
func (e *Worker) save(ctx context.Context, batch []waiting, vectors [][]byte) error {
	full := int64(0)
	for _, v := range vectors {
		if v != nil {
			full++
		}
	}
	var dimensions any
	if full > 0 {
		dimensions = e.store.embedder.Dimensions()
	}
	if err := e.store.saveVectors(ctx, batch, vectors, dimensions); err != nil {
		return err
	}
	e.options.Observe(Embedded, full)
	e.options.Observe(Empty, int64(len(vectors))-full)
	return nil
}

// saveVectors stores vectors with the given dimensions on the nodes whose text has not changed meanwhile; nil removes a vector.
func (s *Store) saveVectors(ctx context.Context, batch []waiting, vectors [][]byte, dimensions any) error {
	rows := make([]map[string]any, len(batch))
	for i := range batch {
		rows[i] = batch[i].row(vectors[i])
	}
	return s.graph.Transaction(ctx, "embedding_save", func(t *graph.Tx) error {
		saved, err := saveVectors.Exec(t, map[string]any{
			"model": s.embedder.Model(), "dimensions": dimensions, "rows": rows,
		})
		if err == nil && (len(saved) == 0 || !saved[0].Fits) {
			err = fmt.Errorf("embed: %w, or of another length", graph.ErrModel)
		}
		return err
	})
}

// postpone has a text wait, longer each time.
func (e *Worker) postpone(ctx context.Context, w *waiting) error {
	until := e.store.graph.Now().Add(e.pauseOf(w))
	return e.store.graph.Transaction(ctx, "embedding_postpone", func(t *graph.Tx) error {
		return postponeEmbedding.Run(t, map[string]any{"rows": []map[string]any{w.row(nil)}, "until_ms": until.UnixMilli()})
	})
}

func (e *Worker) pauseOf(w *waiting) time.Duration {
	e.postponed.Lock()
	defer e.postponed.Unlock()
	if e.postponed.by == nil || len(e.postponed.by) >= mostPostponed {
		e.postponed.by = map[[2]string]time.Duration{}
	}
	text := [2]string{w.team, w.key}
	e.postponed.by[text] = min(max(2*e.postponed.by[text], embeddingLater), embeddingLatest)
	return e.postponed.by[text]
}
