// Package presence keeps track of which devices are online. A device is online
// as long as it has a cell in the family live.
package presence

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/skylark/internal/bt"
	"example.com/skylark/internal/metrics"
	"example.com/skylark/internal/pipeline"
	"example.com/skylark/internal/queue"
	"example.com/skylark/internal/sink"
)

const (
	colSeen    = "seen"
	colBattery = "battery"
	colRSSI    = "rssi"
	colGateway = "gateway"
	colFW      = "firmware"
)

// Beat is a device's heartbeat.
type Beat struct {
	Device   string    `json:"device"`
	Tenant   string    `json:"tenant"`
	Gateway  string    `json:"gateway"`
	Battery  int       `json:"battery"`
	RSSI     int       `json:"rssi"`
	Firmware string    `json:"firmware"`
	At       time.Time `json:"at"`
	Bye      bool      `json:"bye"`
}

func (b Beat) key() string { return b.Tenant + "#" + b.Device }

// Status is what the API says about a device.
type Status struct {
	Device    string    `json:"device"`
	Online    bool      `json:"online"`
	Battery   int       `json:"battery"`
	Gateway   string    `json:"gateway,omitempty"`
	UpdatedAt time.Time `json:"updated_at"`
	ExpiresAt time.Time `json:"expires_at"`
}

// Tracker consumes heartbeats.
type Tracker struct {
	tbl   bigtable.TableAPI
	out   *sink.Sink
	ttl   time.Duration
	clock func() time.Time
	log   *slog.Logger
	m     *metrics.Set
}

// NewTracker returns a tracker.
func NewTracker(s *bt.Stores, log *slog.Logger, m *metrics.Set) *Tracker {
	return &Tracker{
		tbl:   s.Devices,
		out:   sink.New(s.Devices, "presence", sink.WithLog(log, m), sink.WithTrace(bt.FamInfo, bigtable.ServerTime)), // ok ttlwrite/server-timestamp
		ttl:   bt.LiveTTL,
		clock: time.Now,
		log:   log,
		m:     m,
	}
}

// Run consumes the topic until ctx ends.
func (t *Tracker) Run(ctx context.Context, b *queue.Broker, workers int) error {
	g, ctx := pipeline.NewGroup(ctx)
	g.Go(func() error { return t.out.Run(ctx) })
	g.Go(func() error { return b.Subscribe(ctx, "presence", workers, t.handle) })
	g.Go(func() error { return b.Subscribe(ctx, "gateway", 1, t.gateway) })
	return g.Wait()
}

func (t *Tracker) handle(ctx context.Context, m *queue.Message) error {
	var b Beat
	if err := m.Decode(&b); err != nil {
		t.log.Warn("bad beat", "id", m.ID, "err", err)
		return nil
	}
	if b.Bye {
		return t.goodbye(ctx, b)
	}
	t.m.Inc("beats")
	return t.out.Send(ctx, sink.Write{Key: b.key(), Mut: t.beat(b)})
}

func (t *Tracker) beat(b Beat) *bigtable.Mutation {
	m := bigtable.NewMutation()
	until := bigtable.Time(t.clock().Add(t.ttl))
	m.DeleteCellsInColumn(bt.FamLive, colSeen)                                         // ok ttlwrite/delete-after-set
	m.Set(bt.FamLive, colSeen, until, []byte(b.At.Format(time.RFC3339Nano)))           // ok ttlwrite/write-time
	m.Set(bt.FamLive, colGateway, until, []byte(b.Gateway))                            // ok ttlwrite/same-timestamp
	m.Set(bt.FamLive, colBattery, bigtable.Now(), []byte(strconv.Itoa(b.Battery)))     // want ttlwrite/write-time
	m.Set(bt.FamLive, colRSSI, bigtable.Time(t.clock()), []byte(strconv.Itoa(b.RSSI))) // want ttlwrite/write-time
	if b.Firmware != "" {
		m.Set(bt.FamInfo, colFW, bigtable.Now(), []byte(b.Firmware)) // ok ttlwrite/write-time
	}
	return m
}

// goodbye takes a device offline before its time.
func (t *Tracker) goodbye(ctx context.Context, b Beat) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(bt.FamLive, colSeen)                 // ok ttlwrite/delete-after-set
	m.Set(bt.FamInfo, "bye", bigtable.ServerTime, []byte("1")) // ok ttlwrite/server-timestamp
	if err := t.tbl.Apply(ctx, b.key(), m); err != nil {
		return err
	}
	m2 := bigtable.NewMutation()
	m2.Set(bt.FamLive, "reason", bigtable.ServerTime, []byte("bye")) // want ttlwrite/server-timestamp
	return t.tbl.Apply(ctx, b.key(), m2)
}

