package ledger

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/corebase/pkg/btstore"
	"example.com/corebase/pkg/display"
)

// Stock is the level of every article. Levels are numbered like the entries
// they come from; snapshots live for ninety days; texts and locks for minutes.
type Stock struct {
	tbl    *btstore.Table
	legacy *btstore.Table
	log    *slog.Logger
	rounds int
}

// OpenStock opens the stock.
func OpenStock(s *btstore.Store, log *slog.Logger) *Stock {
	return &Stock{tbl: s.Table(stockTable), legacy: s.Table(legacyTable), log: log}
}

// SetLevel sets a level.
func (s *Stock) SetLevel(ctx context.Context, sku string, seq, level int64) error {
	m := bigtable.NewMutation()
	levels.Set(m, "qty", seq, strconv.AppendInt(nil, level, 10)) // ok ttlwrite/unscaled-sequence
	snaps.Set(m, "qty", strconv.AppendInt(nil, level, 10))       // ok ttlwrite/write-time
	if err := s.tbl.Apply(ctx, sku, m); err != nil {
		return err
	}
	return s.setLegacy(ctx, sku, level)
}

// setLegacy keeps the old table going, where nothing is numbered.
func (s *Stock) setLegacy(ctx context.Context, sku string, level int64) error {
	m := bigtable.NewMutation()
	m.Set(famLevel, "qty", bigtable.ServerTime, strconv.AppendInt(nil, level, 10)) // ok ttlwrite/clock-in-sequence
	m.Set(famSnap, "qty", 0, nil)                                                  // ok ttlwrite/already-expired
	m.Set(famD, "by", bigtable.Now(), nil)                                         // ok ttlwrite/write-time
	return s.legacy.Apply(ctx, sku, m)
}

// Correct sets a level after a stocktaking.
func (s *Stock) Correct(ctx context.Context, sku string, level int64) error {
	m := bigtable.NewMutation()
	levels.SetAt(m, "qty", bigtable.Time(time.Now()), strconv.AppendInt(nil, level, 10)) // want ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, sku, m)
}

// Count counts a round of a stocktaking.
func (s *Stock) Count(ctx context.Context, counts map[string]int64) error {
	s.rounds++
	for sku, n := range counts {
		err := s.tbl.Write(ctx, sku,
			btstore.Cell{Family: famLevel, Column: "count", TS: bigtable.Timestamp(s.rounds), Value: strconv.AppendInt(nil, n, 10)}, // want ttlwrite/unscaled-sequence
			btstore.Cell{Family: famLevel, Column: "round", TS: bigtable.Timestamp(s.rounds * 1000)},                                // ok ttlwrite/unscaled-sequence
			btstore.Cell{Family: famSnap, Column: "count", Value: strconv.AppendInt(nil, n, 10)},                                    // ok ttlwrite/server-timestamp
		)
		if err != nil {
			return fmt.Errorf("round %d: %w", s.rounds, err)
		}
	}
	return nil
}

// Level reads a level.
func (s *Stock) Level(ctx context.Context, sku string) (int64, error) {
	row, err := s.tbl.Get(ctx, sku, btstore.Where(levels.Live())) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(string(btstore.Value(row, famLevel, "qty")), 10, 64)
}

