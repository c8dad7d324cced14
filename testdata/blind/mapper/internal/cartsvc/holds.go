package cartsvc

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"marketmap.example/market/internal/mapper"
	"marketmap.example/market/internal/model"
	"marketmap.example/market/internal/schema"
)

// started is when this process came up.
var started = time.Now() // want ttlwrite/stale-clock[boot]

// sinceStart was meant to save building the filter for every request.
var sinceStart = bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamHold), bigtable.TimestampRangeFilter(time.Now(), time.Time{})) // want ttlread/stale-bound[sincestart]

// lease is the timestamp of leases.
var (
	leaseOnce sync.Once
	leaseTS   bigtable.Timestamp // want ttlwrite/stale-clock[lease]
)

func lease() bigtable.Timestamp {
	leaseOnce.Do(func() { leaseTS = bigtable.Time(time.Now().Add(schema.HoldTTL)) }) // want ttlwrite/stale-clock[lease]
	return leaseTS
}

// Hold holds pieces of a listing.
func (s *Service) Hold(ctx context.Context, listing, buyer string, pieces int64) error {
	h := &model.Hold{Listing: listing, Buyer: buyer, Pieces: pieces}
	ok, err := s.holds.Insert(ctx, h) // want ttlread/conditional-mutation[insert]
	if err != nil {
		return err
	}
	if !ok {
		return ErrHeld
	}
	return nil
}

// Extend gives a hold more time.
func (s *Service) Extend(ctx context.Context, listing string) (time.Time, error) {
	h := &model.Hold{Listing: listing}
	if err := s.holds.Get(ctx, holdKey(listing), h); err != nil { // want ttlread/missing-filter[gethold]
		return time.Time{}, err
	}
	h.ExpiresAt = time.Now().Add(schema.HoldTTL)
	if err := s.holds.Replace(ctx, h); err != nil { // ok ttlwrite/write-time
		return time.Time{}, err
	}
	return h.ExpiresAt, nil
}

// Current is the hold on a listing.
func (s *Service) Current(ctx context.Context, listing string) (*model.Hold, error) {
	h := &model.Hold{Listing: listing}
	err := s.holds.Get(ctx, holdKey(listing), h, bigtable.FamilyFilter(schema.FamHold), live()) // ok ttlread/missing-filter
	if errors.Is(err, mapper.ErrNotFound) {
		return nil, nil
	}
	return h, err
}

// CurrentBy is the hold on a listing if it is the buyer's.
func (s *Service) CurrentBy(ctx context.Context, listing, buyer string) (bool, error) {
	h := &model.Hold{Listing: listing}
	err := s.holds.Get(ctx, holdKey(listing), h, mapper.Where().Family(schema.FamHold).Live().Filter()) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return h.Buyer == buyer, nil
}

// Reserve is for clerks in the shops.
func (s *Service) Reserve(ctx context.Context, listing, clerk string) error {
	r := &model.Reservation{Listing: listing, Clerk: clerk}
	return s.reservations.Save(ctx, r) // want ttlwrite/write-time[reserve]
}

// ReserveUntil is for clerks who know better.
func (s *Service) ReserveUntil(ctx context.Context, listing, clerk string, hours int) (bool, error) {
	until := s.now().Add(time.Duration(hours) * time.Hour)
	return s.reservations.Insert(ctx, &model.Reservation{Listing: listing, Clerk: clerk, Until: until}) // want ttlread/conditional-mutation[insert] // want ttlwrite/write-time[reserve]
}

// Place holds a listing without the mapper, for the fast path.
func (s *Service) Place(ctx context.Context, listing, buyer string, pieces int) error {
	until := bigtable.Time(s.now().Add(schema.HoldTTL))
	set := bigtable.NewMutation()
	set.DeleteCellsInColumn(schema.FamHold, "buyer")                                             // ok ttlwrite/delete-after-set
	set.Set(schema.FamHold, "buyer", until, []byte(buyer))                                       // ok ttlwrite/write-time
	set.Set(schema.FamHold, "pieces", until, binary.BigEndian.AppendUint64(nil, uint64(pieces))) // ok ttlwrite/same-timestamp
	var held bool
	cond := bigtable.NewCondMutation(liveIn(schema.FamHold), nil, set) // ok ttlread/conditional-mutation
	if err := s.tbl.Apply(ctx, holdKey(listing), cond, bigtable.GetCondMutationResult(&held)); err != nil {
		return fmt.Errorf("holding %s: %w", listing, err)
	}
	if held {
		return ErrHeld
	}
	s.mu.Lock()
	s.pending[listing] += pieces
	s.mu.Unlock()
	return nil
}