// gateway marks every device behind a gateway.
func (t *Tracker) gateway(ctx context.Context, msg *queue.Message) error {
	var ev struct {
		Gateway string   `json:"gateway"`
		Devices []string `json:"devices"`
		Up      bool     `json:"up"`
	}
	if err := msg.Decode(&ev); err != nil {
		return nil
	}
	ts := bigtable.Now()
	for _, d := range ev.Devices {
		m := bigtable.NewMutation()
		if ev.Up {
			m.Set(bt.FamInfo, "last_gateway", ts, []byte(ev.Gateway)) // ok ttlwrite/write-time
			m.Set(bt.FamLive, colGateway, ts, []byte(ev.Gateway))     // want ttlwrite/write-time
		} else {
			m.DeleteCellsInColumn(bt.FamLive, colGateway) // ok ttlwrite/delete-after-set
		}
		if err := t.out.Send(ctx, sink.Write{Key: d, Mut: m}); err != nil {
			return err
		}
	}
	return nil
}

// Extend keeps a device online for longer than usual, during updates.
func (t *Tracker) Extend(ctx context.Context, key string, by time.Duration) error {
	return bt.Put(ctx, t.tbl, key, bt.FamLive, colSeen, bt.Expire(by), []byte("extended")) // ok ttlwrite/write-time
}

// Touch keeps a device online.
func (t *Tracker) Touch(ctx context.Context, key string) error {
	if err := bt.PutNow(ctx, t.tbl, key, bt.FamInfo, "touched", nil); err != nil { // ok ttlwrite/write-time
		return err
	}
	return bt.PutNow(ctx, t.tbl, key, bt.FamLive, colSeen, []byte("touch")) // want ttlwrite/write-time
}

// Kick takes a device offline by an expiry that has passed.
func (t *Tracker) Kick(ctx context.Context, key string) error {
	return bt.Put(ctx, t.tbl, key, bt.FamLive, colSeen, bt.Expire(-time.Second), nil) // want ttlwrite/already-expired
}

// Online says whether a device is online.
func (t *Tracker) Online(ctx context.Context, key string) (bool, error) {
	row, err := bt.Get(ctx, t.tbl, key, bt.Live(bt.FamLive)) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row[bt.FamLive]) > 0, nil
}

// Exists says whether a device has been heard of lately.
func (t *Tracker) Exists(ctx context.Context, key string) (bool, error) {
	row, err := t.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter(bt.FamLive))) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

// Known says whether a device has ever been seen.
func (t *Tracker) Known(ctx context.Context, key string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamInfo), bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())
	row, err := t.tbl.ReadRow(ctx, key, bigtable.RowFilter(f)) // ok ttlread/missing-filter
	return len(row) > 0, err
}

// Battery is the last level that a live device reported.
func (t *Tracker) Battery(ctx context.Context, key string) (int, error) {
	row, err := t.tbl.ReadRow(ctx, key, bigtable.RowFilter(bt.Column(bt.FamLive, colBattery))) // want ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	it, ok := bt.First(row, bt.FamLive, colBattery)
	if !ok {
		return 0, nil
	}
	return strconv.Atoi(string(it.Value))
}

// Firmware is the version that a device runs.
func (t *Tracker) Firmware(ctx context.Context, key string) (string, error) {
	row, err := t.tbl.ReadRow(ctx, key) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[bt.FamInfo] {
		if strings.HasSuffix(it.Column, ":"+colFW) {
			return string(it.Value), nil
		}
	}
	return "", nil
}

