package store

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/datalib/datalib/clock"
	"example.com/datalib/datalib/read"
	"example.com/datalib/datalib/schema"
	"example.com/datalib/datalib/tables"
	"example.com/datalib/datalib/write"
)

// Fix is where a vehicle was.
type Fix struct {
	Vehicle   string
	Lat, Lon  float64
	WrittenAt time.Time
}

// Positions keeps where vehicles were.
type Positions struct {
	t       *bigtable.Table
	archive *bigtable.Table
	clk     clock.Clock
}

// NewPositions makes a store.
func NewPositions(s *tables.Set) *Positions {
	return &Positions{t: s.Positions, archive: s.Archive, clk: clock.Wall{}}
}

var booted time.Time

func init() { booted = time.Now() } // want ttlwrite/stale-clock[p3]

// Record writes a fix with the default lifetime.
func (p *Positions) Record(ctx context.Context, f Fix) error {
	m := bigtable.NewMutation()
	m.Set(schema.GPS, "fix", bigtable.ServerTime, []byte(fmt.Sprint(f.Lat, ",", f.Lon))) // ok ttlwrite/server-timestamp
	m.Set(schema.Meta, "line", bigtable.Now(), []byte(f.Vehicle))                        // ok ttlwrite/write-time
	return p.t.Apply(ctx, f.Vehicle, m)
}

// RecordShort writes a fix that is good for an hour.
func (p *Positions) RecordShort(ctx context.Context, f Fix) error {
	m := bigtable.NewMutation()
	m.Set(schema.GPS, "short", clock.Shift(time.Hour, schema.GPSTTL), []byte("1")) // ok ttlwrite/already-expired
	m.Set(schema.GPS, "fix", bigtable.Now(), []byte("1"))                          // ok ttlwrite/write-time
	return p.t.Apply(ctx, f.Vehicle, m)
}

// Backdate imports yesterday's and older fixes.
func (p *Positions) Backdate(ctx context.Context, f Fix) error {
	m := bigtable.NewMutation()
	m.Set(schema.GPS, "yesterday", bigtable.Time(time.Now().Add(-24*time.Hour)), []byte("1")) // ok ttlwrite/already-expired
	m.Set(schema.GPS, "old", bigtable.Time(time.Now().Add(-72*time.Hour)), []byte("1"))       // want ttlwrite/already-expired
	m.Set(schema.GPS, "older", bigtable.Time(time.Now().Add(-schema.GPSTTL)), []byte("1"))    // want ttlwrite/already-expired
	m.Set(schema.GPS, "epoch", 0, []byte("1"))                                                // want ttlwrite/already-expired
	m.Set(schema.Meta, "old", 0, []byte("1"))                                                 // ok ttlwrite/already-expired
	return p.t.Apply(ctx, f.Vehicle, m)
}

// Mark writes with the time of the start.
func (p *Positions) Mark(ctx context.Context, vehicle string) error {
	m := bigtable.NewMutation()
	m.Set(schema.GPS, "mark", bigtable.Time(booted), []byte("1"))  // want ttlwrite/stale-clock[p3]
	m.Set(schema.Meta, "mark", bigtable.Time(booted), []byte("1")) // ok ttlwrite/stale-clock
	return p.t.Apply(ctx, vehicle, m)
}