// Steal takes over the hold of a buyer.
func (s *Service) Steal(ctx context.Context, listing, from, to string) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(schema.FamHold, "buyer", bigtable.Now(), []byte(to))                                                                                                         // want ttlwrite/write-time
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamHold), bigtable.ColumnFilter("buyer"), bigtable.ValueFilter(from)), set, nil) // want ttlread/conditional-mutation
	var ok bool
	err := s.tbl.Apply(ctx, holdKey(listing), cond, bigtable.GetCondMutationResult(&ok))
	return ok, err
}

// Release drops the hold of a buyer.
func (s *Service) Release(ctx context.Context, listing, buyer string) error {
	del := bigtable.NewMutation()
	del.DeleteCellsInFamily(schema.FamHold)
	mine := bigtable.ChainFilters(bigtable.ColumnFilter("buyer"), bigtable.ValueFilter(buyer))
	return s.tbl.Apply(ctx, holdKey(listing), bigtable.NewCondMutation(mine, del, nil)) // ok ttlread/conditional-mutation
}

// Kill ends a hold at once.
func (s *Service) Kill(ctx context.Context, listing string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamHold, "buyer", bigtable.Time(s.now().Add(-time.Minute)), nil) // want ttlwrite/already-expired
	return s.tbl.Apply(ctx, holdKey(listing), mut)
}

// Forget leaves nothing of a hold but a tombstone.
func (s *Service) Forget(ctx context.Context, listing string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(schema.FamHold)                         // ok ttlwrite/delete-after-set
	mut.Set(schema.FamHold, "gone", expiry(time.Hour), []byte("1")) // ok ttlwrite/already-expired
	return s.tbl.Apply(ctx, holdKey(listing), mut)
}

// Label appends a label to a hold.
func (s *Service) Label(ctx context.Context, listing, label string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(schema.FamHold, "labels", []byte(","+label)) // want ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, holdKey(listing), rmw)
	return err
}

// Lease holds a listing for this process.
func (s *Service) Lease(ctx context.Context, listing, host string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamHold, "lease", lease(), []byte(host)) // want ttlwrite/stale-clock[lease]
	return s.tbl.Apply(ctx, holdKey(listing), mut)
}

// Boot holds a listing from the time this process came up.
func (s *Service) Boot(ctx context.Context, listing, host string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamHold, "boot", bigtable.Time(started.Add(schema.HoldTTL)), []byte(host)) // want ttlwrite/stale-clock[boot]
	return s.tbl.Apply(ctx, holdKey(listing), mut)
}

// Uptime is for the health page.
func (s *Service) Uptime() time.Duration { return time.Since(started) } // ok ttlwrite/stale-clock

// Held says who holds a listing.
func (s *Service) Held(ctx context.Context, listing string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, holdKey(listing), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[schema.FamHold] {
		if it.Column == "hold:buyer" {
			return string(it.Value), nil
		}
	}
	return "", nil
}

// HeldNow says who holds a listing, and until when.
func (s *Service) HeldNow(ctx context.Context, listing string) (string, time.Time, error) {
	row, err := s.tbl.ReadRow(ctx, holdKey(listing)) // ok ttlread/missing-filter
	if err != nil {
		return "", time.Time{}, err
	}
	for _, it := range row[schema.FamHold] {
		if it.Column == "hold:buyer" && it.Timestamp > bigtable.Now() {
			return string(it.Value), it.Timestamp.Time(), nil
		}
	}
	return "", time.Time{}, nil
}

// Holds are all holds.
func (s *Service) Holds(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("hold#"), func(row bigtable.Row) bool { // want ttlread/stale-bound[sincestart]
		for _, it := range row[schema.FamHold] {
			out[row.Key()] = string(it.Value)
		}
		return true
	}, bigtable.RowFilter(sinceStart)) // want ttlread/stale-bound[sincestart]
	return out, err
}

