package flightops

import (
	"context"
	"io"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"skyward.example/dal/bt"
	"skyward.example/dal/names"
)

// The strike week of 2023: the library's retries were in the way, so these go
// straight to the service.

const flightsPath = "projects/skyward-prod/instances/ops/tables/flights"
const checkinPath = "projects/skyward-prod/instances/ops/tables/checkin"

// Direct speaks the protocol.
type Direct struct {
	cl  bigtablepb.BigtableClient
	seq int64
}

// NewDirect makes one.
func NewDirect(cl bigtablepb.BigtableClient) *Direct { return &Direct{cl: cl} }

func setCell(family, column string, micros int64, v []byte) *bigtablepb.Mutation {
	return &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{
		FamilyName: family, ColumnQualifier: []byte(column), TimestampMicros: micros, Value: v,
	}}}
}

// Cancel cancels a flight.
func (d *Direct) Cancel(ctx context.Context, flight string) error {
	d.seq++
	_, err := d.cl.MutateRow(ctx, &bigtablepb.MutateRowRequest{
		TableName: flightsPath,
		RowKey:    []byte(flight),
		Mutations: []*bigtablepb.Mutation{
			setCell(names.FamRev, colState, d.seq*1000, []byte("cancelled")), // ok ttlwrite/unscaled-sequence
			setCell(names.FamRev, colDelay, time.Now().UnixMicro(), nil),     // want ttlwrite/clock-in-sequence
			setCell(names.FamOps, colAt, time.Now().UnixMilli()*1000, nil),   // ok ttlwrite/clock-in-sequence
			setCell(names.FamGate, colStand, 0, nil),                         // ok ttlwrite/clock-in-zero
		},
	})
	return err
}

// CancelPasses marks all passes of a flight.
func (d *Direct) CancelPasses(ctx context.Context, key string) error {
	_, err := d.cl.MutateRow(ctx, &bigtablepb.MutateRowRequest{
		TableName: checkinPath,
		RowKey:    []byte(key),
		Mutations: []*bigtablepb.Mutation{
			{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{ // want ttlwrite/unset-timestamp[rawpass]
				FamilyName: names.FamPass, ColumnQualifier: []byte("void"), Value: []byte("1"), // want ttlwrite/unset-timestamp[rawpass]
			}}},
			{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{
				FamilyName: names.FamPax, ColumnQualifier: []byte("void"), Value: []byte("1"), // ok ttlwrite/unset-timestamp
			}}},
			{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{ // want ttlwrite/server-timestamp[rawgate]
				FamilyName: names.FamPass, ColumnQualifier: []byte("gate"), TimestampMicros: -1, Value: []byte("-"), // want ttlwrite/server-timestamp[rawgate]
			}}},
			{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{
				FamilyName: names.FamPass, ColumnQualifier: []byte("bcbp"), TimestampMicros: time.Now().Add(24*time.Hour).UnixMilli() * 1000, Value: []byte("-"), // ok ttlwrite/unset-timestamp ttlwrite/write-time
			}}},
		},
	})
	return err
}

// Rows streams the rows of a flight.
func (d *Direct) Rows(ctx context.Context, flight string) (int, error) {
	req := &bigtablepb.ReadRowsRequest{ // want ttlread/missing-filter[rawrows]
		TableName: flightsPath,
		Rows:      &bigtablepb.RowSet{RowKeys: [][]byte{[]byte(flight)}},
	}
	st, err := d.cl.ReadRows(ctx, req) // want ttlread/missing-filter[rawrows]
	if err != nil {
		return 0, err
	}
	return drain(st)
}

// RowsLatest streams them with a limit.
func (d *Direct) RowsLatest(ctx context.Context, flight string) (int, error) {
	req := &bigtablepb.ReadRowsRequest{ // ok ttlread/missing-filter
		TableName: flightsPath,
		Rows:      &bigtablepb.RowSet{RowKeys: [][]byte{[]byte(flight)}},
		Filter:    &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_CellsPerColumnLimitFilter{CellsPerColumnLimitFilter: 1}},
	}
	st, err := d.cl.ReadRows(ctx, req) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	return drain(st)
}

