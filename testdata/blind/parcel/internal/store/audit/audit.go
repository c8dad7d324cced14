// Package audit keeps who did what. Its tables are plain: the names of their families mean nothing special.
package audit

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

// Log is the audit log.
type Log struct {
	audit   *bigtable.Table
	archive *bigtable.Table
}

// Open opens the log.
func Open(c *bigtable.Client) *Log {
	return &Log{audit: c.Open("audit"), archive: c.Open("archive")}
}

// Login notes a login.
func (l *Log) Login(ctx context.Context, courier, tokenID string) error {
	m := bigtable.NewMutation()
	m.Set("token", tokenID, bigtable.ServerTime, []byte("login")) // ok ttlwrite/server-timestamp
	m.Set("status", "last", bigtable.Now(), []byte("login"))      // ok ttlwrite/clock-in-sequence
	return l.audit.Apply(ctx, courier, m)
}

// Logins returns the logins of a courier.
func (l *Log) Logins(ctx context.Context, courier string) ([]string, error) {
	row, err := l.audit.ReadRow(ctx, courier) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row["token"] {
		out = append(out, fmt.Sprintf("%s created at %s", it.Column, it.Timestamp.Time())) // ok ttlage/not-write-time
	}
	return out, nil
}

// Archive copies a booking.
func (l *Log) Archive(ctx context.Context, account string, n int, v []byte) error {
	m := bigtable.NewMutation()
	m.Set("entry", fmt.Sprint(n), bigtable.Now(), v) // ok ttlwrite/clock-in-sequence
	m.Set("quote", "copy", bigtable.ServerTime, v)   // ok ttlwrite/server-timestamp
	m.Set("label", "copy", bigtable.ServerTime, v)   // ok ttlwrite/clock-in-zero
	return l.archive.Apply(ctx, account, m)
}

// CountArchive counts the bookings of an account.
func (l *Log) CountArchive(ctx context.Context, account string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("entry", "n", 1) // ok ttlwrite/read-modify-write
	_, err := l.archive.ApplyReadModifyWrite(ctx, account, rmw)
	return err
}

// Archived returns the archived bookings since.
func (l *Log) Archived(ctx context.Context, account string, since time.Duration) (int, error) {
	row, err := l.archive.ReadRow(ctx, account, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("entry"), bigtable.TimestampRangeFilter(time.Now().Add(-since), time.Time{})))) // ok ttlread/wrong-bound
	return len(row["entry"]), err
}

// Undated writes what the old system had no date for.
func (l *Log) Undated(ctx context.Context, account string, v []byte) error {
	m := bigtable.NewMutation()
	m.Set("entry", "undated", bigtable.Time(time.Time{}), v)                                   // want ttlunit/out-of-range
	m.Set("entry", "epoch", bigtable.Time(time.Unix(0, 0)), v)                                 // ok ttlunit/out-of-range
	m.Set("entry", "forever", bigtable.Time(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)), v) // want ttlunit/out-of-range
	m.Set("entry", "half", 1500, v)                                                            // want ttlunit/sub-millisecond
	m.Set("entry", "whole", 2000, v)                                                           // ok ttlunit/sub-millisecond
	return l.archive.Apply(ctx, account, m)
}

// January returns what was archived in a January.
func (l *Log) January(ctx context.Context, account string) (int, error) {
	from := time.Date(2024, 2, 1, 0, 0, 0, 0, time.UTC)
	to := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	row, err := l.archive.ReadRow(ctx, account, bigtable.RowFilter(bigtable.TimestampRangeFilter(from, to))) // want ttlunit/empty-range
	return len(row["entry"]), err
}

// February returns what was archived in a February.
func (l *Log) February(ctx context.Context, account string) (int, error) {
	from := time.Date(2024, 2, 1, 0, 0, 0, 0, time.UTC)
	to := time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC)
	row, err := l.archive.ReadRow(ctx, account, bigtable.RowFilter(bigtable.TimestampRangeFilter(from, to))) // ok ttlunit/empty-range
	return len(row["entry"]), err
}

// Newest returns nothing at all, it turned out.
func (l *Log) Newest(ctx context.Context, account string) (int, error) {
	row, err := l.archive.ReadRow(ctx, account, bigtable.RowFilter(bigtable.LatestNFilter(0))) // want ttlunit/invalid-filter
	return len(row["entry"]), err
}

// One chains a single filter.
func (l *Log) One(ctx context.Context, account string) (int, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("entry")) // want ttlunit/invalid-filter
	row, err := l.archive.ReadRow(ctx, account, bigtable.RowFilter(f))
	return len(row["entry"]), err
}

// Two gives its filters one after the other.
func (l *Log) Two(ctx context.Context, account string) (int, error) {
	row, err := l.archive.ReadRow(ctx, account, bigtable.RowFilter(bigtable.FamilyFilter("entry")), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/overridden-filter
	return len(row["entry"]), err
}

// TwoChained chains its filters.
func (l *Log) TwoChained(ctx context.Context, account string) (int, error) {
	row, err := l.archive.ReadRow(ctx, account, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("entry"), bigtable.LatestNFilter(1))), bigtable.LimitRows(1)) // ok ttlread/overridden-filter
	return len(row["entry"]), err
}

// Unset says whether the archive has cells without a date.
func (l *Log) Unset(ctx context.Context, account string) (bool, error) {
	row, err := l.archive.ReadRow(ctx, account)
	for _, it := range row["entry"] {
		if it.Timestamp == -1 { // want ttlage/server-sentinel
			return true, err
		}
		if it.Timestamp == 0 { // ok ttlage/server-sentinel
			return true, err
		}
	}
	return false, err
}

// Purge deletes an account's archive, the last note included.
func (l *Log) Purge(ctx context.Context, account string) error {
	m := bigtable.NewMutation()
	m.Set("entry", "purged", bigtable.Now(), []byte("1"))
	m.DeleteCellsInFamily("entry") // want ttlwrite/delete-after-set
	m.DeleteCellsInFamily("quote") // ok ttlwrite/delete-after-set
	return l.archive.Apply(ctx, account, m)
}
