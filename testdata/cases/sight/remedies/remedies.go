// Package remedies is told what can be done about a write where it stands: by what the
// call that reaches it is given.
package remedies

import (
	"context"
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
	s.Put(ctx, "token", "k", time.Hour)
	s.PutSeconds(ctx, "token", "k", time.Now().Add(time.Hour).Unix())
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

func loads(ctx context.Context, c *bigtable.Client) (n int) {
	s, t := lib.New(c.Open("eth-ledger")), lib.New(c.Open("sessions"))
	row, _ := s.Load(ctx, "k", "entry") // want `version-limit: .*; chain it after LatestNFilter\(3\) where it reads \(reached`
	n += len(row["entry"][0].Value)
	row, _ = s.Filtered(ctx, "k", bigtable.FamilyFilter("entry")) // want `version-limit: .*; chain it after LatestNFilter\(3\) \(reached`
	n += len(row["entry"][0].Value)
	row, _ = t.Load(ctx, "k", "token") // want `missing-filter: .*time.Time\{\}\) where it reads \(reached`
	n += len(row["token"][0].Value)
	row, _ = lib.New(c.Open("sessions")).Load(ctx, "k", "token") // want `missing-filter: .*time.Time\{\}\) \(reached`
	n += len(row["token"][0].Value)
	row, _ = t.Load(ctx, "k", "profile")
	return n + len(row["profile"][0].Value)
}
