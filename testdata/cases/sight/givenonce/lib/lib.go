// Package lib has stores to which constructors give a table, filters and names.
package lib

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Repo reads with the filter that its constructor is given.
type Repo struct {
	tbl    *bigtable.Table
	filter bigtable.Filter
	family string
	now    func() time.Time
}

// NewRepo makes a Repo.
func NewRepo(tbl *bigtable.Table, family string, f bigtable.Filter) *Repo {
	return &Repo{tbl: tbl, family: family, filter: f, now: time.Now}
}

// Load reads a row.
func (r *Repo) Load(ctx context.Context, key string) (bigtable.Row, error) {
	return r.tbl.ReadRow(ctx, key, bigtable.RowFilter(r.filter))
}

// All reads all rows.
func (r *Repo) All(ctx context.Context) (rows []bigtable.Row, err error) {
	err = r.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		rows = append(rows, row)
		return true
	}, bigtable.RowFilter(r.filter))
	return rows, err
}

// Save writes a value.
func (r *Repo) Save(ctx context.Context, key string, v []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(r.family, "v", bigtable.Time(r.now()), v)
	return r.tbl.Apply(ctx, key, mut)
}

// Vault is wrong by itself, for any table that has tokens.
type Vault struct{ tbl *bigtable.Table }

// NewVault makes a Vault.
func NewVault(tbl *bigtable.Table) *Vault { return &Vault{tbl} }

// Put writes a token.
func (v *Vault) Put(ctx context.Context, key string, value []byte) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "v", bigtable.Now(), value) // want `write-time: .*"token" \(table not known\)`
	return v.tbl.Apply(ctx, key, mut)
}

// Get reads tokens.
func (v *Vault) Get(ctx context.Context, key string) (out []byte, err error) {
	row, err := v.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter("token"))) // want `missing-filter: .*"token" \(table not known\)`
	for _, it := range row["token"] {
		out = append(out, it.Value...)
	}
	return out, err
}
