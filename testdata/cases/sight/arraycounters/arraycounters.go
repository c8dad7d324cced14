// Package arraycounters counts in elements of arrays and slices.
package arraycounters

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/arraycounters/lib"
)

const shards = 8

var perShard [shards]int64

var scaled [shards]int64

type shard struct {
	name string
	seq  int64
}

type inner struct {
	seqs   [shards]int64
	seqs2d [2][shards]int64
}

type store struct {
	tbl    *bigtable.Table
	in     *inner
	shards []shard
	slots  []int64
	moved  []int64
	c      *lib.Counters
}

func newStore(c *bigtable.Client) *store {
	return &store{tbl: c.Open("sales-ledger"), in: &inner{}, shards: make([]shard, shards), slots: make([]int64, shards), moved: make([]int64, shards), c: lib.New(shards)}
}

func (s *store) put(ctx context.Context, i int, base int64) error {
	m := bigtable.NewMutation()
	perShard[i]++
	m.Set("entry", "a", bigtable.Timestamp(perShard[i]), nil) // want `unscaled-sequence: .*"entry"`
	m.Set("entry", "b", bigtable.Timestamp(perShard[i]*1000), nil)
	scaled[i%shards] += 1000
	m.Set("entry", "c", bigtable.Timestamp(scaled[i%shards]), nil)
	s.in.seqs[i]++
	n := s.in.seqs[i]
	m.Set("entry", "d", bigtable.Timestamp(n), nil) // want `unscaled-sequence: .*"entry"`
	s.in.seqs2d[1][i] += 2
	m.Set("entry", "e", bigtable.Timestamp(s.in.seqs2d[1][i]), nil) // want `unscaled-sequence: .*"entry"`
	sh := &s.shards[i]
	sh.seq++
	m.Set("entry", "f", bigtable.Timestamp(sh.seq), nil)          // want `unscaled-sequence: .*"entry"`
	m.Set("entry", "g", bigtable.Timestamp(s.shards[i].seq), nil) // want `unscaled-sequence: .*"entry"`
	s.slots[i]++
	m.Set("entry", "h", bigtable.Timestamp(s.slots[i]), nil) // want `unscaled-sequence: .*"entry"`
	s.moved[i] += 1
	s.moved[i] = base * 1000
	m.Set("entry", "i", bigtable.Timestamp(s.moved[i]), nil)
	m.Set("entry", "j", bigtable.Timestamp(s.next(i)), nil) // want `unscaled-sequence: .*"entry"`
	m.Set("entry", "k", bigtable.Timestamp(s.next(i)*1000), nil)
	m.Set("entry", "l", bigtable.Timestamp(s.c.Next(i)), nil) // want `unscaled-sequence: .*"entry"`
	m.Set("entry", "m", bigtable.Timestamp(s.c.Next(i))*1000, nil)
	m.Set("entry", "n", bigtable.Timestamp(s.c.Kilo(i)), nil)
	local := make([]int64, shards)
	for j := range shards {
		local[j&3]++
		m.Set("entry", "o", bigtable.Timestamp(local[j&3]), nil) // want `unscaled-sequence: .*"entry"`
	}
	return s.tbl.Apply(ctx, "k", m)
}

func (s *store) next(i int) int64 {
	s.slots[i]++
	return s.slots[i]
}

var _ = newStore
