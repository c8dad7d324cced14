// Package reviews keeps what guests write; its family has the ledger's name
// and ordinary timestamps.
package reviews

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/hotelbook/gen/btrt"
	"example.com/hotelbook/gen/reviewsbt"
	"example.com/hotelbook/internal/btx"
)

// Board shows reviews.
type Board struct{ tbl *reviewsbt.Table }

// NewBoard opens the table.
func NewBoard(c *bigtable.Client) *Board { return &Board{tbl: reviewsbt.Open(c)} }

// Post stores a review.
func (b *Board) Post(ctx context.Context, k string, e *reviewsbt.Entry) error {
	return b.tbl.PutNow(ctx, &reviewsbt.Row{Key: k, Entry: e}) // ok ttlwrite/clock-in-sequence
}

// PostServer stores a review under the server's time.
func (b *Board) PostServer(ctx context.Context, k string, e *reviewsbt.Entry) error {
	mut := bigtable.NewMutation()
	e.MarshalBigtable(mut, bigtable.ServerTime) // ok ttlwrite/clock-in-sequence
	return b.tbl.Apply(ctx, k, mut)
}

// PostAt stores a review of the old site.
func (b *Board) PostAt(ctx context.Context, k string, e *reviewsbt.Entry, at time.Time) error {
	return b.tbl.PutAt(ctx, &reviewsbt.Row{Key: k, Entry: e}, bigtable.Time(at)) // ok ttlwrite/clock-in-sequence
}

// PostUnix stores a review of the old site.
func (b *Board) PostUnix(ctx context.Context, k string, e *reviewsbt.Entry, at time.Time) error {
	return b.tbl.PutAt(ctx, &reviewsbt.Row{Key: k, Entry: e}, bigtable.Timestamp(at.Unix())) // want ttlunit/wrong-unit
}

// PostSeconds stores a review of the old site.
func (b *Board) PostSeconds(ctx context.Context, k string, e *reviewsbt.Entry, at time.Time) error {
	return b.tbl.PutAt(ctx, &reviewsbt.Row{Key: k, Entry: e}, bigtable.Timestamp(at.Unix()*1e6)) // ok ttlunit/wrong-unit
}

// Edit replaces the text.
func (b *Board) Edit(ctx context.Context, k, text string) error {
	mut := bigtable.NewMutation()
	reviewsbt.SetEntryText(mut, btx.NowTS(), text) // ok ttlwrite/clock-in-sequence
	return b.tbl.Apply(ctx, k, mut)
}

// EditDelayed replaces the text after the moderation delay.
func (b *Board) EditDelayed(ctx context.Context, k, text string, delay time.Duration) error {
	mut := bigtable.NewMutation()
	reviewsbt.SetEntryText(mut, bigtable.Now()+bigtable.Timestamp(delay), text) // want ttlunit/wrong-unit
	return b.tbl.Apply(ctx, k, mut)
}

// EditLater replaces the text after the moderation delay.
func (b *Board) EditLater(ctx context.Context, k, text string, delay time.Duration) error {
	mut := bigtable.NewMutation()
	reviewsbt.SetEntryText(mut, bigtable.Now()+bigtable.Timestamp(delay.Microseconds()), text) // ok ttlunit/wrong-unit
	return b.tbl.Apply(ctx, k, mut)
}

// Blank clears the text.
func (b *Board) Blank(ctx context.Context, k string) error {
	mut := bigtable.NewMutation()
	reviewsbt.SetEntryText(mut, 1_700_000_000_000_500, "") // want ttlunit/sub-millisecond
	return b.tbl.Apply(ctx, k, mut)
}

// Clear clears the text.
func (b *Board) Clear(ctx context.Context, k string) error {
	mut := bigtable.NewMutation()
	reviewsbt.SetEntryText(mut, 1_700_000_000_000_000, "") // ok ttlunit/sub-millisecond
	return b.tbl.Apply(ctx, k, mut)
}

