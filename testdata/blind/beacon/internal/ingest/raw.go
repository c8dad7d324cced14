package ingest

import (
	"context"
	"errors"
	"io"
	"time"

	"cloud.google.com/go/bigtable"
	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"example.com/beacon/internal/layout"
)

// Wire writes without the client's batching, because agents send very large batches
// and the gateway already has the bytes.
type Wire struct {
	api      btpb.BigtableClient
	instance string // projects/P/instances/I
	names    layout.Names
}

// NewWire returns a writer of raw requests for one tenant.
func NewWire(api btpb.BigtableClient, instance string, names layout.Names) *Wire {
	return &Wire{api: api, instance: instance, names: names}
}

func (w *Wire) table(name string) string { return w.instance + "/tables/" + name }

func set(family, column string, ts bigtable.Timestamp, value []byte) *btpb.Mutation {
	return &btpb.Mutation{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{
		FamilyName:      family,
		ColumnQualifier: []byte(column),
		TimestampMicros: int64(ts.TruncateToMilliseconds()),
		Value:           value,
	}}}
}

// Spans writes spans as they came.
func (w *Wire) Spans(ctx context.Context, row []byte, spans map[string][]byte) error {
	until := bigtable.Time(time.Now().Add(24 * time.Hour))
	var muts []*btpb.Mutation
	for id, b := range spans {
		muts = append(muts, set("span", id, until, b)) // ok ttlwrite/write-time
	}
	muts = append(muts, set("span", "count", bigtable.Now(), []byte{byte(len(spans))})) // want ttlwrite/write-time
	return w.mutate(ctx, w.names.Traces(), row, muts)
}

// Tokens writes tokens of a federated tenant.
func (w *Wire) Tokens(ctx context.Context, row []byte, token []byte) error {
	return w.mutate(ctx, w.names.Sessions(), row, []*btpb.Mutation{
		{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{ // want ttlwrite/unset-timestamp[rawtoken]
			FamilyName:      "token", // want ttlwrite/unset-timestamp[rawtoken]
			ColumnQualifier: []byte("jwt"),
			Value:           token,
		}}},
		{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{
			FamilyName:      "token",
			ColumnQualifier: []byte("device"),
			TimestampMicros: time.Now().Add(30*time.Minute).UnixMilli() * 1000, // ok ttlwrite/unset-timestamp ttlwrite/write-time
			Value:           []byte("federated"),
		}}},
		{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{ // want ttlwrite/server-timestamp[rawserver]
			FamilyName:      "token",
			ColumnQualifier: []byte("source"),
			TimestampMicros: -1, // want ttlwrite/server-timestamp[rawserver]
			Value:           []byte("federated"),
		}}},
		{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{
			FamilyName:      "profile",
			ColumnQualifier: []byte("source"),
			TimestampMicros: -1, // ok ttlwrite/server-timestamp
			Value:           []byte("federated"),
		}}},
	})
}

// Prefs writes preferences; zero is what the family wants.
func (w *Wire) Prefs(ctx context.Context, row []byte, name string, value []byte) error {
	sc := &btpb.Mutation_SetCell{FamilyName: "pref", ColumnQualifier: []byte(name), Value: value} // ok ttlwrite/unset-timestamp
	return w.mutate(ctx, w.names.State(), row, []*btpb.Mutation{{Mutation: &btpb.Mutation_SetCell_{SetCell: sc}}})
}

// Cursor writes a cursor.
func (w *Wire) Cursor(ctx context.Context, row []byte, n int64) error {
	sc := &btpb.Mutation_SetCell{FamilyName: "cursor", ColumnQualifier: []byte("offset"), Value: []byte{1}, TimestampMicros: n * 1000} // ok ttlwrite/unscaled-sequence
	return w.mutate(ctx, w.names.State(), row, []*btpb.Mutation{{Mutation: &btpb.Mutation_SetCell_{SetCell: sc}}})
}

// CursorBack writes a cursor of a consumer that lost its own.
func (w *Wire) CursorBack(ctx context.Context, row []byte) error {
	sc := &btpb.Mutation_SetCell{FamilyName: "cursor", ColumnQualifier: []byte("offset"), Value: []byte{1}} // want ttlwrite/unset-timestamp
	return w.mutate(ctx, w.names.State(), row, []*btpb.Mutation{{Mutation: &btpb.Mutation_SetCell_{SetCell: sc}}})
}

// Bump counts requests of a token.
func (w *Wire) Bump(ctx context.Context, row []byte) error {
	_, err := w.api.ReadModifyWriteRow(ctx, &btpb.ReadModifyWriteRowRequest{
		TableName: w.table(w.names.Sessions()),
		RowKey:    row,
		Rules: []*btpb.ReadModifyWriteRule{
			{FamilyName: "token", ColumnQualifier: []byte("uses"), Rule: &btpb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}},   // want ttlwrite/read-modify-write
			{FamilyName: "profile", ColumnQualifier: []byte("uses"), Rule: &btpb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}}, // ok ttlwrite/read-modify-write
		},
	})
	return err
}

func (w *Wire) mutate(ctx context.Context, table string, row []byte, muts []*btpb.Mutation) error {
	_, err := w.api.MutateRow(ctx, &btpb.MutateRowRequest{TableName: w.table(table), RowKey: row, Mutations: muts})
	return err
}

// Token reads the live cells of a session, raw.
func (w *Wire) Token(ctx context.Context, row []byte) ([]byte, error) {
	return w.first(ctx, &btpb.ReadRowsRequest{ // ok ttlread/missing-filter
		TableName: w.table(w.names.Sessions()),
		Rows:      &btpb.RowSet{RowKeys: [][]byte{row}},
		Filter: &btpb.RowFilter{Filter: &btpb.RowFilter_Chain_{Chain: &btpb.RowFilter_Chain{Filters: []*btpb.RowFilter{
			{Filter: &btpb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: "token"}},
			{Filter: &btpb.RowFilter_TimestampRangeFilter{TimestampRangeFilter: &btpb.TimestampRange{
				StartTimestampMicros: time.Now().UnixMilli() * 1000,
			}}},
		}}}},
	})
}

// AnyToken reads what is there.
func (w *Wire) AnyToken(ctx context.Context, row []byte) ([]byte, error) {
	return w.first(ctx, &btpb.ReadRowsRequest{ // want ttlread/missing-filter[anytoken]
		TableName: w.table(w.names.Sessions()),
		Rows:      &btpb.RowSet{RowKeys: [][]byte{row}},
		Filter:    &btpb.RowFilter{Filter: &btpb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: "token"}}, // want ttlread/missing-filter[anytoken]
	})
}

func (w *Wire) first(ctx context.Context, req *btpb.ReadRowsRequest) ([]byte, error) {
	stream, err := w.api.ReadRows(ctx, req)
	if err != nil {
		return nil, err
	}
	for {
		resp, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		for _, c := range resp.GetChunks() {
			return c.GetValue(), nil
		}
	}
}
