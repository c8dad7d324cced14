// Package heartbeat keeps who is alive. A beat is a cell that expires.
package heartbeat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/fleetio/internal/btutil"
	"example.com/fleetio/internal/clockutil"
	"example.com/fleetio/internal/keys"
	"example.com/fleetio/internal/logx"
	"example.com/fleetio/internal/metrics"
)

// Columns of the family hb.
const (
	colBeat    = "beat"
	colBattery = "battery"
	colSignal  = "rssi"
	colAddr    = "addr"
	colCount   = "count"
	colWritten = "written"
)

// bootTS is what cells of this process carry.
var bootTS = bigtable.Time(time.Now().Add(15 * time.Minute)) // want ttlwrite/stale-clock[boot]

// Beat is what a device sends.
type Beat struct {
	Site     string    `json:"site"`
	Device   string    `json:"device"`
	Battery  int       `json:"battery"`
	Signal   int       `json:"rssi"`
	Firmware string    `json:"fw"`
	Addr     string    `json:"addr"`
	Seen     time.Time `json:"seen"`
}

// Presence is what is known about a device.
type Presence struct {
	Device    string        `json:"device"`
	Online    bool          `json:"online"`
	ExpiresAt time.Time     `json:"expires_at"`
	Age       time.Duration `json:"age"`
	Left      time.Duration `json:"left"`
}

// Store writes and reads beats.
type Store struct {
	tbl *bigtable.Table
	now clockutil.Func
	ttl time.Duration
	met *metrics.Registry
	log *logx.Logger

	mu  sync.Mutex
	buf *btutil.Buffer
}

// New opens the store.
func New(c *bigtable.Client, ttl time.Duration, batch int, met *metrics.Registry, log *logx.Logger) *Store {
	tbl := c.Open(keys.TableDeviceState)
	return &Store{tbl: tbl, now: time.Now, ttl: ttl, met: met, log: log, buf: btutil.NewBuffer(tbl, batch)}
}

// Record writes one beat.
func (s *Store) Record(ctx context.Context, b Beat) error {
	defer s.met.Since("heartbeat_record", time.Now())
	raw, err := json.Marshal(b)
	if err != nil {
		return err
	}
	now := s.now()
	exp := bigtable.Time(now.Add(s.ttl))
	m := bigtable.NewMutation()
	m.Set(keys.FamHB, colBeat, exp, raw)                                                          // ok ttlwrite/write-time
	m.Set(keys.FamHB, colBattery, exp, strconv.AppendInt(nil, int64(b.Battery), 10))              // ok ttlwrite/write-time
	m.Set(keys.FamHB, colSignal, bigtable.Time(now), strconv.AppendInt(nil, int64(b.Signal), 10)) // want ttlwrite/write-time
	m.Set(keys.FamMeta, "fw", bigtable.Time(now), []byte(b.Firmware))                             // ok ttlwrite/write-time
	m.Set(keys.FamMeta, colWritten, bigtable.ServerTime, []byte(now.UTC().Format(time.RFC3339)))  // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, keys.Device(b.Site, b.Device), m)
}

// RecordLite is for devices on metered links: the address and nothing else.
func (s *Store) RecordLite(ctx context.Context, b Beat) error {
	m := bigtable.NewMutation()
	m.Set(keys.FamHB, colAddr, bigtable.ServerTime, []byte(b.Addr)) // want ttlwrite/server-timestamp
	m.Set(keys.FamMeta, "lite", bigtable.ServerTime, []byte{1})     // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, keys.Device(b.Site, b.Device), m)
}

// Enqueue puts a beat into the buffer.
func (s *Store) Enqueue(ctx context.Context, b Beat) error {
	m := bigtable.NewMutation()
	if err := btutil.PutJSON(m, keys.FamHB, colBeat, btutil.ExpireIn(s.ttl), b); err != nil { // ok ttlwrite/write-time
		return err
	}
	btutil.PutInt(m, keys.FamHB, colBattery, btutil.NowTS(), int64(b.Battery))   // want ttlwrite/write-time
	btutil.PutInt(m, keys.FamMeta, colBattery, btutil.NowTS(), int64(b.Battery)) // ok ttlwrite/write-time
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Add(ctx, keys.Device(b.Site, b.Device), m)
}

