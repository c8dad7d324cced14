package ingest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/featureplat/btx"
	"example.com/featureplat/schema"
)

// Column writes one column of one family, under the times of its clock.
type Column[V any] struct {
	family, name string
	stamp        func() bigtable.Timestamp
	enc          func(V) []byte
}

// NewColumn makes a Column.
func NewColumn[V any](family, name string, stamp func() bigtable.Timestamp, enc func(V) []byte) *Column[V] {
	return &Column[V]{family: family, name: name, stamp: stamp, enc: enc}
}

// Set adds the value to a mutation.
func (c *Column[V]) Set(m *bigtable.Mutation, v V) { m.Set(c.family, c.name, c.stamp(), c.enc(v)) }

func windowEnd() bigtable.Timestamp { return btx.ExpiresIn(schema.WindowTTL) }

// The columns of the materializer.
var (
	colScore  = NewColumn(schema.FamValue, "score", btx.NowTS, btx.EncodeFloat)      // ok ttlwrite/write-time
	colClicks = NewColumn(schema.FamWindow, "clicks", btx.NowTS, btx.EncodeInt)      // want ttlwrite/write-time
	colViews  = NewColumn(schema.FamWindow, "views", windowEnd, btx.EncodeInt)       // ok ttlwrite/write-time
	colSource = NewColumn(schema.FamMeta, "materialized", btx.NowTS, btx.EncodeTime) // ok ttlwrite/write-time
)

// totals are written for every entity.
var totals = []struct {
	family, column string
	stamp          bigtable.Timestamp
}{
	{schema.FamValue, "total", bigtable.ServerTime},       // ok ttlwrite/server-timestamp
	{schema.FamWindow, "total", bigtable.ServerTime},      // want ttlwrite/server-timestamp[totals]
	{schema.FamMeta, "total_source", bigtable.ServerTime}, // ok ttlwrite/server-timestamp
}

// Materializer computes features from what other jobs have stored.
type Materializer struct {
	online, events, models, exper, dedupe, scratch *bigtable.Table
}

// NewMaterializer opens all tables.
func NewMaterializer(client *bigtable.Client) *Materializer {
	return &Materializer{
		online:  client.Open(schema.Online),
		events:  client.Open(schema.Events),
		models:  client.Open(schema.Models),
		exper:   client.Open(schema.Experiments),
		dedupe:  client.Open(schema.Dedupe),
		scratch: client.Open(schema.Scratch),
	}
}

// Materialize writes an entity's columns.
func (x *Materializer) Materialize(ctx context.Context, e btx.Entity, score float64, clicks, views int64) error {
	m := bigtable.NewMutation()
	colScore.Set(m, score)
	colClicks.Set(m, clicks)
	colViews.Set(m, views)
	colSource.Set(m, time.Now())
	for _, t := range totals {
		m.Set(t.family, t.column, t.stamp, btx.EncodeInt(clicks+views)) // want ttlwrite/server-timestamp[totals]
	}
	return x.online.Apply(ctx, e.Key(), m)
}

// newest reads the newest cells of a family.
func newest(ctx context.Context, tbl *bigtable.Table, key, family string) (int, error) {
	row, err := tbl.ReadRow(ctx, key, bigtable.RowFilter(btx.Family(family, bigtable.LatestNFilter(1))))
	if err != nil {
		return 0, fmt.Errorf("%s %s: %w", key, family, err)
	}
	n := 0
	for _, it := range row[family] {
		n += len(it.Value)
	}
	return n, nil
}

// since reads the cells of a family from some time ago on.
func since(ctx context.Context, tbl *bigtable.Table, key, family string, ago time.Duration) (int, error) {
	row, err := tbl.ReadRow(ctx, key, bigtable.RowFilter(btx.Family(family, btx.Within(ago), bigtable.LatestNFilter(1))))
	if err != nil {
		return 0, fmt.Errorf("%s %s: %w", key, family, err)
	}
	n := 0
	for _, it := range row[family] {
		n += len(it.Value)
	}
	return n, nil
}

