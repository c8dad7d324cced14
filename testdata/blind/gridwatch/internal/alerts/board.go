package alerts

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"

	"example.com/gridwatch/internal/bus"
	"example.com/gridwatch/internal/store"
)

// Entry is one line of the board.
type Entry struct {
	Key       string
	Severity  string
	Value     string
	MutedTill time.Time
	Modified  time.Time
	Age       time.Duration
}

// Board reads alert-state.
type Board struct {
	tbl *bigtable.Table
	now func() time.Time
}

// NewBoard returns a board.
func NewBoard(t *store.Tables) *Board {
	return &Board{tbl: t.Alerts, now: time.Now}
}

// firingLive bounds the firing family by its default lifetime.
func (b *Board) firingLive() bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.FamilyFilter(store.FamFiring),
		bigtable.TimestampRangeFilterMicros(bigtable.Time(b.now().Add(-store.FiringTTL)), 0),
	)
}

// muteLive bounds the mute family.
func (b *Board) muteLive() bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.FamilyFilter(store.FamMute),
		bigtable.TimestampRangeFilterMicros(bigtable.Time(b.now()), 0),
	)
}

// List streams what fires on devices with a prefix.
func (b *Board) List(ctx context.Context, prefix string, out chan<- Entry) error {
	defer close(out)
	f := bigtable.InterleaveFilters(b.firingLive(), b.muteLive())
	return b.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		e := Entry{Key: row.Key()}
		for _, it := range row[store.FamFiring] {
			switch it.Column {
			case "firing:severity":
				e.Severity = string(it.Value)
				e.Modified = it.Timestamp.Time() // want ttlage/not-write-time
			case "firing:value":
				e.Value = string(it.Value)
				e.Age = b.now().Sub(it.Timestamp.Time()) // want ttlage/not-write-time
			}
		}
		for _, it := range row[store.FamMute] {
			e.MutedTill = it.Timestamp.Time() // ok ttlage/not-write-time
		}
		select {
		case out <- e:
			return true
		case <-ctx.Done():
			return false
		}
	}, bigtable.RowFilter(f))
}

// Short is List without bounds, written before the families had lifetimes.
func (b *Board) Short(ctx context.Context, prefix string) ([]Entry, error) {
	var out []Entry
	err := b.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range row[store.FamFiring] {
			if strings.HasSuffix(it.Column, ":severity") {
				out = append(out, Entry{Key: row.Key(), Severity: string(it.Value)})
			}
		}
		return true
	})
	return out, err
}

// Muted reports whether a rule is muted on a device.
func (b *Board) Muted(ctx context.Context, device, rule string) (bool, error) {
	row, err := b.tbl.ReadRow(ctx, device, bigtable.RowFilter(bigtable.ChainFilters(b.muteLive(), bigtable.ColumnFilter(rule)))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row[store.FamMute]) > 0, nil
}

// MutedRaw forgets the bound.
func (b *Board) MutedRaw(ctx context.Context, device, rule string) (bool, error) {
	row, err := b.tbl.ReadRow(ctx, device, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(store.FamMute), bigtable.ColumnFilter(rule)))) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row[store.FamMute]) > 0, nil
}

// MutedThisYear has an end that a long mute lies beyond.
func (b *Board) MutedThisYear(ctx context.Context, device string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(store.FamMute), bigtable.TimestampRangeFilter(b.now(), b.now().AddDate(1, 0, 0))) // want ttlread/upper-bound[thisyear]
	row, err := b.tbl.ReadRow(ctx, device, bigtable.RowFilter(f))                                                                      // want ttlread/upper-bound[thisyear]
	if err != nil {
		return false, err
	}
	return len(row[store.FamMute]) > 0, nil
}

// MutedDefault mistakes the family for one with a default lifetime.
func (b *Board) MutedDefault(ctx context.Context, device string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(store.FamMute), bigtable.TimestampRangeFilter(b.now().Add(-store.FiringTTL), time.Time{})) // want ttlread/wrong-bound[mutedef]
	row, err := b.tbl.ReadRow(ctx, device, bigtable.RowFilter(f))                                                                               // want ttlread/wrong-bound[mutedef]
	if err != nil {
		return false, err
	}
	return len(row[store.FamMute]) > 0, nil
}

