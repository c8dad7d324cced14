package store

import (
	"context"
	"fmt"
	"io"
	"time"

	"cloud.google.com/go/bigtable"
	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"tramline.example/dal"
)

const (
	tableStats = "stats"
	famSum     = "sum"
	famMax     = "max"
)

// Stats sums what the vehicles did, in a table of aggregates.
type Stats struct {
	tbl   *bigtable.Table
	pos   *bigtable.Table
	clock dal.Clock
}

// NewStats opens the tables.
func NewStats(c *bigtable.Client, clock dal.Clock) *Stats {
	return &Stats{tbl: c.Open(tableStats), pos: c.Open(dal.TablePositions), clock: clock}
}

// Add counts a trip.
func (s *Stats) Add(ctx context.Context, vehicle string, km int64) error {
	day := dal.Midnight(s.clock.Now())
	m := bigtable.NewMutation()
	m.AddIntToCell(famSum, "km", day, km)                         // ok ttlwrite/aggregate-server-time
	m.AddIntToCell(famSum, "trips", bigtable.ServerTime, 1)       // want ttlwrite/aggregate-server-time
	m.AddIntToCell(famSum, "total", 0, km)                        // ok ttlwrite/aggregate-server-time
	m.MergeBytesToCell(famMax, "km", dal.ServerStamp(), []byte{}) // want ttlwrite/aggregate-server-time
	m.MergeBytesToCell(famMax, "km", day, []byte{})               // ok ttlwrite/aggregate-server-time
	return s.tbl.Apply(ctx, vehicle, m)
}

// Replace starts a row anew; the deletion comes last.
func (s *Stats) Replace(ctx context.Context, vehicle string, km int64) error {
	m := bigtable.NewMutation()
	m.Set("note", "km", bigtable.Now(), fmt.Append(nil, km))
	m.DeleteRow() // want ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, vehicle, m)
}

// ReplaceRight deletes first.
func (s *Stats) ReplaceRight(ctx context.Context, vehicle string, km int64) error {
	m := bigtable.NewMutation()
	m.DeleteRow() // ok ttlwrite/delete-after-set
	m.Set("note", "km", bigtable.Now(), fmt.Append(nil, km))
	m.Set("note", "old", bigtable.Now(), nil)
	m.DeleteCellsInColumn("note", "older") // ok ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, vehicle, m)
}

// Read sums the days of a range.
func (s *Stats) Read(ctx context.Context, vehicle string, from, to time.Time) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, vehicle, bigtable.RowFilter(bigtable.TimestampRangeFilter(from, to))) // ok ttlread/upper-bound
}

// Window is half a day of positions, for the heat map.
func (s *Stats) Window(ctx context.Context, prefix string, w io.Writer) error {
	now := s.clock.Now()
	opts := []bigtable.ReadOption{
		bigtable.RowFilter(bigtable.ChainFilters(
			bigtable.FamilyFilter(dal.FamPos),
			bigtable.TimestampRangeFilter(now.Add(-12*time.Hour), time.Time{}), // want ttlread/wrong-bound[window]
		)),
	}
	return s.pos.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // want ttlread/wrong-bound[window]
		for _, it := range r[dal.FamPos] {
			fmt.Fprintf(w, "%s %x\n", it.Row, it.Value)
		}
		return true
	}, opts...) // want ttlread/wrong-bound[window]
}

// Report prints positions with what it takes for their times.
func (s *Stats) Report(ctx context.Context, prefix string, w io.Writer) error {
	return s.pos.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool {
		for _, it := range r[dal.FamPos] {
			created := it.Timestamp.Time()                                               // want ttlage/not-write-time[report]
			fmt.Fprintf(w, "%s %s %x\n", it.Row, created.Format(time.RFC3339), it.Value) // want ttlage/not-write-time[report]
		}
		for _, it := range r[dal.FamVehicle] {
			fmt.Fprintf(w, "%s updated %s\n", it.Row, it.Timestamp.Time().Format(time.RFC3339)) // ok ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(bigtable.InterleaveFilters( // ok ttlread/unfiltered-branch
		bigtable.ChainFilters(bigtable.FamilyFilter(dal.FamPos), bigtable.TimestampRangeFilter(s.clock.Now().Add(-dal.PositionTTL), time.Time{})),
		bigtable.FamilyFilter(dal.FamVehicle))))
}

// pages reads a prefix in pages, with whatever filter it is given.
func pages(ctx context.Context, tbl *bigtable.Table, prefix string, size int64, f bigtable.Filter, each func(bigtable.Row)) error {
	start := prefix
	for {
		n, last := int64(0), ""
		opts := []bigtable.ReadOption{bigtable.LimitRows(size)}
		if f != nil {
			opts = append(opts, bigtable.RowFilter(f))
		}
		err := tbl.ReadRows(ctx, bigtable.NewRange(start, prefix+"\xff"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
			n, last = n+1, r.Key()
			each(r)
			return true
		}, opts...)
		if err != nil || n < size {
			return err
		}
		start = last + "\x00"
	}
}

// Everything pages through positions.
func (s *Stats) Everything(ctx context.Context, prefix string) (n int, err error) {
	err = pages(ctx, s.pos, prefix, 100, bigtable.FamilyFilter(dal.FamPos), func(r bigtable.Row) { // want ttlread/missing-filter
		n += len(r[dal.FamPos])
	})
	return n, err
}

// EverythingLive pages through those that live.
func (s *Stats) EverythingLive(ctx context.Context, prefix string) (n int, err error) {
	err = pages(ctx, s.pos, prefix, 100, dal.Family(dal.FamPos, dal.Younger(s.clock, dal.PositionTTL)), func(r bigtable.Row) { // ok ttlread/missing-filter
		n += len(r[dal.FamPos])
	})
	return n, err
}

// Vehicles pages through the ordinary family.
func (s *Stats) Vehicles(ctx context.Context, prefix string) (n int, err error) {
	err = pages(ctx, s.pos, prefix, 100, bigtable.FamilyFilter(dal.FamVehicle), func(r bigtable.Row) { // ok ttlread/missing-filter
		n += len(r[dal.FamVehicle])
	})
	return n, err
}

// rawRead is the request of the proxy that speaks the protocol itself.
func rawRead(keys [][]byte) *btpb.ReadRowsRequest {
	return &btpb.ReadRowsRequest{ // want ttlread/missing-filter[rawread]
		TableName: "projects/tram/instances/line/tables/positions", // want ttlread/missing-filter[rawread]
		Rows:      &btpb.RowSet{RowKeys: keys},
		Filter:    &btpb.RowFilter{Filter: &btpb.RowFilter_CellsPerColumnLimitFilter{CellsPerColumnLimitFilter: 1}}, // want ttlread/missing-filter[rawread]
	}
}

func rawReadLive(keys [][]byte, now time.Time) *btpb.ReadRowsRequest {
	return &btpb.ReadRowsRequest{ // ok ttlread/missing-filter
		TableName: "projects/tram/instances/line/tables/otp",
		Rows:      &btpb.RowSet{RowKeys: keys},
		Filter: &btpb.RowFilter{Filter: &btpb.RowFilter_TimestampRangeFilter{
			TimestampRangeFilter: &btpb.TimestampRange{StartTimestampMicros: now.UnixMicro()},
		}},
	}
}

var _, _ = rawRead, rawReadLive
