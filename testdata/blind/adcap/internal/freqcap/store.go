// Package freqcap counts exposures and decides whether an ad may be shown.
package freqcap

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"adcap.example/platform/internal/bt"
	"adcap.example/platform/internal/filters"
	"adcap.example/platform/internal/flags"
	"adcap.example/platform/internal/mutate"
	"adcap.example/platform/internal/schema"
)

// ErrNoRow is returned for users that were never seen.
var ErrNoRow = errors.New("freqcap: no row")

// Store is the repository over the freqcap table.
type Store struct {
	tbl   bt.Table
	clock bt.Clock
	flags *flags.Set
	retry bt.Backoff
	log   *slog.Logger
}

// NewStore opens the table.
func NewStore(c *bigtable.Client, fl *flags.Set, log *slog.Logger) *Store {
	return &Store{
		tbl:   c.Open(schema.TableFreqCap),
		clock: bt.SystemClock{},
		flags: fl,
		retry: bt.DefaultBackoff,
		log:   log,
	}
}

// Cap is one cap of a user.
type Cap struct {
	Campaign string
	Shown    int64
	Until    time.Time
}

// Exposure is one creative seen by the user.
type Exposure struct {
	Creative  string
	Publisher string
}

// Profile is the whole row.
type Profile struct {
	Caps      []Cap
	Exposures []Exposure
	Segments  []string
}

func rowKey(user string) string { return "u#" + user }

// Block writes the cap token of a campaign: while it lives, the campaign is not shown.
func (s *Store) Block(ctx context.Context, user, campaign string, window time.Duration) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamCap, campaign, bigtable.Time(s.clock.Now().Add(window)), []byte("1")) // ok ttlwrite/write-time ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, rowKey(user), m)
}

// BlockDefault uses the usual window.
func (s *Store) BlockDefault(ctx context.Context, user, campaign string) error {
	return s.Block(ctx, user, campaign, schema.CapWindow)
}

// BlockNow came with the first prototype and is still called by the legacy pixel.
func (s *Store) BlockNow(ctx context.Context, user, campaign string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamCap, campaign, bigtable.Now(), []byte("1")) // want ttlwrite/write-time
	return s.retry.Retry(ctx, func(ctx context.Context) error {
		return s.tbl.Apply(ctx, rowKey(user), m)
	})
}

// BlockServer leaves the clock to the server.
func (s *Store) BlockServer(ctx context.Context, user string, campaigns []string) error {
	m := bigtable.NewMutation()
	for _, c := range campaigns {
		m.Set(schema.FamCap, c, bigtable.ServerTime, []byte("1")) // want ttlwrite/server-timestamp
	}
	m.Set(schema.FamSeg, "capped", bigtable.ServerTime, []byte("y")) // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, rowKey(user), m)
}

// Expose notes that a creative was seen; the family's age is the lifetime.
func (s *Store) Expose(ctx context.Context, user string, e Exposure) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamSeen, e.Creative, bigtable.Now(), []byte(e.Publisher)) // ok ttlwrite/write-time
	m.Set(schema.FamSeg, "last", bigtable.Now(), []byte(e.Creative))       // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, rowKey(user), m)
}

// ExposeFor notes it for another lifetime.
func (s *Store) ExposeFor(ctx context.Context, user string, e Exposure, life time.Duration) error {
	m := bigtable.NewMutation()
	mutate.Put(m, schema.FamSeen, e.Creative, mutate.Shifted(s.clock.Now(), life, schema.SeenLifetime), []byte(e.Publisher)) // ok ttlwrite/already-expired
	return s.tbl.Apply(ctx, rowKey(user), m)
}

// Tick sets the cap through the helper.
func (s *Store) Tick(ctx context.Context, user, campaign string, left int64) error {
	m := bigtable.NewMutation()
	mutate.Put(m, schema.FamCap, campaign, mutate.Until(s.clock.Now(), schema.CapWindow), mutate.Int(left)) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, rowKey(user), m)
}

// TickLegacy was copied from Expose.
func (s *Store) TickLegacy(ctx context.Context, user, campaign string, left int64) error {
	m := bigtable.NewMutation()
	mutate.Put(m, schema.FamCap, campaign, mutate.NowTS(), mutate.Int(left)) // want ttlwrite/write-time
	return s.tbl.Apply(ctx, rowKey(user), m)
}

