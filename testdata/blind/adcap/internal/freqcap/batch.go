package freqcap

import (
	"context"
	"iter"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"adcap.example/platform/internal/bt"
	"adcap.example/platform/internal/filters"
	"adcap.example/platform/internal/mutate"
	"adcap.example/platform/internal/schema"
)

// Impression is what the pixel reports.
type Impression struct {
	User, Campaign, Creative string
	At                       time.Time
	Window                   time.Duration
}

// Recorder writes impressions in batches.
type Recorder struct {
	out *bt.Batcher
	now func() time.Time
}

// NewRecorder starts a recorder on the table of the store.
func NewRecorder(ctx context.Context, c *bigtable.Client) *Recorder {
	tbl := c.Open(schema.TableFreqCap)
	return &Recorder{out: bt.NewBatcher(ctx, tbl, 200, time.Second), now: time.Now}
}

// Record queues an impression.
func (r *Recorder) Record(i Impression) {
	m := bigtable.NewMutation()
	m.Set(schema.FamCap, i.Campaign, bigtable.Time(r.now().Add(schema.CapWindow)), []byte("1")) // ok ttlwrite/write-time
	m.Set(schema.FamSeen, i.Creative, bigtable.Time(r.now()), nil)                              // ok ttlwrite/write-time
	r.out.Add(rowKey(i.User), m)
}

// RecordQuick was written for the load test and then deployed.
func (r *Recorder) RecordQuick(i Impression) {
	m := bigtable.NewMutation()
	ts := bigtable.Time(r.now())
	m.Set(schema.FamCap, i.Campaign, ts, []byte("1")) // want ttlwrite/write-time
	m.Set(schema.FamSeen, i.Creative, ts, nil)        // ok ttlwrite/write-time
	r.out.Add(rowKey(i.User), m)
}

// RecordLate backfills impressions of yesterday.
func (r *Recorder) RecordLate(i Impression) {
	m := bigtable.NewMutation()
	m.Set(schema.FamCap, i.Campaign, bigtable.Time(r.now().Add(-time.Hour)), []byte("1")) // want ttlwrite/already-expired
	m.Set(schema.FamSeen, i.Creative, bigtable.Time(r.now().Add(-time.Hour)), nil)        // ok ttlwrite/already-expired
	r.out.Add(rowKey(i.User), m)
}

// RecordAncient writes exposures that the policy deletes at once.
func (r *Recorder) RecordAncient(i Impression) {
	m := bigtable.NewMutation()
	m.Set(schema.FamSeen, i.Creative, bigtable.Time(r.now().Add(-8*24*time.Hour)), nil) // want ttlwrite/already-expired
	r.out.Add(rowKey(i.User), m)
}

// RecordSeconds mixes up the units.
func (r *Recorder) RecordSeconds(i Impression) {
	m := bigtable.NewMutation()
	m.Set(schema.FamCap, i.Campaign, bigtable.Timestamp(r.now().Add(i.Window).Unix()), []byte("1"))         // want ttlunit/wrong-unit
	m.Set(schema.FamCap, i.Campaign+"/ms", bigtable.Timestamp(r.now().Add(i.Window).UnixMilli()), nil)      // want ttlunit/wrong-unit
	m.Set(schema.FamCap, i.Campaign+"/us", bigtable.Timestamp(r.now().Add(i.Window).UnixMicro()), nil)      // ok ttlunit/wrong-unit
	m.Set(schema.FamCap, i.Campaign+"/m3", bigtable.Timestamp(r.now().Add(i.Window).UnixMilli()*1000), nil) // ok ttlunit/wrong-unit
	m.Set(schema.FamCap, i.Campaign+"/s6", bigtable.Timestamp(r.now().Add(i.Window).Unix()*1e6), nil)       // ok ttlunit/wrong-unit
	m.Set(schema.FamCap, i.Campaign+"/n3", bigtable.Timestamp(r.now().Add(i.Window).UnixNano()/1000), nil)  // ok ttlunit/wrong-unit
	m.Set(schema.FamSeen, i.Creative, bigtable.Timestamp(i.At.UnixNano()), nil)                             // want ttlunit/wrong-unit
	m.Set(schema.FamSeg, "at", bigtable.Timestamp(i.At.Unix()*1000), nil)                                   // want ttlunit/wrong-unit
	r.out.Add(rowKey(i.User), m)
}

// RecordPlus adds a duration to a timestamp.
func (r *Recorder) RecordPlus(i Impression) {
	m := bigtable.NewMutation()
	m.Set(schema.FamCap, i.Campaign, bigtable.Now()+bigtable.Timestamp(i.Window), []byte("1"))                     // want ttlunit/wrong-unit
	m.Set(schema.FamCap, i.Creative, bigtable.Now()+bigtable.Timestamp(i.Window.Microseconds()), []byte("1"))      // ok ttlunit/wrong-unit ttlwrite/write-time
	m.Set(schema.FamCap, "all", bigtable.Now()+bigtable.Timestamp(schema.CapWindow/time.Microsecond), []byte("1")) // ok ttlunit/wrong-unit
	r.out.Add(rowKey(i.User), m)
}

// Close flushes.
func (r *Recorder) Close() error { return r.out.Close() }

var (
	bootTime   = time.Now() // want ttlwrite/stale-clock[boot]
	launchedTS bigtable.Timestamp
	launchOnce sync.Once
)

