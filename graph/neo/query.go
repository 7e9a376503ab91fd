package neo

import (
	"context"
	"fmt"
	"reflect"

	"kith/cypher"
	"kith/internal/fault"
)

// Query is a statement with the type of its rows. Reading is safe for concurrent use.
//
// T is a struct with one exported field for each column: `neo:"name"`, or the field's name in snake case. The fields of
// embedded structs count as its own. A T that is no struct
// has the value of the only column. A struct within a row is a list whose values are in the order of the fields. Null is
// the zero value. Times are date values or milliseconds since 1970, and in UTC.
type Query[T any] struct {
	cypher.Query

	columns []column
}

// None is the row type of statements whose rows nobody reads.
type None struct{}

// Load reads the statement of the file queries/<name>.cypher. It panics when the file is missing, or when its columns
// are not those of T: the binary is broken then.
func Load[T any](name string) Query[T] {
	return As[T](cypher.Load(name))
}

// As returns a query with the type of its rows. It panics when its columns are not those of T.
func As[T any](q cypher.Query) Query[T] {
	columns, err := columnsOf(reflect.TypeFor[T](), q.Returns)
	if err != nil {
		panic(fmt.Sprintf("neo: statement %s: %v", q.Name, err))
	}
	return Query[T]{q, columns}
}

// Reader reads the rows of a statement.
type Reader interface {
	Read(ctx context.Context, q cypher.Query, params map[string]any) ([][]any, error)
}

// Execer runs a statement in a transaction.
type Execer interface {
	Exec(q cypher.Query, params map[string]any) ([][]any, error)
}

// ForLabel returns the statement for nodes with a label.
func (q Query[T]) ForLabel(label string) Query[T] {
	q.Query = cypher.ForLabel(q.Query, label)
	return q
}

// Read returns the rows.
func (q Query[T]) Read(ctx context.Context, r Reader, params map[string]any) ([]T, error) {
	rows, err := r.Read(ctx, q.Query, params)
	if err != nil {
		return nil, err
	}
	return q.Decode(rows)
}

// ReadOne returns the first row, or fault.ErrNotFound.
func (q Query[T]) ReadOne(ctx context.Context, r Reader, params map[string]any) (T, error) {
	rows, err := q.Read(ctx, r, params)
	return q.one(rows, err)
}

// Exec runs the statement in a transaction and returns its rows.
func (q Query[T]) Exec(t Execer, params map[string]any) ([]T, error) {
	rows, err := t.Exec(q.Query, params)
	if err != nil {
		return nil, err
	}
	return q.Decode(rows)
}

// ExecOne runs the statement in a transaction and returns its first row, or fault.ErrNotFound.
func (q Query[T]) ExecOne(t Execer, params map[string]any) (T, error) {
	rows, err := q.Exec(t, params)
	return q.one(rows, err)
}

// Run runs the statement in a transaction and ignores its rows.
func (q Query[T]) Run(t Execer, params map[string]any) error {
	_, err := t.Exec(q.Query, params)
	return err
}

func (q Query[T]) one(rows []T, err error) (T, error) {
	if err == nil && len(rows) == 0 {
		err = fmt.Errorf("%s: %w", q.Name, fault.ErrNotFound)
	}
	if err != nil {
		var zero T
		return zero, err
	}
	return rows[0], nil
}

// Decode converts rows in the order of the statement's columns. It returns ErrStatement for a value of another type.
func (q Query[T]) Decode(rows [][]any) ([]T, error) {
	if len(rows) == 0 || len(q.columns) == 0 {
		return make([]T, len(rows)), nil
	}
	out := make([]T, len(rows))
	for i, row := range rows {
		if len(row) != len(q.columns) {
			return nil, fmt.Errorf("%s: %d columns, want %d: %w", q.Name, len(row), len(q.columns), ErrStatement)
		}
		to := reflect.ValueOf(&out[i]).Elem()
		for n, c := range q.columns {
			if row[n] == nil {
				continue
			}
			at := to
			for _, field := range c.field {
				at = at.Field(field)
			}
			if err := c.set(at, row[n]); err != nil {
				return nil, fmt.Errorf("%s: column %s: %w", q.Name, q.Returns[n], err)
			}
		}
	}
	return out, nil
}
