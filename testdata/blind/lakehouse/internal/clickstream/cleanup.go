package clickstream

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lakehouse/internal/etl"
	"example.com/lakehouse/internal/schema"
)

// Cleanup removes what collection does not: rows of users who left, events of
// blocked agents, empty sessions.
type Cleanup struct {
	tbl   *bigtable.Table
	batch *etl.Batcher
	log   *slog.Logger
	dry   bool
}

// NewCleanup opens the table.
func NewCleanup(client *bigtable.Client, dry bool, log *slog.Logger) *Cleanup {
	tbl := client.Open(schema.TableClicks)
	return &Cleanup{tbl: tbl, batch: etl.NewBatcher(tbl, 100, log), dry: dry, log: log}
}

// Users deletes all rows of the users.
func (c *Cleanup) Users(ctx context.Context, users map[string]bool) (int, error) {
	n := 0
	var failed error
	err := c.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		parts := etl.SplitKey(row.Key())
		if len(parts) < 2 || !users[parts[1]] {
			return true
		}
		n++
		if c.dry {
			return true
		}
		m := bigtable.NewMutation()
		m.DeleteRow()
		failed = c.batch.Add(ctx, row.Key(), m)
		return failed == nil
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	if err != nil {
		return n, err
	}
	if failed != nil {
		return n, failed
	}
	return n, c.batch.Flush(ctx)
}

// Agents deletes the events of blocked agents.
func (c *Cleanup) Agents(ctx context.Context, blocked []string) error {
	return c.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[schema.FamEvent] {
			if it.Column != "ev:agent" {
				continue
			}
			for _, b := range blocked {
				if strings.Contains(string(it.Value), b) {
					m := bigtable.NewMutation()
					m.DeleteCellsInFamily(schema.FamEvent)
					if err := c.batch.Add(ctx, row.Key(), m); err != nil {
						c.log.Error("delete", "key", row.Key(), "err", err)
						return false
					}
				}
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamEvent), bigtable.ColumnFilter("agent"))))
}

// Old deletes by range what the service has not collected yet.
func (c *Cleanup) Old(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.DeleteTimestampRange(schema.FamEvent, "raw", 0, bigtable.Time(time.Now().Add(-schema.ClickRetention))) // ok ttlunit/sub-millisecond
	m.DeleteTimestampRange(schema.FamEvent, "sent", 0, 999)                                                  // want ttlunit/sub-millisecond
	m.DeleteTimestampRange(schema.FamMeta, "arrived", 0, 1000)                                               // ok ttlunit/sub-millisecond
	return c.tbl.Apply(ctx, key, m)
}

// Anonymise rewrites the user of old events, in place.
func (c *Cleanup) Anonymise(ctx context.Context, prefix string) error {
	var failed error
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamEvent), bigtable.ColumnFilter("user")) // want ttlread/missing-filter[anon]
	err := c.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool {            // want ttlread/missing-filter[anon]
		for _, it := range row[schema.FamEvent] {
			m := bigtable.NewMutation()
			m.DeleteCellsInColumn(schema.FamEvent, "user")
			m.Set(schema.FamEvent, "user", it.Timestamp, []byte("anon-"+hash(it.Value))) // ok ttlwrite/delete-after-set
			if failed = c.batch.Add(ctx, row.Key(), m); failed != nil {
				return false
			}
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/missing-filter[anon]
	if err == nil {
		err = failed
	}
	return err
}

func hash(b []byte) string {
	var h uint64 = 14695981039346656037
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	const digits = "0123456789abcdef"
	var out [16]byte
	for i := range out {
		out[i] = digits[h>>(60-4*i)&15]
	}
	return string(out[:])
}
