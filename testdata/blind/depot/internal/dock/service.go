package dock

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/depot/internal/bt"
	"example.com/depot/internal/names"
	"example.com/depot/internal/seqx"
)

// Service is the shell around the slots.
type Service struct {
	slots   *bigtable.Table
	archive *bigtable.Table
	log     *slog.Logger
}

// New opens the tables.
func New(c *bigtable.Client, log *slog.Logger) *Service {
	return &Service{
		slots:   c.Open(names.DockSlots),
		archive: c.Open(names.DockArchive),
		log:     log.With("service", "dock"),
	}
}

// Claim puts a hold on a slot.
func (s *Service) Claim(ctx context.Context, h Hold) error {
	now := bt.Now(ctx)
	m := bigtable.NewMutation()
	bt.Put(m, names.Hold, "by", bt.At(now.Add(HoldFor)), encode(h)) // ok ttlwrite/write-time
	free := bt.LiveOnly(names.Hold, now)
	taken := false
	cond := bigtable.NewCondMutation(free, nil, m) // ok ttlread/conditional-mutation
	err := s.slots.Apply(ctx, h.Slot.Key(), cond, bigtable.GetCondMutationResult(&taken))
	if err != nil {
		return fmt.Errorf("claim %s: %w", h.Slot.Key(), err)
	}
	if taken {
		return ErrTaken
	}
	s.log.InfoContext(ctx, "held", "slot", h.Slot.Key(), "carrier", h.Carrier)
	return nil
}

// ClaimFast is Claim for the gate's tablets, which know of no other holds.
func (s *Service) ClaimFast(ctx context.Context, h Hold) error {
	m := bigtable.NewMutation()
	m.Set(string(names.Hold), "by", bigtable.Time(time.Now().Add(HoldFor)), encode(h)) // ok ttlwrite/write-time
	taken := false
	anyHold := bigtable.ChainFilters(bt.Only(names.Hold), bigtable.ColumnFilter("by")) // want ttlread/conditional-mutation[fast]
	cond := bigtable.NewCondMutation(anyHold, nil, m)                                  // want ttlread/conditional-mutation[fast]
	if err := s.slots.Apply(ctx, h.Slot.Key(), cond, bigtable.GetCondMutationResult(&taken)); err != nil {
		return err
	}
	if taken {
		return ErrTaken
	}
	return nil
}

// Renew gives a hold another quarter of an hour.
func (s *Service) Renew(ctx context.Context, h Hold) error {
	now := bt.Now(ctx)
	m := bigtable.NewMutation()
	bt.Put(m, names.Hold, "by", bt.At(now), encode(h))           // want ttlwrite/write-time
	bt.Put(m, names.Slot, "renewed", bt.Written(now), []byte{1}) // ok ttlwrite/write-time
	return s.slots.Apply(ctx, h.Slot.Key(), m)
}

// RenewUntil moves the end of a hold.
func (s *Service) RenewUntil(ctx context.Context, h Hold, until time.Time) error {
	m := bigtable.NewMutation()
	bt.Replace(m, names.Hold, "by", bt.At(until), encode(h)) // ok ttlwrite/write-time
	return s.slots.Apply(ctx, h.Slot.Key(), m)
}

// Book turns a hold into a booking.
func (s *Service) Book(ctx context.Context, id ID, b Booking) error {
	m := bigtable.NewMutation()
	m.Set(string(names.Slot), "booking", bigtable.Now(), encode(b)) // ok ttlwrite/write-time
	m.DeleteCellsInFamily(string(names.Hold))                       // ok ttlwrite/delete-after-set
	return s.slots.Apply(ctx, id.Key(), m)
}

