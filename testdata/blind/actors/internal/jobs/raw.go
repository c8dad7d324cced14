package jobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"example.com/arena/internal/schema"
)

// Raw talks to the data API without the client: the replay job needs control
// over every field of a request.
type Raw struct {
	api      bigtablepb.BigtableClient
	instance string
	batch    []*bigtablepb.MutateRowsRequest_Entry
}

// NewRaw returns a Raw on api; instance is "projects/P/instances/I".
func NewRaw(api bigtablepb.BigtableClient, instance string) *Raw {
	return &Raw{api: api, instance: instance}
}

func (r *Raw) table(name string) string { return r.instance + "/tables/" + name }

func setCell(family, column string, micros int64, value []byte) *bigtablepb.Mutation {
	return &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{
		FamilyName:      family,
		ColumnQualifier: []byte(column),
		TimestampMicros: micros,
		Value:           value,
	}}}
}

// ReplayTicket puts a ticket back.
func (r *Raw) ReplayTicket(ctx context.Context, player string, value []byte) error {
	_, err := r.api.MutateRow(ctx, &bigtablepb.MutateRowRequest{
		TableName: r.instance + "/tables/tickets",
		RowKey:    []byte(player),
		Mutations: []*bigtablepb.Mutation{{Mutation: &bigtablepb.Mutation_SetCell_{
			SetCell: &bigtablepb.Mutation_SetCell{FamilyName: schema.FamTicket, ColumnQualifier: []byte("mode"), Value: value}, // want ttlwrite/unset-timestamp
		}}, {Mutation: &bigtablepb.Mutation_SetCell_{
			SetCell: &bigtablepb.Mutation_SetCell{FamilyName: schema.FamTicket, ColumnQualifier: []byte("skill"), Value: value, TimestampMicros: time.Now().Add(schema.TicketTTL).UnixMilli() * 1000}, // ok ttlwrite/unset-timestamp
		}}},
	})
	return err
}

// ReplayMessage puts a message back.
func (r *Raw) ReplayMessage(ctx context.Context, key string, value []byte) error {
	_, err := r.api.MutateRow(ctx, &bigtablepb.MutateRowRequest{
		TableName: r.instance + "/tables/chat",
		RowKey:    []byte(key),
		Mutations: []*bigtablepb.Mutation{
			{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{FamilyName: schema.FamMsg, ColumnQualifier: []byte("body"), Value: value}}},                      // want ttlwrite/unset-timestamp
			{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{FamilyName: schema.FamMsg, ColumnQualifier: []byte("from"), TimestampMicros: -1, Value: value}}}, // ok ttlwrite/server-timestamp
		},
	})
	return err
}

// ReplayItem puts an item back; zero is what it shall be.
func (r *Raw) ReplayItem(ctx context.Context, player, id string, value []byte) error {
	_, err := r.api.MutateRow(ctx, &bigtablepb.MutateRowRequest{
		TableName: r.instance + "/tables/players",
		RowKey:    []byte(player),
		Mutations: []*bigtablepb.Mutation{{Mutation: &bigtablepb.Mutation_SetCell_{
			SetCell: &bigtablepb.Mutation_SetCell{FamilyName: schema.FamItem, ColumnQualifier: []byte(id), Value: value}, // ok ttlwrite/unset-timestamp
		}}},
	})
	return err
}

// Add collects a cell for the next flush.
func (r *Raw) Add(player, device string) {
	r.batch = append(r.batch, &bigtablepb.MutateRowsRequest_Entry{
		RowKey: []byte(player),
		Mutations: []*bigtablepb.Mutation{
			setCell(schema.FamToken, "device", -1, []byte(device)),                                                        // want ttlwrite/server-timestamp
			setCell(schema.FamToken, "node", time.Now().Add(schema.TokenTTL).Truncate(time.Millisecond).UnixMicro(), nil), // ok ttlwrite/write-time
			setCell(schema.FamProfile, "device", -1, []byte(device)),                                                      // ok ttlwrite/server-timestamp
		},
	})
}

// Flush writes what was collected.
func (r *Raw) Flush(ctx context.Context) error {
	if len(r.batch) == 0 {
		return nil
	}
	stream, err := r.api.MutateRows(ctx, &bigtablepb.MutateRowsRequest{TableName: r.table(schema.TableSessions), Entries: r.batch})
	if err != nil {
		return err
	}
	r.batch = r.batch[:0]
	for {
		res, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, e := range res.GetEntries() {
			if c := e.GetStatus().GetCode(); c != 0 {
				return fmt.Errorf("row %d: code %d", e.GetIndex(), c)
			}
		}
	}
}

