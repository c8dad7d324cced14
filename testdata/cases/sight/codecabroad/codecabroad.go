// Package codecabroad compares the times that another package has decoded.
package codecabroad

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/codecabroad/codec"
)

type lease codec.Lease

func (l lease) expired(now time.Time) bool { return now.After(l.Expires) }

func okField(ctx context.Context, tbl *bigtable.Table) {
	row, _ := tbl.ReadRow(ctx, "a")
	for _, it := range row["token"] {
		if l := codec.Decode(it); l.Expires.After(time.Now()) {
			fmt.Println(l.Owner)
		}
	}
}

func okMethod(ctx context.Context, tbl *bigtable.Table) {
	row, _ := tbl.ReadRow(ctx, "a")
	for _, it := range row["token"] {
		if l := codec.Decode(it); !l.Expired(time.Now()) {
			fmt.Println(l.Owner)
		}
	}
}

func okOwn(ctx context.Context, tbl *bigtable.Table) {
	row, _ := tbl.ReadRow(ctx, "a")
	for _, it := range row["token"] {
		if l := lease(codec.Decode(it)); !l.expired(time.Now()) {
			fmt.Println(l.Owner)
		}
	}
}

func okFar(ctx context.Context, tbl *bigtable.Table) {
	row, _ := tbl.ReadRow(ctx, "a")
	for _, it := range row["token"] {
		if l := (codec.Lease{Owner: string(it.Value), Expires: it.Timestamp.Time()}); !l.Expired(time.Now()) {
			fmt.Println(l.Owner)
		}
	}
}

func unchecked(ctx context.Context, tbl *bigtable.Table) {
	row, _ := tbl.ReadRow(ctx, "a") // want `missing-filter`
	for _, it := range row["token"] {
		l := codec.Decode(it)
		fmt.Println(l.Owner, l.Expires)
	}
}
