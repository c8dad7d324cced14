// Package queue talks to the data API itself; the sidecar batches for us.
package queue

import (
	"context"
	"time"

	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"example.com/chirpnest/internal/tables"
)

// Sink takes requests.
type Sink interface {
	MutateRow(ctx context.Context, req *btpb.MutateRowRequest) error
	ReadRows(ctx context.Context, req *btpb.ReadRowsRequest) ([]*btpb.ReadRowsResponse_CellChunk, error)
}

// Batcher builds raw mutations.
type Batcher struct {
	sink     Sink
	instance string
	number   int64
}

func NewBatcher(sink Sink, instance string) *Batcher {
	return &Batcher{sink: sink, instance: instance}
}

func (b *Batcher) table(name string) string { return b.instance + "/tables/" + name }

func setCell(family, column string, micros int64, v []byte) *btpb.Mutation {
	return &btpb.Mutation{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{
		FamilyName:      family,
		ColumnQualifier: []byte(column),
		TimestampMicros: micros,
		Value:           v,
	}}}
}

// millis cuts to what the service takes.
func millis(t time.Time) int64 { return t.UnixMilli() * 1000 }

// Lease takes a job.
func (b *Batcher) Lease(ctx context.Context, key, worker string, ttl time.Duration) error {
	return b.sink.MutateRow(ctx, &btpb.MutateRowRequest{
		TableName: b.table(tables.Jobs),
		RowKey:    []byte(key),
		Mutations: []*btpb.Mutation{
			setCell(tables.FamLease, "worker", millis(time.Now().Add(5*time.Minute)), []byte(worker)), // ok ttlwrite/write-time
		},
	})
}

// LeaseBare takes it the short way.
func (b *Batcher) LeaseBare(ctx context.Context, key, worker string) error {
	return b.sink.MutateRow(ctx, &btpb.MutateRowRequest{
		TableName: b.table(tables.Jobs),
		RowKey:    []byte(key),
		Mutations: []*btpb.Mutation{
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{ // want ttlwrite/unset-timestamp
				FamilyName:      tables.FamLease,
				ColumnQualifier: []byte("worker"),
				Value:           []byte(worker),
			}}},
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{ // ok ttlwrite/unset-timestamp
				FamilyName:      tables.FamPayload,
				ColumnQualifier: []byte("worker"),
				Value:           []byte(worker),
			}}},
		},
	})
}

// Steps writes numbered steps.
func (b *Batcher) Steps(ctx context.Context, key string, steps []string) error {
	var muts []*btpb.Mutation
	for _, s := range steps {
		b.number++
		muts = append(muts,
			setCell(tables.FamState, "state", b.number*1000, []byte(s)), // ok ttlwrite/unscaled-sequence
			setCell(tables.FamState, "raw", b.number, []byte(s)),        // want ttlwrite/unscaled-sequence
		)
	}
	return b.sink.MutateRow(ctx, &btpb.MutateRowRequest{TableName: b.table(tables.Jobs), RowKey: []byte(key), Mutations: muts})
}

// Entry adds to a timeline.
func (b *Batcher) Entry(ctx context.Context, key, post string, v []byte) error {
	return b.sink.MutateRow(ctx, &btpb.MutateRowRequest{
		TableName: b.table(tables.Timelines),
		RowKey:    []byte(key),
		Mutations: []*btpb.Mutation{
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{ // want ttlwrite/unset-timestamp
				FamilyName:      tables.FamEntry,
				ColumnQualifier: []byte(post),
				Value:           v,
			}}},
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{ // ok ttlwrite/unset-timestamp
				FamilyName:      tables.FamEntry,
				ColumnQualifier: []byte("last"),
				TimestampMicros: -1,
				Value:           []byte(post),
			}}},
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{ // ok ttlwrite/unset-timestamp
				FamilyName:      tables.FamCursor,
				ColumnQualifier: []byte("pos"),
				Value:           []byte(post),
			}}},
		},
	})
}

// Token writes a session's token.
func (b *Batcher) Token(ctx context.Context, key string, token []byte, until time.Time) error {
	return b.sink.MutateRow(ctx, &btpb.MutateRowRequest{
		TableName: b.table(tables.Sessions),
		RowKey:    []byte(key),
		Mutations: []*btpb.Mutation{
			setCell(tables.FamSess, "jwt", millis(until), token),     // ok ttlwrite/write-time
			setCell(tables.FamSess, "seen", millis(time.Now()), nil), // want ttlwrite/write-time
			setCell(tables.FamMeta, "seen", millis(time.Now()), nil), // ok ttlwrite/write-time
			setCell(tables.FamRefresh, "seen", -1, nil),              // want ttlwrite/server-timestamp
		},
	})
}

// Bodies reads the bodies of posts.
func (b *Batcher) Bodies(ctx context.Context) ([]*btpb.ReadRowsResponse_CellChunk, error) {
	return b.sink.ReadRows(ctx, &btpb.ReadRowsRequest{ // ok ttlread/missing-filter
		TableName: b.table(tables.Posts),
		Filter:    &btpb.RowFilter{Filter: &btpb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: tables.FamBody}},
	})
}

// Leases reads the leases of jobs.
func (b *Batcher) Leases(ctx context.Context) ([]*btpb.ReadRowsResponse_CellChunk, error) {
	return b.sink.ReadRows(ctx, &btpb.ReadRowsRequest{ // want ttlread/missing-filter[rawleases]
		TableName: b.table(tables.Jobs),
		Filter:    &btpb.RowFilter{Filter: &btpb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: tables.FamLease}}, // want ttlread/missing-filter[rawleases]
	})
}
