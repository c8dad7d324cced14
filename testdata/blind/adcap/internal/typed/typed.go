// Package typed is the generic column layer of 2024: a column knows its family
// and how its cells are stamped and bounded.
package typed

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"cloud.google.com/go/bigtable"
)

// Stamper makes the timestamp of a cell.
type Stamper interface {
	Stamp(now time.Time) bigtable.Timestamp
}

// Expires stamps with the moment of expiry.
type Expires struct{ After time.Duration }

// Stamp implements Stamper.
func (e Expires) Stamp(now time.Time) bigtable.Timestamp { return bigtable.Time(now.Add(e.After)) }

// Wall stamps with the time of the write.
type Wall struct{}

// Stamp implements Stamper.
func (Wall) Stamp(now time.Time) bigtable.Timestamp { return bigtable.Time(now) }

// Zero stamps with zero.
type Zero struct{}

// Stamp implements Stamper.
func (Zero) Stamp(time.Time) bigtable.Timestamp { return 0 }

// ServerSide leaves it to the server.
type ServerSide struct{}

// Stamp implements Stamper.
func (ServerSide) Stamp(time.Time) bigtable.Timestamp { return bigtable.ServerTime }

// Codec encodes values.
type Codec[T any] interface {
	Encode(T) ([]byte, error)
	Decode([]byte) (T, error)
}

// JSON is a codec.
type JSON[T any] struct{}

// Encode implements Codec.
func (JSON[T]) Encode(v T) ([]byte, error) { return json.Marshal(v) }

// Decode implements Codec.
func (JSON[T]) Decode(b []byte) (v T, err error) {
	err = json.Unmarshal(b, &v)
	return v, err
}

// Column is a typed column.
type Column[T any, S Stamper] struct {
	Family, Name string
	Codec        Codec[T]
	Stamper      S
}

// Put appends the cell to a mutation.
func (c Column[T, S]) Put(m *bigtable.Mutation, v T) error {
	b, err := c.Codec.Encode(v)
	if err != nil {
		return fmt.Errorf("%s:%s: %w", c.Family, c.Name, err)
	}
	m.Set(c.Family, c.Name, c.Stamper.Stamp(time.Now()), b)
	return nil
}

// Get decodes the first cell of the column.
func (c Column[T, S]) Get(row bigtable.Row) (v T, ok bool, err error) {
	for _, it := range row[c.Family] {
		if it.Column == c.Family+":"+c.Name {
			v, err = c.Codec.Decode(it.Value)
			return v, err == nil, err
		}
	}
	return v, false, nil
}

// Session is one mutation being built for a row.
type Session struct {
	*bigtable.Table
	key string
	mut *bigtable.Mutation
	now time.Time
	err error
}

// Begin starts a session.
func Begin(t *bigtable.Table, key string) *Session {
	return &Session{Table: t, key: key, mut: bigtable.NewMutation(), now: time.Now()}
}

// SetAt sets a cell.
func (s *Session) SetAt(family, column string, ts bigtable.Timestamp, v []byte) *Session {
	s.mut.Set(family, column, ts, v)
	return s
}

// SetFor sets a cell that lives for d.
func (s *Session) SetFor(family, column string, d time.Duration, v []byte) *Session {
	return s.SetAt(family, column, bigtable.Time(s.now.Add(d)), v)
}

// SetNow sets a cell at the time of the session.
func (s *Session) SetNow(family, column string, v []byte) *Session {
	return s.SetFor(family, column, 0, v)
}

// Drop deletes a column.
func (s *Session) Drop(family, column string) *Session {
	s.mut.DeleteCellsInColumn(family, column)
	return s
}

// Commit writes the row.
func (s *Session) Commit(ctx context.Context) error {
	if s.err != nil {
		return s.err
	}
	return s.Apply(ctx, s.key, s.mut)
}

// Filtered is a reader whose filter is fixed by its options.
type Filtered struct {
	tbl  *bigtable.Table
	make func(now time.Time) bigtable.Filter
	rows int64
}

// ReaderOption configures a reader.
type ReaderOption func(*Filtered)

// Bounded sets the filter.
func Bounded(f func(now time.Time) bigtable.Filter) ReaderOption {
	return func(r *Filtered) { r.make = f }
}

// AtMost limits the rows.
func AtMost(n int64) ReaderOption { return func(r *Filtered) { r.rows = n } }

// NewReader returns a reader.
func NewReader(t *bigtable.Table, opts ...ReaderOption) *Filtered {
	r := &Filtered{tbl: t}
	for _, o := range opts {
		o(r)
	}
	return r
}

// Cells iterates over the cells of a family.
func (r *Filtered) Cells(ctx context.Context, set bigtable.RowSet, family string) iter.Seq2[string, bigtable.ReadItem] {
	return func(yield func(string, bigtable.ReadItem) bool) {
		opts := []bigtable.ReadOption{bigtable.RowFilter(r.make(time.Now()))}
		if r.rows > 0 {
			opts = append(opts, bigtable.LimitRows(r.rows))
		}
		_ = r.tbl.ReadRows(ctx, set, func(row bigtable.Row) bool {
			for _, it := range row[family] {
				if !yield(row.Key(), it) {
					return false
				}
			}
			return true
		}, opts...)
	}
}
