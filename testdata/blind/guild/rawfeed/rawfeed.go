// Package rawfeed speaks to Bigtable without the client: the gateway in front
// of the game servers passes protocol messages through, and adds some of its
// own.
package rawfeed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"cloud.google.com/go/bigtable"
	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"example.com/guild/schema"
)

// instance is the instance of the gateway.
const instance = "projects/guild-prod/instances/main/tables/"

// Names of the tables that the gateway writes.
const (
	sessionsPath  = instance + schema.Sessions
	matchesPath   = instance + schema.Matches
	mailbox2Path  = instance + schema.Mailbox2
	telemetryPath = instance + schema.Telemetry
)

// Feed passes messages through.
type Feed struct {
	client btpb.BigtableClient
	now    func() time.Time
}

// New returns a feed.
func New(client btpb.BigtableClient) *Feed { return &Feed{client: client, now: time.Now} }

// micros returns a time in the unit of cells, cut to milliseconds.
func micros(t time.Time) int64 { return t.UnixMilli() * 1000 }

// PutToken stores a token of a session.
func (f *Feed) PutToken(ctx context.Context, player string, jwt []byte, until time.Time) error {
	_, err := f.client.MutateRow(ctx, &btpb.MutateRowRequest{
		TableName: sessionsPath,
		RowKey:    []byte("p#" + player),
		Mutations: []*btpb.Mutation{
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: schema.FamToken, ColumnQualifier: []byte("jwt"), TimestampMicros: micros(until), Value: jwt}}},  // ok ttlwrite/unset-timestamp ttlwrite/write-time
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: schema.FamToken, ColumnQualifier: []byte("via"), Value: []byte("gateway")}}},                    // want ttlwrite/unset-timestamp
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: schema.FamDevice, ColumnQualifier: []byte("via"), TimestampMicros: -1, Value: jwt}}},            // ok ttlwrite/server-timestamp
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: schema.FamToken, ColumnQualifier: []byte("seen"), TimestampMicros: -1, Value: jwt}}},            // want ttlwrite/server-timestamp
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: schema.FamToken, ColumnQualifier: []byte("at"), TimestampMicros: micros(f.now()), Value: jwt}}}, // want ttlwrite/write-time
		},
	})
	return err
}

// PutState stores a state of a match.
func (f *Feed) PutState(ctx context.Context, id string, tick int64, state []byte) error {
	set := &btpb.Mutation_SetCell{ // ok ttlwrite/unset-timestamp ttlwrite/unscaled-sequence
		FamilyName:      schema.FamState,
		ColumnQualifier: []byte("cur"),
		TimestampMicros: tick * 1000,
		Value:           state,
	}
	return f.mutate(ctx, matchesPath, "m#"+id, set)
}

// PutFinal stores the last state of a match.
func (f *Feed) PutFinal(ctx context.Context, id string, state []byte) error {
	set := &btpb.Mutation_SetCell{FamilyName: schema.FamState, ColumnQualifier: []byte("cur"), TimestampMicros: micros(time.Now()), Value: state} // want ttlwrite/clock-in-sequence[putFinal]
	return f.mutate(ctx, matchesPath, "m#"+id, set)                                                                                               // want ttlwrite/clock-in-sequence[putFinal]
}

// PutFlag stores the flag of a message. The flags are at zero.
func (f *Feed) PutFlag(ctx context.Context, player, id string) error {
	set := &btpb.Mutation_SetCell{FamilyName: schema.FamFlag, ColumnQualifier: []byte(id), Value: []byte("read")} // ok ttlwrite/unset-timestamp ttlwrite/already-expired
	return f.mutate(ctx, mailbox2Path, "mb#"+player, set)
}

// PutMail stores a message.
func (f *Feed) PutMail(ctx context.Context, player, id string, msg []byte) error {
	set := &btpb.Mutation_SetCell{FamilyName: schema.FamMail, ColumnQualifier: []byte(id), Value: msg} // want ttlwrite/unset-timestamp[putMail]
	return f.mutate(ctx, mailbox2Path, "mb#"+player, set)                                              // want ttlwrite/unset-timestamp[putMail]
}

// PutMailNow stores a message with the time of the server.
func (f *Feed) PutMailNow(ctx context.Context, player, id string, msg []byte) error {
	set := &btpb.Mutation_SetCell{FamilyName: schema.FamMail, ColumnQualifier: []byte(id), TimestampMicros: int64(bigtable.ServerTime), Value: msg} // ok ttlwrite/unset-timestamp ttlwrite/server-timestamp
	return f.mutate(ctx, mailbox2Path, "mb#"+player, set)
}

// PutReport stores a report of a client.
func (f *Feed) PutReport(ctx context.Context, id string, b []byte) error {
	set := &btpb.Mutation_SetCell{FamilyName: schema.FamToken, ColumnQualifier: []byte("raw"), Value: b} // ok ttlwrite/unset-timestamp
	return f.mutate(ctx, telemetryPath, id, set)
}