// Shorten gives a cap a shorter life.
func (s *Store) Shorten(ctx context.Context, user, campaign string, life time.Duration) error {
	m := bigtable.NewMutation()
	mutate.Replace(m, schema.FamCap, campaign, mutate.Until(s.clock.Now(), life), []byte("1")) // ok ttlwrite/delete-after-set ttlwrite/same-timestamp
	return s.tbl.Apply(ctx, rowKey(user), m)
}

// Reset sets a fresh cap and then clears what was there. Or so it thinks.
func (s *Store) Reset(ctx context.Context, user, campaign string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamCap, campaign, mutate.Until(s.clock.Now(), schema.CapWindow), []byte("0"))
	m.DeleteCellsInColumn(schema.FamCap, campaign) // want ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, rowKey(user), m)
}

// ResetOther clears another column.
func (s *Store) ResetOther(ctx context.Context, user, campaign string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamCap, campaign, mutate.Until(s.clock.Now(), schema.CapWindow), []byte("0"))
	m.DeleteCellsInColumn(schema.FamCap, campaign+"/old") // ok ttlwrite/delete-after-set
	m.DeleteCellsInFamily(schema.FamSeg)                  // ok ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, rowKey(user), m)
}

// Count increments the impressions of a campaign.
func (s *Store) Count(ctx context.Context, user, campaign string, n int64) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamCap, campaign, n) // want ttlwrite/read-modify-write
	row, err := s.tbl.ApplyReadModifyWrite(ctx, rowKey(user), rmw)
	if err != nil {
		return 0, err
	}
	v, _ := bt.First[[]byte](row, schema.FamCap, campaign)
	return mutate.ParseInt(v), nil
}

// CountSegment counts in the ordinary family.
func (s *Store) CountSegment(ctx context.Context, user, segment string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamSeg, segment, 1)                 // ok ttlwrite/read-modify-write
	rmw.AppendValue(schema.FamSeg, "trail", []byte(segment)) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, rowKey(user), rmw)
	return err
}

// CountSeen counts exposures in the default family, which takes server times.
func (s *Store) CountSeen(ctx context.Context, user, creative string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamSeen, creative, 1) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, rowKey(user), rmw)
	return err
}

// Load reads the whole row, each family by its rule.
func (s *Store) Load(ctx context.Context, user string) (*Profile, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(user), bigtable.RowFilter(filters.FreqCap(s.clock.Now()))) // ok ttlread/missing-filter ttlread/hides-other-families
	if err != nil {
		return nil, err
	}
	return decode(row)
}

// LoadAll reads the whole row for the support tool.
func (s *Store) LoadAll(ctx context.Context, user string) (*Profile, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(user)) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decode(row)
}

func decode(row bigtable.Row) (*Profile, error) {
	if len(row) == 0 {
		return nil, ErrNoRow
	}
	p := &Profile{}
	for _, it := range row[schema.FamCap] {
		p.Caps = append(p.Caps, Cap{Campaign: column(it), Shown: mutate.ParseInt(it.Value), Until: it.Timestamp.Time()})
	}
	for _, it := range row[schema.FamSeen] {
		p.Exposures = append(p.Exposures, Exposure{Creative: column(it), Publisher: string(it.Value)})
	}
	for _, it := range row[schema.FamSeg] {
		p.Segments = append(p.Segments, column(it))
	}
	return p, nil
}

func column(it bigtable.ReadItem) string {
	_, c, _ := strings.Cut(it.Column, ":")
	return c
}

// Capped asks for one campaign.
func (s *Store) Capped(ctx context.Context, user, campaign string) (bool, error) {
	f := filters.For(schema.FamCap).Column(campaign).From(s.clock.Now()).Build()
	row, err := s.tbl.ReadRow(ctx, rowKey(user), bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row[schema.FamCap]) > 0, nil
}

// CappedFast was meant to save a round trip through the builder.
func (s *Store) CappedFast(ctx context.Context, user, campaign string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamCap), bigtable.ColumnFilter(campaign), bigtable.LatestNFilter(1))
	row, err := s.tbl.ReadRow(ctx, rowKey(user), bigtable.RowFilter(f)) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row[schema.FamCap]) > 0, nil
}

// CappedByHand compares the moments itself.
func (s *Store) CappedByHand(ctx context.Context, user, campaign string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(user), bigtable.RowFilter(bigtable.FamilyFilter(schema.FamCap))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	now := s.clock.Now()
	for _, it := range row[schema.FamCap] {
		if column(it) == campaign && it.Timestamp.Time().After(now) {
			return true, nil
		}
	}
	return false, nil
}