// RecordAll writes beats that a site controller has collected.
func (s *Store) RecordAll(ctx context.Context, site string, beats []Beat) error {
	ts := bigtable.Now()
	exp := btutil.ExpireIn(s.ttl)
	var rowKeys []string
	var muts []*bigtable.Mutation
	for i := range beats {
		b := &beats[i]
		raw, err := json.Marshal(b)
		if err != nil {
			return err
		}
		m := bigtable.NewMutation()
		switch {
		case b.Firmware == "":
			m.Set(keys.FamHB, colBeat, exp, raw) // ok ttlwrite/write-time
		default:
			m.Set(keys.FamHB, colBeat, ts, raw)               // want ttlwrite/write-time
			m.Set(keys.FamMeta, "fw", ts, []byte(b.Firmware)) // ok ttlwrite/write-time
		}
		rowKeys = append(rowKeys, keys.Device(site, b.Device))
		muts = append(muts, m)
	}
	errs, err := s.tbl.ApplyBulk(ctx, rowKeys, muts)
	if err != nil {
		return err
	}
	return errors.Join(errs...)
}

// Hello is the first beat after a device has connected.
func (s *Store) Hello(ctx context.Context, site, dev, addr string) error {
	m := bigtable.NewMutation()
	m.Set(keys.FamHB, colAddr, bootTS, []byte(addr))  // want ttlwrite/stale-clock[boot]
	m.Set(keys.FamMeta, "hello", bigtable.Now(), nil) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, keys.Device(site, dev), m)
}

// Bye ends a device's presence at once.
func (s *Store) Bye(ctx context.Context, site, dev string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(keys.FamHB, colBeat)
	m.DeleteCellsInColumn(keys.FamHB, colAddr)
	m.Set(keys.FamMeta, "bye", bigtable.Now(), nil) // ok ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, keys.Device(site, dev), m)
}

// Mute hides a device for d: a beat that others must not overwrite sooner.
func (s *Store) Mute(ctx context.Context, site, dev string, d time.Duration) error {
	m := bigtable.NewMutation()
	m.Set(keys.FamHB, "mute", bigtable.Time(s.now().Add(d)), nil)              // ok ttlwrite/write-time
	m.Set(keys.FamHB, "muted_by", bigtable.Time(s.now().Add(d)), []byte(site)) // ok ttlwrite/same-timestamp
	return s.tbl.Apply(ctx, keys.Device(site, dev), m)
}

// Unmute takes that back.
func (s *Store) Unmute(ctx context.Context, site, dev string) error {
	m := bigtable.NewMutation()
	m.Set(keys.FamHB, "mute", bigtable.Time(s.now().Add(-time.Second)), nil) // want ttlwrite/already-expired
	return s.tbl.Apply(ctx, keys.Device(site, dev), m)
}

// Bump counts a device's beats.
func (s *Store) Bump(ctx context.Context, site, dev string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(keys.FamHB, colCount, 1)  // want ttlwrite/read-modify-write
	rmw.Increment(keys.FamMeta, "beats", 1) // ok ttlwrite/read-modify-write
	row, err := s.tbl.ApplyReadModifyWrite(ctx, keys.Device(site, dev), rmw)
	if err != nil {
		return 0, err
	}
	return btutil.IntOf(btutil.Value(row, keys.FamMeta, "beats")), nil
}

// Note appends to a device's event trail.
func (s *Store) Note(ctx context.Context, site, dev, what string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(keys.FamMeta, "trail", []byte(what+";")) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, keys.Device(site, dev), rmw)
	return err
}

// Alive says whether a device has been heard of.
func (s *Store) Alive(ctx context.Context, site, dev string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, keys.Device(site, dev), bigtable.RowFilter(bigtable.FamilyFilter(keys.FamHB))) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

// Online says whether a device is there now.
func (s *Store) Online(ctx context.Context, site, dev string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, keys.Device(site, dev), bigtable.RowFilter(btutil.FamLive(keys.FamHB, s.now()))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row[keys.FamHB]) > 0, nil
}

