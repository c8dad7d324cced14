package worker

import (
	"context"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"adcap.example/platform/internal/bt"
	"adcap.example/platform/internal/mutate"
	"adcap.example/platform/internal/schema"
)

// Sequencer hands out the numbers of model outputs.
type Sequencer struct {
	n        atomic.Uint64
	base     int64
	perShard [16]int64
}

// Next returns the next number.
func (s *Sequencer) Next() int64 { return s.base + int64(s.n.Add(1)) }

// Outputs writes model outputs.
type Outputs struct {
	tbl bt.Applier
	seq *Sequencer
}

// NewOutputs opens the table.
func NewOutputs(c *bigtable.Client) *Outputs {
	return &Outputs{tbl: c.Open(schema.TableAudience), seq: &Sequencer{}}
}

// Put writes with a scaled number.
func (o *Outputs) Put(ctx context.Context, model string, v []byte) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamModel, "out", mutate.Seq(o.seq.Next()), v) // ok ttlwrite/unscaled-sequence
	return o.tbl.Apply(ctx, model, m)
}

// PutPlain forgets the scale.
func (o *Outputs) PutPlain(ctx context.Context, model string, v []byte) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamModel, "out", bigtable.Timestamp(o.seq.Next()), v) // want ttlwrite/unscaled-sequence
	return o.tbl.Apply(ctx, model, m)
}

// PutShard counts per shard.
func (o *Outputs) PutShard(ctx context.Context, model string, shard int, v []byte) error {
	o.seq.perShard[shard%16]++
	n := o.seq.perShard[shard%16]
	m := bigtable.NewMutation()
	m.Set(schema.FamModel, "shard", bigtable.Timestamp(n), v)       // want ttlwrite/unscaled-sequence
	m.Set(schema.FamModel, "scaled", bigtable.Timestamp(n*1000), v) // ok ttlwrite/unscaled-sequence
	return o.tbl.Apply(ctx, model, m)
}

// PutWhen falls back to the clock when there is no number.
func (o *Outputs) PutWhen(ctx context.Context, model string, v []byte) error {
	ts := mutate.Seq(o.seq.Next())
	if o.seq.base == 0 {
		ts = bigtable.Now()
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamModel, "out", ts, v) // want ttlwrite/clock-in-sequence
	return o.tbl.Apply(ctx, model, m)
}

// Sums keeps aggregated spend in a table of its own.
type Sums struct{ tbl bt.Applier }

// NewSums opens the table.
func NewSums(c *bigtable.Client) *Sums { return &Sums{tbl: c.Open("spend-sums")} }

// Add adds to the sum of the day.
func (s *Sums) Add(ctx context.Context, campaign string, micros int64) error {
	day := time.Now().Truncate(24 * time.Hour)
	m := bigtable.NewMutation()
	m.AddIntToCell("sum", "spend", bigtable.Time(day), micros) // ok ttlwrite/aggregate-server-time
	m.AddIntToCell("sum", "total", 0, micros)                  // ok ttlwrite/aggregate-server-time
	return s.tbl.Apply(ctx, campaign, m)
}

// AddServer lets the server choose, which it refuses.
func (s *Sums) AddServer(ctx context.Context, campaign string, micros int64, sketch []byte) error {
	m := bigtable.NewMutation()
	m.AddIntToCell("sum", "spend", bigtable.ServerTime, micros)     // want ttlwrite/aggregate-server-time
	m.MergeBytesToCell("sum", "reach", bigtable.ServerTime, sketch) // want ttlwrite/aggregate-server-time
	return s.tbl.Apply(ctx, campaign, m)
}
