// Package app is three packages away from what its timestamps are made of.
package app

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/facts/put"
	"example.com/facts/read"
	"example.com/facts/stamp"
)

func Login(mut *bigtable.Mutation, jwt []byte) { put.Token(mut, stamp.Lifetime, jwt) }

func Stale(mut *bigtable.Mutation) { put.Cell(mut, "token", "jwt", stamp.Now(), nil) }

func Both(mut *bigtable.Mutation, ts bigtable.Timestamp) { put.Each(mut, ts, stamp.Families...) }

func Clocked(mut *bigtable.Mutation, c stamp.Clock) {
	put.Cell(mut, "token", "jwt", c.Stamp(time.Hour), nil)
}

func Slack(d time.Duration) bigtable.Timestamp { return stamp.NewSystem(d).Stamp(time.Minute) }

func Chosen() bigtable.Timestamp { return stamp.Pick(true, stamp.Now(), 0) }

func Get(ctx context.Context, tbl *bigtable.Table, key string, expired bool) ([]byte, error) {
	row, err := read.Row(ctx, tbl, key, read.Option(read.Filter(expired)))
	return read.First(row), err
}

func Mutation() *bigtable.Mutation { return put.New(stamp.ExpiresIn(-time.Hour)) }