// mutate sends one cell.
func (f *Feed) mutate(ctx context.Context, table, key string, set *btpb.Mutation_SetCell) error {
	_, err := f.client.MutateRow(ctx, &btpb.MutateRowRequest{
		TableName: table,
		RowKey:    []byte(key),
		Mutations: []*btpb.Mutation{{Mutation: &btpb.Mutation_SetCell_{SetCell: set}}},
	})
	if err != nil {
		return fmt.Errorf("mutate %s: %w", key, err)
	}
	return nil
}

// Count counts failures of a session at the gateway.
func (f *Feed) Count(ctx context.Context, player string) error {
	_, err := f.client.ReadModifyWriteRow(ctx, &btpb.ReadModifyWriteRowRequest{
		TableName: sessionsPath,
		RowKey:    []byte("p#" + player),
		Rules: []*btpb.ReadModifyWriteRule{
			{FamilyName: schema.FamToken, ColumnQualifier: []byte("gw"), Rule: &btpb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}},  // want ttlwrite/read-modify-write
			{FamilyName: schema.FamDevice, ColumnQualifier: []byte("gw"), Rule: &btpb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}}, // ok ttlwrite/read-modify-write
		},
	})
	return err
}

// Tokens returns the tokens of a session.
func (f *Feed) Tokens(ctx context.Context, player string) ([][]byte, error) {
	return f.values(ctx, &btpb.ReadRowsRequest{ // want ttlread/missing-filter[tokens]
		TableName: sessionsPath,
		Rows:      &btpb.RowSet{RowKeys: [][]byte{[]byte("p#" + player)}},
		Filter:    family(schema.FamToken), // want ttlread/missing-filter[tokens]
	})
}

// LiveTokens returns the tokens of a session that have not ended.
func (f *Feed) LiveTokens(ctx context.Context, player string) ([][]byte, error) {
	return f.values(ctx, &btpb.ReadRowsRequest{ // ok ttlread/missing-filter
		TableName: sessionsPath,
		Rows:      &btpb.RowSet{RowKeys: [][]byte{[]byte("p#" + player)}},
		Filter:    chain(family(schema.FamToken), since(f.now())), // ok ttlread/missing-filter ttlread/wrong-bound
	})
}

// Agents returns the devices of a session.
func (f *Feed) Agents(ctx context.Context, player string) ([][]byte, error) {
	return f.values(ctx, &btpb.ReadRowsRequest{ // ok ttlread/missing-filter
		TableName: sessionsPath,
		Rows:      &btpb.RowSet{RowKeys: [][]byte{[]byte("p#" + player)}},
		Filter:    family(schema.FamDevice),
	})
}

// States returns the newest state of a match.
func (f *Feed) States(ctx context.Context, id string) ([][]byte, error) {
	return f.values(ctx, &btpb.ReadRowsRequest{ // ok ttlread/version-limit
		TableName: matchesPath,
		Rows:      &btpb.RowSet{RowKeys: [][]byte{[]byte("m#" + id)}},
		Filter:    chain(family(schema.FamState), latest(1)), // ok ttlread/version-limit
	})
}

// AllStates returns the states of a match that are kept.
func (f *Feed) AllStates(ctx context.Context, id string) ([][]byte, error) {
	return f.values(ctx, &btpb.ReadRowsRequest{ // want ttlread/version-limit[allStates]
		TableName: matchesPath,
		Rows:      &btpb.RowSet{RowKeys: [][]byte{[]byte("m#" + id)}},
		Filter:    chain(family(schema.FamState), latest(8)), // want ttlread/version-limit[allStates]
	})
}

// Reports returns the reports of a client.
func (f *Feed) Reports(ctx context.Context, id string) ([][]byte, error) {
	return f.values(ctx, &btpb.ReadRowsRequest{ // ok ttlread/missing-filter
		TableName: telemetryPath,
		Rows:      &btpb.RowSet{RowKeys: [][]byte{[]byte(id)}},
		Filter:    family(schema.FamToken),
	})
}

// values returns the values that a request reads.
func (f *Feed) values(ctx context.Context, req *btpb.ReadRowsRequest) ([][]byte, error) {
	stream, err := f.client.ReadRows(ctx, req)
	if err != nil {
		return nil, err
	}
	var out [][]byte
	for {
		resp, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		for _, c := range resp.GetChunks() {
			out = append(out, c.GetValue())
		}
	}
}

// family passes one family.
func family(name string) *btpb.RowFilter {
	return &btpb.RowFilter{Filter: &btpb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: name}}
}

// latest passes the newest n cells of every column.
func latest(n int32) *btpb.RowFilter {
	return &btpb.RowFilter{Filter: &btpb.RowFilter_CellsPerColumnLimitFilter{CellsPerColumnLimitFilter: n}}
}

// since passes cells whose timestamp is t or later.
func since(t time.Time) *btpb.RowFilter {
	return &btpb.RowFilter{Filter: &btpb.RowFilter_TimestampRangeFilter{TimestampRangeFilter: &btpb.TimestampRange{StartTimestampMicros: micros(t)}}}
}

// chain passes what all filters pass.
func chain(filters ...*btpb.RowFilter) *btpb.RowFilter {
	return &btpb.RowFilter{Filter: &btpb.RowFilter_Chain_{Chain: &btpb.RowFilter_Chain{Filters: filters}}}
}