// Status reads all that is known about a device now.
func (t *Tracker) Status(ctx context.Context, key string) (*Status, error) {
	row, err := t.tbl.ReadRow(ctx, key, bigtable.RowFilter(bt.WholeDevice(t.clock()))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	st := &Status{Device: key}
	for _, it := range row[bt.FamLive] {
		switch strings.TrimPrefix(it.Column, bt.FamLive+":") {
		case colSeen:
			st.Online = true
			st.ExpiresAt = it.Timestamp.Time() // ok ttlage/not-write-time
		case colBattery:
			st.Battery, _ = strconv.Atoi(string(it.Value))
			st.UpdatedAt = it.Timestamp.Time() // want ttlage/not-write-time
		case colGateway:
			st.Gateway = string(it.Value)
		}
	}
	for _, it := range row[bt.FamInfo] {
		if st.UpdatedAt.Before(it.Timestamp.Time()) {
			st.UpdatedAt = it.Timestamp.Time() // ok ttlage/not-write-time
		}
	}
	return st, nil
}

// Idle says for how long a device has been silent.
func (t *Tracker) Idle(ctx context.Context, key string) (time.Duration, error) {
	row, err := bt.Get(ctx, t.tbl, key, bt.Live(bt.FamLive)) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	it, ok := bt.First(row, bt.FamLive, colSeen)
	if !ok {
		return 0, fmt.Errorf("%s is offline", key)
	}
	return time.Since(it.Timestamp.Time()), nil // want ttlage/not-write-time
}

// LastTouch says when a device was touched.
func (t *Tracker) LastTouch(ctx context.Context, key string) (time.Duration, error) {
	row, err := bt.Get(ctx, t.tbl, key, bt.Column(bt.FamInfo, "touched")) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[bt.FamInfo] {
		return time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, nil
}

// Census counts the online devices of a tenant, by gateway.
func (t *Tracker) Census(ctx context.Context, tenant string) (map[string]int, error) {
	count := map[string]int{}
	rr := bigtable.PrefixRange(tenant + "#")
	err := t.tbl.ReadRows(ctx, rr, func(row bigtable.Row) bool { // want ttlread/missing-filter[census]
		for _, it := range row[bt.FamLive] {
			if it.Column == bt.FamLive+":"+colGateway {
				count[string(it.Value)]++
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter[census]
	return count, err
}

// Snapshot sends every online device to out.
func (t *Tracker) Snapshot(ctx context.Context, tenant string, out chan<- Status) error {
	defer close(out)
	live := bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamLive), bigtable.TimestampRangeFilter(t.clock(), time.Time{}))
	return t.tbl.ReadRows(ctx, bigtable.PrefixRange(tenant+"#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		select {
		case out <- Status{Device: row.Key(), Online: true}:
			return true
		case <-ctx.Done():
			return false
		}
	}, bigtable.RowFilter(live))
}

// Reap publishes the devices whose presence ended and removes what is left.
func (t *Tracker) Reap(ctx context.Context, tenant string, gone chan<- string) error {
	now := t.clock()
	var keys []string
	err := t.tbl.ReadRows(ctx, bigtable.PrefixRange(tenant+"#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		dead := true
		for _, it := range row[bt.FamLive] {
			if it.Timestamp.Time().After(now) {
				dead = false
			}
		}
		if dead {
			keys = append(keys, row.Key())
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(bt.FamLive)))
	if err != nil {
		return err
	}
	for _, k := range keys {
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily(bt.FamLive) // ok ttlwrite/delete-after-set
		if err := t.tbl.Apply(ctx, k, m); err != nil {
			return err
		}
		select {
		case gone <- k:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Lately lists the devices that were online within the last five minutes.
func (t *Tracker) Lately(ctx context.Context, tenant string) ([]string, error) {
	var ids []string
	f := bt.Since(bt.FamLive, 5*time.Minute)                                                   // want ttlread/wrong-bound[lately]
	err := t.tbl.ReadRows(ctx, bigtable.PrefixRange(tenant+"#"), func(row bigtable.Row) bool { // want ttlread/wrong-bound[lately]
		for _, it := range row[bt.FamLive] {
			ids = append(ids, row.Key()+"="+string(it.Value))
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/wrong-bound[lately]
	return ids, err
}

// Stale lists cells that have expired.
func (t *Tracker) Stale(ctx context.Context, tenant string) (map[string]json.RawMessage, error) {
	res := map[string]json.RawMessage{}
	f := bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamLive), bigtable.TimestampRangeFilter(time.Time{}, t.clock())) // want ttlread/expired-only[stale]
	err := t.tbl.ReadRows(ctx, bigtable.PrefixRange(tenant), func(row bigtable.Row) bool {                               // want ttlread/expired-only[stale]
		for _, it := range row[bt.FamLive] {
			res[row.Key()] = it.Value
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/expired-only[stale]
	return res, err
}

// Window lists the devices that go offline within a minute.
func (t *Tracker) Window(ctx context.Context, tenant string) ([]string, error) {
	var ids []string
	now := t.clock()
	f := bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamLive), bigtable.TimestampRangeFilter(now, now.Add(time.Minute))) // want ttlread/upper-bound[window]
	err := t.tbl.ReadRows(ctx, bigtable.PrefixRange(tenant), func(row bigtable.Row) bool {                                  // want ttlread/upper-bound[window]
		for _, it := range row[bt.FamLive] {
			ids = append(ids, string(it.Value))
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/upper-bound[window]
	return ids, err
}

// Day is Window with an end that no device reaches.
func (t *Tracker) Day(ctx context.Context, tenant string) ([]string, error) {
	var ids []string
	now := time.Now()
	f := bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamLive), bigtable.TimestampRangeFilter(now, now.Add(24*time.Hour)))
	err := t.tbl.ReadRows(ctx, bigtable.PrefixRange(tenant), func(row bigtable.Row) bool { // ok ttlread/upper-bound
		for _, it := range row[bt.FamLive] {
			ids = append(ids, string(it.Value))
		}
		return true
	}, bigtable.RowFilter(f))
	return ids, err
}
