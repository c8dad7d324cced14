// Package remedies is told what can be done about a write where it stands: by what the
// call that reaches it is given.
package remedies

import (
	"context"
	"os"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/remedies/lib"
)

func tokens(ctx context.Context, c *bigtable.Client) {
	s := lib.New(c.Open("sessions"))
	s.Put(ctx, "token", "k", 0)                                             // want `write-time: .*; pass a lifetime above zero, such as 30\*time.Minute \(reached`
	s.Put(ctx, "token", "k", -time.Minute)                                  // want `already-expired: .*; delete the cell, or pass a lifetime above zero`
	s.PutSeconds(ctx, "token", "k", time.Now().Unix())                      // want `write-time: .*; pass its expiry, time.Now\(\).Add\(30\*time.Minute\).Unix\(\) \(reached`
	s.PutAt(ctx, "token", "k", time.Now())                                  // want `write-time: .*; pass its expiry, time.Now\(\).Add\(30\*time.Minute\) \(reached`
	s.PutAt(ctx, "token", "k", time.Time{})                                 // want `already-expired: .*negative timestamp, which the service rejects; pass its expiry`
	s.PutAt(ctx, "token", "k", time.Date(2020, 1, 2, 0, 0, 0, 0, time.UTC)) // want `already-expired: .*; delete the cell, or pass its expiry`
	s.PutStamp(ctx, "token", "k", bigtable.Now())                           // want `write-time: .*; set bigtable.Time\(`
	s.PutNow(ctx, "token", "k")                                             // want `write-time: .*; write it by a call that sets bigtable.Time\(`
	s.PutFor(ctx, "token", "k", 0)                                          // want `write-time: .*; pass a lifetime above zero \(reached`
	s.Put(ctx, "token", "k", left("k"))                                     // want `already-expired: .* uses a time 2s before now: `
	s.Put(ctx, "token", "k", time.Hour)
	s.PutFor(ctx, "token", "k", 60)
	s.PutSeconds(ctx, "token", "k", time.Now().Add(time.Hour).Unix())
}

// left returns how long a key lives, and as some servers do -2 for one that is not there.
func left(key string) time.Duration {
	if _, ok := os.LookupEnv(key); !ok {
		return -2 * time.Second
	}
	return time.Hour
}

func latest(ctx context.Context, c *bigtable.Client) {
	s := lib.New(c.Open("catalog"))
	s.Put(ctx, "latest", "k", 0)                   // want `clock-in-zero: .*; write it by a call that sets the timestamp 0 \(reached`
	s.PutStamp(ctx, "latest", "k", bigtable.Now()) // want `clock-in-zero: .*; set the timestamp 0 \(reached`
	s.PutStamp(ctx, "latest", "k", 0)
}

func numbers(ctx context.Context, c *bigtable.Client) {
	s := lib.New(c.Open("eth-ledger"))
	s.Put(ctx, "entry", "k", time.Hour) // want `clock-in-sequence: .*; write it by a call that sets Timestamp\(number \* 1000\) \(reached`
	s.PutStamp(ctx, "entry", "k", 7000)
}

// In a branch that is one family's, its bound is the remedy; where all that need one
// need the same, one is for all.
func branches(ctx context.Context, c *bigtable.Client) (bigtable.Row, bigtable.Row, bigtable.Row) {
	row, _ := c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now().Add(-time.Hour), time.Time{})), // want `wrong-bound: .*; use TimestampRangeFilter\(time.Now\(\), time.Time\{\}\) \(ttlread`
		bigtable.FamilyFilter("profile"),
	)))
	pulses, _ := c.Open("pulses").ReadRow(ctx, "k")                                                                              // want `missing-filter: .*; add TimestampRangeFilter\(time.Now\(\), time.Time\{\}\) \(ttlread`
	hidden, _ := c.Open("watches").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{}))) // want `hides-other-families: .*; write InterleaveFilters\(ChainFilters\(FamilyFilter\("on\|off"\), TimestampRangeFilter\(time.Now\(\), time.Time\{\}\)\), FamilyFilter\("who\|why"\)\) \(ttlread`
	return row, pulses, hidden
}

func loads(ctx context.Context, c *bigtable.Client) (n int) {
	s, t := lib.New(c.Open("eth-ledger")), lib.New(c.Open("sessions"))
	row, _ := s.Load(ctx, "k", "entry") // want `version-limit: .*; chain it after LatestNFilter\(3\) where it reads \(reached`
	n += len(row["entry"][0].Value)
	row, _ = s.Filtered(ctx, "k", bigtable.FamilyFilter("entry")) // want `version-limit: .*; chain it after LatestNFilter\(3\) \(reached`
	n += len(row["entry"][0].Value)
	row, _ = t.Recent(ctx, "k", "token") // want `wrong-bound: .*time.Time\{\}\) where it reads \(reached`
	n += len(row["token"][0].Value)
	row, _ = t.Load(ctx, "k", "token") // want `missing-filter: .*time.Time\{\}\) where it reads \(reached`
	n += len(row["token"][0].Value)
	row, _ = lib.New(c.Open("sessions")).Load(ctx, "k", "token") // want `missing-filter: .*time.Time\{\}\) \(reached`
	n += len(row["token"][0].Value)
	row, _ = t.Load(ctx, "k", "profile")
	return n + len(row["profile"][0].Value)
}

// What an object holds beside its table makes no timestamp that is the server's.
func touched(ctx context.Context, c *bigtable.Client) {
	s := lib.NewClocked(c.Open("sessions"), time.Now)
	s.Touch(ctx, "token", "k")   // want `server-timestamp: .*; write it by a call that sets bigtable.Time\(`
	s.Keep(ctx, "token", "k", 0) // want `server-timestamp: .*; pass a lifetime above zero \(reached`
	s.Keep(ctx, "token", "k", 60)
}
