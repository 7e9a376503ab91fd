package graph

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"kith/cypher"
	"kith/graph/neo"
)

var (
	findSchemaVersion = neo.Load[int64]("schema_version")
	setSchemaVersion  = neo.Load[neo.None]("schema_version_set")
	findSchemaNames   = neo.Load[[]string]("schema_names")
	findServerVersion = neo.Load[[]string]("server_version")
	renewRanks        = neo.Load[int64]("rank_renew")
)

// Migrate updates the database's schema from its version to that of this binary. Every statement may be repeated, and
// several instances may start at the same time. It returns ErrSchemaNewer if a newer version of Kith has migrated the
// database.
func (s *Store) Migrate(ctx context.Context) error {
	if _, err := s.ServerVersion(ctx); err != nil {
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
	if err := s.AwaitIndexes(ctx); err != nil {
		return err
	}
	if err := s.IndexWords(ctx); err != nil {
		return err
	}
	if err := s.AwaitMembers(ctx); err != nil || stored == 0 || stored == len(migrations) {
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

// schemaPart is an index or a constraint of the current schema, with the statement that creates it.
type schemaPart struct{ migration, name, statement string }

var schemaName = regexp.MustCompile(`^CREATE (?:[A-Z]+ )*(?:CONSTRAINT|INDEX) (\w+) IF NOT EXISTS`)

// schemaParts returns what the schema files create and do not drop again.
func schemaParts() []schemaPart {
	var parts []schemaPart
	for _, m := range cypher.Migrations() {
		for _, statement := range m.Statements {
			if dropped, ok := strings.CutPrefix(statement, "DROP INDEX "); ok {
				name, _, _ := strings.Cut(dropped, " ")
				parts = slices.DeleteFunc(parts, func(p schemaPart) bool { return p.name == name })
			} else if match := schemaName.FindStringSubmatch(statement); match != nil {
				parts = append(parts, schemaPart{m.Name, match[1], statement})
			}
		}
	}
	return parts
}

// renewSchema creates the missing parts of the schema, whatever version the database has. What is there stays: Neo4j plans all
// statements anew when an index changes.
func (s *Store) renewSchema(ctx context.Context) error {
	there, err := findSchemaNames.ReadOne(ctx, s.db.Leader(), nil)
	if err != nil {
		return err
	}
	for _, part := range schemaParts() {
		if slices.Contains(there, part.name) {
			continue
		}
		if err := s.db.Schema(ctx, part.migration, part.statement); err != nil {
			return err
		}
	}
	return s.Migrate(ctx)
}

func (s *Store) applyAll(ctx context.Context, migrations []cypher.Migration) error {
	for _, m := range migrations {
		for _, statement := range m.Statements {
			if err := s.db.Schema(ctx, m.Name, statement); err != nil {
				return err
			}
		}
		err := s.Transaction(ctx, "schema_version_set", func(t *Tx) error {
			return setSchemaVersion.Run(t, map[string]any{"version": m.Version, "now": s.Now()})
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
		err := s.Transaction(ctx, "rank_renew", func(t *Tx) (err error) {
			renewed, err = renewRanks.ExecOne(t, map[string]any{"limit": renewAtOnce})
			return err
		})
		if err != nil || renewed < renewAtOnce {
			return err
		}
	}
}

// indexTypes creates the missing indexes for relationship types of older databases.
func (s *Store) indexTypes(ctx context.Context) error {
	types, err := findTypes.ReadOne(ctx, s.db.Leader(), nil)
	if err != nil {
		return err
	}
	indexed, err := s.IndexedTypes(ctx)
	if err != nil {
		return err
	}
	for _, kind := range types {
		if slices.Contains(indexed, kind) || kind == HasMessageType || !typePattern.MatchString(kind) {
			continue
		}
		if err := s.indexType(ctx, kind); err != nil {
			return err
		}
	}
	return nil
}

// AwaitIndexes waits until all indexes have all data, on the leader of a cluster.
func (s *Store) AwaitIndexes(ctx context.Context) error { return s.db.AwaitIndexes(ctx) }

// AwaitMembers waits until every member of a cluster has the schema and its indexes: without them a statement there takes a plan without
// the index, or fails. It does not wait for members that cannot be reached, because no statement reaches them either.
func (s *Store) AwaitMembers(ctx context.Context) error {
	members, err := s.db.Members(ctx)
	if err != nil {
		return err
	}
	for _, member := range members {
		err := s.db.AwaitIndexesAt(ctx, member)
		if errors.Is(err, neo.ErrUnreachable) {
			s.options.Log.Warn("a member of the cluster cannot be reached: its indexes are not awaited", "member", member)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// SchemaVersion returns the version of the database's schema; 0 for a new database.
func (s *Store) SchemaVersion(ctx context.Context) (int, error) {
	versions, err := findSchemaVersion.Read(ctx, s.db.Leader(), nil)
	if err != nil || len(versions) == 0 {
		return 0, err
	}
	return int(versions[0]), nil
}

// ServerVersion returns the version of Neo4j, and an error if it is before 5.26, which lacks dynamic labels.
func (s *Store) ServerVersion(ctx context.Context) (string, error) {
	versions, err := findServerVersion.ReadOne(ctx, s.db, nil)
	if err != nil {
		return "", err
	}
	found := strings.Join(versions, ", ")
	if len(versions) == 0 || !atLeast(versions[0], 5, 26) {
		return found, fmt.Errorf("neo4j is %s, kith needs 5.26 or newer: %w", found, ErrUnavailable)
	}
	return found, nil
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
