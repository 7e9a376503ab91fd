package graph

import (
	"context"
	"time"

	"kith/cypher"
)

// messages reports messages that do not belong to the source they name.
func (a *auditor) messages(ctx context.Context, p auditedPage) error {
	keys := p.keys(messageKind.Name)
	if len(keys) == 0 {
		return nil
	}
	rows, err := a.rows(ctx, "audit_messages", map[string]any{"team_id": p.team, "entity_keys": keys})
	for _, row := range rows {
		f := Finding{Check: "message", TeamID: p.team, Kind: messageKind.Name, Key: text(row[0]), Detail: "is not a message of the source it names"}
		repair := a.run("audit_message_link", map[string]any{"team_id": p.team, "entity_key": f.Key})
		if !truth(row[1]) {
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
	keys := p.keys(sourceKind.Name)
	if len(keys) == 0 {
		return nil
	}
	rows, err := a.rows(ctx, "audit_sources", map[string]any{"team_id": p.team, "entity_keys": keys})
	for _, row := range rows {
		f := Finding{Check: "message_count", TeamID: p.team, Kind: sourceKind.Name, Key: text(row[0]), Detail: "has a wrong message_count"}
		name := "audit_source_count"
		if truth(row[2]) {
			f.Check, f.Detail, name = "message_seq", "its messages are not numbered consecutively", "audit_source_renumber"
		}
		if err := a.report(ctx, f, a.run(name, map[string]any{"team_id": p.team, "entity_key": f.Key})); err != nil {
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
		{"IdempotencyKey", "created_at", a.store.now().Add(-idempotencyLife - auditGrace)},
		{deletedLabel, "deleted_at", deleted},
		{deletedRelationshipLabel, "deleted_at", deleted},
	} {
		params := map[string]any{"team_id": team, "field": e.field, "before": e.before, "limit": auditPage}
		rows, err := a.store.read(ctx, cypher.ForLabel(a.store.queries["audit_expired"], e.label), params)
		if err != nil {
			return err
		}
		if integer(rows[0][0]) == 0 {
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
	for {
		var purged int64
		err := a.store.transaction(ctx, "audit_purge", func(t *tx) error {
			rows, err := t.Exec(cypher.ForLabel(a.store.queries["audit_purge"], label), params)
			if err == nil {
				purged = integer(rows[0][0])
			}
			return err
		})
		if err != nil || purged < auditPage {
			return err
		}
	}
}