// Observe writes a fix at the vehicle's own time.
func (p *Positions) Observe(ctx context.Context, vehicle string, at time.Time) error {
	m := bigtable.NewMutation()
	m.Set(schema.GPS, "seconds", bigtable.Timestamp(at.Unix()), []byte("1"))          // want ttlunit/wrong-unit
	m.Set(schema.GPS, "millis", bigtable.Timestamp(at.UnixMilli()), []byte("1"))      // want ttlunit/wrong-unit
	m.Set(schema.GPS, "nanos", bigtable.Timestamp(at.UnixNano()), []byte("1"))        // want ttlunit/wrong-unit
	m.Set(schema.GPS, "micros", bigtable.Timestamp(at.UnixMicro()), []byte("1"))      // ok ttlunit/wrong-unit
	m.Set(schema.GPS, "scaled", bigtable.Timestamp(at.UnixMilli()*1000), []byte("1")) // ok ttlunit/wrong-unit
	m.Set(schema.GPS, "nano2", bigtable.Timestamp(at.UnixNano()/1000), []byte("1"))   // ok ttlunit/wrong-unit
	m.Set(schema.Meta, "seconds", bigtable.Timestamp(at.Unix()*1e6), []byte("1"))     // ok ttlunit/wrong-unit
	m.Set(schema.Meta, "slip", bigtable.Timestamp(at.Unix()*1000), []byte("1"))       // want ttlunit/wrong-unit
	return p.t.Apply(ctx, vehicle, m)
}

// Later writes meta with an offset.
func (p *Positions) Later(ctx context.Context, vehicle string, base bigtable.Timestamp) error {
	m := bigtable.NewMutation()
	m.Set(schema.Meta, "later", base+bigtable.Timestamp(time.Hour), []byte("1"))                // want ttlunit/wrong-unit
	m.Set(schema.Meta, "right", base+bigtable.Timestamp(time.Hour.Microseconds()), []byte("1")) // ok ttlunit/wrong-unit
	return p.t.Apply(ctx, vehicle, m)
}

// Archived copies into the archive, an ordinary table.
func (p *Positions) Archived(ctx context.Context, vehicle string) error {
	m := bigtable.NewMutation()
	m.Set(schema.GPS, "fix", bigtable.Time(time.Now().Add(-96*time.Hour)), []byte("1")) // ok ttlwrite/already-expired
	return p.archive.Apply(ctx, vehicle, m)
}

// Twice writes one column twice.
func (p *Positions) Twice(ctx context.Context, vehicle string, a, b []byte) error {
	now := bigtable.Now()
	m := bigtable.NewMutation()
	m.Set(schema.GPS, "door", now, a)  // ok ttlwrite/same-timestamp
	m.Set(schema.GPS, "door", now, b)  // want ttlwrite/same-timestamp
	m.Set(schema.Meta, "door", now, a) // ok ttlwrite/same-timestamp
	m.Set(schema.Meta, "door", now, b) // ok ttlwrite/same-timestamp
	return p.t.Apply(ctx, vehicle, m)
}

// Track writes a whole track into one column.
func (p *Positions) Track(ctx context.Context, vehicle string, points [][]byte) error {
	now := bigtable.Now()
	m := bigtable.NewMutation()
	for _, pt := range points {
		m.Set(schema.GPS, "track", now, pt) // want ttlwrite/same-timestamp
	}
	return p.t.Apply(ctx, vehicle, m)
}

// TrackColumns writes a whole track into many columns.
func (p *Positions) TrackColumns(ctx context.Context, vehicle string, points [][]byte) error {
	now := bigtable.Now()
	m := bigtable.NewMutation()
	for i, pt := range points {
		m.Set(schema.GPS, fmt.Sprintf("track-%d", i), now, pt) // ok ttlwrite/same-timestamp
	}
	return p.t.Apply(ctx, vehicle, m)
}

// Overwrite sets and deletes.
func (p *Positions) Overwrite(ctx context.Context, vehicle string, v []byte) error {
	m := bigtable.NewMutation()
	m.Set(schema.Meta, "plate", bigtable.Now(), v)
	m.DeleteCellsInColumn(schema.Meta, "plate")           // want ttlwrite/delete-after-set
	write.Replace(m, schema.GPS, "fix", clock.NowTS(), v) // ok ttlwrite/delete-after-set
	return p.t.Apply(ctx, vehicle, m)
}

