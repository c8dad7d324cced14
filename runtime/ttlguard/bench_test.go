package ttlguard_test

import (
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/protobuf/proto"

	"github.com/ttlvet/ttlvet/runtime/ttlguard"
)

// deep returns a filter of that depth: chains in interleaves in chains.
func deep(depth int) *btpb.RowFilter {
	f := between(time.Now().UnixMicro()/1000*1000, 0)
	for i := range depth - 1 {
		if i%2 == 0 {
			f = chain(family("token|profile"), f)
		} else {
			f = interleave(f, &btpb.RowFilter{Filter: &btpb.RowFilter_BlockAllFilter{BlockAllFilter: true}})
		}
	}
	return f
}

func cells(n int) *bigtable.Mutation {
	m := bigtable.NewMutation()
	for i := range n {
		m.Set("token", fmt.Sprint("c", i), inAnHour(), []byte("value"))
	}
	return m
}

func inAnHour() bigtable.Timestamp { return bigtable.Time(time.Now().Add(time.Hour)) }

// BenchmarkCheck is what the guard costs by itself.
func BenchmarkCheck(b *testing.B) {
	guard := mustGuard(b, ttlguard.WithLogger(nil))
	requests := map[string]proto.Message{"none": read("sessions", nil)}
	for _, n := range []int{1, 100, 10_000} {
		var ms []*btpb.Mutation
		for i := range n {
			ms = append(ms, set("token", fmt.Sprint("c", i), time.Now().Add(time.Hour).UnixMicro()))
		}
		requests[fmt.Sprint(n, "cells")] = mutate("sessions", ms...)
	}
	for _, n := range []int{1, 4, 50} {
		requests[fmt.Sprint("depth", n)] = read("sessions", deep(n))
	}
	for _, name := range []string{"1cells", "100cells", "10000cells", "depth1", "depth4", "depth50", "none"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				if _, err := guard.Begin(b.Context(), "/google.bigtable.v2.Bigtable/X", requests[name]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCall is a call of the client to the emulator, guarded and not.
func BenchmarkCall(b *testing.B) {
	e := newEmulator(b)
	_, admin := e.clients(b, nil)
	if err := admin.CreateTableFromConf(b.Context(), sessions.Conf()); err != nil {
		b.Fatal(err)
	}
	f := bigtable.PassAllFilter()
	for i := range 49 {
		if i%2 == 0 {
			f = bigtable.ChainFilters(bigtable.FamilyFilter("token|profile"), f)
		} else {
			f = bigtable.InterleaveFilters(f, bigtable.BlockAllFilter())
		}
	}
	for _, guarded := range []bool{false, true} {
		var guard *ttlguard.Guard
		if guarded {
			guard = mustGuard(b, ttlguard.WithLogger(nil))
		}
		client, _ := e.clients(b, guard)
		tbl := client.Open("sessions")
		row := fmt.Sprint(guarded) // each has rows of its own
		for _, n := range []int{1, 100, 10_000} {
			m := cells(n)
			b.Run(fmt.Sprintf("%dcells/guarded=%t", n, guarded), func(b *testing.B) {
				for range b.N {
					if err := tbl.Apply(b.Context(), fmt.Sprint(row, n), m); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		for _, depth := range []int{2, 50} {
			b.Run(fmt.Sprintf("depth%d/guarded=%t", depth, guarded), func(b *testing.B) {
				for range b.N {
					filter := bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
					if depth > 2 {
						filter = bigtable.ChainFilters(bigtable.TimestampRangeFilter(time.Now(), time.Time{}), f)
					}
					if _, err := tbl.ReadRow(b.Context(), row+"1", bigtable.RowFilter(filter)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
