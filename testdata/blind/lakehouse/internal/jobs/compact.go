package jobs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lakehouse/internal/etl"
	"example.com/lakehouse/internal/sched"
	"example.com/lakehouse/internal/schema"
)

// Compact folds small cells together: referrers of a user into one cell,
// partial totals into one.
type Compact struct {
	base
	out *etl.Batcher
}

// NewCompact makes it.
func NewCompact(env Env) *Compact {
	b := newBase(env, "compact", 6*time.Hour)
	return &Compact{base: b, out: etl.NewBatcher(b.clicks, 0, b.log())}
}

// Run implements sched.Job.
func (c *Compact) Run(ctx context.Context) (sched.Report, error) {
	var rep sched.Report
	err := errors.Join(c.events(ctx, &rep), c.totals(ctx, &rep), c.watermarks(ctx, &rep), c.out.Flush(ctx))
	if err != nil {
		return rep, err
	}
	return rep, c.finish(ctx, bigtable.Now(), "compact") // want ttlwrite/clock-in-sequence
}

// events rewrites an event's columns into one cell with the same timestamp,
// so that it goes when the event would have gone.
func (c *Compact) events(ctx context.Context, rep *sched.Report) error {
	f := etl.InFamily(schema.FamEvent, etl.Within(schema.ClickRetention), etl.Newest())
	return scan(ctx, c.clicks, "", f, func(row bigtable.Row) error { // ok ttlread/missing-filter
		var buf bytes.Buffer
		var ts bigtable.Timestamp
		for _, it := range row[schema.FamEvent] {
			fmt.Fprintf(&buf, "%s=%s\n", etl.Column(it), it.Value)
			ts = max(ts, it.Timestamp)
		}
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily(schema.FamEvent)
		m.Set(schema.FamEvent, "packed", ts, buf.Bytes()) // ok ttlwrite/delete-after-set
		rep.Rows++
		return c.out.Add(ctx, row.Key(), m)
	})
}

// totals reads partial totals; the zero family has one version.
func (c *Compact) totals(ctx context.Context, rep *sched.Report) error {
	return scan(ctx, c.agg, "", bigtable.FamilyFilter(schema.FamAgg), func(row bigtable.Row) error { // ok ttlread/missing-filter
		var parts [][]byte
		for _, it := range row[schema.FamAgg] {
			if strings.HasPrefix(etl.Column(it), "partial") {
				parts = append(parts, it.Value)
			}
		}
		if len(parts) == 0 {
			return nil
		}
		m := bigtable.NewMutation()
		m.Set(schema.FamAgg, "total", 0, bytes.Join(parts, nil))
		m.DeleteCellsInFamily(schema.FamAgg) // want ttlwrite/delete-after-set
		rep.Rows++
		return c.agg.Apply(ctx, row.Key(), m)
	})
}

// watermarks trims notes; all versions are looked at, superseded ones too.
func (c *Compact) watermarks(ctx context.Context, rep *sched.Report) error {
	return scan(ctx, c.offsets, "", bigtable.FamilyFilter(schema.FamWatermark), func(row bigtable.Row) error { // want ttlread/version-limit
		for _, it := range row[schema.FamWatermark] {
			if it.Column == "wm:note" && len(it.Value) > 1024 {
				m := bigtable.NewMutation()
				m.Set(schema.FamWatermark, "note", it.Timestamp, it.Value[:1024]) // ok ttlwrite/clock-in-sequence
				rep.Rows++
				if err := c.offsets.Apply(ctx, row.Key(), m); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Archive writes expired statistics to files before collection takes them.
type Archive struct {
	base
	dir string
}

// NewArchive makes it.
func NewArchive(env Env) *Archive {
	return &Archive{base: newBase(env, "archive", 24*time.Hour), dir: "/var/lib/lake/archive"}
}

// Run implements sched.Job.
func (a *Archive) Run(ctx context.Context) (sched.Report, error) {
	var rep sched.Report
	f, err := os.Create(filepath.Join(a.dir, "stats.jsonl"))
	if err != nil {
		return rep, err
	}
	defer f.Close()
	w := etl.NewJSONWriter(f)
	type line struct {
		Entity, Name string
		Value        []byte
		WrittenAt    time.Time
		Ends         time.Time
	}
	err = scan(ctx, a.features, "", nil, func(row bigtable.Row) error { // want ttlread/missing-filter
		for _, it := range row[schema.FamStats] {
			l := line{Entity: row.Key(), Name: etl.Column(it), Value: it.Value, Ends: it.Timestamp.Time().Add(schema.StatsRetention)} // ok ttlage/not-write-time
			l.WrittenAt = it.Timestamp.Time()                                                                                         // want ttlage/not-write-time
			if err := w.Write(l); err != nil {
				return err
			}
			rep.Rows++
		}
		return nil
	})
	return rep, errors.Join(err, w.Close())
}
