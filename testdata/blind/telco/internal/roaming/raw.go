package roaming

import (
	"context"
	"errors"
	"io"
	"time"

	"cloud.google.com/go/bigtable"
	pb "cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc"

	"telco.example/subs/internal/names"
)

// Gateway speaks to Bigtable without the client, for the signalling firewall, which has its own
// connection pool.
type Gateway struct {
	cl     pb.BigtableClient
	parent string // projects/p/instances/i/tables/
}

// NewGateway makes one.
func NewGateway(conn grpc.ClientConnInterface, project, instance string) *Gateway {
	return &Gateway{cl: pb.NewBigtableClient(conn), parent: "projects/" + project + "/instances/" + instance + "/tables/"}
}

func setCell(c *pb.Mutation_SetCell) *pb.Mutation {
	return &pb.Mutation{Mutation: &pb.Mutation_SetCell_{SetCell: c}}
}

// SteerRaw writes a steering.
func (g *Gateway) SteerRaw(ctx context.Context, imsi, plmn string, n int64) error {
	_, err := g.cl.MutateRow(ctx, &pb.MutateRowRequest{
		TableName: g.parent + names.TableRoaming,
		RowKey:    []byte(imsi),
		Mutations: []*pb.Mutation{
			setCell(&pb.Mutation_SetCell{FamilyName: names.FamSteer, ColumnQualifier: []byte("top"), TimestampMicros: n * 1000, Value: []byte(plmn)}),     // ok ttlwrite/unset-timestamp
			setCell(&pb.Mutation_SetCell{FamilyName: names.FamSteer, ColumnQualifier: []byte("fw"), Value: []byte("1")}),                                  // want ttlwrite/unset-timestamp
			setCell(&pb.Mutation_SetCell{FamilyName: names.FamPartner, ColumnQualifier: []byte("fw"), Value: []byte("1")}),                                // ok ttlwrite/unset-timestamp
			setCell(&pb.Mutation_SetCell{FamilyName: names.FamSteer, ColumnQualifier: []byte("at"), TimestampMicros: time.Now().UnixMicro(), Value: nil}), // want ttlwrite/clock-in-sequence
		},
	})
	return err
}

// SessionRaw writes into the sessions.
func (g *Gateway) SessionRaw(ctx context.Context, imsi, plmn string) error {
	_, err := g.cl.MutateRow(ctx, &pb.MutateRowRequest{
		TableName: g.parent + names.TableSessions,
		RowKey:    []byte(imsi),
		Mutations: []*pb.Mutation{
			setCell(&pb.Mutation_SetCell{FamilyName: names.FamSession, ColumnQualifier: []byte("plmn"), TimestampMicros: -1, Value: []byte(plmn)}),                                        // want ttlwrite/server-timestamp
			setCell(&pb.Mutation_SetCell{FamilyName: names.FamSession, ColumnQualifier: []byte("fw"), TimestampMicros: int64(bigtable.Now()), Value: nil}),                                // want ttlwrite/write-time
			setCell(&pb.Mutation_SetCell{FamilyName: names.FamSession, ColumnQualifier: []byte("fwx"), TimestampMicros: time.Now().Add(names.SessionTTL).UnixMilli() * 1000, Value: nil}), // ok ttlwrite/write-time
			setCell(&pb.Mutation_SetCell{FamilyName: names.FamProfile, ColumnQualifier: []byte("plmn"), TimestampMicros: -1, Value: []byte(plmn)}),                                        // ok ttlwrite/server-timestamp
			setCell(&pb.Mutation_SetCell{FamilyName: names.FamAuth, ColumnQualifier: []byte("fw"), Value: []byte(plmn)}),                                                                  // want ttlwrite/unset-timestamp
		},
	})
	return err
}

// CountRaw counts attempts of a firewalled subscriber.
func (g *Gateway) CountRaw(ctx context.Context, imsi string) error {
	_, err := g.cl.ReadModifyWriteRow(ctx, &pb.ReadModifyWriteRowRequest{
		TableName: g.parent + names.TableSessions,
		RowKey:    []byte(imsi),
		Rules: []*pb.ReadModifyWriteRule{
			{FamilyName: names.FamAuth, ColumnQualifier: []byte("fw"), Rule: &pb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}},    // want ttlwrite/read-modify-write
			{FamilyName: names.FamProfile, ColumnQualifier: []byte("fw"), Rule: &pb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}}, // ok ttlwrite/read-modify-write
		},
	})
	return err
}

func famRegex(f string) *pb.RowFilter {
	return &pb.RowFilter{Filter: &pb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: f}}
}

func sinceRange(t time.Time) *pb.RowFilter {
	return &pb.RowFilter{Filter: &pb.RowFilter_TimestampRangeFilter{TimestampRangeFilter: &pb.TimestampRange{StartTimestampMicros: t.UnixMilli() * 1000}}}
}

func chain(fs ...*pb.RowFilter) *pb.RowFilter {
	return &pb.RowFilter{Filter: &pb.RowFilter_Chain_{Chain: &pb.RowFilter_Chain{Filters: fs}}}
}

// SessionsRaw streams the sessions of a prefix to the firewall.
func (g *Gateway) SessionsRaw(ctx context.Context, keys [][]byte, f func(*pb.ReadRowsResponse)) error {
	req := &pb.ReadRowsRequest{TableName: g.parent + names.TableSessions, Rows: &pb.RowSet{RowKeys: keys}, Filter: famRegex(names.FamSession)} // want ttlread/missing-filter[sessraw]
	return g.stream(ctx, req, f)                                                                                                               // want ttlread/missing-filter[sessraw]
}

// SessionsRawLive streams the live ones.
func (g *Gateway) SessionsRawLive(ctx context.Context, keys [][]byte, f func(*pb.ReadRowsResponse)) error {
	req := &pb.ReadRowsRequest{TableName: g.parent + names.TableSessions, Rows: &pb.RowSet{RowKeys: keys}, Filter: chain(famRegex(names.FamSession), sinceRange(time.Now()))} // ok ttlread/missing-filter
	return g.stream(ctx, req, f)
}

// SteerListRaw streams steerings.
func (g *Gateway) SteerListRaw(ctx context.Context, f func(*pb.ReadRowsResponse)) error {
	return g.stream(ctx, &pb.ReadRowsRequest{TableName: g.parent + names.TableRoaming, Filter: famRegex(names.FamSteer)}, f) // want ttlread/version-limit
}

func (g *Gateway) stream(ctx context.Context, req *pb.ReadRowsRequest, f func(*pb.ReadRowsResponse)) error {
	st, err := g.cl.ReadRows(ctx, req)
	if err != nil {
		return err
	}
	for {
		resp, err := st.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		f(resp)
	}
}