// Presence reads what is known about a device.
func (s *Store) Presence(ctx context.Context, site, dev string) (*Presence, error) {
	now := s.now()
	live := bigtable.ChainFilters(
		bigtable.FamilyFilter(keys.FamHB),
		bigtable.TimestampRangeFilter(now, time.Time{}),
		bigtable.LatestNFilter(1),
	)
	row, err := s.tbl.ReadRow(ctx, keys.Device(site, dev), bigtable.RowFilter(live)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	p := &Presence{Device: dev}
	it, ok := btutil.Find(row, keys.FamHB, colBeat)
	if !ok {
		return p, nil
	}
	p.Online = true
	p.ExpiresAt = it.Timestamp.Time()       // ok ttlage/not-write-time
	p.Left = it.Timestamp.Time().Sub(now)   // ok ttlage/not-write-time
	p.Age = time.Since(it.Timestamp.Time()) // want ttlage/not-write-time
	return p, nil
}

// LastBeat returns the newest beat.
func (s *Store) LastBeat(ctx context.Context, site, dev string) (*Beat, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamHB), bigtable.ColumnFilter(colBeat), bigtable.LatestNFilter(1)) // want ttlread/missing-filter[lastbeat]
	row, err := s.tbl.ReadRow(ctx, keys.Device(site, dev), bigtable.RowFilter(f))                                            // want ttlread/missing-filter[lastbeat]
	if err != nil {
		return nil, err
	}
	items := row[keys.FamHB]
	if len(items) == 0 {
		return nil, nil
	}
	b := new(Beat)
	if err := json.Unmarshal(items[0].Value, b); err != nil {
		return nil, err
	}
	return b, nil
}

// Firmware returns what a device said it runs.
func (s *Store) Firmware(ctx context.Context, site, dev string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, keys.Device(site, dev)) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[keys.FamMeta] {
		if it.Column == keys.FamMeta+":fw" {
			s.log.Debug("fw", logx.KV{"since": time.Since(it.Timestamp.Time())}) // ok ttlage/not-write-time
			return string(it.Value), nil
		}
	}
	return "", nil
}

// SiteOnline lists the devices of a site that are there.
func (s *Store) SiteOnline(ctx context.Context, site string) ([]string, error) {
	var out []string
	live := bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamHB), btutil.Live(s.now()), bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(keys.SitePrefix(site)), func(r bigtable.Row) bool { // ok ttlread/limit-before-filter
		out = append(out, r.Key())
		return true
	}, bigtable.RowFilter(live))
	return out, err
}

// SiteBatteries reads the batteries of a site, for the dashboard.
func (s *Store) SiteBatteries(ctx context.Context, site string) (map[string]int, error) {
	out := map[string]int{}
	f := bigtable.ChainFilters( // want ttlread/limit-before-filter[batt]
		bigtable.FamilyFilter(keys.FamHB),
		bigtable.CellsPerRowLimitFilter(4), // want ttlread/limit-before-filter[batt]
		btutil.Live(s.now()),
		bigtable.ColumnFilter(colBattery),
	)
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(keys.SitePrefix(site)), func(r bigtable.Row) bool { // want ttlread/limit-before-filter[batt]
		for _, it := range r[keys.FamHB] {
			n, err := strconv.Atoi(string(it.Value))
			if err != nil {
				continue
			}
			out[r.Key()] = n
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/limit-before-filter[batt]
	return out, err
}

// Count counts a site's rows.
func (s *Store) Count(ctx context.Context, site string) (int, error) {
	n := 0
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(keys.SitePrefix(site)), func(bigtable.Row) bool { // ok ttlread/missing-filter
		n++
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	return n, err
}

// Lost lists devices whose beat has run out.
func (s *Store) Lost(ctx context.Context, site string) ([]string, error) {
	var out []string
	now := s.now()
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(keys.SitePrefix(site)), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		alive := false
		for _, it := range r[keys.FamHB] {
			if it.Timestamp.Time().After(now) {
				alive = true
				break
			}
		}
		if !alive {
			out = append(out, r.Key())
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(keys.FamHB)))
	return out, err
}

// Recent reads the beats that came within the last minute.
func (s *Store) Recent(ctx context.Context, site string) ([]Beat, error) {
	var out []Beat
	f := bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamHB), bigtable.ColumnFilter(colBeat), btutil.Within(s.now(), time.Minute)) // want ttlread/wrong-bound[recent]
	err := btutil.Scan(ctx, s.tbl, keys.SitePrefix(site), f, func(r bigtable.Row) bool {                                               // want ttlread/wrong-bound[recent]
		for _, it := range r[keys.FamHB] {
			var b Beat
			if json.Unmarshal(it.Value, &b) == nil {
				out = append(out, b)
			}
		}
		return true
	})
	return out, err
}

// UpToNow reads the beats of a site until now.
func (s *Store) UpToNow(ctx context.Context, site string) (map[string]string, error) {
	out := map[string]string{}
	f := bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamHB), bigtable.TimestampRangeFilter(time.Time{}, time.Now())) // want ttlread/expired-only[uptonow]
	err := btutil.Scan(ctx, s.tbl, keys.SitePrefix(site), f, func(r bigtable.Row) bool {                                  // want ttlread/expired-only[uptonow]
		for _, it := range r[keys.FamHB] {
			out[r.Key()] = string(it.Value)
		}
		return true
	})
	return out, err
}

