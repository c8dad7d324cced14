// Package wire speaks to the data API without the client: the loaders of the
// night send requests that other programs have made.
package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"cloud.google.com/go/bigtable"
	pb "cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"example.com/depot/internal/bt"
	"example.com/depot/internal/names"
	"example.com/depot/internal/seqx"
)

// Loader sends requests to the tables of an instance.
type Loader struct {
	api      pb.BigtableClient
	instance string
	clock    func() time.Time
}

// New makes a loader.
func New(api pb.BigtableClient, project, instance string) *Loader {
	return &Loader{
		api:      api,
		instance: "projects/" + project + "/instances/" + instance,
		clock:    time.Now,
	}
}

func (l *Loader) table(name string) string { return l.instance + "/tables/" + name }

func set(c *pb.Mutation_SetCell) *pb.Mutation {
	return &pb.Mutation{Mutation: &pb.Mutation_SetCell_{SetCell: c}}
}

// Hold loads a hold.
func (l *Loader) Hold(ctx context.Context, key string, who []byte, until time.Time) error {
	_, err := l.api.MutateRow(ctx, &pb.MutateRowRequest{
		TableName: l.table(names.DockSlots),
		RowKey:    []byte(key),
		Mutations: []*pb.Mutation{
			set(&pb.Mutation_SetCell{FamilyName: "hold", ColumnQualifier: []byte("by"), TimestampMicros: until.UnixMilli() * 1000, Value: who}), // ok ttlwrite/unset-timestamp
			set(&pb.Mutation_SetCell{FamilyName: "slot", ColumnQualifier: []byte("loaded"), TimestampMicros: -1, Value: who}),                   // ok ttlwrite/server-timestamp
		},
	})
	return err
}

// HoldPlain loads a hold that has no end.
func (l *Loader) HoldPlain(ctx context.Context, key string, who []byte) error {
	_, err := l.api.MutateRow(ctx, &pb.MutateRowRequest{
		TableName: l.table(names.DockSlots),
		RowKey:    []byte(key),
		Mutations: []*pb.Mutation{
			set(&pb.Mutation_SetCell{FamilyName: "hold", ColumnQualifier: []byte("by"), Value: who}), // want ttlwrite/unset-timestamp
		},
	})
	return err
}

// Pass loads a pass.
func (l *Loader) Pass(ctx context.Context, code string, bearer []byte) error {
	cell := &pb.Mutation_SetCell{FamilyName: "pass", ColumnQualifier: []byte("bearer"), TimestampMicros: -1, Value: bearer} // want ttlwrite/server-timestamp[rawpass]
	_, err := l.api.MutateRow(ctx, &pb.MutateRowRequest{
		TableName: l.table(names.GatePasses),
		RowKey:    []byte(code),
		Mutations: []*pb.Mutation{set(cell)}, // want ttlwrite/server-timestamp[rawpass]
	})
	return err
}

// PassUntil loads a pass with its end.
func (l *Loader) PassUntil(ctx context.Context, code string, bearer []byte, d time.Duration) error {
	end := l.clock().Add(d).Truncate(time.Millisecond).UnixMicro()
	cell := &pb.Mutation_SetCell{FamilyName: "pass", ColumnQualifier: []byte("bearer"), TimestampMicros: end, Value: bearer} // ok ttlwrite/server-timestamp
	_, err := l.api.MutateRow(ctx, &pb.MutateRowRequest{
		TableName: l.table(names.GatePasses),
		RowKey:    []byte(code),
		Mutations: []*pb.Mutation{set(cell)},
	})
	return err
}

// Entry is a row with the cells of one family.
type Entry struct {
	Key   string
	Cells map[string][]byte
}

// Pings loads pings.
func (l *Loader) Pings(ctx context.Context, in iter.Seq[Entry]) error {
	now := l.clock().UnixMilli() * 1000
	return l.load(ctx, names.Telemetry, seqx.Map(in, func(e Entry) *pb.MutateRowsRequest_Entry {
		var ms []*pb.Mutation
		for col, v := range seqx.SortedKeys(e.Cells) {
			ms = append(ms, set(&pb.Mutation_SetCell{FamilyName: "ping", ColumnQualifier: []byte(col), TimestampMicros: now, Value: v})) // ok ttlwrite/unset-timestamp
		}
		return &pb.MutateRowsRequest_Entry{RowKey: []byte(e.Key), Mutations: ms}
	}))
}

