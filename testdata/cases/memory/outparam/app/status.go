package app

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/memory/outparam/lib"
)

// A Meters has tables attached to its fields; where that fails, they stay as they were.
type Meters struct{ old, new, any *bigtable.Table }

func (m *Meters) Init(p *lib.Port, name string) lib.Status {
	if st := p.Attach("cache", &m.old); st != 0 {
		return st
	}
	if st := p.Attach(name, &m.any); st != 0 {
		return st
	}
	return p.Attach("history", &m.new)
}

func (m *Meters) Old(ctx context.Context) bigtable.Row {
	row, _ := m.old.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("val"))) // want `missing-filter: .*"val" of table "cache"`
	return row
}

func (m *Meters) New(ctx context.Context) bigtable.Row {
	row, _ := m.new.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("val"))) // want `version-limit: .*"val" of table "history"`
	return row
}

func (m *Meters) Any(ctx context.Context) bigtable.Row {
	row, _ := m.any.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("val")))
	return row
}

// A reader has meters that somebody else made.
type reader struct{ m *Meters }

func (r *reader) Init(m *Meters) { r.m = m }

func (r *reader) Old(ctx context.Context) bigtable.Row {
	row, _ := r.m.old.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("val"))) // want `missing-filter: .*"val" of table "cache"`
	return row
}

func (r *reader) New(ctx context.Context) bigtable.Row {
	row, _ := r.m.new.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("val"))) // want `version-limit: .*"val" of table "history"`
	return row
}

func (r *reader) Any(ctx context.Context) bigtable.Row {
	row, _ := r.m.any.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("val")))
	return row
}
