// Package flagchoosesboth has a flag that chooses the table and, in another function,
// the filter: of the two, each goes with its own.
package flagchoosesboth

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type Stream struct {
	Retention time.Duration
	Name      string
}

func (s Stream) expires() bool { return s.Retention != 0 }

type Store struct{ log, expiring *bigtable.Table }

func New(c *bigtable.Client) *Store {
	return &Store{log: c.Open("accounts"), expiring: c.Open("sessions")}
}

func (s Store) table(expires bool) *bigtable.Table {
	if expires {
		return s.expiring
	}
	return s.log
}

func (s Store) filter(expires bool) bigtable.ReadOption {
	filter := bigtable.LatestNFilter(1)
	if expires {
		live := bigtable.TimestampRangeFilter(time.Now(), time.Time{})
		filter = bigtable.ChainFilters(filter, live)
	}
	return bigtable.RowFilter(filter)
}

func (s Store) read(ctx context.Context, expires bool, key string, each func(bigtable.Row) bool) error {
	return s.table(expires).ReadRows(ctx, bigtable.PrefixRange(key), each, s.filter(expires))
}

func (s Store) OkGet(ctx context.Context, of Stream) (out []string, err error) {
	err = s.read(ctx, of.expires(), of.Name, func(row bigtable.Row) bool {
		for _, it := range row["token"] {
			out = append(out, string(it.Value))
		}
		return true
	})
	return out, err
}

func (s Store) OkRead(ctx context.Context, expires bool, key string) (bigtable.Row, error) {
	return s.table(expires).ReadRow(ctx, key, s.filter(expires))
}

func (s Store) OkLocal(ctx context.Context, of Stream, key string) (bigtable.Row, error) {
	expires := of.Retention != 0
	return s.table(expires).ReadRow(ctx, key, s.filter(expires))
}

type catalog interface{ Expires(name string) bool }

func (s Store) OkLookedUp(ctx context.Context, c catalog, key string) (bigtable.Row, error) {
	expires := c.Expires(key)
	return s.table(expires).ReadRow(ctx, key, s.filter(expires))
}
