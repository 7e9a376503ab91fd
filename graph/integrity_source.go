package graph

import (
	"context"
	"errors"
	"time"

	"kith/graph/neo"
)

var (
	findLostMessages  = neo.Load[lostMessage]("integrity_messages")
	linkMessage       = neo.Load[neo.None]("integrity_message_link")
	findFaultySources = neo.Load[faultySource]("integrity_sources")
	recountMessages   = neo.Load[neo.None]("integrity_source_count")
	renumberMessages  = neo.Load[neo.None]("integrity_source_renumber")
	countExpired      = neo.Load[int64]("integrity_expired")
	purgeExpired      = neo.Load[int64]("integrity_purge")
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
func (c *checker) messages(ctx context.Context, p checkedPage) error {
	keys := p.keys(MessageKind.Name)
	if len(keys) == 0 {
		return nil
	}
	rows, err := findLostMessages.Read(ctx, c.store.db, map[string]any{"team_id": p.team, "entity_keys": keys})
	for _, row := range rows {
		f := Finding{Check: "message", TeamID: p.team, Kind: MessageKind.Name, Key: row.EntityKey, Detail: "is not a message of the source it names"}
		repair := c.run(linkMessage, map[string]any{"team_id": p.team, "entity_key": f.Key})
		if !row.Sourced {
			f.Detail, f.Advice, repair = "its source_key names no source", "write the source again under that key, or delete the message", nil
		}
		if err := c.report(ctx, f, repair); err != nil {
			return err
		}
	}
	return err
}

// sources reports sources that count or number their messages wrongly. Their messages may be on other pages.
func (c *checker) sources(ctx context.Context, p checkedPage) error {
	keys := p.keys(SourceKind.Name)
	if len(keys) == 0 {
		return nil
	}
	rows, err := findFaultySources.Read(ctx, c.store.db, map[string]any{"team_id": p.team, "entity_keys": keys})
	for _, row := range rows {
		f := Finding{Check: "message_count", TeamID: p.team, Kind: SourceKind.Name, Key: row.EntityKey, Detail: "has a wrong message_count"}
		repair := recountMessages
		if row.Misnumbered {
			f.Check, f.Detail, repair = "message_seq", "its messages are not numbered consecutively", renumberMessages
		}
		if err := c.report(ctx, f, c.run(repair, map[string]any{"team_id": p.team, "entity_key": f.Key})); err != nil {
			return err
		}
	}
	return err
}

// expired reports records that should have been deleted.
func (c *checker) expired(ctx context.Context, team string) error {
	deleted := c.store.cutoff().Add(-checkGrace)
	for _, e := range []struct {
		label, field string
		before       time.Time
	}{
		{"IdempotencyKey", "created_at", c.store.Now().Add(-idempotencyLife - checkGrace)},
		{DeletedLabel, "deleted_at", deleted},
		{DeletedRelationshipLabel, "deleted_at", deleted},
		{"Review", "decided_at", c.store.historyCutoff().Add(-checkGrace)},
	} {
		params := map[string]any{"team_id": team, "field": e.field, "before": e.before, "cutoff": e.before, "limit": readCheckedPage}
		expired, err := countExpired.ForLabel(e.label).ReadOne(ctx, c.store.db, params)
		if err != nil {
			return err
		}
		if expired == 0 {
			continue
		}
		f := Finding{Check: "expired", TeamID: team, Kind: e.label, Detail: "there are records that should have been deleted"}
		if err := c.report(ctx, f, func(ctx context.Context) error { return c.purge(ctx, e.label, params) }); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) purge(ctx context.Context, label string, params map[string]any) error {
	left := error(nil)
	p := pieces{c.store, readCheckedPage, func(string, int64) error { return nil }, func(_ string, err error) { left = err }}
	var err error
	if label == DeletedLabel {
		err = p.runNodes(ctx, purgeExpired.ForLabel(label), purgeOldNodeLinks, params)
	} else {
		err = p.run(ctx, purgeExpired.ForLabel(label), params, nil)
	}
	return errors.Join(err, left)
}
