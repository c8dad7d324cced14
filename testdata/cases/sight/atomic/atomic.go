// Package atomic numbers versions by counters of package atomic, read after
// they are increased.
package atomic

import (
	"sync/atomic"

	"cloud.google.com/go/bigtable"
)

type generator struct {
	seq     atomic.Int64
	plain   int64
	pointer *atomic.Uint64
	scaled  atomic.Int64
	resumed atomic.Int64
	swapped atomic.Int64
	given   int64
}

func newGenerator(last int64) *generator {
	g := &generator{pointer: new(atomic.Uint64)}
	g.resumed.Store(last)
	resume(&g.given, last)
	return g
}

func resume(n *int64, last int64) { *n = last }

func (g *generator) next() {
	g.seq.Add(1)
	atomic.AddInt64(&g.plain, 1)
	g.pointer.Add(1)
	g.scaled.Add(1000)
	g.resumed.Add(1)
	atomic.AddInt64(&g.given, 1)
	if old := g.swapped.Load(); g.swapped.CompareAndSwap(old, old*1000) {
		g.swapped.Add(1)
	}
}

func (g *generator) read(m *bigtable.Mutation) {
	m.Set("entry", "a", bigtable.Timestamp(g.seq.Load()), nil)               // want `unscaled-sequence: .*"entry"`
	m.Set("entry", "b", bigtable.Timestamp(atomic.LoadInt64(&g.plain)), nil) // want `unscaled-sequence: .*"entry"`
	m.Set("entry", "c", bigtable.Timestamp(int64(g.pointer.Load())), nil)    // want `unscaled-sequence: .*"entry"`
}

func (g *generator) okRead(m *bigtable.Mutation) {
	m.Set("entry", "a", bigtable.Timestamp(g.seq.Load()*1000), nil)
	m.Set("entry", "b", bigtable.Timestamp(g.scaled.Load()), nil)
	m.Set("entry", "c", bigtable.Timestamp(g.resumed.Load()), nil)
	m.Set("entry", "d", bigtable.Timestamp(g.swapped.Load()), nil)
	m.Set("entry", "e", bigtable.Timestamp(atomic.LoadInt64(&g.given)), nil)
}

var (
	global   atomic.Int64
	never    atomic.Int64
	Exported atomic.Int64
)

func variables(m *bigtable.Mutation) {
	global.Add(1)
	Exported.Add(1)
	m.Set("entry", "a", bigtable.Timestamp(global.Load()), nil) // want `unscaled-sequence: .*"entry"`
	var local atomic.Int64
	next := func() int64 { local.Add(1); return local.Load() }
	m.Set("entry", "b", bigtable.Timestamp(next()), nil) // want `unscaled-sequence: .*"entry"`
}

func okVariables(m *bigtable.Mutation) {
	m.Set("entry", "a", bigtable.Timestamp(never.Load()), nil)
	m.Set("entry", "b", bigtable.Timestamp(Exported.Load()), nil)
}
