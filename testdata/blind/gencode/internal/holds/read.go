package holds

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/hotelbook/gen/btrt"
	"example.com/hotelbook/gen/holdsbt"
	"example.com/hotelbook/internal/btx"
)

// started is when this replica came up.
var started = time.Now() // want ttlread/stale-bound[since]

var sinceStart = bigtable.TimestampRangeFilter(started, time.Time{}) // want ttlread/stale-bound[since]

// Get returns the hold of a room.
func (s *Service) Get(ctx context.Context, k string) (*holdsbt.Row, error) {
	return s.tbl.ReadRow(ctx, k, bigtable.RowFilter(btx.Live())) // ok ttlread/missing-filter
}

// Peek returns the hold of a room for the desk.
func (s *Service) Peek(ctx context.Context, k string) (*holdsbt.Row, error) {
	return s.tbl.ReadRow(ctx, k) // want ttlread/missing-filter
}

// Latest returns the newest hold of a room.
func (s *Service) Latest(ctx context.Context, k string) (*holdsbt.Row, error) {
	return s.tbl.ReadRow(ctx, k, btx.Newest(1)) // want ttlread/missing-filter
}

// Best returns the live hold that ends last.
func (s *Service) Best(ctx context.Context, k string) (*holdsbt.Row, error) {
	f := bigtable.ChainFilters(btx.Live(), bigtable.LatestNFilter(1))
	return s.tbl.ReadRow(ctx, k, bigtable.RowFilter(f)) // ok ttlread/missing-filter
}

// Recent returns holds as the rates service reads its quotes.
func (s *Service) Recent(ctx context.Context, k string) (*holdsbt.Row, error) {
	return s.tbl.ReadRow(ctx, k, bigtable.RowFilter(btx.Within(holdTTL))) // want ttlread/wrong-bound
}

// SinceStart returns what was placed on this replica.
func (s *Service) SinceStart(ctx context.Context, k string) (*holdsbt.Row, error) {
	return s.tbl.ReadRow(ctx, k, bigtable.RowFilter(sinceStart)) // want ttlread/stale-bound[since]
}

// Graceful lets holds pass that ended within GC's second.
func (s *Service) Graceful(ctx context.Context, k string) (*holdsbt.Row, error) {
	return s.tbl.ReadRow(ctx, k, bigtable.RowFilter(btx.Within(time.Second))) // ok ttlread/wrong-bound
}

// Both reads with two filters.
func (s *Service) Both(ctx context.Context, k string) (*holdsbt.Row, error) {
	return s.tbl.ReadRow(ctx, k, bigtable.RowFilter(btx.Live()), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/overridden-filter
}

// Room lists the live holds of a room.
func (s *Service) Room(ctx context.Context, hotel, room string) ([]holdsbt.Row, error) {
	prefix := bigtable.PrefixRange(hotel + "#" + room + "#")
	return btrt.Collect[holdsbt.Row](ctx, s.tbl.Raw(), prefix, bigtable.RowFilter(btx.Live())) // ok ttlread/missing-filter
}

// Hotel lists the holds of a hotel.
func (s *Service) Hotel(ctx context.Context, hotel string) ([]holdsbt.Row, error) {
	return btrt.Collect[holdsbt.Row](ctx, s.tbl.Raw(), bigtable.PrefixRange(hotel+"#")) // want ttlread/missing-filter
}

// Page lists some of the live holds of a hotel.
func (s *Service) Page(ctx context.Context, hotel string, n int64) ([]holdsbt.Row, error) {
	opts := btx.LiveOptions(bigtable.LimitRows(n))
	return btrt.Collect[holdsbt.Row](ctx, s.tbl.Raw(), bigtable.PrefixRange(hotel+"#"), opts...) // ok ttlread/overridden-filter
}

// Guests lists the guests that hold rooms.
func (s *Service) Guests(ctx context.Context, hotel string) (map[string]int, error) {
	out := map[string]int{}
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(hotel+"#"), func(r *holdsbt.Row) bool { // want ttlread/missing-filter[guests]
		if r.Hold != nil {
			out[r.Hold.Guest]++
		}
		return true
	}, bigtable.RowFilter(bigtable.ColumnFilter(holdsbt.ColHoldGuest))) // want ttlread/missing-filter[guests]
	return out, err
}

