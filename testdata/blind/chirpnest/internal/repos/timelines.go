package repos

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/chirpnest/internal/bt"
	"example.com/chirpnest/internal/dto"
	"example.com/chirpnest/internal/tables"
	"example.com/chirpnest/internal/utils/cursor"
	"example.com/chirpnest/internal/utils/strutil"
)

const timelineTTL = 14 * 24 * time.Hour

var (
	// startedAt is when this replica came up.
	startedAt = time.Now() // want ttlwrite/stale-clock[boot]

	// recentOnly is shared by all readers; building it is not free.
	recentOnly = bigtable.TimestampRangeFilter(time.Now().Add(-timelineTTL), time.Time{}) // want ttlread/stale-bound[recent]
)

// TimelineRepo keeps entries for two weeks and the read position at zero.
type TimelineRepo struct {
	tbl   *bigtable.Table
	clock func() time.Time
}

func NewTimelineRepo(deps Deps) *TimelineRepo {
	return &TimelineRepo{tbl: deps.Client.Open(tables.Timelines), clock: deps.Clock}
}

func timelineKey(userID string) string { return strutil.Key("t", userID) }

func mapEntries(row bigtable.Row) []dto.TimelineEntry {
	var out []dto.TimelineEntry
	for _, it := range row[tables.FamEntry] {
		var e dto.TimelineEntry
		if json.Unmarshal(it.Value, &e) != nil {
			continue
		}
		e.GoneAt = it.Timestamp.Time().Add(timelineTTL) // ok ttlage/not-write-time
		out = append(out, e)
	}
	return out
}

func mapPosition(row bigtable.Row) string {
	return bt.Text(row, tables.FamCursor, "pos")
}

// Push adds an entry.
func (r *TimelineRepo) Push(ctx context.Context, userID string, e dto.TimelineEntry) error {
	return bt.Put(ctx, r.tbl, timelineKey(userID), tables.FamEntry, e.PostID, bt.Stamp(), bt.JSON(e)) // ok ttlwrite/write-time
}

// PushAll fans an entry out.
func (r *TimelineRepo) PushAll(ctx context.Context, userIDs []string, e dto.TimelineEntry) error {
	muts := make([]*bigtable.Mutation, 0, len(userIDs))
	keys := make([]string, 0, len(userIDs))
	now := bigtable.Time(r.clock())
	for _, u := range userIDs {
		mut := bigtable.NewMutation()
		mut.Set(tables.FamEntry, e.PostID, now, bt.JSON(e)) // ok ttlwrite/same-timestamp
		muts = append(muts, mut)
		keys = append(keys, timelineKey(u))
	}
	errs, err := r.tbl.ApplyBulk(ctx, keys, muts)
	if err != nil {
		return err
	}
	for i, e := range errs {
		if e != nil {
			return fmt.Errorf("push to %s: %w", keys[i], e)
		}
	}
	return nil
}

// Backfill marks what was there when the replica came up.
func (r *TimelineRepo) Backfill(ctx context.Context, userID string, e dto.TimelineEntry) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamEntry, e.PostID, bigtable.Time(startedAt), bt.JSON(e)) // want ttlwrite/stale-clock[boot]
	return r.tbl.Apply(ctx, timelineKey(userID), mut)
}

// Promote keeps an entry for three days only.
func (r *TimelineRepo) Promote(ctx context.Context, userID string, e dto.TimelineEntry) error {
	return bt.Replace(ctx, r.tbl, timelineKey(userID), bt.Cell{Family: tables.FamEntry, Column: e.PostID, TS: bt.Shifted(72*time.Hour, timelineTTL), Value: bt.JSON(e)}) // ok ttlwrite/already-expired
}

// Demote is meant to drop an entry soon.
func (r *TimelineRepo) Demote(ctx context.Context, userID string, e dto.TimelineEntry) error {
	return bt.Replace(ctx, r.tbl, timelineKey(userID), bt.Cell{Family: tables.FamEntry, Column: e.PostID, TS: bt.Shifted(0, timelineTTL), Value: bt.JSON(e)}) // want ttlwrite/already-expired
}

// SaveRead remembers how far a user read.
func (r *TimelineRepo) SaveRead(ctx context.Context, userID, pos string) error {
	return bt.Put(ctx, r.tbl, timelineKey(userID), tables.FamCursor, "pos", bt.Zero, []byte(pos)) // ok ttlwrite/clock-in-zero
}

// SaveReadAt is what the mobile app calls when it comes back.
func (r *TimelineRepo) SaveReadAt(ctx context.Context, userID, pos string, at time.Time) error {
	return bt.Put(ctx, r.tbl, timelineKey(userID), tables.FamCursor, "pos", bigtable.Time(at), []byte(pos)) // want ttlwrite/clock-in-zero[readat]
}

// FindPage is a page of the timeline.
func (r *TimelineRepo) FindPage(ctx context.Context, userID string, c cursor.Cursor) ([]dto.TimelineEntry, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(tables.FamEntry),
		bt.YoungerThan(timelineTTL),
		bigtable.CellsPerRowLimitFilter(c.Limit),
	)
	row, err := r.tbl.ReadRow(ctx, timelineKey(userID), bigtable.RowFilter(f)) // ok ttlread/limit-before-filter
	if err != nil {
		return nil, err
	}
	return mapEntries(row), nil
}