// Alarms loads alarms.
func (l *Loader) Alarms(ctx context.Context, in iter.Seq[Entry]) error {
	return l.load(ctx, names.Telemetry, seqx.Map(in, func(e Entry) *pb.MutateRowsRequest_Entry {
		var ms []*pb.Mutation
		for col, v := range seqx.SortedKeys(e.Cells) {
			ms = append(ms, set(&pb.Mutation_SetCell{FamilyName: "alarm", ColumnQualifier: []byte(col), Value: v})) // want ttlwrite/unset-timestamp
		}
		return &pb.MutateRowsRequest_Entry{RowKey: []byte(e.Key), Mutations: ms}
	}))
}

// Revisions loads revisions, which come in the order of their numbers.
func (l *Loader) Revisions(ctx context.Context, depot, truck string, lists [][]byte) error {
	var ms []*pb.Mutation
	for i, v := range lists {
		n := int64(i + 1)
		ms = append(ms, set(&pb.Mutation_SetCell{FamilyName: "rev", ColumnQualifier: []byte("list"), TimestampMicros: n * 1000, Value: v})) // ok ttlwrite/unscaled-sequence
		ms = append(ms, set(&pb.Mutation_SetCell{FamilyName: "rev", ColumnQualifier: []byte("size"), TimestampMicros: n, Value: v[:1]}))    // want ttlwrite/unscaled-sequence
	}
	ms = append(ms, set(&pb.Mutation_SetCell{FamilyName: "rev", ColumnQualifier: []byte("loaded"), Value: []byte(depot)}))  // want ttlwrite/unset-timestamp
	ms = append(ms, set(&pb.Mutation_SetCell{FamilyName: "head", ColumnQualifier: []byte("loaded"), Value: []byte(depot)})) // ok ttlwrite/unset-timestamp
	_, err := l.api.MutateRow(ctx, &pb.MutateRowRequest{TableName: l.table(names.Manifest(depot)), RowKey: []byte(truck), Mutations: ms})
	return err
}

func (l *Loader) load(ctx context.Context, table string, in iter.Seq[*pb.MutateRowsRequest_Entry]) error {
	var errs []error
	for batch := range seqx.Chunk(in, 500) {
		stream, err := l.api.MutateRows(ctx, &pb.MutateRowsRequest{TableName: l.table(table), Entries: batch})
		if err != nil {
			return err
		}
		for {
			resp, err := stream.Recv()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return err
			}
			for _, e := range resp.GetEntries() {
				if c := e.GetStatus().GetCode(); c != 0 {
					errs = append(errs, fmt.Errorf("row %d: code %d", e.GetIndex(), c))
				}
			}
		}
	}
	return errors.Join(errs...)
}

// Count counts in the service.
func (l *Loader) Count(ctx context.Context, code string) error {
	_, err := l.api.ReadModifyWriteRow(ctx, &pb.ReadModifyWriteRowRequest{
		TableName: l.table(names.GatePasses),
		RowKey:    []byte(code),
		Rules: []*pb.ReadModifyWriteRule{
			{FamilyName: "pass", ColumnQualifier: []byte("n"), Rule: &pb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}}, // want ttlwrite/read-modify-write
			{FamilyName: "info", ColumnQualifier: []byte("n"), Rule: &pb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}}, // ok ttlwrite/read-modify-write
		},
	})
	return err
}

func family(name string) *pb.RowFilter {
	return &pb.RowFilter{Filter: &pb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: name}}
}

func chain(fs ...*pb.RowFilter) *pb.RowFilter {
	return &pb.RowFilter{Filter: &pb.RowFilter_Chain_{Chain: &pb.RowFilter_Chain{Filters: fs}}}
}

func from(t time.Time) *pb.RowFilter {
	return &pb.RowFilter{Filter: &pb.RowFilter_TimestampRangeFilter{
		TimestampRangeFilter: &pb.TimestampRange{StartTimestampMicros: t.UnixMilli() * 1000},
	}}
}

// Holds reads the holds.
func (l *Loader) Holds(ctx context.Context) (n int, err error) {
	req := &pb.ReadRowsRequest{TableName: l.table(names.DockSlots), Filter: chain(family("hold"), from(l.clock()))} // ok ttlread/missing-filter
	return l.count(ctx, req)
}

// AllHolds reads the holds for the report.
func (l *Loader) AllHolds(ctx context.Context) (n int, err error) {
	req := &pb.ReadRowsRequest{TableName: l.table(names.DockSlots), Filter: family("hold")} // want ttlread/missing-filter[rawholds]
	return l.count(ctx, req)                                                                // want ttlread/missing-filter[rawholds]
}

// Slots reads the bookings.
func (l *Loader) Slots(ctx context.Context) (n int, err error) {
	req := &pb.ReadRowsRequest{TableName: l.table(names.DockSlots), Filter: family("slot")} // ok ttlread/missing-filter
	return l.count(ctx, req)
}

