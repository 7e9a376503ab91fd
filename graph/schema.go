package graph

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"kith/cypher"
)

// Migrate updates the database's schema from its version to that of this binary. Every statement may be repeated, and
// several instances may start at the same time. It returns ErrSchemaNewer if a newer version of Kith has migrated the
// database.
func (s *Store) Migrate(ctx context.Context) error {
	if err := s.requireServer(ctx); err != nil {
		return err
	}
	migrations := cypher.Migrations()
	stored, err := s.SchemaVersion(ctx)
	if err != nil {
		return err
	}
	if known := len(migrations); stored > known {
		return fmt.Errorf("migrate: %w (%d, this version supports %d): use a newer kith", ErrSchemaNewer, stored, known)
	}
	if err := s.applyAll(ctx, migrations[stored:]); err != nil {
		return err
	}
	if err := s.indexTypes(ctx); err != nil {
		return err
	}
	if err := s.awaitIndexes(ctx); err != nil {
		return err
	}
	if err := s.indexOtherTypes(ctx); err != nil || stored == 0 || stored == len(migrations) {
		return err
	}
	if err := s.renewRanks(ctx); err != nil || stored >= namesVersion {
		return err
	}
	return s.Renew(ctx, func(int) {})
}

// Schema versions: the first one with search scopes on all nodes and relationships, and the first one with everything
// that Renew writes.
const (
	searchVersion = 8
	namesVersion  = 14
)

// renewSchema creates the missing parts of the schema, whatever version the database has.
func (s *Store) renewSchema(ctx context.Context) error {
	if err := s.applyAll(ctx, cypher.Migrations()); err != nil {
		return err
	}
	return s.Migrate(ctx)
}

func (s *Store) applyAll(ctx context.Context, migrations []cypher.Migration) error {
	for _, m := range migrations {
		for _, statement := range m.Statements {
			if err := s.applySchema(ctx, m, statement); err != nil {
				return err
			}
		}
		err := s.transaction(ctx, "schema_version_set", func(t *tx) error {
			_, err := t.exec("schema_version_set", map[string]any{"version": m.Version, "now": s.now()})
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// renewAtOnce is the maximum number of relationships in one transaction.
const renewAtOnce = 10_000

// renewRanks adds the properties that the current indexes sort by to relationships of older databases.
func (s *Store) renewRanks(ctx context.Context) error {
	for {
		var renewed int64
		err := s.transaction(ctx, "rank_renew", func(t *tx) error {
			rows, err := t.exec("rank_renew", map[string]any{"limit": renewAtOnce})
			if err == nil {
				renewed = integer(rows[0].Values[0])
			}
			return err
		})
		if err != nil || renewed < renewAtOnce {
			return err
		}
	}
}

// indexTypes creates the missing indexes for relationship types of older databases.
func (s *Store) indexTypes(ctx context.Context) error {
	row, err := s.readOne(ctx, "relationship_types", nil)
	if err != nil {
		return err
	}
	indexed, err := s.indexedTypes(ctx)
	if err != nil {
		return err
	}
	for _, kind := range texts(row.Values[0]) {
		if slices.Contains(indexed, kind) || kind == hasMessageType || !typePattern.MatchString(kind) {
			continue
		}
		if err := s.indexType(ctx, kind); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) awaitIndexes(ctx context.Context) error {
	return s.applySchema(ctx, cypher.Migration{Name: "await"}, "CALL db.awaitIndexes(300)")
}

// applySchema runs one statement, and again after a deadlock with another instance. If the other instance was first,
// in spite of IF NOT EXISTS, that is not an error.
func (s *Store) applySchema(ctx context.Context, m cypher.Migration, statement string) error {
	session := s.session(ctx, neo4j.AccessModeWrite, nil)
	defer func() { _ = session.Close(context.WithoutCancel(ctx)) }()
	_, err := session.ExecuteWrite(ctx, func(t neo4j.ManagedTransaction) (any, error) {
		result, err := t.Run(ctx, statement, nil)
		if err == nil {
			_, err = result.Consume(ctx)
		}
		return nil, err
	})
	var db *neo4j.Neo4jError
	if errors.As(err, &db) && db.Code == "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists" {
		return nil
	}
	return translate("schema "+m.Name, err)
}

// SchemaVersion returns the version of the database's schema; 0 for a new database.
func (s *Store) SchemaVersion(ctx context.Context) (int, error) {
	rows, err := s.read(ctx, s.queries["schema_version"], nil)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	return int(integer(rows[0].Values[0])), nil
}

// requireServer returns an error for Neo4j before 5.26, which lacks dynamic labels.
func (s *Store) requireServer(ctx context.Context) error {
	row, err := s.readOne(ctx, "server_version", nil)
	if err != nil {
		return err
	}
	versions := texts(row.Values[0])
	if len(versions) == 0 || !atLeast(versions[0], 5, 26) {
		return fmt.Errorf("migrate: neo4j is %s, kith needs 5.26 or newer: %w", strings.Join(versions, ", "), ErrUnavailable)
	}
	return nil
}

func atLeast(version string, major, minor int) bool {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return false
	}
	a, errA := strconv.Atoi(parts[0])
	b, errB := strconv.Atoi(parts[1])
	return errA == nil && errB == nil && (a > major || a == major && b >= minor)
}
