// Package roaming caches visited networks and steers subscribers to cheap ones. The cache of
// device models is here too, because nobody wanted it. Core network team.
package roaming

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"telco.example/subs/internal/bt"
	"telco.example/subs/internal/names"
	"telco.example/subs/internal/platform"
)

// Visit is the network that a subscriber is in.
type Visit struct {
	IMSI     string    `json:"imsi"`
	PLMN     string    `json:"plmn"`
	VLR      string    `json:"vlr"`
	Until    time.Time `json:"until"`
	Modified time.Time `json:"modified"`
}

// Device is a model of a phone.
type Device struct {
	TAC     string    `json:"tac"`
	Vendor  string    `json:"vendor"`
	Model   string    `json:"model"`
	Written time.Time `json:"written"`
}

// Typed reads and writes one column as JSON.
type Typed[T any] struct {
	tbl    *bt.Table
	family string
	column string
}

// NewTyped makes one.
func NewTyped[T any](tbl *bt.Table, family, column string) *Typed[T] {
	return &Typed[T]{tbl: tbl, family: family, column: column}
}

// Load reads a value.
func (t *Typed[T]) Load(ctx context.Context, key string, opts ...bigtable.ReadOption) (*T, error) {
	row, err := t.tbl.Get(ctx, key, opts...)
	if err != nil {
		return nil, err
	}
	v := new(T)
	return v, json.Unmarshal(bt.Cell(row, t.family, t.column), v)
}

// Save writes a value.
func (t *Typed[T]) Save(ctx context.Context, key string, ts bigtable.Timestamp, v T) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return t.tbl.Put(ctx, key, t.family, t.column, ts, b)
}

// Cache has both tables.
type Cache struct {
	roaming *bt.Table
	devices *bt.Table
	visits  *Typed[Visit]
	models  *Typed[Device]
	ttl     time.Duration

	mu    sync.RWMutex
	local map[string]Visit
	steps [16]int64
	ops   uint64
}

// New makes a cache.
func New(c *bt.Client) *Cache {
	roaming, devices := c.Open(names.TableRoaming), c.Open(names.TableDevices)
	return &Cache{
		roaming: roaming,
		devices: devices,
		visits:  NewTyped[Visit](roaming, names.FamCache, "visit"),
		models:  NewTyped[Device](devices, names.FamCache, "device"),
		ttl:     names.RoamingTTL,
		local:   map[string]Visit{},
	}
}

// Register stores where a subscriber is.
func (c *Cache) Register(ctx context.Context, v Visit) error {
	c.mu.Lock()
	c.local[v.IMSI] = v
	c.mu.Unlock()
	return c.visits.Save(ctx, v.IMSI, bt.ExpiresIn(c.ttl), v) // ok ttlwrite/write-time
}

// Update stores a new VLR.
func (c *Cache) Update(ctx context.Context, v Visit) error {
	return c.visits.Save(ctx, v.IMSI, bigtable.Now(), v) // want ttlwrite/write-time
}

// Refresh is Update for the batch.
func (c *Cache) Refresh(ctx context.Context, v Visit) error {
	return c.roaming.PutNow(ctx, v.IMSI, names.FamCache, "visit", []byte(v.PLMN)) // want ttlwrite/server-timestamp
}

// SaveDevice stores a model; a day is the family's default.
func (c *Cache) SaveDevice(ctx context.Context, d Device) error {
	if err := c.models.Save(ctx, d.TAC, bigtable.Now(), d); err != nil { // ok ttlwrite/write-time
		return err
	}
	return c.devices.PutNow(ctx, d.TAC, names.FamCache, "vendor", []byte(d.Vendor)) // ok ttlwrite/server-timestamp
}

// SaveDeviceLong stores a model for a week.
func (c *Cache) SaveDeviceLong(ctx context.Context, d Device) error {
	return c.models.Save(ctx, d.TAC, bt.Shifted(7*24*time.Hour, names.DeviceTTL), d) // ok ttlwrite/already-expired
}