// LiveGuests lists the guests that hold rooms now.
func (s *Service) LiveGuests(ctx context.Context, hotel string) (map[string]int, error) {
	out := map[string]int{}
	f := bigtable.ChainFilters(bigtable.ColumnFilter(holdsbt.ColHoldGuest), btx.Live())
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(hotel+"#"), func(r *holdsbt.Row) bool { // ok ttlread/missing-filter
		if r.Hold != nil {
			out[r.Hold.Guest]++
		}
		return true
	}, bigtable.RowFilter(f))
	return out, err
}

// EndingSoon lists holds that end within five minutes, for the reminder.
func (s *Service) EndingSoon(ctx context.Context, hotel string) ([]holdsbt.Row, error) {
	now := s.now()
	f := bigtable.TimestampRangeFilter(now, now.Add(5*time.Minute))                                            // want ttlread/upper-bound[soon]
	return btrt.Collect[holdsbt.Row](ctx, s.tbl.Raw(), bigtable.PrefixRange(hotel+"#"), bigtable.RowFilter(f)) // want ttlread/upper-bound[soon]
}

// Ending lists holds that end within the usual time.
func (s *Service) Ending(ctx context.Context, hotel string) ([]holdsbt.Row, error) {
	now := s.now()
	f := bigtable.TimestampRangeFilter(now, now.Add(holdTTL))
	return btrt.Collect[holdsbt.Row](ctx, s.tbl.Raw(), bigtable.PrefixRange(hotel+"#"), bigtable.RowFilter(f)) // ok ttlread/upper-bound
}

// UpToNow lists the holds of a hotel until now.
func (s *Service) UpToNow(ctx context.Context, hotel string) ([]holdsbt.Row, error) {
	f := bigtable.TimestampRangeFilter(time.Time{}, s.now())                                                   // want ttlread/expired-only[upto]
	return btrt.Collect[holdsbt.Row](ctx, s.tbl.Raw(), bigtable.PrefixRange(hotel+"#"), bigtable.RowFilter(f)) // want ttlread/expired-only[upto]
}

// Sweep deletes holds that ended, ahead of the garbage collection.
func (s *Service) Sweep(ctx context.Context) (int, error) {
	var keys []string
	var muts []*bigtable.Mutation
	f := bigtable.TimestampRangeFilter(time.Time{}, s.now())
	err := s.tbl.Raw().ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/expired-only
		mut := bigtable.NewMutation()
		for _, it := range r[holdsbt.FamilyHold] {
			mut.DeleteTimestampRange(holdsbt.FamilyHold, btrt.Qualifier(it), 0, it.Timestamp+1000)
		}
		keys, muts = append(keys, r.Key()), append(muts, mut)
		return true
	}, bigtable.RowFilter(f))
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	_, err = s.tbl.Raw().ApplyBulk(ctx, keys, muts)
	return len(keys), err
}

// Taken reports whether a room is on hold.
func (s *Service) Taken(ctx context.Context, k string) (bool, error) {
	row, err := s.tbl.Raw().ReadRow(ctx, k) // want ttlread/missing-filter
	return len(row) > 0, err
}

// TakenNow reports whether a room is on hold.
func (s *Service) TakenNow(ctx context.Context, k string) (bool, error) {
	row, err := s.tbl.Raw().ReadRow(ctx, k, bigtable.RowFilter(btx.Live())) // ok ttlread/missing-filter
	return len(row) > 0, err
}