// FindTop is the first screen.
func (r *TimelineRepo) FindTop(ctx context.Context, userID string) ([]dto.TimelineEntry, error) {
	f := bigtable.ChainFilters( // want ttlread/limit-before-filter[top]
		bigtable.FamilyFilter(tables.FamEntry),
		bigtable.CellsPerRowLimitFilter(20), // want ttlread/limit-before-filter[top]
		bt.YoungerThan(timelineTTL),
	)
	row, err := r.tbl.ReadRow(ctx, timelineKey(userID), bigtable.RowFilter(f)) // want ttlread/limit-before-filter[top]
	if err != nil {
		return nil, err
	}
	return mapEntries(row), nil
}

// FindNext skips what was read already.
func (r *TimelineRepo) FindNext(ctx context.Context, userID string, skip int) ([]dto.TimelineEntry, error) {
	fs := []bigtable.Filter{bigtable.CellsPerRowOffsetFilter(skip), bt.YoungerThan(timelineTTL)}       // want ttlread/limit-before-filter[next]
	row, err := r.tbl.ReadRow(ctx, timelineKey(userID), bt.Where(bt.InFamily(tables.FamEntry, fs...))) // want ttlread/limit-before-filter[next]
	if err != nil {
		return nil, err
	}
	return mapEntries(row), nil
}

// FindShared uses the shared filter.
func (r *TimelineRepo) FindShared(ctx context.Context, userID string) ([]dto.TimelineEntry, error) {
	row, err := r.tbl.ReadRow(ctx, timelineKey(userID), bt.Where(bt.InFamily(tables.FamEntry, recentOnly))) // want ttlread/stale-bound[recent]
	if err != nil {
		return nil, err
	}
	return mapEntries(row), nil
}

// FindWithPosition has the position with the entries.
func (r *TimelineRepo) FindWithPosition(ctx context.Context, userID string) ([]dto.TimelineEntry, string, error) {
	row, err := r.tbl.ReadRow(ctx, timelineKey(userID), bigtable.RowFilter(bt.YoungerThan(timelineTTL))) // want ttlread/hides-other-families
	if err != nil {
		return nil, "", err
	}
	return mapEntries(row), mapPosition(row), nil
}

// FindEntries needs the entries only.
func (r *TimelineRepo) FindEntries(ctx context.Context, userID string) ([]dto.TimelineEntry, error) {
	row, err := r.tbl.ReadRow(ctx, timelineKey(userID), bigtable.RowFilter(bt.YoungerThan(timelineTTL))) // ok ttlread/hides-other-families
	if err != nil {
		return nil, err
	}
	return mapEntries(row), nil
}

// FindPosition reads the position.
func (r *TimelineRepo) FindPosition(ctx context.Context, userID string) (string, error) {
	row, err := r.tbl.ReadRow(ctx, timelineKey(userID)) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return mapPosition(row), nil
}

// FindResume is what the app calls when it opens.
func (r *TimelineRepo) FindResume(ctx context.Context, userID string) ([]dto.TimelineEntry, string, error) {
	row, err := r.tbl.ReadRow(ctx, timelineKey(userID), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return nil, "", err
	}
	return mapEntries(row), mapPosition(row), nil
}

// FindSplit reads each family by its rule.
func (r *TimelineRepo) FindSplit(ctx context.Context, userID string) ([]dto.TimelineEntry, string, error) {
	row, err := r.tbl.ReadRow(ctx, timelineKey(userID), bt.Where(bt.AnyOf( // ok ttlread/unfiltered-branch
		bt.InFamily(tables.FamEntry, bt.YoungerThan(timelineTTL)),
		bigtable.FamilyFilter(tables.FamCursor),
	)))
	if err != nil {
		return nil, "", err
	}
	return mapEntries(row), mapPosition(row), nil
}

// FindIfRead has entries only for users that have a position.
func (r *TimelineRepo) FindIfRead(ctx context.Context, userID string) ([]dto.TimelineEntry, error) {
	f := bigtable.ConditionFilter( // want ttlread/unfiltered-branch[ifread]
		bt.InFamily(tables.FamEntry, bt.YoungerThan(timelineTTL)),
		bigtable.FamilyFilter(tables.FamEntry), // want ttlread/unfiltered-branch[ifread]
		bigtable.BlockAllFilter(),
	)
	row, err := r.tbl.ReadRow(ctx, timelineKey(userID), bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[ifread]
	if err != nil {
		return nil, err
	}
	return mapEntries(row), nil
}

// FindIfPosition bounds the branch.
func (r *TimelineRepo) FindIfPosition(ctx context.Context, userID string) ([]dto.TimelineEntry, error) {
	f := bigtable.ConditionFilter(
		bigtable.FamilyFilter(tables.FamCursor),
		bt.InFamily(tables.FamEntry, bt.YoungerThan(timelineTTL)),
		bigtable.BlockAllFilter(),
	)
	row, err := r.tbl.ReadRow(ctx, timelineKey(userID), bigtable.RowFilter(f)) // ok ttlread/unfiltered-branch
	if err != nil {
		return nil, err
	}
	return mapEntries(row), nil
}

// Uptime is for the health page.
func Uptime() time.Duration { return time.Since(startedAt) } // ok ttlwrite/stale-clock