// DropDevice writes a tombstone two days back, so that GC takes it.
func (c *Cache) DropDevice(ctx context.Context, d Device) error {
	return c.models.Save(ctx, d.TAC, bigtable.Time(time.Now().Add(-48*time.Hour)), d) // want ttlwrite/already-expired
}

// Where reads where a subscriber is.
func (c *Cache) Where(ctx context.Context, imsi string) (*Visit, error) {
	c.mu.RLock()
	v, ok := c.local[imsi]
	c.mu.RUnlock()
	if ok && v.Until.After(time.Now()) {
		return &v, nil
	}
	return c.visits.Load(ctx, imsi, bigtable.RowFilter(bt.LiveIn(names.FamCache))) // ok ttlread/missing-filter
}

// WhereFast leaves the filter out. The VLR confirms anyway.
func (c *Cache) WhereFast(ctx context.Context, imsi string) (*Visit, error) {
	return c.visits.Load(ctx, imsi) // want ttlread/missing-filter
}

// WhereSkewed allows a second, like the sessions.
func (c *Cache) WhereSkewed(ctx context.Context, imsi string) (*Visit, error) {
	return c.visits.Load(ctx, imsi, bigtable.RowFilter(bt.WithinIn(names.FamCache, time.Second))) // want ttlread/wrong-bound
}

// WhereDay took the devices' bound.
func (c *Cache) WhereDay(ctx context.Context, imsi string) (*Visit, error) {
	return c.visits.Load(ctx, imsi, bigtable.RowFilter(bt.WithinIn(names.FamCache, names.DeviceTTL))) // want ttlread/wrong-bound
}

// Device reads a model.
func (c *Cache) Device(ctx context.Context, tac string) (*Device, error) {
	return c.models.Load(ctx, tac, bigtable.RowFilter(bt.WithinIn(names.FamCache, names.DeviceTTL))) // ok ttlread/wrong-bound
}

// DeviceLive took the visits' bound.
func (c *Cache) DeviceLive(ctx context.Context, tac string) (*Device, error) {
	return c.models.Load(ctx, tac, bigtable.RowFilter(bt.LiveIn(names.FamCache))) // want ttlread/wrong-bound
}

// DeviceAny reads the newest model.
func (c *Cache) DeviceAny(ctx context.Context, tac string) (*Device, error) {
	return c.models.Load(ctx, tac, bt.Only(names.FamCache)) // want ttlread/missing-filter
}

// Vendor reads the ordinary family.
func (c *Cache) Vendor(ctx context.Context, tac string) (string, error) {
	row, err := c.devices.Get(ctx, tac, bt.Only(names.FamModel)) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return string(bt.Cell(row, names.FamModel, "vendor")), nil
}

// NewVisitMutation is for the importers. Which table it goes to is their business.
func NewVisitMutation(plmn string) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set(names.FamCache, "plmn", bigtable.Now(), []byte(plmn))
	return m
}

// VisitCells adds the cells of a visit.
func VisitCells(m *bigtable.Mutation, v Visit, ts bigtable.Timestamp) {
	m.Set(names.FamCache, "plmn", ts, []byte(v.PLMN))
	m.Set(names.FamCache, "vlr", ts, []byte(v.VLR)) // ok ttlwrite/same-timestamp
}

// RegisterAll stores many.
func (c *Cache) RegisterAll(ctx context.Context, vs []Visit) error {
	var keys []string
	var muts []*bigtable.Mutation
	for _, v := range vs {
		m := bigtable.NewMutation()
		VisitCells(m, v, bigtable.Time(v.Until)) // ok ttlwrite/write-time
		keys, muts = append(keys, v.IMSI), append(muts, m)
	}
	return c.roaming.MutateMany(ctx, keys, muts)
}

// RegisterPlain stores one.
func (c *Cache) RegisterPlain(ctx context.Context, v Visit) error {
	m := bigtable.NewMutation()
	VisitCells(m, v, bigtable.Time(time.Now())) // want ttlwrite/write-time
	return c.roaming.Mutate(ctx, v.IMSI, m)
}

// --- steering ---

