// Package repo reads tables that its constructor is given.
package repo

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Repo reads tokens of a table.
type Repo struct{ tbl *bigtable.Table }

// New returns a repository.
func New(tbl *bigtable.Table) *Repo { return &Repo{tbl} }

// Tokens returns the cells of a row.
func (r *Repo) Tokens(ctx context.Context, key string) ([]bigtable.ReadItem, error) {
	row, err := r.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter("token"))) // want `missing-filter: .*"token" \(table not known\)`
	return row["token"], err
}
