package erasure

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"kith/graph"
	"kith/graph/fence"
	"kith/graph/neo"
	"kith/graph/searchscope"
	"kith/internal/fault"
	"kith/internal/sleep"
)

// Receipt is the result of an erasure. It counts the work of this call: a call that repeats an interrupted erasure counts the
// rest.
type Receipt struct {
	ErasedAt        time.Time `json:"erased_at"`
	Nodes           int64     `json:"nodes" doc:"including deleted ones that could be restored; without messages"`
	Messages        int64     `json:"messages"`
	Relationships   int64     `json:"relationships"`
	NotesAnonymised int64     `json:"notes_anonymised" doc:"notes of the user on nodes that stay: the text is kept, the author is removed"`
	Preferences     int64     `json:"preferences"`
	Keys            int64     `json:"keys" doc:"API keys"`
	Records         int64     `json:"records" doc:"chat trees and turns, stored answers of idempotency keys, imports, and other records"`
	Anonymised      int64     `json:"anonymised" doc:"nodes and relationships that stay but no longer name the user"`
	Remaining       int64     `json:"remaining" doc:"records found when checking afterwards; 0"`
}

const (
	erasurePage   = 1000 // nodes of one step
	erasureBatch  = 5000 // relationships or records of one transaction
	erasureRounds = 5
	erasurePause  = time.Second // before a round that follows an incomplete one; after two of them no revoked key works
)

// Beside erases what belongs to an erasure and is not the memory's. Each may be nil.
type Beside struct {
	Preferences func(context.Context) (erased int64, err error) // called in each round, also while no writer can write for the user
	Last        func(context.Context) error                     // called before the end, when nothing else is left
}

// EraseUser erases everything that is private to the scope's user, and removes the user as author of what others keep. It works
// in many small transactions; another round finds what is written for the user meanwhile. After an error the same call continues
// where it ended. Remaining counts what is left after the last round if a writer keeps writing for the user; the error is an
// ErrConflict then.
func (s *Store) EraseUser(ctx context.Context, scope graph.Scope, beside Beside) (Receipt, error) {
	if !fault.ValidKey(scope.UserID) {
		return Receipt{}, fmt.Errorf("erase user: no user: %w", fault.ErrInvalid)
	}
	return s.erase(ctx, scope, beside)
}

// EraseTeam erases everything that a team has, with its API keys, as EraseUser does for one user.
func (s *Store) EraseTeam(ctx context.Context, teamID string, beside Beside) (Receipt, error) {
	if !fault.ValidKey(teamID) {
		return Receipt{}, fmt.Errorf("erase team: no team: %w", fault.ErrInvalid)
	}
	return s.erase(ctx, graph.Scope{TeamID: teamID}, beside)
}

func (s *Store) erase(ctx context.Context, scope graph.Scope, beside Beside) (Receipt, error) {
	job := &job{store: s, scope: scope, beside: beside, mark: fence.NewMark(s.db, s.transaction, scope.TeamID, scope.UserID), receipt: Receipt{ErasedAt: s.graph.Now()}}
	if scope.UserID != "" {
		name, _ := json.Marshal(scope.UserID) // a text always can be encoded
		job.author, job.spaced = `"added_by":`+string(name), `"added_by": `+string(name)
	}
	for round := range erasureRounds {
		if err := job.wait(ctx, round); err != nil {
			return job.receipt, err
		}
		if err := job.round(ctx); err != nil {
			return job.receipt, err
		}
		if job.receipt.Remaining == 0 {
			return job.receipt, job.finish(ctx)
		}
		if round == 0 {
			if err := job.mark.Outdate(ctx); err != nil {
				return job.receipt, err
			}
		}
	}
	return job.receipt, job.unfinished()
}

func (e *job) unfinished() error {
	return fmt.Errorf("erase: %d records are left because a client keeps writing: stop it and repeat the erasure: %w", e.receipt.Remaining, fault.ErrConflict)
}

// finish makes sure that nothing is written after the receipt. It forbids writes for the user, waits for running ones, and erases
// what they left.
func (e *job) finish(ctx context.Context) (err error) {
	defer func() {
		if err != nil {
			e.mark.Release(ctx)
		}
	}()
	if err := e.mark.Raise(ctx); err != nil {
		return err
	}
	if err := e.round(ctx); err != nil {
		return err
	}
	if e.receipt.Remaining > 0 {
		return e.unfinished()
	}
	if e.beside.Last != nil {
		if err := e.beside.Last(ctx); err != nil {
			return err
		}
	}
	if e.scope.UserID == "" {
		if err := e.store.transaction(ctx, "quota_empty", func(t neo.Execer) error {
			return emptyQuota.Run(t, map[string]any{"team_id": e.scope.TeamID})
		}); err != nil {
			return err
		}
	}
	return e.mark.Done(ctx)
}

// job is a running erasure. author is the part of a note that names the user, spaced the same part in another layout. Both
// are nil for a whole team.
type job struct {
	store          *Store
	scope          graph.Scope
	author, spaced any
	receipt        Receipt
	mark           *fence.Mark
	beside         Beside
}

// wait gives writers for the user time to notice that their keys are gone.
func (e *job) wait(ctx context.Context, round int) error {
	if round > 0 && !sleep.For(ctx, erasurePause) {
		return neo.Translate("erase", ctx.Err())
	}
	return nil
}

// round erases everything it finds, and then counts what is left. It erases answers and reviews before the nodes they name, and preferences,
// which may be unavailable by themselves, before keys: a caller with a key of the user can repeat an interrupted erasure.
func (e *job) round(ctx context.Context) error {
	if err := e.answers(ctx); err != nil {
		return err
	}
	if err := e.reviews(ctx); err != nil {
		return err
	}
	if err := e.preferences(ctx); err != nil {
		return err
	}
	if err := e.nodes(ctx); err != nil {
		return err
	}
	if err := e.records(ctx); err != nil {
		return err
	}
	left, err := e.left(ctx)
	e.receipt.Remaining = left
	return err
}

// preferences erases the preferences.
func (e *job) preferences(ctx context.Context) error {
	if e.beside.Preferences == nil {
		return nil
	}
	erased, err := e.beside.Preferences(ctx)
	e.receipt.Preferences += erased
	return err
}

// params returns the parameters of every statement, and more.
func (e *job) params(more map[string]any) map[string]any {
	all := map[string]any{
		"team_id": e.scope.TeamID, "user_id": e.scope.User(), "author": e.author, "spaced_author": e.spaced,
		"scope_token": searchscope.Owner(e.scope.TeamID, e.scope.UserID), "limit": erasureBatch,
	}
	for name, value := range more {
		all[name] = value
	}
	return all
}