// Sizes sums up what an entity takes in all tables.
func (x *Materializer) Sizes(ctx context.Context, key string) (int, error) {
	sum := 0
	var errs []error
	add := func(n int, err error) {
		sum += n
		errs = append(errs, err)
	}
	add(newest(ctx, x.online, key, schema.FamMeta))                     // ok ttlread/missing-filter
	add(newest(ctx, x.online, key, schema.FamValue))                    // want ttlread/missing-filter
	add(newest(ctx, x.online, key, schema.FamWindow))                   // want ttlread/missing-filter
	add(newest(ctx, x.models, key, schema.FamRev))                      // ok ttlread/version-limit
	add(newest(ctx, x.exper, key, schema.FamLease))                     // want ttlread/missing-filter
	add(newest(ctx, x.dedupe, key, schema.FamSeen))                     // want ttlread/missing-filter
	add(newest(ctx, x.scratch, key, schema.FamValue))                   // ok ttlread/missing-filter
	add(since(ctx, x.online, key, schema.FamValue, schema.ValueTTL))    // ok ttlread/wrong-bound
	add(since(ctx, x.online, key, schema.FamValue, time.Hour))          // want ttlread/wrong-bound
	add(since(ctx, x.online, key, schema.FamWindow, 0))                 // ok ttlread/wrong-bound
	add(since(ctx, x.online, key, schema.FamWindow, schema.WindowTTL))  // want ttlread/wrong-bound
	add(since(ctx, x.models, key, schema.FamRev, 24*time.Hour))         // want ttlread/wrong-bound
	add(since(ctx, x.events, key, schema.FamRev, 24*time.Hour))         // ok ttlread/wrong-bound
	add(since(ctx, x.exper, key, schema.FamLease, schema.LeaseTTL))     // want ttlread/wrong-bound
	add(since(ctx, x.scratch, key, schema.FamWindow, schema.WindowTTL)) // ok ttlread/wrong-bound
	return sum, errors.Join(errs...)
}

// Checkpoints mark how far the materializer came.
func (x *Materializer) Checkpoints(ctx context.Context, name string, parts []string) error {
	lease := bigtable.NewMutation()
	rev := bigtable.NewMutation()
	for i, p := range parts {
		rev.Set(schema.FamRev, "checkpoint", bigtable.Timestamp(i), []byte(p))              // want ttlwrite/unscaled-sequence
		rev.Set(schema.FamRev, "part", bigtable.Timestamp(int64(i)*1000), []byte(p))        // ok ttlwrite/unscaled-sequence
		rev.Set(schema.FamRev, "at", bigtable.Timestamp(time.Now().UnixMicro()), []byte(p)) // want ttlwrite/clock-in-sequence
		lease.Set(schema.FamLease, p, bigtable.Now(), nil)                                  // want ttlwrite/write-time
		lease.Set(schema.FamLease, p+"_until", btx.ExpiresIn(schema.LeaseTTL), nil)         // ok ttlwrite/write-time
	}
	lease.Set(schema.FamLease, "done", bigtable.ServerTime, nil) // want ttlwrite/server-timestamp
	return errors.Join(x.models.Apply(ctx, name, rev), x.exper.Apply(ctx, name, lease))
}

// Lag tells how far the materializer is behind, by its checkpoint.
func (x *Materializer) Lag(ctx context.Context, name string) (time.Duration, error) {
	row, err := x.models.ReadRow(ctx, name, bigtable.RowFilter(btx.Cell(schema.FamRev, "checkpoint"))) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	ev, err := x.events.ReadRow(ctx, name, bigtable.RowFilter(btx.Cell(schema.FamRev, "model"))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	now := time.Now()
	var lag time.Duration
	for _, it := range row[schema.FamRev] {
		lag = max(lag, now.Sub(it.Timestamp.Time())) // want ttlage/not-write-time
	}
	for _, it := range ev[schema.FamRev] {
		lag = max(lag, now.Sub(it.Timestamp.Time())) // ok ttlage/not-write-time
	}
	return lag, nil
}
