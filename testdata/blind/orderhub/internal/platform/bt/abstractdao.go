package bt

import (
	"context"
	"errors"
	"fmt"

	"cloud.google.com/go/bigtable"
)

// ErrNotFound is what DAOs return for a row that does not exist.
var ErrNotFound = errors.New("not found")

// AbstractDAO is embedded by the DAOs, as AbstractBigtableDao was extended in Java.
type AbstractDAO struct {
	Gateway TableGateway
	Name    string
}

// NewAbstractDAO is called by the constructors of the DAOs.
func NewAbstractDAO(f TableFactory, name string) AbstractDAO {
	return AbstractDAO{Gateway: f.CreateTable(name), Name: name}
}

// Fetch reads a row, and returns ErrNotFound where there is none.
func (a *AbstractDAO) Fetch(ctx context.Context, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	row, err := a.Gateway.ReadRow(ctx, key, opts...)
	if err != nil {
		return nil, fmt.Errorf("%s: read %q: %w", a.Name, key, err)
	}
	if len(row) == 0 {
		return nil, fmt.Errorf("%s: %q: %w", a.Name, key, ErrNotFound)
	}
	return row, nil
}

// Scan reads the rows with a prefix.
func (a *AbstractDAO) Scan(ctx context.Context, prefix string, each func(bigtable.Row) bool, opts ...bigtable.ReadOption) error {
	if err := a.Gateway.ReadRows(ctx, bigtable.PrefixRange(prefix), each, opts...); err != nil {
		return fmt.Errorf("%s: scan %q: %w", a.Name, prefix, err)
	}
	return nil
}

// Store applies a mutation.
func (a *AbstractDAO) Store(ctx context.Context, key string, m *bigtable.Mutation) error {
	if err := a.Gateway.Apply(ctx, key, m); err != nil {
		return fmt.Errorf("%s: write %q: %w", a.Name, key, err)
	}
	return nil
}

// Column returns the newest value of a column of a row that was read, or nil.
func Column(row bigtable.Row, family, column string) []byte {
	for _, item := range row[family] {
		if item.Column == family+":"+column {
			return item.Value
		}
	}
	return nil
}

// Text is Column as a string.
func Text(row bigtable.Row, family, column string) string {
	return string(Column(row, family, column))
}