// Remaining returns how long a hold still lasts.
func (s *Service) Remaining(ctx context.Context, k string) (time.Duration, error) {
	row, err := s.tbl.Raw().ReadRow(ctx, k) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	var left time.Duration
	for _, it := range row[holdsbt.FamilyHold] {
		end := it.Timestamp.Time()
		if end.Before(s.now()) {
			continue
		}
		left = max(left, end.Sub(s.now())) // ok ttlage/not-write-time
	}
	return left, nil
}

// Age returns how long ago a hold was placed.
func (s *Service) Age(ctx context.Context, k string) (time.Duration, error) {
	row, err := btx.Load(ctx, s.tbl.Raw(), k, btx.Live()) // ok ttlread/missing-filter
	if err != nil || row == nil {
		return 0, err
	}
	items := row[holdsbt.FamilyHold]
	if len(items) == 0 {
		return 0, btrt.ErrNotFound
	}
	return time.Since(items[0].Timestamp.Time()), nil // want ttlage/not-write-time
}

// Note returns the note of a hold.
func (s *Service) Note(ctx context.Context, k string) (string, error) {
	row, err := btx.Load(ctx, s.tbl.Raw(), k, bigtable.ColumnFilter(holdsbt.ColHoldNote)) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[holdsbt.FamilyHold] {
		return string(it.Value), nil
	}
	return "", nil
}

// First returns some cell of a hold.
func (s *Service) First(ctx context.Context, k string) (bigtable.Row, error) {
	f := bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), btx.Live()) // want ttlread/limit-before-filter[first]
	return s.tbl.Raw().ReadRow(ctx, k, bigtable.RowFilter(f))                  // want ttlread/limit-before-filter[first]
}

// FirstLive returns some live cell of a hold.
func (s *Service) FirstLive(ctx context.Context, k string) (bigtable.Row, error) {
	f := bigtable.ChainFilters(btx.Live(), bigtable.CellsPerRowLimitFilter(1))
	return s.tbl.Raw().ReadRow(ctx, k, bigtable.RowFilter(f)) // ok ttlread/limit-before-filter
}

// Claim places a hold unless there is one.
func (s *Service) Claim(ctx context.Context, k string, h *holdsbt.Hold) error {
	set := bigtable.NewMutation()
	h.MarshalBigtable(set, btx.ExpireIn(holdTTL))                                          // ok ttlwrite/write-time
	cond := bigtable.NewCondMutation(bigtable.ColumnFilter(holdsbt.ColHoldRoom), nil, set) // want ttlread/conditional-mutation
	var matched bool
	if err := s.tbl.Raw().Apply(ctx, k, cond, bigtable.GetCondMutationResult(&matched)); err != nil {
		return err
	}
	if matched {
		return ErrTaken
	}
	return nil
}

// ClaimLive places a hold unless a live one exists.
func (s *Service) ClaimLive(ctx context.Context, k string, h *holdsbt.Hold) error {
	set := bigtable.NewMutation()
	h.MarshalBigtable(set, btx.ExpireIn(holdTTL)) // ok ttlwrite/write-time
	live := bigtable.ChainFilters(bigtable.ColumnFilter(holdsbt.ColHoldRoom), btx.Live())
	cond := bigtable.NewCondMutation(live, nil, set) // ok ttlread/conditional-mutation
	var matched bool
	if err := s.tbl.Raw().Apply(ctx, k, cond, bigtable.GetCondMutationResult(&matched)); err != nil {
		return err
	}
	if matched {
		return ErrTaken
	}
	return nil
}

// Drop deletes a hold of a guest.
func (s *Service) Drop(ctx context.Context, k, guest string) error {
	del := bigtable.NewMutation()
	del.DeleteCellsInFamily(holdsbt.FamilyHold)
	cond := bigtable.NewCondMutation(bigtable.ValueFilter(guest), del, nil) // ok ttlread/conditional-mutation
	return s.tbl.Raw().Apply(ctx, k, cond)
}
