package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"haulr.dev/backend/internal/tables"
	"haulr.dev/backend/pkg/bigtablex"
)

// RateLimits counts requests, in one table per region.
type RateLimits struct {
	tbl    *bigtable.Table
	region string
	window time.Duration
}

// NewRateLimits opens the region's table.
func NewRateLimits(client *bigtable.Client, region string) *RateLimits {
	return &RateLimits{
		tbl:    client.Open(tables.RatePrefix + region),
		region: region,
		window: tables.BucketTTL,
	}
}

func (r *RateLimits) slot(t time.Time) string {
	return strconv.FormatInt(t.Truncate(r.window).Unix(), 36)
}

// Hit counts one request and says how many the window has seen.
func (r *RateLimits) Hit(ctx context.Context, subject string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("bucket", r.slot(time.Now()), 1) // want ttlwrite/read-modify-write
	row, err := r.tbl.ApplyReadModifyWrite(ctx, subject, rmw)
	if err != nil {
		return 0, fmt.Errorf("rate %s: %w", subject, err)
	}
	for _, it := range row["bucket"] {
		return int64(binary.BigEndian.Uint64(it.Value)), nil
	}
	return 0, nil
}

// HitCell counts with one cell per request, which expires with the window.
func (r *RateLimits) HitCell(ctx context.Context, subject, request string) (int, error) {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamBucket, request, bigtablex.ExpiresIn(r.window), []byte{1}) // ok ttlwrite/write-time
	if err := r.tbl.Apply(ctx, subject, mut); err != nil {
		return 0, err
	}
	row, err := r.tbl.ReadRow(ctx, subject, bigtable.RowFilter(bigtable.ChainFilters( // ok ttlread/missing-filter
		bigtable.FamilyFilter(tables.FamBucket),
		bigtable.TimestampRangeFilter(time.Now(), time.Time{}),
		bigtable.StripValueFilter(),
	)))
	if err != nil {
		return 0, err
	}
	return len(row[tables.FamBucket]), nil
}

// Remaining says what a subject has left.
func (r *RateLimits) Remaining(ctx context.Context, subject string, limit int) (int, error) {
	row, err := r.tbl.ReadRow(ctx, subject, bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/wrong-bound[rem]
		bigtable.FamilyFilter(tables.FamBucket),
		bigtable.TimestampRangeFilter(time.Now().Add(-r.window), time.Time{}), // want ttlread/wrong-bound[rem]
	)))
	if err != nil {
		return 0, err
	}
	return max(0, limit-len(row[tables.FamBucket])), nil
}

// Block keeps a subject out for a while.
func (r *RateLimits) Block(ctx context.Context, subject string, d time.Duration) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(tables.FamBucket, "blocked")
	mut.Set(tables.FamBucket, "blocked", bigtable.Time(time.Now().Add(d)), []byte("1")) // ok ttlwrite/write-time
	return r.tbl.Apply(ctx, subject, mut)
}

// Blocked asks for it.
func (r *RateLimits) Blocked(ctx context.Context, subject string) (bool, error) {
	row, err := r.tbl.ReadRow(ctx, subject, bigtable.RowFilter(bigtable.ColumnFilter("blocked"))) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row[tables.FamBucket]) > 0, nil
}

// BlockedUntil asks for it and for how long.
func (r *RateLimits) BlockedUntil(ctx context.Context, subject string) (time.Time, bool, error) {
	row, err := r.tbl.ReadRow(ctx, subject, bigtable.RowFilter(bigtable.ColumnFilter("blocked"))) // ok ttlread/missing-filter
	if err != nil {
		return time.Time{}, false, err
	}
	for _, it := range row[tables.FamBucket] {
		if until := it.Timestamp.Time(); time.Now().Before(until) {
			return until, true, nil
		}
	}
	return time.Time{}, false, nil
}

// Unblock lets a subject in again.
func (r *RateLimits) Unblock(ctx context.Context, subject string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(tables.FamBucket, "blocked")
	return r.tbl.Apply(ctx, subject, mut)
}

// SetLimit stores a limit of a subject's own.
func (r *RateLimits) SetLimit(ctx context.Context, subject string, perMinute int) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamPolicy, "rpm", 0, []byte(strconv.Itoa(perMinute)))         // ok ttlwrite/clock-in-zero
	mut.Set(tables.FamPolicy, "changed", bigtablex.NowTS(), rfc3339(time.Now())) // want ttlwrite/clock-in-zero
	return r.tbl.Apply(ctx, subject, mut)
}

// Limit reads it.
func (r *RateLimits) Limit(ctx context.Context, subject string, def int) (int, error) {
	row, err := r.tbl.ReadRow(ctx, subject, bigtable.RowFilter(bigtable.FamilyFilter(tables.FamPolicy))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(bigtablex.String(row, tables.FamPolicy, "rpm"))
	if err != nil {
		return def, nil
	}
	return n, nil
}

// Seed writes the buckets of a subject ahead, for load tests.
func (r *RateLimits) Seed(ctx context.Context, subject string, n int) error {
	mut := bigtable.NewMutation()
	for i := range n {
		mut.Set(tables.FamBucket, "seed"+strconv.Itoa(i), bigtable.Timestamp(time.Minute), []byte{1}) // want ttlunit/wrong-unit|ttlwrite/already-expired
	}
	return r.tbl.Apply(ctx, subject, mut)
}
