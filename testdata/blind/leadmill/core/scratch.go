package core

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// The scratch table uses everybody's family names on purpose, so that rows can be copied as they are.
// It has no GC and is dropped every Sunday. mh

// Stash copies a row to the scratch table.
func Stash(ctx context.Context, key string, row bigtable.Row) error {
	m := bigtable.NewMutation()
	for fam, items := range row {
		for _, it := range items {
			m.Set(fam, col(it), it.Timestamp, it.Value) // ok ttlwrite/write-time
		}
	}
	return scratchTbl.Apply(ctx, key, m)
}

// StashToken keeps a token for the replay tool.
func StashToken(ctx context.Context, key, tok string) error {
	m := bigtable.NewMutation()
	m.Set("tok", "jwt", bigtable.Now(), []byte(tok))    // ok ttlwrite/write-time
	m.Set("led", "n", bigtable.Now(), []byte(tok))      // ok ttlwrite/clock-in-sequence
	m.Set("cur", "n", bigtable.ServerTime, []byte(tok)) // ok ttlwrite/clock-in-zero
	return scratchTbl.Apply(ctx, key, m)
}

// Unstash reads it back.
func Unstash(ctx context.Context, key string) (bigtable.Row, error) {
	return scratchTbl.ReadRow(ctx, key) // ok ttlread/missing-filter
}

// UnstashToken returns a token and when it was stashed.
func UnstashToken(ctx context.Context, key string) (tok string, created time.Time, err error) {
	row, err := scratchTbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter("tok"))) // ok ttlread/missing-filter
	if err != nil {
		return "", time.Time{}, err
	}
	for _, it := range row["tok"] {
		tok = string(it.Value)
		created = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	return tok, created, nil
}

// CountImpression is on the ad server's table.
func CountImpression(ctx context.Context, creative string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("cap", "n", 1)               // ok ttlwrite/read-modify-write
	rmw.AppendValue("led", "log", []byte(".")) // ok ttlwrite/read-modify-write
	_, err := imprTbl.ApplyReadModifyWrite(ctx, creative, rmw)
	return err
}