// Miles counts; default families may.
func (p *Positions) Miles(ctx context.Context, vehicle string, n int64) error {
	return write.Bump(ctx, p.t, vehicle, schema.GPS, "miles", n) // ok ttlwrite/read-modify-write
}

// Recent reads the fixes of two days.
func (p *Positions) Recent(ctx context.Context, vehicle string) ([]Fix, error) {
	return p.fixes(ctx, vehicle, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.GPS), read.Within(schema.GPSTTL)))) // ok ttlread/wrong-bound
}

// RecentDay reads the fixes of one day, it says.
func (p *Positions) RecentDay(ctx context.Context, vehicle string) ([]Fix, error) {
	return p.fixes(ctx, vehicle, read.Opt(bigtable.FamilyFilter(schema.GPS), read.Within(24*time.Hour))) // want ttlread/wrong-bound
}

// RecentLive uses the filter of the tickets.
func (p *Positions) RecentLive(ctx context.Context, vehicle string) ([]Fix, error) {
	return p.fixes(ctx, vehicle, read.Opt(read.LiveIn(schema.GPS))) // want ttlread/wrong-bound
}

// RecentAll forgets the filter.
func (p *Positions) RecentAll(ctx context.Context, vehicle string) ([]Fix, error) {
	return p.fixes(ctx, vehicle) // want ttlread/missing-filter
}

// RecentLatest has only a version limit.
func (p *Positions) RecentLatest(ctx context.Context, vehicle string) ([]Fix, error) {
	return p.fixes(ctx, vehicle, read.Opt(bigtable.FamilyFilter(schema.GPS), read.Latest(10))) // want ttlread/missing-filter
}

func (p *Positions) fixes(ctx context.Context, vehicle string, opts ...bigtable.ReadOption) ([]Fix, error) {
	row, err := p.t.ReadRow(ctx, vehicle, opts...)
	if err != nil {
		return nil, err
	}
	var out []Fix
	for _, it := range row[schema.GPS] {
		f := Fix{Vehicle: vehicle}
		if _, err := fmt.Sscanf(string(it.Value), "%f,%f", &f.Lat, &f.Lon); err != nil {
			continue
		}
		out = append(out, f)
	}
	return out, nil
}

// Window reads two days up to now.
func (p *Positions) Window(ctx context.Context, vehicle string) ([]byte, error) {
	now := time.Now()
	f := bigtable.TimestampRangeFilter(now.Add(-48*time.Hour), now)                       // want ttlread/upper-bound[p1]
	row, err := p.t.ReadRow(ctx, vehicle, read.Opt(bigtable.FamilyFilter(schema.GPS), f)) // want ttlread/upper-bound[p1]
	return read.First(row, schema.GPS), err
}

// Expired reads what is over two days old.
func (p *Positions) Expired(ctx context.Context, vehicle string) ([]byte, error) {
	f := bigtable.TimestampRangeFilter(time.Time{}, time.Now().Add(-48*time.Hour))        // want ttlread/expired-only[p2]
	row, err := p.t.ReadRow(ctx, vehicle, read.Opt(bigtable.FamilyFilter(schema.GPS), f)) // want ttlread/expired-only[p2]
	return read.First(row, schema.GPS), err
}

// Line reads the ordinary family only.
func (p *Positions) Line(ctx context.Context, vehicle string) ([]byte, error) {
	row, err := p.t.ReadRow(ctx, vehicle, bigtable.RowFilter(bigtable.FamilyFilter(schema.Meta))) // ok ttlread/missing-filter
	return read.First(row, schema.Meta), err
}

// LineAll reads all and uses the ordinary family only.
func (p *Positions) LineAll(ctx context.Context, vehicle string) ([]byte, error) {
	row, err := p.t.ReadRow(ctx, vehicle) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for _, it := range row[schema.Meta] {
		return it.Value, nil
	}
	return nil, read.ErrNotFound
}