// Segments touches only the ordinary family.
func (s *Store) Segments(ctx context.Context, user string) ([]string, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(user)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[schema.FamSeg] {
		out = append(out, column(it))
	}
	return out, nil
}

// SegmentsFiltered says so in the filter.
func (s *Store) SegmentsFiltered(ctx context.Context, user string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, rowKey(user), bigtable.RowFilter(bigtable.FamilyFilter(schema.FamSeg))) // ok ttlread/missing-filter
}

// Recent lists exposures of the last week.
func (s *Store) Recent(ctx context.Context, user string) ([]Exposure, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(user), bigtable.RowFilter(filters.Seen(s.clock.Now()))) // ok ttlread/wrong-bound ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return exposures(row), nil
}

func exposures(row bigtable.Row) []Exposure {
	var out []Exposure
	for _, it := range row[schema.FamSeen] {
		out = append(out, Exposure{Creative: column(it), Publisher: string(it.Value)})
	}
	return out
}

// RecentDay uses a day, since that is what the report shows.
func (s *Store) RecentDay(ctx context.Context, user string) ([]Exposure, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamSeen), filters.Since(s.clock.Now(), 30*24*time.Hour)) // want ttlread/wrong-bound[recentday]
	row, err := s.tbl.ReadRow(ctx, rowKey(user), bigtable.RowFilter(f))                                              // want ttlread/wrong-bound[recentday]
	if err != nil {
		return nil, err
	}
	return exposures(row), nil
}

// RecentLive reuses the wrong helper: the family has no moments of expiry.
func (s *Store) RecentLive(ctx context.Context, user string) ([]Exposure, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(user), bigtable.RowFilter(filters.LiveFamily(schema.FamSeen, s.clock.Now()))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return exposures(row), nil
}

// CapsOfWindow does the reverse.
func (s *Store) CapsOfWindow(ctx context.Context, user string) (bigtable.Row, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamCap), filters.Since(s.clock.Now(), schema.CapWindow)) // want ttlread/wrong-bound[capwin]
	return s.tbl.ReadRow(ctx, rowKey(user), bigtable.RowFilter(f))                                                   // want ttlread/wrong-bound[capwin]
}

// CapsBetween thinks of the timestamps as of the time of the impression.
func (s *Store) CapsBetween(ctx context.Context, user string) (bigtable.Row, error) {
	now := s.clock.Now()
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamCap), bigtable.TimestampRangeFilter(time.Time{}, now)) // want ttlread/expired-only[capbetween]
	return s.tbl.ReadRow(ctx, rowKey(user), bigtable.RowFilter(f))                                                    // want ttlread/expired-only[capbetween]
}

// CapsUpTo hides the long campaigns.
func (s *Store) CapsUpTo(ctx context.Context, user string) (bigtable.Row, error) {
	now := s.clock.Now()
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamCap), bigtable.TimestampRangeFilter(now, now.Add(time.Hour))) // want ttlread/upper-bound[capupto]
	return s.tbl.ReadRow(ctx, rowKey(user), bigtable.RowFilter(f))                                                           // want ttlread/upper-bound[capupto]
}

// CapsUpToMax reaches beyond the longest usual life.
func (s *Store) CapsUpToMax(ctx context.Context, user string) (bigtable.Row, error) {
	now := s.clock.Now()
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamCap), bigtable.TimestampRangeFilter(now, now.Add(48*time.Hour))) // ok ttlread/upper-bound
	return s.tbl.ReadRow(ctx, rowKey(user), bigtable.RowFilter(f))                                                              // ok ttlread/upper-bound
}

// Both passes two filters.
func (s *Store) Both(ctx context.Context, user string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, rowKey(user), bigtable.RowFilter(filters.LiveFamily(schema.FamCap, s.clock.Now())), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/overridden-filter // maybe ttlread/missing-filter
}

// OneFilter passes one filter and a limit.
func (s *Store) OneFilter(ctx context.Context, prefix string) (n int, err error) {
	err = s.tbl.ReadRows(ctx, bigtable.PrefixRange(rowKey(prefix)), func(r bigtable.Row) bool {
		n += len(r[schema.FamCap])
		return true
	}, bigtable.RowFilter(filters.LiveFamily(schema.FamCap, s.clock.Now())), bigtable.LimitRows(1000)) // ok ttlread/overridden-filter ttlread/missing-filter
	return n, err
}

