// Package lowlevel speaks the wire protocol, as the bulk importer of the old data center did.
package lowlevel

import (
	"context"
	"time"

	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"example.com/assecura/internal/constants"
)

// Importer copies sessions and policies.
type Importer struct {
	stub   btpb.BigtableClient
	parent string
}

// NewImporter makes an importer.
func NewImporter(stub btpb.BigtableClient, parent string) *Importer {
	return &Importer{stub: stub, parent: parent}
}

func cell(family, column string, micros int64, value []byte) *btpb.Mutation {
	return &btpb.Mutation{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{
		FamilyName: family, ColumnQualifier: []byte(column), TimestampMicros: micros, Value: value,
	}}}
}

// ImportSession writes one session.
func (i *Importer) ImportSession(ctx context.Context, userID string, jwt []byte) error {
	_, err := i.stub.MutateRow(ctx, &btpb.MutateRowRequest{
		TableName: i.parent + "/tables/" + constants.TableSessions,
		RowKey:    []byte(userID),
		Mutations: []*btpb.Mutation{
			cell(constants.FamilyToken, constants.QualifierJWT, time.Now().Add(constants.SessionTTL).UnixMilli()*1000, jwt), // ok ttlwrite/write-time
			cell(constants.FamilyToken, "raw", time.Now().UnixMilli()*1000, jwt),                                            // want ttlwrite/write-time
			cell(constants.FamilyToken, "srv", -1, jwt),                                                                     // want ttlwrite/server-timestamp
			cell(constants.FamilyUser, constants.QualifierLogin, time.Now().UnixMilli()*1000, []byte(userID)),               // ok ttlwrite/write-time
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{ // want ttlwrite/unset-timestamp[rawTok]
				FamilyName: constants.FamilyToken, ColumnQualifier: []byte("imported"), Value: []byte("1"), // want ttlwrite/unset-timestamp[rawTok]
			}}},
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{
				FamilyName: constants.FamilyUser, ColumnQualifier: []byte("imported"), Value: []byte("1"), // ok ttlwrite/unset-timestamp
			}}},
		},
	})
	return err
}

// ImportPolicy writes one policy.
func (i *Importer) ImportPolicy(ctx context.Context, number string, seq int64, body []byte) error {
	_, err := i.stub.MutateRow(ctx, &btpb.MutateRowRequest{
		TableName: i.parent + "/tables/" + constants.TablePolicies,
		RowKey:    []byte(number),
		Mutations: []*btpb.Mutation{
			cell("ver", constants.QualifierBody, seq*1000, body),            // ok ttlwrite/clock-in-sequence
			cell("ver", "imported", time.Now().UnixMicro()/1000*1000, body), // want ttlwrite/clock-in-sequence
			cell("hdr", constants.QualifierStatus, 0, []byte("imported")),   // ok ttlwrite/clock-in-zero
			cell("hdr", "since", -1, []byte("imported")),                    // want ttlwrite/clock-in-zero
			cell("aud", constants.QualifierActor, -1, []byte("importer")),   // ok ttlwrite/clock-in-sequence
		},
	})
	return err
}

// CountSessions reads the tokens of a range.
func (i *Importer) CountSessions(ctx context.Context) (int, error) {
	now := time.Now().UnixMilli() * 1000
	live := &btpb.RowFilter{Filter: &btpb.RowFilter_Chain_{Chain: &btpb.RowFilter_Chain{Filters: []*btpb.RowFilter{
		{Filter: &btpb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: constants.FamilyToken}},
		{Filter: &btpb.RowFilter_TimestampRangeFilter{TimestampRangeFilter: &btpb.TimestampRange{StartTimestampMicros: now}}},
	}}}}
	good, err := i.read(ctx, &btpb.ReadRowsRequest{TableName: i.parent + "/tables/" + constants.TableSessions, Filter: live}) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	all, err := i.read(ctx, &btpb.ReadRowsRequest{ // want ttlread/missing-filter[rawRead]
		TableName: i.parent + "/tables/" + constants.TableSessions, RowsLimit: 1000}) // want ttlread/missing-filter[rawRead]
	return good + all, err
}

func (i *Importer) read(ctx context.Context, req *btpb.ReadRowsRequest) (int, error) {
	stream, err := i.stub.ReadRows(ctx, req)
	if err != nil {
		return 0, err
	}
	bytes := 0
	for {
		resp, err := stream.Recv()
		if err != nil {
			break
		}
		for _, c := range resp.GetChunks() {
			bytes += len(c.GetValue())
		}
	}
	return bytes, nil
}