// Count counts in a ticket.
func (r *Raw) Count(ctx context.Context, player string) error {
	_, err := r.api.ReadModifyWriteRow(ctx, &bigtablepb.ReadModifyWriteRowRequest{
		TableName: r.instance + "/tables/tickets",
		RowKey:    []byte(player),
		Rules: []*bigtablepb.ReadModifyWriteRule{
			{FamilyName: schema.FamTicket, ColumnQualifier: []byte("tries"), Rule: &bigtablepb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}}, // want ttlwrite/read-modify-write
		},
	})
	return err
}

// CountStats counts in ordinary data.
func (r *Raw) CountStats(ctx context.Context, player string) error {
	_, err := r.api.ReadModifyWriteRow(ctx, &bigtablepb.ReadModifyWriteRowRequest{
		TableName: r.instance + "/tables/players",
		RowKey:    []byte(player),
		Rules: []*bigtablepb.ReadModifyWriteRule{
			{FamilyName: schema.FamStats, ColumnQualifier: []byte("tries"), Rule: &bigtablepb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}}, // ok ttlwrite/read-modify-write
		},
	})
	return err
}

// Messages streams the messages of a room.
func (r *Raw) Messages(ctx context.Context, from, to string, each func([]byte)) error {
	rows := &bigtablepb.RowSet{RowRanges: []*bigtablepb.RowRange{{
		StartKey: &bigtablepb.RowRange_StartKeyClosed{StartKeyClosed: []byte(from)},
		EndKey:   &bigtablepb.RowRange_EndKeyOpen{EndKeyOpen: []byte(to)},
	}}}
	req := &bigtablepb.ReadRowsRequest{TableName: r.instance + "/tables/chat", Rows: rows, RowsLimit: 1000} // want ttlread/missing-filter[rawmsgs]
	stream, err := r.api.ReadRows(ctx, req)                                                                 // want ttlread/missing-filter[rawmsgs]
	if err != nil {
		return err
	}
	return drain(stream, each)
}

// LiveMessages streams those that are to be seen still.
func (r *Raw) LiveMessages(ctx context.Context, each func([]byte)) error {
	stream, err := r.api.ReadRows(ctx, &bigtablepb.ReadRowsRequest{ // ok ttlread/missing-filter
		TableName: r.instance + "/tables/chat",
		Filter: &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_Chain_{Chain: &bigtablepb.RowFilter_Chain{Filters: []*bigtablepb.RowFilter{
			{Filter: &bigtablepb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: schema.FamMsg}},
			{Filter: &bigtablepb.RowFilter_TimestampRangeFilter{TimestampRangeFilter: &bigtablepb.TimestampRange{
				StartTimestampMicros: time.Now().Add(-schema.MsgTTL).UnixMilli() * 1000,
			}}},
		}}}},
	})
	if err != nil {
		return err
	}
	return drain(stream, each)
}

func drain(stream bigtablepb.Bigtable_ReadRowsClient, each func([]byte)) error {
	for {
		res, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, c := range res.GetChunks() {
			each(c.GetValue())
		}
	}
}

// Archive copies cells into the cold copy. Its families are ordinary ones.
type Archive struct {
	tbl *bigtable.Table
}

// NewArchive opens the cold copy.
func NewArchive(c *bigtable.Client) *Archive { return &Archive{tbl: c.Open(schema.TableArchive)} }

// Keep writes a row of another table as it stands.
func (a *Archive) Keep(ctx context.Context, row bigtable.Row) error {
	mut := bigtable.NewMutation()
	n := 0
	for family, items := range row {
		for _, it := range items {
			mut.Set(family, it.Column[len(family)+1:], it.Timestamp, it.Value)
			n++
		}
	}
	if n == 0 {
		return nil
	}
	mut.Set(schema.FamMsg, "archived", bigtable.ServerTime, []byte{1}) // ok ttlwrite/server-timestamp
	mut.Set(schema.FamToken, "archived", bigtable.Now(), []byte{1})    // ok ttlwrite/write-time
	mut.Set(schema.FamScore, "archived", bigtable.Now(), []byte{1})    // ok ttlwrite/clock-in-sequence
	mut.Set(schema.FamScore, "count", bigtable.Timestamp(n)*1000, nil) // ok ttlwrite/unscaled-sequence
	return a.tbl.Apply(ctx, row.Key(), mut)
}