// FiringNow mistakes the family for one whose timestamps are expiries.
func (b *Board) FiringNow(ctx context.Context, device string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(store.FamFiring), bigtable.TimestampRangeFilterMicros(bigtable.Now(), 0)) // want ttlread/wrong-bound[firingnow]
	row, err := b.tbl.ReadRow(ctx, device, bigtable.RowFilter(f))                                                              // want ttlread/wrong-bound[firingnow]
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

// FiringTwoDays has the lifetime of last year.
func (b *Board) FiringTwoDays(ctx context.Context, device string) (int, error) {
	row, err := b.tbl.ReadRow(ctx, device, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(store.FamFiring), store.Within(48*time.Hour)))) // want ttlread/wrong-bound
	if err != nil {
		return 0, err
	}
	return len(row[store.FamFiring]), nil
}

// StateOf reads the state column, which has the same lifetime as firing.
func (b *Board) StateOf(ctx context.Context, key string) (string, error) {
	row, err := b.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(store.FamState), store.Within(store.FiringTTL), bigtable.LatestNFilter(1)))) // ok ttlread/wrong-bound
	if err != nil {
		return "", err
	}
	for _, it := range row[store.FamState] {
		return string(it.Value), nil
	}
	return "", nil
}

// StateRaw reads it without a bound.
func (b *Board) StateRaw(ctx context.Context, key string) (string, error) {
	row, err := b.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(store.FamState), bigtable.LatestNFilter(1)))) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[store.FamState] {
		return string(it.Value), nil
	}
	return "", nil
}

// First returns the first live cells of a row.
func (b *Board) First(ctx context.Context, key string, n int) ([]bigtable.ReadItem, error) {
	f := bigtable.ChainFilters(b.firingLive(), bigtable.CellsPerRowLimitFilter(n))
	row, err := b.tbl.ReadRow(ctx, key, bigtable.RowFilter(f)) // ok ttlread/limit-before-filter
	if err != nil {
		return nil, err
	}
	return row[store.FamFiring], nil
}

// Second skips one cell, dead or alive.
func (b *Board) Second(ctx context.Context, key string) ([]bigtable.ReadItem, error) {
	f := bigtable.ChainFilters(bigtable.CellsPerRowOffsetFilter(1), b.firingLive()) // want ttlread/limit-before-filter[second]
	row, err := b.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))                      // want ttlread/limit-before-filter[second]
	if err != nil {
		return nil, err
	}
	return row[store.FamFiring], nil
}

// Watch re-reads keys when their alert changes and publishes what it finds.
func (b *Board) Watch(ctx context.Context, keys <-chan string, out *bus.Topic[Entry]) error {
	g, ctx := errgroup.WithContext(ctx)
	for range 4 {
		g.Go(func() error {
			for key := range keys {
				row, err := b.tbl.ReadRow(ctx, key, bigtable.RowFilter(b.firingLive())) // ok ttlread/missing-filter
				if err != nil {
					slog.WarnContext(ctx, "watch", "key", key, "err", err)
					continue
				}
				e := Entry{Key: key}
				for _, it := range row[store.FamFiring] {
					if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
						continue
					}
					e.Value = string(it.Value)
					slog.DebugContext(ctx, "cell", "updated_at", it.Timestamp.Time().Format(time.RFC3339)) // want ttlage/not-write-time
					slog.DebugContext(ctx, "cell", "ts", it.Timestamp.Time().Format(time.RFC3339))         // ok ttlage/not-write-time
				}
				out.Offer(e)
			}
			return nil
		})
	}
	return g.Wait()
}

// Rules dumps the rules with the time they were changed.
func (b *Board) Rules(ctx context.Context, tenant string) (map[string]time.Duration, error) {
	ages := map[string]time.Duration{}
	row, err := b.tbl.ReadRow(ctx, "rules#"+tenant, bigtable.RowFilter(bigtable.FamilyFilter(store.FamRule))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for _, it := range row[store.FamRule] {
		ages[it.Column] = time.Since(it.Timestamp.Time()) // ok ttlage/not-write-time
	}
	return ages, nil
}
