package jobs

import (
	"context"
	"io"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc"

	"example.com/paywell/clock"
	"example.com/paywell/store"
)

// data is what is needed of the raw data client.
type data interface {
	MutateRow(ctx context.Context, in *bigtablepb.MutateRowRequest, opts ...grpc.CallOption) (*bigtablepb.MutateRowResponse, error)
	ReadRows(ctx context.Context, in *bigtablepb.ReadRowsRequest, opts ...grpc.CallOption) (bigtablepb.Bigtable_ReadRowsClient, error)
}

// Raw talks to the service without the client.
type Raw struct {
	c        data
	instance string
	clk      clock.Clock
}

// NewRaw returns a Raw on conn.
func NewRaw(conn grpc.ClientConnInterface, instance string, clk clock.Clock) *Raw {
	return &Raw{c: bigtablepb.NewBigtableClient(conn), instance: instance, clk: clk}
}

func (r *Raw) table(name string) string { return r.instance + "/tables/" + name }

// Token stores a token.
func (r *Raw) Token(ctx context.Context, id string, token []byte) error {
	_, err := r.c.MutateRow(ctx, &bigtablepb.MutateRowRequest{
		TableName: r.table(store.TableSessions),
		RowKey:    []byte("s#" + id),
		Mutations: []*bigtablepb.Mutation{{
			Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{ // want ttlwrite/unset-timestamp
				FamilyName:      store.FamTok,
				ColumnQualifier: []byte("t"),
				Value:           token,
			}},
		}},
	})
	return err
}

// TokenUntil stores a token and when it expires.
func (r *Raw) TokenUntil(ctx context.Context, id string, token []byte) error {
	_, err := r.c.MutateRow(ctx, &bigtablepb.MutateRowRequest{
		TableName: r.table(store.TableSessions),
		RowKey:    []byte("s#" + id),
		Mutations: []*bigtablepb.Mutation{
			set(store.FamTok, "t", r.clk.Now().Add(1800e9).UnixMilli()*1000, token), // ok ttlwrite/unset-timestamp
		},
	})
	return err
}

// TokenServer stores a token at the server's time.
func (r *Raw) TokenServer(ctx context.Context, id string, token []byte) error {
	_, err := r.c.MutateRow(ctx, &bigtablepb.MutateRowRequest{
		TableName: r.table(store.TableSessions),
		RowKey:    []byte("s#" + id),
		Mutations: []*bigtablepb.Mutation{
			set(store.FamTok, "t", -1, token),  // want ttlwrite/server-timestamp
			set(store.FamProf, "t", -1, token), // ok ttlwrite/server-timestamp
		},
	})
	return err
}

func set(family, col string, micros int64, value []byte) *bigtablepb.Mutation {
	return &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{
		FamilyName:      family,
		ColumnQualifier: []byte(col),
		TimestampMicros: micros,
		Value:           value,
	}}}
}

// Response stores a response without a time.
func (r *Raw) Response(ctx context.Context, key string, body []byte) error {
	cell := &bigtablepb.Mutation_SetCell{FamilyName: store.FamRes, ColumnQualifier: []byte("resp"), Value: body} // want ttlwrite/unset-timestamp
	_, err := r.c.MutateRow(ctx, &bigtablepb.MutateRowRequest{
		TableName: r.table(store.TableIdempotency),
		RowKey:    []byte(key),
		Mutations: []*bigtablepb.Mutation{{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: cell}}},
	})
	return err
}

// Features stores what an account may use, at zero.
func (r *Raw) Features(ctx context.Context, account string, features []byte) error {
	cell := &bigtablepb.Mutation_SetCell{FamilyName: store.FamCur, ColumnQualifier: []byte("features"), Value: features} // ok ttlwrite/unset-timestamp
	_, err := r.c.MutateRow(ctx, &bigtablepb.MutateRowRequest{
		TableName: r.table(store.TableEntitlements),
		RowKey:    []byte(account),
		Mutations: []*bigtablepb.Mutation{{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: cell}}},
	})
	return err
}

// Dump reads the window of usage.
func (r *Raw) Dump(ctx context.Context, f func(*bigtablepb.ReadRowsResponse)) error {
	stream, err := r.c.ReadRows(ctx, &bigtablepb.ReadRowsRequest{ // want ttlread/missing-filter[dump]
		TableName: r.table(store.TableUsage), // want ttlread/missing-filter[dump]
		Filter:    family(store.FamWin),      // want ttlread/missing-filter[dump]
	})
	if err != nil {
		return err
	}
	return drain(stream, f)
}

// DumpSums reads the sums of usage.
func (r *Raw) DumpSums(ctx context.Context, f func(*bigtablepb.ReadRowsResponse)) error {
	stream, err := r.c.ReadRows(ctx, &bigtablepb.ReadRowsRequest{ // ok ttlread/missing-filter
		TableName: r.table(store.TableUsage),
		Filter:    family(store.FamAgg),
	})
	if err != nil {
		return err
	}
	return drain(stream, f)
}

func family(name string) *bigtablepb.RowFilter {
	return &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: name}}
}

func drain(stream bigtablepb.Bigtable_ReadRowsClient, f func(*bigtablepb.ReadRowsResponse)) error {
	for {
		resp, err := stream.Recv()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		f(resp)
	}
}