// Rebook replaces the booking of a slot and keeps it held for the new
// carrier while the papers are checked.
func (s *Service) Rebook(ctx context.Context, id ID, b Booking) error {
	now := bt.Now(ctx)
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(string(names.Slot), "booking")
	m.Set(string(names.Slot), "booking", bigtable.Time(now), encode(b)) // ok ttlwrite/delete-after-set
	bt.Put(m, names.Hold, "by", bt.At(now.Add(5*time.Minute)), encode(Hold{Carrier: b.Carrier, Plate: b.Plate}))
	m.DeleteCellsInFamily(string(names.Hold)) // want ttlwrite/delete-after-set
	return s.slots.Apply(ctx, id.Key(), m)
}

// Cancel gives a slot back, and says so in it.
func (s *Service) Cancel(ctx context.Context, id ID, why string) error {
	m := bigtable.NewMutation()
	m.Set(string(names.Slot), "cancelled", bigtable.ServerTime, []byte(why)) // ok ttlwrite/server-timestamp
	m.DeleteRow()                                                            // want ttlwrite/delete-after-set
	return s.slots.Apply(ctx, id.Key(), m)
}

// ClaimAll holds a run of slots for a convoy.
func (s *Service) ClaimAll(ctx context.Context, ids iter.Seq[ID], h Hold) error {
	writes := seqx.Map(ids, func(id ID) bt.Write {
		m := bigtable.NewMutation()
		m.Set(string(names.Hold), "by", bigtable.ServerTime, encode(h))           // want ttlwrite/server-timestamp
		m.Set(string(names.Slot), "convoy", bigtable.ServerTime, []byte(h.Plate)) // ok ttlwrite/server-timestamp
		return bt.Write{Key: id.Key(), Mut: m}
	})
	return bt.Bulk(ctx, s.slots, writes, 100)
}

// ClaimConvoy is ClaimAll with a moment for all of them.
func (s *Service) ClaimConvoy(ctx context.Context, ids iter.Seq[ID], h Hold, until time.Time) error {
	end := bt.At(until)
	writes := seqx.Map(ids, func(id ID) bt.Write {
		m := bigtable.NewMutation()
		bt.Put(m, names.Hold, "by", end, encode(h)) // ok ttlwrite/server-timestamp
		return bt.Write{Key: id.Key(), Mut: m}
	})
	return bt.Bulk(ctx, s.slots, writes, 100)
}

// Holder is who holds a slot now.
func (s *Service) Holder(ctx context.Context, id ID) (Hold, error) {
	row, err := bt.One(ctx, s.slots, id.Key(), bt.With(bt.LiveOnly(names.Hold, bt.Now(ctx)))) // ok ttlread/missing-filter
	if err != nil {
		return Hold{}, err
	}
	return holdOf(id, row)
}

// LastHolder is who holds a slot, or the one before.
func (s *Service) LastHolder(ctx context.Context, id ID) (Hold, error) {
	row, err := bt.One(ctx, s.slots, id.Key(), bt.With(bt.Newest(names.Hold))) // want ttlread/missing-filter
	if err != nil {
		return Hold{}, err
	}
	return holdOf(id, row)
}

func holdOf(id ID, row bigtable.Row) (Hold, error) {
	v, ok := bt.Value(row, names.Hold, "by")
	if !ok {
		return Hold{}, ErrNoHold
	}
	h, err := decode[Hold](v)
	h.Slot = id
	return h, err
}

// Booking is the booking of a slot.
func (s *Service) Booking(ctx context.Context, id ID) (Booking, error) {
	row, err := bt.One(ctx, s.slots, id.Key()) // ok ttlread/missing-filter
	if err != nil {
		return Booking{}, err
	}
	for it := range bt.Items(row, names.Slot) {
		if bt.Qualifier(it) == "booking" {
			b, err := decode[Booking](it.Value)
			b.Booked = it.Timestamp.Time() // ok ttlage/not-write-time
			return b, err
		}
	}
	return Booking{}, bt.ErrNoRow
}

// Taken is the set of the slots of a dock that somebody holds or has booked.
func (s *Service) Taken(ctx context.Context, dock string, day time.Time) (map[string]bool, error) {
	taken := map[string]bool{}
	prefix := dock + "#" + day.Format("20060102")
	for row, err := range bt.Rows(ctx, s.slots, bigtable.PrefixRange(prefix)) { // want ttlread/missing-filter
		if err != nil {
			return nil, err
		}
		if len(row[string(names.Hold)]) > 0 || len(row[string(names.Slot)]) > 0 {
			taken[row.Key()] = true
		}
	}
	return taken, nil
}

