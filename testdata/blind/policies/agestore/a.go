package agestore

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/protobuf/types/known/timestamppb"
)

type Doc struct {
	CreateTime *timestamppb.Timestamp
	CreatedAt  time.Time
	UpdatedAt  int64
	Updated    string
	WrittenMs  int64
}

func items(ctx context.Context, c *bigtable.Client) []bigtable.ReadItem {
	row, _ := c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter("tok"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))))
	return row["tok"]
}

func F(ctx context.Context, c *bigtable.Client) (out []Doc) {
	for _, it := range items(ctx, c) {
		var d Doc
		d.CreateTime = timestamppb.New(it.Timestamp.Time()) // want `not-write-time`
		d.UpdatedAt = it.Timestamp.Time().Unix()            // want `not-write-time`
		out = append(out, d)
	}
	for _, it := range items(ctx, c) {
		var d Doc
		d.CreatedAt = it.Timestamp.Time() // want `not-write-time`
		out = append(out, d)
	}
	for _, it := range items(ctx, c) {
		out = append(out, Doc{UpdatedAt: it.Timestamp.Time().Unix()}) // want `not-write-time: .*"tok"`
	}
	for _, it := range items(ctx, c) {
		out = append(out, Doc{WrittenMs: int64(it.Timestamp) / 1000}) // want `not-write-time: .*"tok"`
	}
	for _, it := range items(ctx, c) {
		out = append(out, Doc{CreateTime: timestamppb.New(it.Timestamp.Time())}) // want `not-write-time`
	}
	for _, it := range items(ctx, c) {
		updatedAt := it.Timestamp.Time().UnixMilli()
		out = append(out, Doc{WrittenMs: updatedAt}) // want `not-write-time: .*"tok"`
	}
	return out
}