// Steer puts a network on top of a subscriber's list.
func (c *Cache) Steer(ctx context.Context, imsi, plmn string) error {
	n := atomic.AddUint64(&c.ops, 1)
	m := bigtable.NewMutation()
	m.Set(names.FamSteer, "top", bigtable.Timestamp(n), []byte(plmn)) // want ttlwrite/unscaled-sequence
	m.Set(names.FamSteer, "prev", bt.Seq(int64(n)), []byte(plmn))     // ok ttlwrite/unscaled-sequence
	return c.roaming.Mutate(ctx, imsi, m)
}

// SteerAll stores a list, best last.
func (c *Cache) SteerAll(ctx context.Context, imsi string, plmns []string) error {
	m := bigtable.NewMutation()
	for i := range plmns {
		m.Set(names.FamSteer, "list", bigtable.Timestamp(len(plmns)-i), []byte(plmns[i])) // want ttlwrite/unscaled-sequence
		m.Set(names.FamSteer, "rank", bt.Seq(int64(len(plmns)-i)), []byte(plmns[i]))      // ok ttlwrite/unscaled-sequence
	}
	return c.roaming.Mutate(ctx, imsi, m)
}

// SteerSlot moves one of sixteen slots on.
func (c *Cache) SteerSlot(ctx context.Context, imsi string, slot int, plmn string) error {
	c.steps[slot&15]++
	m := bigtable.NewMutation()
	m.Set(names.FamSteer, "slot", bigtable.Timestamp(c.steps[slot&15]), []byte(plmn)) // want ttlwrite/unscaled-sequence
	return c.roaming.Mutate(ctx, imsi, m)
}

// SteerUntil has a date on it. Marketing asked for it.
func (c *Cache) SteerUntil(ctx context.Context, imsi, plmn string, d time.Duration) error {
	m := bigtable.NewMutation()
	m.Set(names.FamSteer, "campaign", bt.ExpiresIn(d), []byte(plmn))  // want ttlwrite/clock-in-sequence
	m.Set(names.FamPartner, "campaign", bigtable.Now(), []byte(plmn)) // ok ttlwrite/clock-in-sequence
	return c.roaming.Mutate(ctx, imsi, m)
}

// SteerClear empties the list.
func (c *Cache) SteerClear(ctx context.Context, imsi string) error {
	return c.roaming.Put(ctx, imsi, names.FamSteer, "top", bigtable.Time(platform.Today()), nil) // want ttlwrite/clock-in-sequence
}

// Steering reads a subscriber's network.
func (c *Cache) Steering(ctx context.Context, imsi string) (string, error) {
	row, err := c.roaming.Get(ctx, imsi, bt.Only(names.FamSteer)) // ok ttlread/version-limit
	if err != nil {
		return "", err
	}
	return string(bt.Cell(row, names.FamSteer, "top")), nil
}

// SteeringFresh wants no old steering.
func (c *Cache) SteeringFresh(ctx context.Context, imsi string) (string, error) {
	row, err := c.roaming.GetFiltered(ctx, imsi, bt.WithinIn(names.FamSteer, 24*time.Hour), bigtable.LatestNFilter(1)) // want ttlread/wrong-bound
	if err != nil {
		return "", err
	}
	return string(bt.Cell(row, names.FamSteer, "top")), nil
}

// SteeringFull reads steering and visit.
func (c *Cache) SteeringFull(ctx context.Context, imsi string) (string, string, error) {
	f := bigtable.InterleaveFilters(bt.LiveIn(names.FamCache), bt.LatestIn(names.FamSteer, 1), bt.LatestIn(names.FamPartner, 1)) // ok ttlread/unfiltered-branch
	row, err := c.roaming.Get(ctx, imsi, bigtable.RowFilter(f))                                                                  // ok ttlread/missing-filter
	if err != nil {
		return "", "", err
	}
	return string(bt.Cell(row, names.FamSteer, "top")), string(bt.Cell(row, names.FamCache, "plmn")), nil
}