// BareRange loses the segments of the row.
func (s *Store) BareRange(ctx context.Context, user string) (*Profile, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(user), bigtable.RowFilter(filters.Live(s.clock.Now()))) // want ttlread/hides-other-families // maybe ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return decode(row)
}

// BareRangeCaps wants the caps only.
func (s *Store) BareRangeCaps(ctx context.Context, user string) (int, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(user), bigtable.RowFilter(filters.Live(s.clock.Now()))) // ok ttlread/hides-other-families ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	return len(row[schema.FamCap]), nil
}

// FirstCaps limits before it filters.
func (s *Store) FirstCaps(ctx context.Context, user string, n int) (bigtable.Row, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamCap), bigtable.CellsPerRowLimitFilter(10), filters.Live(s.clock.Now())) // want ttlread/limit-before-filter[firstcaps]
	return s.tbl.ReadRow(ctx, rowKey(user), bigtable.RowFilter(f))                                                                     // want ttlread/limit-before-filter[firstcaps]
}

// FirstCapsRight filters before it limits.
func (s *Store) FirstCapsRight(ctx context.Context, user string, n int) (bigtable.Row, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamCap), filters.Live(s.clock.Now()), bigtable.CellsPerRowLimitFilter(10)) // ok ttlread/limit-before-filter
	return s.tbl.ReadRow(ctx, rowKey(user), bigtable.RowFilter(f))
}

// Mixed leaves a branch open.
func (s *Store) Mixed(ctx context.Context, user string) (*Profile, error) {
	f := bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[mixed]
		filters.LiveFamily(schema.FamCap, s.clock.Now()),
		bigtable.FamilyFilter(schema.FamSeen), // want ttlread/unfiltered-branch[mixed]
		bigtable.FamilyFilter(schema.FamSeg),  // ok ttlread/unfiltered-branch
	)
	row, err := s.tbl.ReadRow(ctx, rowKey(user), bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[mixed]
	if err != nil {
		return nil, err
	}
	return decode(row)
}

// Flagged chooses by a feature flag which reader is used.
func (s *Store) Flagged(ctx context.Context, user string) (*Profile, error) {
	opts := []bigtable.ReadOption{}
	if s.flags.Enabled("live-reads") {
		opts = append(opts, bigtable.RowFilter(filters.FreqCap(s.clock.Now())))
	}
	row, err := s.tbl.ReadRow(ctx, rowKey(user), opts...) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decode(row)
}

// FlaggedBoth is right in both branches.
func (s *Store) FlaggedBoth(ctx context.Context, user string) (*Profile, error) {
	now := s.clock.Now()
	f := filters.FreqCap(now)
	if s.flags.Enabled("caps-only") {
		f = filters.LiveFamily(schema.FamCap, now)
	}
	row, err := s.tbl.ReadRow(ctx, rowKey(user), bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decode(row)
}

// Debug reads with the option of the debug flag.
func (s *Store) Debug(ctx context.Context, user string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, rowKey(user), filters.CapOrAll(true, s.clock.Now())) // want ttlread/missing-filter
}

// Normal reads with the same helper.
func (s *Store) Normal(ctx context.Context, user string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, rowKey(user), filters.CapOrAll(false, s.clock.Now())) // ok ttlread/missing-filter
}

// Purge deletes what is left of a campaign.
func (s *Store) Purge(ctx context.Context, campaign string) error {
	var keys []string
	var muts []*bigtable.Mutation
	err := s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		m.DeleteCellsInColumn(schema.FamCap, campaign)
		keys = append(keys, r.Key())
		muts = append(muts, m)
		return true
	}, bigtable.RowFilter(bigtable.ColumnFilter(campaign)))
	if err != nil {
		return fmt.Errorf("purge %s: %w", campaign, err)
	}
	_, err = s.tbl.ApplyBulk(ctx, keys, muts)
	return err
}

// Users counts the rows.
func (s *Store) Users(ctx context.Context) (n int, err error) {
	err = s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(bigtable.Row) bool { // ok ttlread/missing-filter
		n++
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	return n, err
}

// Known is an existence test: dead rows exist.
func (s *Store) Known(ctx context.Context, user string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())
	row, err := s.tbl.ReadRow(ctx, rowKey(user), bigtable.RowFilter(f)) // want ttlread/missing-filter
	return len(row) > 0, err
}
