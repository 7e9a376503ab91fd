package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"kith/internal/sleep"
)

// Erasure is the receipt of what was taken away for good. It counts the work of this call: one that repeats an
// interrupted erasure counts the rest.
type Erasure struct {
	ErasedAt        time.Time `json:"erased_at"`
	Nodes           int64     `json:"nodes" doc:"deleted ones that could be restored too; without messages"`
	Messages        int64     `json:"messages"`
	Relationships   int64     `json:"relationships"`
	NotesAnonymised int64     `json:"notes_anonymised" doc:"the user's notes on what others keep: the text stays, who wrote it does not"`
	Preferences     int64     `json:"preferences"`
	Keys            int64     `json:"keys" doc:"API keys"`
	Records         int64     `json:"records" doc:"chat trees and turns, answers kept for idempotency keys, imports, and the like"`
	Anonymised      int64     `json:"anonymised" doc:"nodes and relationships that others keep, and that no longer name the user"`
	Remaining       int64     `json:"remaining" doc:"what was found when reading back; 0"`
}

const (
	erasurePage   = 1000 // nodes of one step
	erasureBatch  = 5000 // relationships or records of one transaction
	erasureRounds = 5
	erasurePause  = time.Second // before a round that follows one that left something; after two, no revoked key is good
)

// EraseUser takes away for good all that is private to the scope's user, and makes the user's authorship of what others
// keep anonymous. It works in many small transactions: what is written for the user meanwhile is found by another round.
// After an error the same call goes on where it ended. Remaining is what is left after the last round, when something
// keeps writing for the user; the error is an ErrConflict then.
func (s *Store) EraseUser(ctx context.Context, scope Scope) (Erasure, error) {
	if !ValidKey(scope.UserID) {
		return Erasure{}, fmt.Errorf("erase user: no user: %w", ErrInvalid)
	}
	return s.erase(ctx, scope)
}

// EraseTeam takes away for good all that a team has, its keys too, as EraseUser does for one user.
func (s *Store) EraseTeam(ctx context.Context, teamID string) (Erasure, error) {
	if !ValidKey(teamID) {
		return Erasure{}, fmt.Errorf("erase team: no team: %w", ErrInvalid)
	}
	return s.erase(ctx, Scope{TeamID: teamID})
}

type beforeReceiptKey struct{}

// WithBeforeReceipt is a context in which an erasure does something more before it is done, while nobody can write for the user:
// it takes away what is kept elsewhere.
func WithBeforeReceipt(ctx context.Context, do func(context.Context) error) context.Context {
	return context.WithValue(ctx, beforeReceiptKey{}, do)
}

func (s *Store) erase(ctx context.Context, scope Scope) (Erasure, error) {
	job := &erasure{store: s, scope: scope, mark: newMark(scope), receipt: Erasure{ErasedAt: s.now()}}
	if scope.UserID != "" {
		name, _ := json.Marshal(scope.UserID) //nolint:errchkjson // a text always can
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
			if err := job.outdate(ctx); err != nil {
				return job.receipt, err
			}
		}
	}
	return job.receipt, job.unfinished()
}

func (e *erasure) unfinished() error {
	return fmt.Errorf("erase: %d things are left, as something keeps writing: stop it and repeat: %w", e.receipt.Remaining, ErrConflict)
}

// finish makes sure that nothing comes after the receipt: it forbids writes for the user, waits for those under way, and takes away
// what they left.
func (e *erasure) finish(ctx context.Context) (err error) {
	defer func() {
		if err != nil { // nobody is to wait for the mark to run out
			free, cancel := context.WithTimeout(context.WithoutCancel(ctx), markLease)
			defer cancel()
			_ = e.lower(free, false)
		}
	}()
	if err := e.raise(ctx); err != nil {
		return err
	}
	if err := e.round(ctx); err != nil {
		return err
	}
	if e.receipt.Remaining > 0 {
		return e.unfinished()
	}
	if do, ok := ctx.Value(beforeReceiptKey{}).(func(context.Context) error); ok {
		if err := do(ctx); err != nil {
			return err
		}
	}
	return e.lower(ctx, true)
}

// erasure is one erasure under way. author begins the part of a note that names the user; another layout of it is
// spaced. Both are nil where a whole team goes.
type erasure struct {
	store          *Store
	scope          Scope
	author, spaced any
	receipt        Erasure
	mark           eraseMark
	renewed        time.Time // when the mark was last renewed; zero: it is not raised
}

// wait gives those who write for the user time to notice that their keys are gone.
func (e *erasure) wait(ctx context.Context, round int) error {
	if round > 0 && !sleep.For(ctx, erasurePause) {
		return translate("erase", ctx.Err())
	}
	return nil
}

// round erases all it finds, and then counts what is there. Answers go before the nodes they name, and keys last: who
// erases with a key of the user's own can repeat what was interrupted.
func (e *erasure) round(ctx context.Context) error {
	if err := e.answers(ctx); err != nil {
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

// params are those of every statement, and more.
func (e *erasure) params(more map[string]any) map[string]any {
	all := map[string]any{
		"team_id": e.scope.TeamID, "user_id": e.scope.user(), "author": e.author, "spaced_author": e.spaced,
		"scope_token": scopeToken(e.scope.TeamID, e.scope.UserID), "limit": erasureBatch,
	}
	for name, value := range more {
		all[name] = value
	}
	return all
}
