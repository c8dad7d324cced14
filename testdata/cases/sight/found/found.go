// Package found writes again what it has found, with its timestamp: there is
// none where nothing is found, and nothing is written.
package found

import (
	"context"
	"errors"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/found/rows"
)

type store struct{ tbl *bigtable.Table }

func open(c *bigtable.Client) *store { return &store{c.Open("sessions")} }

func (s *store) live(ctx context.Context, key string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))))
}

func (s *store) rotate(ctx context.Context, key, next string) error {
	row, err := s.live(ctx, key)
	if err != nil {
		return err
	}
	sub, ok := rows.First(row, "token", "sub")
	if !ok {
		return errors.New("revoked")
	}
	m := bigtable.NewMutation()
	m.Set("token", "sub", sub.Timestamp, sub.Value)
	rows.Put(m, "token", "again", sub.Value, rows.At(sub.Timestamp))
	rows.Put(m, "token", "prev", sub.Value) // want `write-time: .*"token"`
	return s.tbl.Apply(ctx, next, m)
}

func (s *store) found(ctx context.Context, key, next string) error {
	row, err := s.live(ctx, key)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	if it, ok := rows.Find(row, "token", "sub"); ok {
		m.Set("token", "sub", it.Timestamp, it.Value)
		rows.Put(m, "token", "again", it.Value, rows.At(it.Timestamp))
	}
	here, ok := find(row, "sub")
	switch {
	case !ok:
		return nil
	default:
		m.Set("token", "here", here.Timestamp, here.Value)
	}
	return s.tbl.Apply(ctx, next, m)
}

func find(row bigtable.Row, column string) (bigtable.ReadItem, bool) {
	for _, it := range row["token"] {
		if it.Column == "token:"+column {
			return it, true
		}
	}
	return bigtable.ReadItem{}, false
}

// careless does not ask whether there was one.
func (s *store) careless(ctx context.Context, key, next string) error {
	row, err := s.live(ctx, key)
	if err != nil {
		return err
	}
	it, _ := find(row, "sub")
	m := bigtable.NewMutation()
	m.Set("token", "sub", it.Timestamp, it.Value) // want `already-expired: .*"token"`
	return s.tbl.Apply(ctx, next, m)
}

// newest is a pointer, or nothing.
func newest(row bigtable.Row) *bigtable.ReadItem {
	var best *bigtable.ReadItem
	for i := range row["token"] {
		if it := &row["token"][i]; best == nil || it.Timestamp > best.Timestamp {
			best = it
		}
	}
	return best
}

func (s *store) pointed(ctx context.Context, key, next string) error {
	row, err := s.live(ctx, key)
	if err != nil {
		return err
	}
	it := newest(row)
	if it == nil {
		return nil
	}
	m := bigtable.NewMutation()
	m.Set("token", "sub", it.Timestamp, it.Value)
	return s.tbl.Apply(ctx, next, m)
}

// deadline returns an error instead.
func deadline(row bigtable.Row) (time.Time, error) {
	it, ok := rows.First(row, "token", "sub")
	if !ok {
		return time.Time{}, errors.New("no deadline")
	}
	return it.Timestamp.Time(), nil
}

func (s *store) extended(ctx context.Context, key, next string) error {
	row, err := s.live(ctx, key)
	if err != nil {
		return err
	}
	at, err := deadline(row)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set("token", "sub", bigtable.Time(at.Add(time.Minute)), nil)
	return s.tbl.Apply(ctx, next, m)
}