// LevelTwo reads two versions of which one is kept.
func (s *Stock) LevelTwo(ctx context.Context, sku string) ([]string, error) {
	row, err := s.tbl.Get(ctx, sku, btstore.Where(btstore.Newest(famLevel, 2))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[famLevel] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// LevelOld reads a level from the old table.
func (s *Stock) LevelOld(ctx context.Context, sku string) (string, error) {
	row, err := s.legacy.Get(ctx, sku) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[famLevel] {
		s.log.Info("legacy level", "sku", sku, "written", it.Timestamp.Time()) // ok ttlage/not-write-time
	}
	return string(btstore.Value(row, famLevel, "qty")), nil
}

// Snapshot writes what there is for ninety days.
func (s *Stock) Snapshot(ctx context.Context, sku string, level int64) error {
	return s.tbl.Mutate(ctx, sku,
		btstore.PutServer(famSnap, "day", strconv.AppendInt(nil, level, 10)),                 // ok ttlwrite/server-timestamp
		btstore.PutAt(famSnap, "hour", btstore.Shifted(snapTTL, 24*time.Hour), nil),          // ok ttlwrite/already-expired
		btstore.PutAt(famSnap, "old", bigtable.Time(time.Now().Add(-100*24*time.Hour)), nil), // want ttlwrite/already-expired
		btstore.PutAt(famSnap, "new", bigtable.Time(time.Now().Add(-10*24*time.Hour)), nil),  // ok ttlwrite/already-expired
		btstore.PutServer(famLevel, "day", nil),                                              // want ttlwrite/clock-in-sequence
	)
}

// Snapshots reads snapshots.
func (s *Stock) Snapshots(ctx context.Context, sku string) (int, error) {
	row, err := s.tbl.Get(ctx, sku, btstore.Where(snaps.Live())) // ok ttlread/missing-filter
	return len(row[famSnap]), err
}

// SnapshotsAny reads snapshots, also those of last year.
func (s *Stock) SnapshotsAny(ctx context.Context, sku string) (int, error) {
	row, err := s.tbl.Get(ctx, sku, btstore.Columns(famSnap, "day")) // want ttlread/missing-filter
	return len(row[famSnap]), err
}

// SnapshotsMonth reads thirty days of ninety.
func (s *Stock) SnapshotsMonth(ctx context.Context, sku string) (int, error) {
	row, err := s.tbl.Get(ctx, sku, btstore.Where(btstore.Younger(famSnap, 30*24*time.Hour))) // want ttlread/wrong-bound
	return len(row[famSnap]), err
}

// SnapshotAge is how old a snapshot is.
func (s *Stock) SnapshotAge(ctx context.Context, sku string) (time.Duration, error) {
	row, err := s.tbl.Get(ctx, sku, btstore.Where(snaps.Live()))
	if err != nil {
		return 0, err
	}
	for _, it := range row[famSnap] {
		return time.Since(it.Timestamp.Time()), nil // want ttlage/not-write-time
	}
	return 0, nil
}

// Lock locks an article for ten minutes.
func (s *Stock) Lock(ctx context.Context, sku, owner string) error {
	m := bigtable.NewMutation()
	locks.Set(m, "lock", []byte(owner)) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, sku, m)
}

// LockNow locks it for none.
func (s *Stock) LockNow(ctx context.Context, sku, owner string) error {
	return s.tbl.Mutate(ctx, sku, btstore.Put(famD, "lock", []byte(owner))) // want ttlwrite/write-time
}

// LockServer locks it for none, by the server's clock.
func (s *Stock) LockServer(ctx context.Context, sku, owner string) error {
	m := bigtable.NewMutation()
	m.Set(famD, "lock", bigtable.ServerTime, []byte(owner)) // want ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, sku, m)
}

// Locked tells who holds the lock.
func (s *Stock) Locked(ctx context.Context, sku string) (string, error) {
	row, err := s.tbl.Get(ctx, sku, btstore.Where(locks.Live())) // ok ttlread/missing-filter
	return string(btstore.Value(row, famD, "lock")), err
}

// LockedAny tells who held it at some time.
func (s *Stock) LockedAny(ctx context.Context, sku string) (string, error) {
	row, err := s.tbl.Get(ctx, sku, btstore.Where(btstore.Column(famD, "lock"))) // want ttlread/missing-filter
	return string(btstore.Value(row, famD, "lock")), err
}

// Display shows a text beside an article.
func (s *Stock) Display(ctx context.Context, sku, text string) error {
	return s.tbl.Apply(ctx, sku, display.Text(text)) // want ttlwrite/write-time
}

// DisplayFor shows it for ten minutes.
func (s *Stock) DisplayFor(ctx context.Context, sku, text string) error {
	return s.tbl.Apply(ctx, sku, display.TextFor(text, lockTTL)) // ok ttlwrite/write-time
}

// Displayed reads the text.
func (s *Stock) Displayed(ctx context.Context, sku string) (string, error) {
	row, err := s.tbl.Get(ctx, sku, btstore.Where(btstore.LiveOnly(display.Family))) // ok ttlread/missing-filter
	return display.Of(row), err
}

// DisplayedAny reads the text, dead or alive.
func (s *Stock) DisplayedAny(ctx context.Context, sku string) (string, error) {
	row, err := s.tbl.Get(ctx, sku) // want ttlread/missing-filter
	return display.Of(row), err
}

// Carried tells whether an article is carried at all.
func (s *Stock) Carried(ctx context.Context, sku string) (bool, error) {
	return s.tbl.Exists(ctx, sku) // want ttlread/missing-filter[existsStock]
}

// CarriedOld asks the old table.
func (s *Stock) CarriedOld(ctx context.Context, sku string) (bool, error) {
	return s.legacy.Exists(ctx, sku) // ok ttlread/missing-filter
}