// Read reads an archived row.
func (a *Archive) Read(ctx context.Context, key string) (bigtable.Row, error) {
	return a.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
}

// Newest reads the newest n cells of an archived row's columns.
func (a *Archive) Newest(ctx context.Context, key string) (bigtable.Row, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamScore), bigtable.LatestNFilter(0)) // want ttlunit/invalid-filter[latest0]
	return a.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))                                         // want ttlunit/invalid-filter[latest0]
}

// First reads the first columns of an archived row.
func (a *Archive) First(ctx context.Context, key string) (bigtable.Row, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamScore)) // want ttlunit/invalid-filter[chain1]
	return a.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))              // want ttlunit/invalid-filter[chain1]
}

// Two asks for a family, then for a column, and gets the column only.
func (a *Archive) Two(ctx context.Context, key, column string) (bigtable.Row, error) {
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.FamilyFilter(schema.FamMsg))}
	if column != "" {
		opts = append(opts, bigtable.RowFilter(bigtable.ColumnFilter(column)))
	}
	opts = append(opts, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	return a.tbl.ReadRow(ctx, key, opts...) // want ttlread/overridden-filter
}

// Either asks for the one or the other.
func (a *Archive) Either(ctx context.Context, key, column string) (bigtable.Row, error) {
	opt := bigtable.RowFilter(bigtable.LatestNFilter(1))
	if column != "" {
		opt = bigtable.RowFilter(bigtable.ChainFilters(bigtable.ColumnFilter(column), bigtable.LatestNFilter(1)))
	}
	return a.tbl.ReadRow(ctx, key, opt, bigtable.LimitRows(1)) // ok ttlread/overridden-filter
}

// Trim drops the archived cells of a column from before the epoch's first
// second.
func (a *Archive) Trim(ctx context.Context, key, column string) error {
	mut := bigtable.NewMutation()
	mut.DeleteTimestampRange(schema.FamMsg, column, 0, 999)           // want ttlunit/sub-millisecond
	mut.DeleteTimestampRange(schema.FamToken, column, 0, 1_000_000)   // ok ttlunit/sub-millisecond
	mut.Set(schema.FamMsg, "trim", bigtable.Timestamp(1500), nil)     // want ttlunit/sub-millisecond
	mut.Set(schema.FamMsg, "trimmed", bigtable.Timestamp(15000), nil) // ok ttlunit/sub-millisecond
	return a.tbl.Apply(ctx, key, mut)
}

// Never writes marks that sort before everything.
func (a *Archive) Never(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamMsg, "never", bigtable.Time(time.Time{}), nil)     // want ttlunit/out-of-range
	mut.Set(schema.FamMsg, "first", bigtable.Time(time.Unix(0, 0)), nil) // ok ttlunit/out-of-range
	mut.Set(schema.FamMsg, "minus", bigtable.Timestamp(-2000), nil)      // want ttlunit/out-of-range
	return a.tbl.Apply(ctx, key, mut)
}

// Between reads a fixed window.
func (a *Archive) Between(ctx context.Context, key string) (bigtable.Row, error) {
	f := bigtable.TimestampRangeFilterMicros(5_000_000, 2_000_000) // want ttlunit/empty-range[between]
	return a.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))          // want ttlunit/empty-range[between]
}

// Window reads another fixed window.
func (a *Archive) Window(ctx context.Context, key string) (bigtable.Row, error) {
	f := bigtable.TimestampRangeFilterMicros(2_000_000, 5_000_000) // ok ttlunit/empty-range
	return a.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))
}

// ImportedAt writes when a dump was made; dumps carry seconds.
func (a *Archive) ImportedAt(ctx context.Context, key string, made time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamMsg, "made", bigtable.Timestamp(made.Unix()), nil)         // want ttlunit/wrong-unit
	mut.Set(schema.FamMsg, "made_ms", bigtable.Timestamp(made.UnixMilli()), nil) // want ttlunit/wrong-unit
	mut.Set(schema.FamMsg, "made_s", bigtable.Timestamp(made.Unix()*1000), nil)  // want ttlunit/wrong-unit
	mut.Set(schema.FamMsg, "made_us", bigtable.Timestamp(made.UnixMicro()), nil) // ok ttlunit/wrong-unit
	mut.Set(schema.FamMsg, "made_ok", bigtable.Timestamp(made.Unix()*1e6), nil)  // ok ttlunit/wrong-unit
	mut.Set(schema.FamMsg, "made_t", bigtable.Time(made), nil)                   // ok ttlunit/wrong-unit
	return a.tbl.Apply(ctx, key, mut)
}
