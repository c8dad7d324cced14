// Package numbers goes on from the number of a cell.
package numbers

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type ledger struct{ tbl *bigtable.Table }

func newLedger(c *bigtable.Client) *ledger { return &ledger{c.Open("eu-ledger")} }

func (l *ledger) last(ctx context.Context, key string) (bigtable.Timestamp, error) {
	row, err := l.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("entry"), bigtable.LatestNFilter(1))))
	if err != nil || len(row["entry"]) == 0 {
		return 0, err
	}
	return row["entry"][0].Timestamp, nil
}

func (l *ledger) set(ctx context.Context, key string, it bigtable.ReadItem) error {
	m := bigtable.NewMutation()
	m.Set("entry", "a", it.Timestamp+1000, nil)
	m.Set("entry", "b", it.Timestamp+1, nil) // want `unscaled-sequence: .*"entry"`
	m.Set("entry", "c", bigtable.Timestamp(int64(it.Timestamp)/1000+1)*1000, nil)
	m.Set("entry", "d", bigtable.Timestamp(int64(it.Timestamp)+1), nil) // want `unscaled-sequence: .*"entry"`
	m.Set("entry", "e", it.Timestamp, nil)
	m.Set("entry", "f", bigtable.Timestamp(int64(it.Timestamp)/1000+1), nil) // want `unscaled-sequence: .*"entry"`
	m.Set("entry", "g", it.Timestamp.TruncateToMilliseconds()+1000, nil)
	return l.tbl.Apply(ctx, key, m)
}

func (l *ledger) next(ctx context.Context, key string) error {
	last, err := l.last(ctx, key)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set("entry", "v", last+1000, nil)
	return l.tbl.Apply(ctx, key, m)
}

func (l *ledger) nextWrong(ctx context.Context, key string) error {
	last, err := l.last(ctx, key)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set("entry", "v", last+1, nil) // want `unscaled-sequence: .*"entry"`
	return l.tbl.Apply(ctx, key, m)
}

func (l *ledger) rows(ctx context.Context, key string) error {
	row, err := l.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	if err != nil {
		return err
	}
	n := int64(0)
	for _, it := range row["entry"] {
		n = int64(it.Timestamp)
	}
	m := bigtable.NewMutation()
	m.Set("entry", "ok", bigtable.Timestamp(n+1000), nil)
	m.Set("entry", "bad", bigtable.Timestamp(n+1), nil) // want `unscaled-sequence: .*"entry"`
	return l.tbl.Apply(ctx, key, m)
}

// A number of a cell that is taken for one that is not scaled yet: silent, since it
// is a multiple of 1000.
func (l *ledger) okTwice(ctx context.Context, key string, it bigtable.ReadItem) error {
	m := bigtable.NewMutation()
	m.Set("entry", "a", it.Timestamp*1000, nil)
	m.Set("entry", "b", bigtable.Timestamp(int64(it.Timestamp)*1000), nil)
	m.Set("entry", "c", bigtable.Timestamp((int64(it.Timestamp)+1)*1000), nil)
	return l.tbl.Apply(ctx, key, m)
}

func (l *ledger) okNextRow(ctx context.Context, key string) error {
	row, err := l.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	if err != nil {
		return err
	}
	last := row["entry"][0].Timestamp
	m := bigtable.NewMutation()
	m.Set("entry", "c", bigtable.Timestamp((int64(last)/1000+1)*1000), nil)
	return l.tbl.Apply(ctx, key, m)
}