// Ending are holds that end within ten minutes.
func (s *Service) Ending(ctx context.Context) (map[string]string, error) {
	now := s.now()
	out := map[string]string{}
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamHold), bigtable.TimestampRangeFilter(now, now.Add(10*time.Minute))) // want ttlread/upper-bound[ending]
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("hold#"), func(row bigtable.Row) bool {                                        // want ttlread/upper-bound[ending]
		for _, it := range row[schema.FamHold] {
			out[row.Key()] = string(it.Value)
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/upper-bound[ending]
	return out, err
}

// Sane are holds that end within a day: everything else is a clerk's slip.
func (s *Service) Sane(ctx context.Context) (map[string]string, error) {
	now := s.now()
	out := map[string]string{}
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamHold), bigtable.TimestampRangeFilter(now, now.Add(24*time.Hour)))
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("hold#"), func(row bigtable.Row) bool {
		for _, it := range row[schema.FamHold] {
			out[row.Key()] = string(it.Value)
		}
		return true
	}, bigtable.RowFilter(f)) // ok ttlread/upper-bound
	return out, err
}

// Recent are the holds of the last hour.
func (s *Service) Recent(ctx context.Context) ([]string, error) {
	var out []string
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamHold),
		bigtable.TimestampRangeFilter(time.Time{}, s.now()), // want ttlread/expired-only[recent]
	)
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("hold#"), func(row bigtable.Row) bool { // want ttlread/expired-only[recent]
		out = append(out, string(row[schema.FamHold][0].Value))
		return true
	}, bigtable.RowFilter(f)) // want ttlread/expired-only[recent]
	return out, err
}

// TopHolds are the first cells of the holds.
func (s *Service) TopHolds(ctx context.Context) ([]string, error) {
	var out []string
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamHold), bigtable.CellsPerRowLimitFilter(2), live()) // want ttlread/limit-before-filter[topholds]
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("hold#"), func(row bigtable.Row) bool {                       // want ttlread/limit-before-filter[topholds]
		for _, it := range row[schema.FamHold] {
			out = append(out, string(it.Value))
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/limit-before-filter[topholds]
	return out, err
}

// FirstHolds are the first living cells of the holds.
func (s *Service) FirstHolds(ctx context.Context) ([]string, error) {
	var out []string
	q := mapper.Where().Family(schema.FamHold).Live().PerRow(2)
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("hold#"), func(row bigtable.Row) bool {
		for _, it := range row[schema.FamHold] {
			out = append(out, string(it.Value))
		}
		return true
	}, q.Options()...) // ok ttlread/limit-before-filter
	return out, err
}

// Unstamped are holds that an old release wrote without a timestamp of their own.
func (s *Service) Unstamped(ctx context.Context) (n int, err error) {
	err = s.tbl.ReadRows(ctx, bigtable.PrefixRange("hold#"), func(row bigtable.Row) bool {
		for _, it := range row[schema.FamHold] {
			if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
				n++
			}
		}
		return true
	}, bigtable.RowFilter(liveIn(schema.FamHold))) // ok ttlread/missing-filter
	return n, err
}

// LegacyHold writes a hold where the old shop sees it.
func (s *Service) LegacyHold(ctx context.Context, listing, buyer string) error {
	if err := s.old.Save(ctx, &model.LegacyHold{Listing: listing, Buyer: buyer}); err != nil { // ok ttlwrite/write-time
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(schema.FamHold, "by", bigtable.ServerTime, []byte(buyer)) // ok ttlwrite/server-timestamp
	mut.Set(schema.FamItem, "n", 0, []byte("1"))                      // ok ttlwrite/already-expired
	return s.legacy.Apply(ctx, "h/"+listing, mut)
}

// LegacyHolds are the holds of the old shop.
func (s *Service) LegacyHolds(ctx context.Context) ([]string, error) {
	var out []string
	err := s.legacy.ReadRows(ctx, bigtable.PrefixRange("h/"), func(row bigtable.Row) bool {
		for _, it := range row[schema.FamHold] {
			out = append(out, string(it.Value)+" since "+it.Timestamp.Time().Format(time.RFC3339)) // ok ttlage/not-write-time
		}
		return true
	}) // ok ttlread/missing-filter
	return out, err
}

// WriteHold writes a hold into whatever table the caller has.
func WriteHold(ctx context.Context, tbl *bigtable.Table, key string, ts bigtable.Timestamp, buyer string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamHold, "buyer", ts, []byte(buyer)) // ok ttlwrite/write-time
	return tbl.Apply(ctx, key, mut)
}

// ReadHold reads a hold with whatever options the caller has.
func ReadHold(ctx context.Context, tbl *bigtable.Table, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return tbl.ReadRow(ctx, key, opts...) // ok ttlread/missing-filter
}