// Soon reads the addresses that run out within five minutes.
func (s *Store) Soon(ctx context.Context, site string) ([]string, error) {
	now := s.now()
	var out []string
	f := bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamHB), bigtable.TimestampRangeFilter(now, now.Add(5*time.Minute))) // want ttlread/upper-bound[soon]
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(keys.SitePrefix(site)), func(r bigtable.Row) bool {                       // want ttlread/upper-bound[soon]
		out = append(out, string(btutil.Value(r, keys.FamHB, colAddr)))
		return true
	}, bigtable.RowFilter(f)) // want ttlread/upper-bound[soon]
	return out, err
}

// Window is as good: nothing lives longer than a day.
func (s *Store) Window(ctx context.Context, site string) ([]string, error) {
	now := s.now()
	var out []string
	f := bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamHB), bigtable.TimestampRangeFilter(now, now.Add(24*time.Hour)))
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(keys.SitePrefix(site)), func(r bigtable.Row) bool { // ok ttlread/upper-bound
		out = append(out, string(btutil.Value(r, keys.FamHB, colAddr)))
		return true
	}, bigtable.RowFilter(f)) // ok ttlread/upper-bound
	return out, err
}

// Purge removes beats that have run out, faster than the collector does.
func (s *Store) Purge(ctx context.Context, site string) (int, error) {
	now := s.now()
	f := bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamHB), bigtable.TimestampRangeFilter(time.Time{}, now), bigtable.StripValueFilter())
	n := 0
	var ferr error
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(keys.SitePrefix(site)), func(r bigtable.Row) bool { // ok ttlread/expired-only
		m := bigtable.NewMutation()
		m.DeleteTimestampRange(keys.FamHB, colBeat, 0, bigtable.Time(now)) // ok ttlunit/sub-millisecond
		ferr = s.tbl.Apply(ctx, r.Key(), m)
		n++
		return ferr == nil
	}, bigtable.RowFilter(f)) // ok ttlread/expired-only
	if err == nil {
		err = ferr
	}
	return n, err
}

// Row is a device's whole state for the support page.
func (s *Store) Row(ctx context.Context, site, dev string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, keys.Device(site, dev)) // want ttlread/missing-filter
}

// LiveRow is the same without what has run out or been superseded.
func (s *Store) LiveRow(ctx context.Context, site, dev string) (bigtable.Row, error) {
	f := bigtable.InterleaveFilters(
		btutil.FamLive(keys.FamHB, s.now()),
		btutil.FamLatest(keys.FamVer, 10),
		bigtable.FamilyFilter(keys.FamShadow+"|"+keys.FamMeta),
	)
	return s.tbl.ReadRow(ctx, keys.Device(site, dev), bigtable.RowFilter(f)) // ok ttlread/unfiltered-branch ttlread/missing-filter
}

// DashRow is what the dashboard shows.
func (s *Store) DashRow(ctx context.Context, site, dev string) (bigtable.Row, error) {
	f := bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[dash]
		bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamHB), bigtable.LatestNFilter(1)), // want ttlread/unfiltered-branch[dash]
		bigtable.FamilyFilter(keys.FamMeta),
	)
	return s.tbl.ReadRow(ctx, keys.Device(site, dev), bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[dash]
}

// Summary reads beats and meta data of one device.
func (s *Store) Summary(ctx context.Context, site, dev string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, keys.Device(site, dev), bigtable.RowFilter(btutil.Live(s.now()))) // want ttlread/hides-other-families
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %s", btutil.Value(row, keys.FamHB, colAddr), btutil.Value(row, keys.FamMeta, "fw")), nil
}

// Addr needs the beat family only.
func (s *Store) Addr(ctx context.Context, site, dev string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, keys.Device(site, dev), bigtable.RowFilter(btutil.Live(s.now()))) // ok ttlread/hides-other-families
	if err != nil {
		return "", err
	}
	for _, it := range row[keys.FamHB] {
		if it.Column == keys.FamHB+":"+colAddr {
			return string(it.Value), nil
		}
	}
	return "", nil
}

// Flusher flushes the buffer until ctx ends.
func (s *Store) Flusher(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			s.mu.Lock()
			err := s.buf.Flush(ctx)
			s.mu.Unlock()
			if err != nil {
				s.met.Inc("heartbeat_flush_errors", 1)
				s.log.Error("flush", err, nil)
			}
		}
	}
}
