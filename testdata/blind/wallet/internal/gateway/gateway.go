// Package gateway speaks Bigtable's protocol without the client, for the edge
// proxy, which forwards requests that it has built itself.
package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/durationpb"

	"wallet.example/platform/internal/clock"
	"wallet.example/platform/internal/schema"
)

// Params is what New needs.
type Params struct {
	Conn     grpc.ClientConnInterface
	Clock    clock.Clock
	Project  string
	Instance string
}

// Result is what New provides.
type Result struct {
	Gateway *Gateway
}

// New provides the gateway.
func New(p Params) (Result, error) {
	if p.Conn == nil {
		return Result{}, errors.New("gateway: no connection")
	}
	return Result{Gateway: &Gateway{
		data:   bigtablepb.NewBigtableClient(p.Conn),
		admin:  adminpb.NewBigtableTableAdminClient(p.Conn),
		clock:  p.Clock,
		parent: "projects/" + p.Project + "/instances/" + p.Instance,
	}}, nil
}

// Gateway sends raw requests.
type Gateway struct {
	data   bigtablepb.BigtableClient
	admin  adminpb.BigtableTableAdminClient
	clock  clock.Clock
	parent string
}

// table is the full name of a table.
func (g *Gateway) table(t schema.Table) string { return g.parent + "/tables/" + t.String() }

// millis cuts a time to the granularity that tables have.
func millis(t time.Time) int64 { return t.UnixMilli() * 1000 }

func setCell(c *bigtablepb.Mutation_SetCell) *bigtablepb.Mutation {
	return &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: c}}
}

func (g *Gateway) mutate(ctx context.Context, t schema.Table, key string, muts ...*bigtablepb.Mutation) error {
	_, err := g.data.MutateRow(ctx, &bigtablepb.MutateRowRequest{TableName: g.table(t), RowKey: []byte(key), Mutations: muts})
	if err != nil {
		return fmt.Errorf("mutate %s/%s: %w", t, key, err)
	}
	return nil
}

// PutToken writes a token that expires.
func (g *Gateway) PutToken(ctx context.Context, key string, jwt []byte, ttl time.Duration) error {
	ts := millis(g.clock.Now().Add(ttl))
	return g.mutate(ctx, schema.TableSessions, key,
		setCell(&bigtablepb.Mutation_SetCell{FamilyName: "token", ColumnQualifier: []byte("jwt"), TimestampMicros: ts, Value: jwt}), // ok ttlwrite/unset-timestamp
	)
}

// PutEdge notes at which edge a session is.
func (g *Gateway) PutEdge(ctx context.Context, key, edge string) error {
	m := &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{FamilyName: "token", ColumnQualifier: []byte("edge"), Value: []byte(edge)}}} // want ttlwrite/unset-timestamp
	return g.mutate(ctx, schema.TableSessions, key, m)
}

// PutSeen notes when an edge has seen a session.
func (g *Gateway) PutSeen(ctx context.Context, key, edge string) error {
	m := &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{FamilyName: "token", ColumnQualifier: []byte("seen"), TimestampMicros: -1, Value: []byte(edge)}}}   // want ttlwrite/server-timestamp
	p := &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{FamilyName: "profile", ColumnQualifier: []byte("seen"), TimestampMicros: -1, Value: []byte(edge)}}} // ok ttlwrite/server-timestamp
	return g.mutate(ctx, schema.TableSessions, key, m, p)
}

// PutBalance replaces a balance.
func (g *Gateway) PutBalance(ctx context.Context, key string, v []byte) error {
	m := &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{FamilyName: "bal", ColumnQualifier: []byte("available"), Value: v}}} // ok ttlwrite/unset-timestamp
	return g.mutate(ctx, schema.TableWallets, key, m)
}

// PutCursor moves the cursor of an endpoint.
func (g *Gateway) PutCursor(ctx context.Context, key string, pos int64) error {
	m := &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{FamilyName: "cursor", ColumnQualifier: []byte("pos"), TimestampMicros: pos * 1000}}} // ok ttlwrite/unscaled-sequence
	return g.mutate(ctx, schema.TableWebhooks, key, m)
}

// ResetCursor moves the cursor of an endpoint to where the clock is.
func (g *Gateway) ResetCursor(ctx context.Context, key string) error {
	m := &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{FamilyName: "cursor", ColumnQualifier: []byte("pos"), TimestampMicros: millis(g.clock.Now())}}} // maybe ttlwrite/clock-in-sequence
	return g.mutate(ctx, schema.TableWebhooks, key, m)
}

// CountHit counts hits of an edge.
func (g *Gateway) CountHit(ctx context.Context, key, edge string) error {
	req := &bigtablepb.ReadModifyWriteRowRequest{
		TableName: g.table(schema.TableSessions),
		RowKey:    []byte(key),
		Rules: []*bigtablepb.ReadModifyWriteRule{
			{FamilyName: "token", ColumnQualifier: []byte("hits_" + edge), Rule: &bigtablepb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}},   // want ttlwrite/read-modify-write
			{FamilyName: "profile", ColumnQualifier: []byte("hits_" + edge), Rule: &bigtablepb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}}, // ok ttlwrite/read-modify-write
		},
	}
	_, err := g.data.ReadModifyWriteRow(ctx, req)
	return err
}

// Tokens streams the live tokens of a user.
func (g *Gateway) Tokens(ctx context.Context, user string) (int, error) {
	family := &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: "token"}}
	live := &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_TimestampRangeFilter{TimestampRangeFilter: &bigtablepb.TimestampRange{StartTimestampMicros: millis(g.clock.Now())}}}
	return g.read(ctx, &bigtablepb.ReadRowsRequest{ // ok ttlread/missing-filter
		TableName: g.table(schema.TableSessions),
		Rows:      &bigtablepb.RowSet{RowKeys: [][]byte{[]byte(user)}},
		Filter:    &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_Chain_{Chain: &bigtablepb.RowFilter_Chain{Filters: []*bigtablepb.RowFilter{family, live}}}},
	})
}

// AllTokens streams the tokens of a user.
func (g *Gateway) AllTokens(ctx context.Context, user string) (int, error) {
	family := &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: "token"}}
	return g.read(ctx, &bigtablepb.ReadRowsRequest{TableName: g.table(schema.TableSessions), Rows: &bigtablepb.RowSet{RowKeys: [][]byte{[]byte(user)}}, Filter: family}) // want ttlread/missing-filter
}

func (g *Gateway) read(ctx context.Context, req *bigtablepb.ReadRowsRequest) (int, error) {
	stream, err := g.data.ReadRows(ctx, req)
	if err != nil {
		return 0, err
	}
	var n int
	for {
		resp, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		for _, chunk := range resp.GetChunks() {
			n += len(chunk.GetValue())
		}
	}
}

// CreateFamilies creates the families of webhooks.
func (g *Gateway) CreateFamilies(ctx context.Context) error {
	_, err := g.admin.ModifyColumnFamilies(ctx, &adminpb.ModifyColumnFamiliesRequest{
		Name: g.table(schema.TableWebhooks),
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
			{Id: "attempt", Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Create{Create: &adminpb.ColumnFamily{GcRule: maxAge(time.Second)}}},        // ok ttlgc/age-mismatch
			{Id: "cursor", Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Create{Create: &adminpb.ColumnFamily{GcRule: maxAge(30 * 24 * time.Hour)}}}, // want ttlgc/age-on-sequence
		},
	})
	return err
}

func maxAge(d time.Duration) *adminpb.GcRule {
	return &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(d)}}
}
