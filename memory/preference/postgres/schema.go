package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"kith/graph"
)

//go:embed schema/*.sql
var schemaFiles embed.FS

// readMigrations returns the texts of the numbered schema files, in order from 1. It panics on a wrong number,
// because the binary is broken then.
func readMigrations() []string {
	entries, err := schemaFiles.ReadDir("schema")
	if err != nil {
		panic("preference: " + err.Error())
	}
	all := make([]string, len(entries))
	for i, e := range entries {
		number, _, _ := strings.Cut(e.Name(), "_")
		raw, err := schemaFiles.ReadFile("schema/" + e.Name())
		if n, _ := strconv.Atoi(number); n != i+1 || err != nil {
			panic(fmt.Sprintf("preference: schema file %s should have the number %d", e.Name(), i+1))
		}
		all[i] = string(raw)
	}
	return all
}

// lockSchema takes the advisory lock of migrations.
const lockSchema = `SELECT pg_advisory_xact_lock(hashtextextended('kith_schema', 0))`

var errEncoding = errors.New("migrate preferences: the database of KITH_POSTGRES_URI must have the encoding UTF8")

// Migrate brings the tables to this binary's version, in one transaction. Several instances may start at once. It
// does not touch tables that are up to date, so a login without the right to create tables is enough then. It returns
// graph.ErrSchemaNewer if a newer instance has migrated them.
func (s *Store) Migrate(ctx context.Context) error {
	return s.transaction(ctx, graph.Scope{}, "postgres_migrate", func(ctx context.Context, tx pgx.Tx) error {
		var encoding string
		if err := tx.QueryRow(ctx, `SHOW server_encoding`).Scan(&encoding); err != nil {
			return err
		}
		if encoding != "UTF8" {
			return errEncoding
		}
		if _, err := tx.Exec(ctx, lockSchema); err != nil {
			return err
		}
		return s.migrate(ctx, tx, readMigrations())
	})
}

func (s *Store) migrate(ctx context.Context, tx pgx.Tx, known []string) error {
	stored, err := schemaVersion(ctx, tx)
	if err != nil {
		return err
	}
	if stored > len(known) {
		return fmt.Errorf("migrate preferences: %w (%d, this one knows %d): use a newer kith", graph.ErrSchemaNewer, stored, len(known))
	}
	for i := stored; i < len(known); i++ {
		if _, err := tx.Exec(ctx, known[i]); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `INSERT INTO kith_preference_schema (version, applied_at) VALUES ($1, $2)`, i+1, s.now()); err != nil {
			return err
		}
	}
	return nil
}

// schemaVersion returns the version of the tables, 0 for a new database. It creates the table of versions.
func schemaVersion(ctx context.Context, tx pgx.Tx) (version int, err error) {
	var exists bool
	if err := tx.QueryRow(ctx, `SELECT to_regclass('kith_preference_schema') IS NOT NULL`).Scan(&exists); err != nil {
		return 0, err
	}
	if !exists {
		_, err := tx.Exec(ctx, `CREATE TABLE kith_preference_schema (version integer PRIMARY KEY, applied_at timestamptz NOT NULL)`)
		return 0, err
	}
	err = tx.QueryRow(ctx, `SELECT coalesce(max(version), 0) FROM kith_preference_schema`).Scan(&version)
	return version, err
}
