package devicestore

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"github.com/parkwise/parkwise/internal/bt"
)

// Gateway writes what the field gateways send; it speaks the raw protocol because the gateways' frames are
// mutations already.
type Gateway struct {
	client btpb.BigtableClient
	table  string
}

// NewGateway makes a Gateway for a region's table.
func NewGateway(client btpb.BigtableClient, project, instance, region string) *Gateway {
	return &Gateway{client: client, table: fmt.Sprintf("projects/%s/instances/%s/tables/%s-devices", project, instance, region)}
}

func setCell(family, column string, micros int64, value []byte) *btpb.Mutation {
	return &btpb.Mutation{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{
		FamilyName:      family,
		ColumnQualifier: []byte(column),
		TimestampMicros: micros,
		Value:           value,
	}}}
}

// Frame writes a frame.
func (g *Gateway) Frame(ctx context.Context, dev string, state, beat []byte, at time.Time) error {
	muts := []*btpb.Mutation{
		setCell(bt.FamState, colState, 0, state),                                                   // ok ttlwrite/clock-in-zero
		setCell(bt.FamHeartbeat, colBeat, int64(bigtable.Time(at).TruncateToMilliseconds()), beat), // ok ttlwrite/already-expired
		setCell(bt.FamHeartbeat, "raw", -1, beat),                                                  // ok ttlwrite/server-timestamp
	}
	_, err := g.client.MutateRow(ctx, &btpb.MutateRowRequest{TableName: g.table, RowKey: []byte(dev), Mutations: muts})
	return err
}

// FrameLegacy writes a frame of the old gateways, which have no clock.
func (g *Gateway) FrameLegacy(ctx context.Context, dev string, state, beat []byte) error {
	beatCell := &btpb.Mutation_SetCell{FamilyName: bt.FamHeartbeat, ColumnQualifier: []byte(colBeat), Value: beat} // want ttlwrite/unset-timestamp
	stateCell := &btpb.Mutation_SetCell{FamilyName: bt.FamState, ColumnQualifier: []byte(colState), Value: state}  // ok ttlwrite/unset-timestamp
	muts := []*btpb.Mutation{
		{Mutation: &btpb.Mutation_SetCell_{SetCell: beatCell}},
		{Mutation: &btpb.Mutation_SetCell_{SetCell: stateCell}},
		setCell(bt.FamState, "seen", -1, nil), // want ttlwrite/clock-in-zero
	}
	_, err := g.client.MutateRow(ctx, &btpb.MutateRowRequest{TableName: g.table, RowKey: []byte(dev), Mutations: muts})
	return err
}

// Ack writes that a device took a configuration.
func (g *Gateway) Ack(ctx context.Context, dev string, version int64) error {
	muts := []*btpb.Mutation{
		setCell(bt.FamConfig, "ack", version*1000, nil), // ok ttlwrite/unscaled-sequence
		setCell(bt.FamConfig, "acked", -1, nil),         // want ttlwrite/clock-in-sequence
	}
	_, err := g.client.MutateRow(ctx, &btpb.MutateRowRequest{TableName: g.table, RowKey: []byte(dev), Mutations: muts})
	return err
}
