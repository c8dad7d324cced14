// Package heldtables has its tables in stores, behind decorators; servers and workers
// are given the stores.
package heldtables

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/heldtables/bt"
)

// Cache keeps values that expire.
type Cache struct{ tbl bt.Table }

func NewCache(c *bigtable.Client) *Cache { return &Cache{tbl: bt.Open(c, "cache")} }

func (s *Cache) Create(ctx context.Context, v string) error {
	m := bigtable.NewMutation()
	s.toRow(m, v)
	return s.tbl.Apply(ctx, "k", m)
}

func (s *Cache) toRow(m *bigtable.Mutation, v string) {
	m.Set("val", "jwt", bigtable.ServerTime, []byte(v)) // want `server-timestamp: .*"val"`
	m.Set("val", "at", bigtable.Time(time.Now().Add(time.Minute)), nil)
}

// History keeps values by number.
type History struct{ tbl bt.Table }

func NewHistory(c *bigtable.Client) *History { return &History{tbl: bt.Open(c, "history")} }

func (s *History) Create(ctx context.Context, v string) error {
	m := bigtable.NewMutation()
	s.toRow(m, v)
	return s.tbl.Apply(ctx, "k", m)
}

func (s *History) toRow(m *bigtable.Mutation, v string) {
	m.Set("val", "n", 5000, []byte(v))
	m.Set("val", "at", bigtable.Time(time.Now().Add(time.Minute)), nil) // want `clock-in-sequence: .*"val"`
}

// Server is given both.
type Server struct {
	cache   *Cache
	history *History
}

func NewServer(c *Cache, h *History) *Server { return &Server{cache: c, history: h} }

func (s *Server) Create(ctx context.Context, v string) error {
	if err := s.cache.Create(ctx, v); err != nil {
		return err
	}
	return s.history.Create(ctx, v)
}

// Sweeper is given a store of which it uses the table itself.
type Sweeper struct {
	cache   *Cache
	history *History
}

func NewSweeper(c *Cache, h *History) *Sweeper { return &Sweeper{c, h} }

func scan(ctx context.Context, tbl bt.Table, f func(bigtable.Row) error, opts ...bigtable.ReadOption) error {
	var ferr error
	err := tbl.ReadRows(ctx, bigtable.PrefixRange(""), func(row bigtable.Row) bool {
		ferr = f(row)
		return ferr == nil
	}, opts...)
	if err != nil {
		return err
	}
	return ferr
}

func age(row bigtable.Row, now time.Time) time.Duration {
	for _, it := range row["val"] {
		return now.Sub(it.Timestamp.Time()) // want `not-write-time: .*expires`
	}
	return 0
}

func (w *Sweeper) Report(ctx context.Context) error {
	return scan(ctx, w.cache.tbl, func(row bigtable.Row) error {
		println(age(row, time.Now()).String())
		return nil
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
}

// Two tables are none that is known.
type Mixed struct{ tbl bt.Table }

func NewMixed(c *bigtable.Client) *Mixed { return &Mixed{tbl: bt.Either(c, "cache", "history")} }

func (s *Mixed) Create(ctx context.Context, v string) error {
	m := bigtable.NewMutation()
	m.Set("val", "n", bigtable.ServerTime, []byte(v))
	return s.tbl.Apply(ctx, "k", m)
}

type MixedServer struct{ mixed *Mixed }

func NewMixedServer(m *Mixed) *MixedServer { return &MixedServer{m} }

func (s *MixedServer) Create(ctx context.Context, v string) error { return s.mixed.Create(ctx, v) }