// TakenNow is Taken without the holds that have expired.
func (s *Service) TakenNow(ctx context.Context, dock string, day time.Time) (map[string]bool, error) {
	taken := map[string]bool{}
	prefix := dock + "#" + day.Format("20060102")
	claims := bigtable.InterleaveFilters(
		bt.LiveOnly(names.Hold, bt.Now(ctx)),
		bt.Newest(names.Slot),
	)
	for row, err := range bt.Rows(ctx, s.slots, bigtable.PrefixRange(prefix), bt.With(claims)) { // ok ttlread/missing-filter ttlread/unfiltered-branch
		if err != nil {
			return nil, err
		}
		if len(row[string(names.Hold)]) > 0 || len(row[string(names.Slot)]) > 0 {
			taken[row.Key()] = true
		}
	}
	return taken, nil
}

// Board is what the screen over the gate shows: holds and bookings of a dock.
func (s *Service) Board(ctx context.Context, dock string) iter.Seq2[ID, error] {
	both := bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[board]
		bigtable.ChainFilters(bt.Only(names.Hold), bigtable.LatestNFilter(1)), // want ttlread/unfiltered-branch[board]
		bigtable.ChainFilters(bt.Only(names.Slot), bigtable.LatestNFilter(1)),
	)
	return func(yield func(ID, error) bool) {
		for row, err := range bt.Rows(ctx, s.slots, bigtable.PrefixRange(dock+"#"), bt.With(both, bigtable.StripValueFilter())) { // want ttlread/unfiltered-branch[board]
			if err != nil {
				yield(ID{}, err)
				return
			}
			if len(row[string(names.Hold)])+len(row[string(names.Slot)]) == 0 {
				continue
			}
			id, err := parseKey(row.Key())
			if !yield(id, err) {
				return
			}
		}
	}
}

func parseKey(key string) (ID, error) {
	var dock string
	var day, quarter int
	if _, err := fmt.Sscanf(key, "%s#%d#%d", &dock, &day, &quarter); err != nil {
		return ID{}, fmt.Errorf("key %q: %w", key, err)
	}
	t := time.Date(day/10000, time.Month(day/100%100), day%100, 0, 0, 0, 0, time.UTC)
	return ID{Dock: dock, Day: t, Quarter: quarter}, nil
}

// horizon is as far as the planners look ahead.
const horizon = 10 * time.Minute

// Active yields the holds that matter to the planners.
func (s *Service) Active(ctx context.Context) iter.Seq2[Hold, error] {
	now := bt.Now(ctx)
	soon := bigtable.ChainFilters( // want ttlread/upper-bound[active]
		bt.Only(names.Hold),
		bigtable.TimestampRangeFilter(now, now.Add(horizon)), // want ttlread/upper-bound[active]
	)
	return func(yield func(Hold, error) bool) {
		for row, err := range bt.Rows(ctx, s.slots, bigtable.InfiniteRange(""), bt.With(soon)) { // want ttlread/upper-bound[active]
			if err != nil {
				yield(Hold{}, err)
				return
			}
			for it := range bt.Items(row, names.Hold) {
				h, err := decode[Hold](it.Value)
				h.Until = it.Timestamp.Time() // ok ttlage/not-write-time
				if !yield(h, err) {
					return
				}
			}
		}
	}
}

// Lapsed collects the carriers that let their holds lapse.
func (s *Service) Lapsed(ctx context.Context) (map[string]int, error) {
	now := time.Now()
	dead := bigtable.ChainFilters(bt.Only(names.Hold), bigtable.TimestampRangeFilter(time.Time{}, now)) // want ttlread/expired-only[lapsed]
	counts := map[string]int{}
	var err error
	for row := range seqx.Values(bt.Rows(ctx, s.slots, bigtable.InfiniteRange(""), bt.With(dead)), &err) { // want ttlread/expired-only[lapsed]
		for it := range bt.Items(row, names.Hold) {
			if h, err := decode[Hold](it.Value); err == nil {
				counts[h.Carrier]++
			}
		}
	}
	return counts, err
}