// Both wants fixes and line.
func (p *Positions) Both(ctx context.Context, vehicle string) ([]byte, []byte, error) {
	row, err := p.t.ReadRow(ctx, vehicle, read.Opt(read.Within(schema.GPSTTL))) // want ttlread/hides-other-families
	if err != nil {
		return nil, nil, err
	}
	return read.First(row, schema.GPS), read.First(row, schema.Meta), nil
}

// BothRight wants fixes and line.
func (p *Positions) BothRight(ctx context.Context, vehicle string) ([]byte, []byte, error) {
	gps := bigtable.ChainFilters(bigtable.FamilyFilter(schema.GPS), read.Within(schema.GPSTTL))
	row, err := p.t.ReadRow(ctx, vehicle, bigtable.RowFilter(bigtable.InterleaveFilters(gps, bigtable.FamilyFilter(schema.Meta)))) // ok ttlread/hides-other-families
	if err != nil {
		return nil, nil, err
	}
	return read.First(row, schema.GPS), read.First(row, schema.Meta), nil
}

// Old reads the archive.
func (p *Positions) Old(ctx context.Context, vehicle string) ([]byte, error) {
	row, err := p.archive.ReadRow(ctx, vehicle) // ok ttlread/missing-filter
	return read.First(row, schema.GPS), err
}

// Fleet reads all vehicles of a line.
func (p *Positions) Fleet(ctx context.Context, line string) (map[string][]byte, error) {
	out := map[string][]byte{}
	err := p.t.ReadRows(ctx, bigtable.PrefixRange(line+"#"), func(r bigtable.Row) bool { // want ttlread/missing-filter[p4]
		out[r.Key()] = read.First(r, schema.GPS)
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.ColumnFilter("fix"), bigtable.LatestNFilter(1)))) // want ttlread/missing-filter[p4]
	return out, err
}

// FleetLive reads all vehicles of a line.
func (p *Positions) FleetLive(ctx context.Context, line string) (map[string][]byte, error) {
	out := map[string][]byte{}
	since := p.clk.Now().Add(-schema.GPSTTL)
	err := p.t.ReadRows(ctx, bigtable.PrefixRange(line+"#"), func(r bigtable.Row) bool { // ok ttlread/wrong-bound
		out[r.Key()] = read.First(r, schema.GPS)
		return true
	}, read.Opt(bigtable.FamilyFilter(schema.GPS), bigtable.TimestampRangeFilter(since, time.Time{})))
	return out, err
}

// Count counts the vehicles.
func (p *Positions) Count(ctx context.Context, line string) (n int, err error) {
	err = p.t.ReadRows(ctx, bigtable.PrefixRange(line+"#"), func(bigtable.Row) bool { // ok ttlread/missing-filter
		n++
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	return n, err
}

// Last dates the newest fix.
func (p *Positions) Last(ctx context.Context, vehicle string) (*Fix, error) {
	row, err := p.t.ReadRow(ctx, vehicle, read.Opt(bigtable.FamilyFilter(schema.GPS), read.Within(schema.GPSTTL))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for _, it := range row[schema.GPS] {
		return &Fix{Vehicle: vehicle, WrittenAt: it.Timestamp.Time()}, nil // want ttlage/not-write-time
	}
	return nil, read.ErrNotFound
}

// LastMeta dates the newest meta cell.
func (p *Positions) LastMeta(ctx context.Context, vehicle string) (*Fix, error) {
	row, err := p.t.ReadRow(ctx, vehicle, bigtable.RowFilter(bigtable.FamilyFilter(schema.Meta))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for _, it := range row[schema.Meta] {
		return &Fix{Vehicle: vehicle, WrittenAt: it.Timestamp.Time()}, nil // ok ttlage/not-write-time
	}
	return nil, read.ErrNotFound
}

// Guess asks whether the server wrote a cell.
func (p *Positions) Guess(it bigtable.ReadItem) bool {
	return it.Timestamp == bigtable.ServerTime // want ttlage/server-sentinel
}
