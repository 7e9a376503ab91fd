package graph

import (
	"context"
	"errors"
	"time"

	"kith/graph/neo"
)

var (
	findLostMessages  = neo.Load[lostMessage]("audit_messages")
	linkMessage       = neo.Load[neo.None]("audit_message_link")
	findFaultySources = neo.Load[faultySource]("audit_sources")
	recountMessages   = neo.Load[neo.None]("audit_source_count")
	renumberMessages  = neo.Load[neo.None]("audit_source_renumber")
	countExpired      = neo.Load[int64]("audit_expired")
	purgeExpired      = neo.Load[int64]("audit_purge")
)

// lostMessage is a message that is not linked to the source it names. Sourced reports whether that source exists.
type lostMessage struct {
	EntityKey string
	Sourced   bool
}

// faultySource is a source whose messages are counted or numbered wrongly.
type faultySource struct {
	EntityKey               string
	Miscounted, Misnumbered bool
}

// messages reports messages that do not belong to the source they name.
func (a *auditor) messages(ctx context.Context, p auditedPage) error {
	keys := p.keys(MessageKind.Name)
	if len(keys) == 0 {
		return nil
	}
	rows, err := findLostMessages.Read(ctx, a.store.db, map[string]any{"team_id": p.team, "entity_keys": keys})
	for _, row := range rows {
		f := Finding{Check: "message", TeamID: p.team, Kind: MessageKind.Name, Key: row.EntityKey, Detail: "is not a message of the source it names"}
		repair := a.run(linkMessage, map[string]any{"team_id": p.team, "entity_key": f.Key})
		if !row.Sourced {
			f.Detail, f.Advice, repair = "its source_key names no source", "write the source again under that key, or delete the message", nil
		}
		if err := a.report(ctx, f, repair); err != nil {
			return err
		}
	}
	return err
}

// sources reports sources that count or number their messages wrongly. Their messages may be on other pages.
func (a *auditor) sources(ctx context.Context, p auditedPage) error {
	keys := p.keys(SourceKind.Name)
	if len(keys) == 0 {
		return nil
	}
	rows, err := findFaultySources.Read(ctx, a.store.db, map[string]any{"team_id": p.team, "entity_keys": keys})
	for _, row := range rows {
		f := Finding{Check: "message_count", TeamID: p.team, Kind: SourceKind.Name, Key: row.EntityKey, Detail: "has a wrong message_count"}
		repair := recountMessages
		if row.Misnumbered {
			f.Check, f.Detail, repair = "message_seq", "its messages are not numbered consecutively", renumberMessages
		}
		if err := a.report(ctx, f, a.run(repair, map[string]any{"team_id": p.team, "entity_key": f.Key})); err != nil {
			return err
		}
	}
	return err
}

// expired reports records that should have been deleted.
func (a *auditor) expired(ctx context.Context, team string) error {
	deleted := a.store.cutoff().Add(-auditGrace)
	for _, e := range []struct {
		label, field string
		before       time.Time
	}{
		{"IdempotencyKey", "created_at", a.store.Now().Add(-idempotencyLife - auditGrace)},
		{DeletedLabel, "deleted_at", deleted},
		{DeletedRelationshipLabel, "deleted_at", deleted},
		{"Review", "decided_at", a.store.historyCutoff().Add(-auditGrace)},
	} {
		params := map[string]any{"team_id": team, "field": e.field, "before": e.before, "cutoff": e.before, "limit": auditPage}
		expired, err := countExpired.ForLabel(e.label).ReadOne(ctx, a.store.db, params)
		if err != nil {
			return err
		}
		if expired == 0 {
			continue
		}
		f := Finding{Check: "expired", TeamID: team, Kind: e.label, Detail: "there are records that should have been deleted"}
		if err := a.report(ctx, f, func(ctx context.Context) error { return a.purge(ctx, e.label, params) }); err != nil {
			return err
		}
	}
	return nil
}

func (a *auditor) purge(ctx context.Context, label string, params map[string]any) error {
	left := error(nil)
	p := pieces{a.store, auditPage, func(string, int64) error { return nil }, func(_ string, err error) { left = err }}
	var err error
	if label == DeletedLabel {
		err = p.runNodes(ctx, purgeExpired.ForLabel(label), purgeOldNodeLinks, params)
	} else {
		err = p.run(ctx, purgeExpired.ForLabel(label), params, nil)
	}
	return errors.Join(err, left)
}
