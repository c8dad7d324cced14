package ttlguard_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc"
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

// BenchmarkLoad is what the guard costs a busy program: many requests at once on
// one connection, by turns with the guard and without, so that what else the
// machine does is in both. It reports the throughput that is lost and the share of
// processor time that is the guard's, which on a machine that does nothing else
// is the same, as medians of all turns; and the allocations of a request that
// are the guard's.
//
//	go test ./runtime/ttlguard -run xxx -bench Load -benchtime 500x
func BenchmarkLoad(b *testing.B) {
	const workers, each = 16, 20 // requests in a turn
	e := newEmulator(b)
	guard := mustGuard(b, ttlguard.WithLogger(nil), ttlguard.Reject())
	var on bool // set between turns
	unary, stream := guard.UnaryInterceptor(), guard.StreamInterceptor()
	client, admin := e.dial(b,
		grpc.WithUnaryInterceptor(func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			if on {
				return unary(ctx, method, req, reply, cc, invoke, opts...)
			}
			return invoke(ctx, method, req, reply, cc, opts...)
		}),
		grpc.WithStreamInterceptor(func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
			if on {
				return stream(ctx, desc, cc, method, open, opts...)
			}
			return open(ctx, desc, cc, method, opts...)
		}))
	if err := admin.CreateTableFromConf(b.Context(), sessions.Conf()); err != nil {
		b.Fatal(err)
	}
	tbl := client.Open("sessions")
	write := func(row string) error {
		m := bigtable.NewMutation()
		if err := token.Replace(m, "jwt", []byte("value"), time.Hour); err != nil {
			return err
		}
		return tbl.Apply(b.Context(), row, m)
	}
	read := func(row string) error {
		_, err := tbl.ReadRow(b.Context(), row, sessions.Live())
		return err
	}
	// turn returns what the requests of a turn cost.
	type cost struct {
		took, busy time.Duration
		mallocs    uint64
	}
	turn := func(do func(string) error, guarded bool) cost {
		var before, after runtime.MemStats
		on = guarded
		runtime.ReadMemStats(&before)
		start, busy := time.Now(), processorTime()
		var all sync.WaitGroup
		for w := range workers {
			all.Add(1)
			go func() {
				defer all.Done()
				row := fmt.Sprint("row", w)
				for range each {
					if err := do(row); err != nil {
						b.Error(err)
						return
					}
				}
			}()
		}
		all.Wait()
		c := cost{took: time.Since(start), busy: processorTime() - busy}
		runtime.ReadMemStats(&after)
		c.mallocs = after.Mallocs - before.Mallocs
		return c
	}
	for name, do := range map[string]func(string) error{"write": write, "read": read} {
		b.Run(name, func(b *testing.B) {
			var lost, busy, bare, own []float64
			var allocs int64
			for i := range b.N {
				var of [2]cost                            // bare, guarded
				for _, k := range []int{i % 2, 1 - i%2} { // in either order
					of[k] = turn(do, k == 1)
				}
				lost = append(lost, 1-float64(of[0].took)/float64(of[1].took))
				busy = append(busy, 1-float64(of[0].busy)/float64(of[1].busy))
				bare = append(bare, float64(of[0].busy)/(workers*each))
				own = append(own, float64(of[1].busy-of[0].busy)/(workers*each))
				allocs += int64(of[1].mallocs) - int64(of[0].mallocs)
			}
			median := func(all []float64) float64 {
				slices.Sort(all)
				return all[len(all)/2]
			}
			b.ReportMetric(100*median(lost), "%-lost")
			b.ReportMetric(100*median(busy), "%-busy")
			b.ReportMetric(median(bare), "bare-ns/request")
			b.ReportMetric(median(own), "guard-ns/request")
			b.ReportMetric(float64(allocs)/float64(b.N*workers*each), "guard-allocs/request")
			b.ReportMetric(0, "ns/op")
		})
	}
	if n := guard.Counts(); len(n) > 0 {
		b.Errorf("violations: %v", n)
	}
}