// Sweep deletes what has expired, so that the table stays small: the service
// takes its time.
func (s *Service) Sweep(ctx context.Context) (n int, err error) {
	dead := bigtable.ChainFilters(
		bt.Only(names.Hold),
		bigtable.TimestampRangeFilter(time.Time{}, bt.Now(ctx)), // ok ttlread/expired-only
	)
	var errs []error
	for row, err := range bt.Rows(ctx, s.slots, bigtable.InfiniteRange(""), bt.With(dead)) { // ok ttlread/expired-only
		if err != nil {
			return n, err
		}
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily(string(names.Hold))
		errs = append(errs, s.slots.Apply(ctx, row.Key(), m))
		n++
	}
	return n, errors.Join(errs...)
}

// Carriers counts the holds of each carrier, by hand: the board wants the
// dead ones too, in grey.
func (s *Service) Carriers(ctx context.Context) (alive, dead map[string]int, err error) {
	alive, dead = map[string]int{}, map[string]int{}
	now := bt.Now(ctx)
	for row, err := range bt.Rows(ctx, s.slots, bigtable.InfiniteRange(""), bt.With(bt.Only(names.Hold))) { // ok ttlread/missing-filter
		if err != nil {
			return nil, nil, err
		}
		for it := range bt.Items(row, names.Hold) {
			h, err := decode[Hold](it.Value)
			if err != nil {
				continue
			}
			if it.Timestamp.Time().Before(now) {
				dead[h.Carrier]++
			} else {
				alive[h.Carrier]++
			}
		}
	}
	return alive, dead, nil
}

// Oldest is the hold that has been there longest.
func (s *Service) Oldest(ctx context.Context, dock string) (Hold, time.Duration, error) {
	now := bt.Now(ctx)
	var oldest Hold
	var age time.Duration
	var err error
	rows := bt.Rows(ctx, s.slots, bigtable.PrefixRange(dock+"#"), bt.With(bt.LiveOnly(names.Hold, now))) // ok ttlread/missing-filter
	for row := range seqx.Values(rows, &err) {
		for it := range bt.Items(row, names.Hold) {
			if d := now.Sub(it.Timestamp.Time()); d > age { // want ttlage/not-write-time
				oldest, _ = decode[Hold](it.Value)
				age = d
			}
		}
	}
	return oldest, age, err
}

// Left is how long a hold still lasts.
func (s *Service) Left(ctx context.Context, id ID) (time.Duration, error) {
	now := bt.Now(ctx)
	row, err := s.slots.ReadRow(ctx, id.Key(), bigtable.RowFilter(bt.LiveOnly(names.Hold, now))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[string(names.Hold)] {
		return it.Timestamp.Time().Sub(now), nil // ok ttlage/not-write-time
	}
	return 0, ErrNoHold
}

// Archive copies yesterday's holds to the analysts' table, where cells have
// the times of their writing.
func (s *Service) Archive(ctx context.Context, h Hold, at time.Time) error {
	m := bigtable.NewMutation()
	m.Set(string(names.Hold), "by", bigtable.Time(at), encode(h))      // ok ttlwrite/write-time
	m.Set(string(names.Hold), "seen", bigtable.Now(), []byte(h.Plate)) // ok ttlwrite/write-time
	return s.archive.Apply(ctx, h.Slot.Key(), m)
}

// Archived reads the analysts' table.
func (s *Service) Archived(ctx context.Context, id ID) (Hold, error) {
	row, err := s.archive.ReadRow(ctx, id.Key()) // ok ttlread/missing-filter
	if err != nil {
		return Hold{}, err
	}
	return holdOf(id, row)
}