// Preload fills the caps of the house campaigns.
func Preload(ctx context.Context, w bt.Applier, users iter.Seq[string]) error {
	for u := range users {
		m := bigtable.NewMutation()
		m.Set(schema.FamCap, "house", bigtable.Time(bootTime.Add(schema.CapWindow)), []byte("1")) // want ttlwrite/stale-clock[boot]
		if err := w.Apply(ctx, rowKey(u), m); err != nil {
			return err
		}
	}
	return nil
}

// PreloadFresh reads the clock for each user.
func PreloadFresh(ctx context.Context, w bt.Applier, users iter.Seq[string]) error {
	for u := range users {
		m := bigtable.NewMutation()
		m.Set(schema.FamCap, "house", bigtable.Time(time.Now().Add(schema.CapWindow)), []byte("1")) // ok ttlwrite/stale-clock
		if err := w.Apply(ctx, rowKey(u), m); err != nil {
			return err
		}
	}
	return nil
}

func launched() bigtable.Timestamp {
	launchOnce.Do(func() { launchedTS = bigtable.Now() }) // want ttlwrite/stale-clock[launch]
	return launchedTS
}

// Announce marks the release; the segment keeps real times.
func Announce(ctx context.Context, w bt.Applier, user string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamSeen, "release", launched(), nil) // want ttlwrite/stale-clock[launch]
	m.Set(schema.FamSeg, "release", launched(), nil)  // ok ttlwrite/stale-clock
	return w.Apply(ctx, rowKey(user), m)
}

// Pairs lists the live caps of a range of users.
func (s *Store) Pairs(ctx context.Context, prefix string) iter.Seq2[string, Cap] {
	return func(yield func(string, Cap) bool) {
		live := bigtable.RowFilter(filters.LiveFamily(schema.FamCap, s.clock.Now()))
		for row, err := range bt.Rows(ctx, s.tbl, bigtable.PrefixRange(rowKey(prefix)), live) { // ok ttlread/missing-filter
			if err != nil {
				s.log.Error("pairs", "err", err)
				return
			}
			for _, it := range row[schema.FamCap] {
				if !yield(row.Key(), Cap{Campaign: column(it), Until: it.Timestamp.Time()}) {
					return
				}
			}
		}
	}
}

// AllPairs forgot the filter when it was turned into an iterator.
func (s *Store) AllPairs(ctx context.Context, prefix string) iter.Seq2[string, Cap] {
	return func(yield func(string, Cap) bool) {
		for row, err := range bt.Rows(ctx, s.tbl, bigtable.PrefixRange(rowKey(prefix))) { // want ttlread/missing-filter
			if err != nil {
				s.log.Error("pairs", "err", err)
				return
			}
			for _, it := range row[schema.FamCap] {
				if !yield(row.Key(), Cap{Campaign: column(it)}) {
					return
				}
			}
		}
	}
}

// Copy moves caps to another user; the lifetimes are copied with them.
func (s *Store) Copy(ctx context.Context, from, to string) error {
	row, err := s.tbl.ReadRow(ctx, rowKey(from), filters.For(schema.FamCap).From(s.clock.Now()).Option()) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	for _, it := range row[schema.FamCap] {
		m.Set(schema.FamCap, column(it), it.Timestamp, it.Value) // ok ttlwrite/write-time
	}
	return s.tbl.Apply(ctx, rowKey(to), m)
}

// CopyStamped rewrites the caps with the present time.
func (s *Store) CopyStamped(ctx context.Context, from, to string) error {
	row, err := s.tbl.ReadRow(ctx, rowKey(from), filters.For(schema.FamCap).Newest(1).Option()) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	now := bigtable.Now()
	m := bigtable.NewMutation()
	for _, it := range row[schema.FamCap] {
		m.Set(schema.FamCap, column(it), now, it.Value) // want ttlwrite/write-time
	}
	return s.tbl.Apply(ctx, rowKey(to), m)
}

var capSetter = mutate.Setter[Impression]{
	Family: schema.FamCap,
	Encode: func(i Impression) []byte { return []byte(i.Creative) },
	Stamp:  func(i Impression) bigtable.Timestamp { return bigtable.Time(i.At.Add(i.Window)) },
}

var segSetter = mutate.Setter[Impression]{
	Family: schema.FamSeg,
	Encode: func(i Impression) []byte { return []byte(i.Creative) },
	Stamp:  func(Impression) bigtable.Timestamp { return bigtable.ServerTime },
}

// Generic writes through the setters.
func (s *Store) Generic(ctx context.Context, i Impression) error {
	m := bigtable.NewMutation()
	capSetter.Add(m, i.Campaign, i) // ok ttlwrite/write-time
	segSetter.Add(m, "last", i)     // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, rowKey(i.User), m)
}

// Warm writes one cell per family of the list.
func (s *Store) Warm(ctx context.Context, user string) error {
	m := bigtable.NewMutation()
	fam := schema.CapFamilies[0]
	m.Set(fam, "warm", bigtable.ServerTime, nil) // want ttlwrite/server-timestamp
	seg := schema.CapFamilies[2]
	m.Set(seg, "warm", bigtable.ServerTime, nil) // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, rowKey(user), m)
}

// Twice sets one column twice at one moment.
func (s *Store) Twice(ctx context.Context, user, a, b string) error {
	until := mutate.Until(s.clock.Now(), schema.CapWindow)
	m := bigtable.NewMutation()
	m.Set(schema.FamCap, "pair", until, []byte(a)) // ok ttlwrite/same-timestamp
	m.Set(schema.FamCap, "pair", until, []byte(b)) // want ttlwrite/same-timestamp
	m.Set(schema.FamCap, "other", until, nil)      // ok ttlwrite/same-timestamp
	return s.tbl.Apply(ctx, rowKey(user), m)
}
