// Package archive copies what is over into a table of its own, which keeps
// everything under the time it was copied.
package archive

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/hotelbook/gen/archivebt"
	"example.com/hotelbook/gen/btrt"
	"example.com/hotelbook/gen/holdsbt"
	"example.com/hotelbook/internal/btx"
)

// Archive writes copies.
type Archive struct {
	tbl   *archivebt.Table
	holds *holdsbt.Table
	log   *slog.Logger
}

// New opens both tables.
func New(c *bigtable.Client, log *slog.Logger) *Archive {
	return &Archive{tbl: archivebt.Open(c), holds: holdsbt.Open(c), log: log}
}

// Store copies one hold.
func (a *Archive) Store(ctx context.Context, k string, h *archivebt.Hold) error {
	mut := bigtable.NewMutation()
	h.MarshalBigtable(mut, bigtable.Now()) // ok ttlwrite/write-time
	return a.tbl.Apply(ctx, k, mut)
}

// StoreServer copies one session.
func (a *Archive) StoreServer(ctx context.Context, k string, s *archivebt.Session) error {
	mut := bigtable.NewMutation()
	s.MarshalBigtable(mut, bigtable.ServerTime) // ok ttlwrite/server-timestamp
	return a.tbl.Raw().Apply(ctx, k, mut)
}

// StoreEntry copies one entry.
func (a *Archive) StoreEntry(ctx context.Context, k string, e *archivebt.Entry) error {
	return a.tbl.PutAt(ctx, &archivebt.Row{Key: k, Entry: e}, bigtable.Now()) // ok ttlwrite/clock-in-sequence
}

// Bump counts.
func (a *Archive) Bump(ctx context.Context, k string) error {
	_, err := a.tbl.IncrEntryAmountCents(ctx, k, 1) // ok ttlwrite/read-modify-write
	return err
}

// Get reads a copy.
func (a *Archive) Get(ctx context.Context, k string) (*archivebt.Row, error) {
	return a.tbl.ReadRow(ctx, k) // ok ttlread/missing-filter
}

// List reads copies.
func (a *Archive) List(ctx context.Context, prefix string) ([]archivebt.Row, error) {
	return btrt.Collect[archivebt.Row](ctx, a.tbl.Raw(), bigtable.PrefixRange(prefix)) // ok ttlread/missing-filter
}

// Old reads copies that are older than d.
func (a *Archive) Old(ctx context.Context, d time.Duration) ([]archivebt.Row, error) {
	f := bigtable.TimestampRangeFilter(time.Time{}, time.Now().Add(-d))
	return btrt.Collect[archivebt.Row](ctx, a.tbl.Raw(), bigtable.InfiniteRange(""), bigtable.RowFilter(f)) // ok ttlread/expired-only
}

// Age says how old a copy is.
func (a *Archive) Age(ctx context.Context, k string) (time.Duration, error) {
	row, err := a.tbl.Raw().ReadRow(ctx, k) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[archivebt.FamilyHold] {
		return time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, nil
}

// CopyHolds copies all holds of a hotel.
func (a *Archive) CopyHolds(ctx context.Context, hotel string) (int, error) {
	var b btrt.Batch
	err := a.holds.ReadRows(ctx, bigtable.PrefixRange(hotel+"#"), func(r *holdsbt.Row) bool { // want ttlread/missing-filter
		if r.Hold != nil {
			b.Add(r.Key, &archivebt.Hold{Room: r.Hold.Room, Guest: r.Hold.Guest}, bigtable.Now()) // ok ttlwrite/write-time
		}
		return true
	})
	n := b.Len()
	return n, errors.Join(err, b.Flush(ctx, a.tbl.Raw()))
}

// CopyLive copies the live holds of a hotel.
func (a *Archive) CopyLive(ctx context.Context, hotel string) (int, error) {
	var keys []string
	var muts []*bigtable.Mutation
	err := a.holds.Raw().ReadRows(ctx, bigtable.PrefixRange(hotel+"#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		mut := bigtable.NewMutation()
		for _, it := range r[holdsbt.FamilyHold] {
			mut.Set(archivebt.FamilyHold, btrt.Qualifier(it), bigtable.Now(), it.Value) // ok ttlwrite/write-time
		}
		keys, muts = append(keys, r.Key()), append(muts, mut)
		return true
	}, bigtable.RowFilter(btx.Live()))
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	errs, err := a.tbl.Raw().ApplyBulk(ctx, keys, muts)
	return len(keys), errors.Join(append(errs, err)...)
}

// Restore writes a copy back.
func (a *Archive) Restore(ctx context.Context, k string) error {
	row, err := a.tbl.ReadRow(ctx, k) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	if row.Hold == nil {
		return btrt.ErrNotFound
	}
	a.log.Info("restore", "key", k, "updated", row.Hold.UpdatedAt) // ok ttlage/not-write-time
	mut := bigtable.NewMutation()
	mut.Set(holdsbt.FamilyHold, holdsbt.ColHoldRoom, bigtable.Now(), []byte(row.Hold.Room)) // want ttlwrite/write-time
	return a.holds.Apply(ctx, k, mut)
}