// SteeringLoose has no bound on one branch.
func (c *Cache) SteeringLoose(ctx context.Context, imsi string) (string, string, error) {
	f := bigtable.InterleaveFilters(bt.LatestIn(names.FamSteer, 1), bigtable.FamilyFilter(names.FamCache)) // want ttlread/unfiltered-branch[loose]
	row, err := c.roaming.Get(ctx, imsi, bigtable.RowFilter(f))                                            // want ttlread/unfiltered-branch[loose]
	if err != nil {
		return "", "", err
	}
	return string(bt.Cell(row, names.FamSteer, "top")), string(bt.Cell(row, names.FamCache, "plmn")), nil
}

// Partners reads the ordinary family of a range of keys.
func (c *Cache) Partners(ctx context.Context) ([]string, error) {
	var out []string
	err := c.roaming.Scan(ctx, bigtable.PrefixRange("partner#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[names.FamPartner] {
			out = append(out, strings.TrimPrefix(it.Row, "partner#")+" "+it.Timestamp.Time().Format(time.DateOnly)) // ok ttlage/not-write-time
		}
		return true
	})
	return out, err
}

// Visitors lists who is in a network.
func (c *Cache) Visitors(ctx context.Context, plmn string) ([]Visit, error) {
	var out []Visit
	err := c.roaming.Scan(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/missing-filter[visitors]
		if p := bt.Cell(r, names.FamCache, "plmn"); string(p) == plmn {
			out = append(out, Visit{IMSI: r.Key(), PLMN: plmn})
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(names.FamCache), bigtable.ColumnFilter("plmn")))) // want ttlread/missing-filter[visitors]
	return out, err
}

// VisitorsLive lists who is there now.
func (c *Cache) VisitorsLive(ctx context.Context, plmn string) ([]Visit, error) {
	var out []Visit
	err := c.roaming.Scan(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		it, ok := bt.Item(r, names.FamCache, "plmn")
		if ok && string(it.Value) == plmn {
			out = append(out, Visit{IMSI: r.Key(), PLMN: plmn, Until: it.Timestamp.Time()}) // ok ttlage/not-write-time
		}
		if ok && string(it.Value) == plmn+"x" {
			out = append(out, Visit{IMSI: r.Key(), PLMN: plmn, Modified: it.Timestamp.Time()}) // want ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(bt.LiveIn(names.FamCache)))
	return out, err
}

// DeviceAge says when a model was stored.
func (c *Cache) DeviceAge(ctx context.Context, tac string) (*Device, error) {
	row, err := c.devices.Get(ctx, tac, bigtable.RowFilter(bt.WithinIn(names.FamCache, names.DeviceTTL))) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	it, ok := bt.Item(row, names.FamCache, "device")
	if !ok {
		return nil, bt.ErrNotFound
	}
	d := &Device{TAC: tac}
	if err := json.Unmarshal(it.Value, d); err != nil {
		return nil, err
	}
	d.Written = it.Timestamp.Time() // want ttlage/not-write-time
	if it.Timestamp == -1 {         // want ttlage/server-sentinel
		return nil, errors.New("roaming: never written")
	}
	return d, nil
}

// Leave forgets a visit if it is in this network.
func (c *Cache) Leave(ctx context.Context, imsi, plmn string) error {
	del := bigtable.NewMutation()
	del.DeleteCellsInFamily(names.FamCache)
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamCache), bigtable.ColumnFilter("plmn"), bigtable.ValueFilter(plmn))
	_, err := c.roaming.MutateIf(ctx, imsi, bigtable.NewCondMutation(pred, del, nil)) // ok ttlread/conditional-mutation
	return err
}

// Enter registers a visit where there is none.
func (c *Cache) Enter(ctx context.Context, v Visit) (bool, error) {
	m := bigtable.NewMutation()
	VisitCells(m, v, bt.ExpiresIn(c.ttl))                                                                                    // ok ttlwrite/write-time
	matched, err := c.roaming.MutateIf(ctx, v.IMSI, bigtable.NewCondMutation(bigtable.FamilyFilter(names.FamCache), nil, m)) // want ttlread/conditional-mutation
	return !matched, err
}

// String is for logs.
func (v Visit) String() string { return fmt.Sprintf("%s@%s", v.IMSI, v.PLMN) }