// Purge deletes the drafts at the epoch.
func (b *Board) Purge(ctx context.Context, k string) error {
	mut := bigtable.NewMutation()
	mut.DeleteTimestampRange(reviewsbt.FamilyEntry, reviewsbt.ColEntryText, 0, 999) // want ttlunit/sub-millisecond
	return b.tbl.Apply(ctx, k, mut)
}

// PurgeEpoch deletes the drafts at the epoch.
func (b *Board) PurgeEpoch(ctx context.Context, k string) error {
	mut := bigtable.NewMutation()
	mut.DeleteTimestampRange(reviewsbt.FamilyEntry, reviewsbt.ColEntryText, 0, 1000) // ok ttlunit/sub-millisecond
	return b.tbl.Apply(ctx, k, mut)
}

// Helpful counts a vote.
func (b *Board) Helpful(ctx context.Context, k string) (int64, error) {
	return b.tbl.IncrEntryHelpful(ctx, k, 1) // ok ttlwrite/read-modify-write
}

// Get reads a review.
func (b *Board) Get(ctx context.Context, k string) (*reviewsbt.Row, error) {
	return b.tbl.ReadRow(ctx, k) // ok ttlread/missing-filter
}

// Since reads the reviews of the last d.
func (b *Board) Since(ctx context.Context, hotel string, d time.Duration) ([]reviewsbt.Row, error) {
	return btrt.Collect[reviewsbt.Row](ctx, b.tbl.Raw(), bigtable.PrefixRange(hotel), bigtable.RowFilter(btx.Within(d))) // ok ttlread/wrong-bound
}

// Founding reads the reviews of the first year.
func (b *Board) Founding(ctx context.Context, hotel string) ([]reviewsbt.Row, error) {
	f := bigtable.TimestampRangeFilterMicros(1_600_000_000_000_000, 1_500_000_000_000_000) // want ttlunit/empty-range
	return btrt.Collect[reviewsbt.Row](ctx, b.tbl.Raw(), bigtable.PrefixRange(hotel), bigtable.RowFilter(f))
}

// Second reads the reviews of the second year.
func (b *Board) Second(ctx context.Context, hotel string) ([]reviewsbt.Row, error) {
	f := bigtable.TimestampRangeFilterMicros(1_600_000_000_000_000, 1_631_536_000_000_000) // ok ttlunit/empty-range
	return btrt.Collect[reviewsbt.Row](ctx, b.tbl.Raw(), bigtable.PrefixRange(hotel), bigtable.RowFilter(f))
}

// Age says how old a review is.
func (b *Board) Age(ctx context.Context, k string) (time.Duration, error) {
	row, err := b.tbl.Raw().ReadRow(ctx, k, btx.Newest(1)) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[reviewsbt.FamilyEntry] {
		if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
			return 0, nil
		}
		if it.Timestamp == 0 { // ok ttlage/server-sentinel
			return 0, nil
		}
		return time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, nil
}

// Two reads with one filter too many.
func (b *Board) Two(ctx context.Context, k string) (*reviewsbt.Row, error) {
	return b.tbl.ReadRow(ctx, k, btx.Newest(1), bigtable.RowFilter(bigtable.ColumnFilter(reviewsbt.ColEntryText))) // want ttlread/overridden-filter
}

// TwoOptions reads with a filter and a limit.
func (b *Board) TwoOptions(ctx context.Context, hotel string) ([]reviewsbt.Row, error) {
	return btrt.Collect[reviewsbt.Row](ctx, b.tbl.Raw(), bigtable.PrefixRange(hotel), btx.Newest(1), bigtable.LimitRows(10)) // ok ttlread/overridden-filter
}

// Stars adds to the aggregate of a hotel.
func (b *Board) Stars(ctx context.Context, hotel string, stars int64, day time.Time) error {
	mut := bigtable.NewMutation()
	mut.AddIntToCell("totals", "stars", bigtable.ServerTime, stars)                  // want ttlwrite/aggregate-server-time
	mut.AddIntToCell("totals", "days", bigtable.Time(day.Truncate(24*time.Hour)), 1) // ok ttlwrite/aggregate-server-time
	return b.tbl.Apply(ctx, hotel, mut)
}
