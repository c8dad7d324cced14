// Package whence makes what is wrong on another line than the one that is told of it: the
// message names that line, too.
package whence

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

var began = bigtable.Now()

var live = bigtable.TimestampRangeFilter(time.Now(), time.Time{})

// A limit is a row of a table of policies, which a loop applies.
type limit struct {
	table, family string
	age           time.Duration
}

func (l limit) policy() bigtable.GCPolicy { return bigtable.MaxAgePolicy(l.age) }

var limits = []limit{
	{"sessions", "token", time.Second},
	{"otp", "code", time.Minute}, // want `age-mismatch: .*"code"`
}

func setup(ctx context.Context, a *bigtable.AdminClient) error {
	for _, l := range limits {
		policy := l.policy()
		if err := a.SetGCPolicy(ctx, l.table, l.family, policy); err != nil {
			return err
		}
	}
	return nil
}

func written(ctx context.Context, t *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "a", stamp(), nil)             // want `write-time: .*\)\) \(ttlwrite`
	mut.Set("token", "b", bigtable.ServerTime, nil) // want `server-timestamp: .*\)\) \(ttlwrite`
	mut.Set("token", "c", began, nil)               // want `stale-clock: .* \(from line 12\) \(ttlwrite`
	return t.Open("sessions").Apply(ctx, "k", mut)
}

func read(ctx context.Context, c *bigtable.Client) int {
	sessions := c.Open("sessions")
	row, _ := sessions.ReadRow(ctx, "k", bigtable.RowFilter(live)) // want `stale-bound: .* \(from line 14\) \(ttlread`
	n := len(row["token"])
	filter := bigtable.FamilyFilter("token")
	row, _ = sessions.ReadRow(ctx, "k", bigtable.RowFilter(filter)) // want `missing-filter: .*time.Time\{\}\) \(ttlread`
	n += len(row["token"])
	for range 2 {
		n++
	}
	row, _ = sessions.ReadRow(ctx, "k", bigtable.RowFilter(filter)) // want `missing-filter: .* \(from line 51\) \(ttlread`
	n += len(row["token"])
	row, _ = sessions.ReadRow(ctx, "k",
		bigtable.RowFilter(bigtable.FamilyFilter("token"))) // want `missing-filter: .*time.Time\{\}\) \(ttlread`
	return n + len(row["token"])
}
