// Package repo reads rows for entities whose types name the family.
package repo

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type Entity interface{ Family() string }

func Get[T Entity](ctx context.Context, tbl *bigtable.Table, into T, set func(T, []byte)) error {
	row, err := tbl.ReadRow(ctx, "k")
	for _, it := range row[into.Family()] {
		set(into, it.Value)
	}
	return err
}

func GetIface(ctx context.Context, tbl *bigtable.Table, into Entity, set func([]byte)) error {
	row, err := tbl.ReadRow(ctx, "k")
	for _, it := range row[into.Family()] {
		set(it.Value)
	}
	return err
}

// Each uses the rows in a callback, by a helper that is given the entity.
func Each(ctx context.Context, tbl *bigtable.Table, into Entity, set func([]byte)) error {
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		decode(row, into, set)
		return true
	})
}

func decode(row bigtable.Row, e Entity, set func([]byte)) {
	for _, it := range row[e.Family()] {
		set(it.Value)
	}
}

// Decode is decode, for rows that others read.
func Decode(row bigtable.Row, e Entity, set func([]byte)) { decode(row, e, set) }

// A Query holds the entity.
type Query struct {
	Into Entity
	Key  string
}

func (q Query) Run(ctx context.Context, tbl *bigtable.Table) ([]byte, error) {
	row, err := tbl.ReadRow(ctx, q.Key)
	for _, it := range row[q.Into.Family()] {
		return it.Value, nil
	}
	return nil, err
}

func Run(ctx context.Context, tbl *bigtable.Table, q Query) ([]byte, error) { return q.Run(ctx, tbl) }

// A Repo holds the table; the entity comes with the call.
type Repo[T Entity] struct{ tbl *bigtable.Table }

func New[T Entity](tbl *bigtable.Table) *Repo[T] { return &Repo[T]{tbl} }

func (r *Repo[T]) Get(ctx context.Context, into T, set func(T, []byte)) error {
	row, err := r.tbl.ReadRow(ctx, "k")
	for _, it := range row[into.Family()] {
		set(into, it.Value)
	}
	return err
}

// GetName is told the family itself.
func (r *Repo[T]) GetName(ctx context.Context, family string, set func([]byte)) error {
	row, err := r.tbl.ReadRow(ctx, "k")
	for _, it := range row[family] {
		set(it.Value)
	}
	return err
}

// A Typed repo knows the family by its type.
type Typed[T Entity] struct{ tbl *bigtable.Table }

func NewTyped[T Entity](tbl *bigtable.Table) *Typed[T] { return &Typed[T]{tbl} }

func (r *Typed[T]) Get(ctx context.Context, set func([]byte)) error {
	var z T
	row, err := r.tbl.ReadRow(ctx, "k")
	for _, it := range row[z.Family()] {
		set(it.Value)
	}
	return err
}

// Sessions reads of one table that has the family of tokens, whatever it is asked for.
func Sessions(ctx context.Context, c *bigtable.Client, into Entity, set func([]byte)) error {
	row, err := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token" of table "sessions"`
	for _, it := range row[into.Family()] {
		set(it.Value)
	}
	return err
}

// All reads what two entities name.
func All(ctx context.Context, tbl *bigtable.Table, a, b Entity, set func([]byte)) error {
	row, err := tbl.ReadRow(ctx, "k")
	for _, e := range []Entity{a, b} {
		for _, it := range row[e.Family()] {
			set(it.Value)
		}
	}
	return err
}

// Whole hands the rest of the row over, too.
func Whole(ctx context.Context, tbl *bigtable.Table, into Entity, set func([]byte), rest func(bigtable.Row)) error {
	row, err := tbl.ReadRow(ctx, "k")
	for _, it := range row[into.Family()] {
		set(it.Value)
	}
	for _, items := range row {
		set(items[0].Value)
	}
	return err
}