func (l *Loader) count(ctx context.Context, req *pb.ReadRowsRequest) (n int, err error) {
	stream, err := l.api.ReadRows(ctx, req)
	if err != nil {
		return 0, err
	}
	for {
		resp, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		for _, c := range resp.GetChunks() {
			n += len(c.GetValue())
		}
	}
}

// Range are the bounds of a query, by the clocks of the loaders.
type Range struct{ From, To time.Time }

// Filter is the range as a filter.
func (r Range) Filter() bigtable.Filter { return bigtable.TimestampRangeFilter(r.From, r.To) }

// Micros is the range as a filter, by timestamps.
func (r Range) Micros() bigtable.Filter {
	return bigtable.TimestampRangeFilterMicros(bigtable.Time(r.From), bigtable.Timestamp(r.To.UnixMilli())) // want ttlunit/wrong-unit
}

// MicrosRight is Micros in the right unit.
func (r Range) MicrosRight() bigtable.Filter {
	return bigtable.TimestampRangeFilterMicros(bigtable.Time(r.From), bigtable.Timestamp(r.To.UnixMicro())) // ok ttlunit/wrong-unit
}

// Nothing lets through what has no time.
func Nothing() bigtable.Filter {
	return bigtable.TimestampRangeFilterMicros(0, 999) // want ttlunit/sub-millisecond
}

// First lets through the cells of the first millisecond.
func First() bigtable.Filter {
	return bigtable.TimestampRangeFilterMicros(0, 1000) // ok ttlunit/sub-millisecond
}

// Epoch lets through the cells of a day that is long ago.
func Epoch() bigtable.Filter {
	day := time.Date(2020, 2, 1, 0, 0, 0, 0, time.UTC)
	before := time.Date(2020, 1, 31, 0, 0, 0, 0, time.UTC)
	return bigtable.TimestampRangeFilter(day, before) // want ttlunit/empty-range
}

// Turned is Epoch the right way round.
func Turned() bigtable.Filter {
	day := time.Date(2020, 2, 1, 0, 0, 0, 0, time.UTC)
	before := time.Date(2020, 1, 31, 0, 0, 0, 0, time.UTC)
	return bigtable.TimestampRangeFilter(before, day) // ok ttlunit/empty-range
}

// Same lets through the cells of one sequence number.
func Same() bigtable.Filter {
	return bigtable.TimestampRangeFilterMicros(7000, 7000) // want ttlunit/empty-range
}

// Seventh lets through the cells of one sequence number.
func Seventh() bigtable.Filter {
	return bigtable.TimestampRangeFilterMicros(7000, 8000) // ok ttlunit/empty-range
}

// NoneOf lets through no versions.
func NoneOf() bigtable.Filter { return bigtable.LatestNFilter(0) } // want ttlunit/invalid-filter

// OneOf lets through one version.
func OneOf() bigtable.Filter { return bigtable.LatestNFilter(1) } // ok ttlunit/invalid-filter

// Single is a chain of one.
func Single(f names.Family) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(string(f))) // want ttlunit/invalid-filter
}

// Pair is a chain of two.
func Pair(f names.Family) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(string(f)), bigtable.LatestNFilter(1)) // ok ttlunit/invalid-filter
}

// Wipe removes the cells of a column from before the numbers.
func Wipe(column string) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.DeleteTimestampRange("rev", column, 0, 500)  // want ttlunit/sub-millisecond
	m.DeleteTimestampRange("rev", column, 0, 1000) // ok ttlunit/sub-millisecond
	return m
}

// Birth is the time of cells that are older than the depot.
func Birth(column string, v []byte) *bigtable.Mutation {
	return bt.Cells(bt.Cell{Family: names.Meta, Column: column, At: bigtable.Time(time.Time{}), Value: v}) // want ttlunit/out-of-range
}

// Founded is the time of cells that are as old as the depot.
func Founded(column string, v []byte) *bigtable.Mutation {
	founded := time.Date(1998, 4, 1, 0, 0, 0, 0, time.UTC)
	return bt.Cells(bt.Cell{Family: names.Meta, Column: column, At: bigtable.Time(founded), Value: v}) // ok ttlunit/out-of-range
}

// Doomsday is the time of cells that never go.
func Doomsday(column string, v []byte) *bigtable.Mutation {
	end := time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
	return bt.Cells(bt.Cell{Family: names.Meta, Column: column, At: bigtable.Time(end), Value: v}) // want ttlunit/out-of-range
}

// Negative is the time of cells that come before all others.
func Negative(column string, v []byte) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set("meta", column, -5000, v)                     // want ttlunit/out-of-range
	m.Set("meta", column+"-now", -1, v)                 // ok ttlunit/out-of-range
	m.Set("meta", column+"-first", 1577836800000000, v) // ok ttlunit/out-of-range
	return m
}