func drain(st bigtablepb.Bigtable_ReadRowsClient) (int, error) {
	n := 0
	for {
		resp, err := st.Recv()
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		n += len(resp.Chunks)
	}
}

// Count increments raw.
func (d *Direct) Count(ctx context.Context, flight string) error {
	_, err := d.cl.ReadModifyWriteRow(ctx, &bigtablepb.ReadModifyWriteRowRequest{
		TableName: flightsPath,
		RowKey:    []byte(flight),
		Rules: []*bigtablepb.ReadModifyWriteRule{
			{FamilyName: names.FamRev, ColumnQualifier: []byte("n"), Rule: &bigtablepb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}}, // want ttlwrite/read-modify-write
			{FamilyName: names.FamOps, ColumnQualifier: []byte("n"), Rule: &bigtablepb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}}, // ok ttlwrite/read-modify-write
		},
	})
	return err
}

// KioskState reads through the v1 call.
func (o *Ops) KioskState(ctx context.Context, flight string) (string, error) {
	items, err := bt.GetV1(ctx, o.flights, flight, names.FamRev, false) // ok ttlread/missing-filter ttlread/version-limit
	if err != nil || len(items) == 0 {
		return "", err
	}
	return string(items[0].Value), nil
}

// KioskWindow reads a check-in window through it.
func (o *Ops) KioskWindow(ctx context.Context, flight string) (bool, error) {
	items, err := bt.GetV1(ctx, o.client.Open(names.TableCheckin), flight, names.FamWindow, false) // want ttlread/missing-filter
	return len(items) > 0, err
}

// KioskWindowLive reads it right.
func (o *Ops) KioskWindowLive(ctx context.Context, flight string) (bool, error) {
	items, err := bt.GetV1(ctx, o.client.Open(names.TableCheckin), flight, names.FamWindow, true) // ok ttlread/missing-filter
	return len(items) > 0, err
}

// KioskSet writes through it.
func (o *Ops) KioskSet(ctx context.Context, flight, kiosk string) error {
	checkin := o.client.Open(names.TableCheckin)
	if err := bt.SetV1(ctx, checkin, flight, names.FamPax, "kiosk", []byte(kiosk), false); err != nil { // ok ttlwrite/write-time
		return err
	}
	if err := bt.SetV1(ctx, checkin, flight, names.FamPass, "kiosk", []byte(kiosk), true); err != nil { // ok ttlwrite/write-time
		return err
	}
	return bt.SetV1(ctx, checkin, flight, names.FamWindow, "kiosk", []byte(kiosk), false) // want ttlwrite/write-time
}

// KioskGates reads gates by the v1 call that takes a filter.
func (o *Ops) KioskGates(ctx context.Context, flight string) (string, error) {
	row, err := bt.GetLatest(ctx, o.flights, flight, bigtable.FamilyFilter(names.FamGate)) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	v, _ := bt.First(row, names.FamGate, colStand)
	return string(v), nil
}

// KioskPass reads a pass by it.
func (o *Ops) KioskPass(ctx context.Context, key string) (string, error) {
	row, err := bt.GetLatest(ctx, o.client.Open(names.TableCheckin), key, bigtable.FamilyFilter(names.FamPass)) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	v, _ := bt.First(row, names.FamPass, "bcbp")
	return string(v), nil
}

// KioskBoth gives two filters in one call.
func (o *Ops) KioskBoth(ctx context.Context, key string) (bigtable.Row, error) {
	live := bigtable.TimestampRangeFilter(time.Now(), time.Time{})
	return o.client.Open(names.TableCheckin).ReadRow(ctx, key, bigtable.RowFilter(live), bigtable.RowFilter(bigtable.FamilyFilter(names.FamPass))) // want ttlread/overridden-filter // maybe ttlread/missing-filter
}
