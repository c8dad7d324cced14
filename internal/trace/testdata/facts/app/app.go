package app // want package:`\) reaches Bigtable, shows 1 families}$`

// Package app is three packages away from what its timestamps are made of.

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/facts/put"
	"example.com/facts/read"
	"example.com/facts/stamp"
)

func Login(mut *bigtable.Mutation, jwt []byte) { put.Token(mut, stamp.Lifetime, jwt) } // want Login:`bigtable\.Mutation\.Set\(\$0, "token", "jwt", bigtable\.Time\(time\.Time\.Add\(time\.Now\(\), 1800000000000\)\), `

func Stale(mut *bigtable.Mutation) { put.Cell(mut, "token", "jwt", stamp.Now(), nil) } // want Stale:`bigtable\.Mutation\.Set\(\$0, "token", "jwt", bigtable\.Now\(\), `

func Both(mut *bigtable.Mutation, ts bigtable.Timestamp) { put.Each(mut, ts, stamp.Families...) } // want Both:`bigtable\.Mutation\.Set\(\$0, "profile", "x", \$1, .*bigtable\.Mutation\.Set\(\$0, "token", "x", \$1, `

func Clocked(mut *bigtable.Mutation, c stamp.Clock) { // want Clocked:`bigtable\.Mutation\.Set\(\$0, "token", "jwt", bigtable\.Time\(time\.Time\.Add\(time\.Now\(\), \+\(3600000000000, \$1\.Slack\)\)\), `
	put.Cell(mut, "token", "jwt", c.Stamp(time.Hour), nil)
}

func Slack(d time.Duration) bigtable.Timestamp { return stamp.NewSystem(d).Stamp(time.Minute) } // want Slack:`returns bigtable\.Time\(time\.Time\.Add\(time\.Now\(\), \+\(60000000000, \$0\)\)\)`

func Chosen() bigtable.Timestamp { return stamp.Pick(true, stamp.Now(), 0) } // want Chosen:`returns bigtable\.Now\(\)`

func Get(ctx context.Context, tbl *bigtable.Table, key string, expired bool) ([]byte, error) { // want Get:`if \$3 bigtable\.Table\.ReadRow\(\$1, .*\[bigtable\.RowFilter\(bigtable\.PassAllFilter\(\)\)\]\); if !\(\$3\) bigtable\.Table\.ReadRow\(\$1, .*\[bigtable\.RowFilter\(bigtable\.TimestampRangeFilter\(time\.Now\(\), time\.Time\{\}\(\)\)\)\]\)`
	row, err := read.Row(ctx, tbl, key, read.Option(read.Filter(expired)))
	return read.First(row), err
}

func Mutation() *bigtable.Mutation { return put.New(stamp.ExpiresIn(-time.Hour)) } // want Mutation:`returns bigtable\.NewMutation\("[^"]*"\); .*bigtable\.Mutation\.Set\(bigtable\.NewMutation\("[^"]*"\), "token", "jwt", bigtable\.Time\(time\.Time\.Add\(time\.Now\(\), -3600000000000\)\), `
