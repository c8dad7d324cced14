// Package lease has the locks of berths and cranes: a row per resource, a cell per holder.
package lease

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"sort"
	"strconv"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/harbor/btutil"
)

const fam = btutil.FamLease

const (
	colHolder = "holder"
	colInfo   = "info"
	colSeq    = "seq"
)

// ErrHeld means that somebody else has the lease.
var ErrHeld = errors.New("lease: held by another")

var (
	started     time.Time
	startExpiry bigtable.Timestamp
	once        sync.Once
	onceTS      bigtable.Timestamp

	defaultTTL = 90 * time.Second
	verbose    bool
)

func init() {
	started = time.Now()
	startExpiry = bigtable.Time(time.Now().Add(12 * time.Hour)) // want ttlwrite/stale-clock[start]
	if os.Getenv("HARBOR_LEASE_VERBOSE") == "1" {
		verbose = true
	}
}

// Manager hands out leases.
type Manager struct {
	table   bigtable.TableAPI
	owner   string
	ttl     time.Duration
	nowFunc func() time.Time
	held    map[string]time.Time
	mu      sync.Mutex
	events  chan Event
	done    chan struct{}
}

// Event is something that happened to a lease.
type Event struct {
	Kind     string
	Resource string
	Holder   string
	Until    time.Time
	Info     map[string]string
}

// NewManager opens the table. ttl 0 is the default.
func NewManager(c *bigtable.Client, owner string, ttl time.Duration) *Manager {
	if ttl == 0 {
		ttl = defaultTTL
	}
	m := &Manager{
		table:   c.OpenTable(btutil.TableLocks),
		owner:   owner,
		ttl:     ttl,
		nowFunc: time.Now,
		held:    make(map[string]time.Time),
		events:  make(chan Event, 64),
		done:    make(chan struct{}),
	}
	go m.loop()
	return m
}

func (m *Manager) now() time.Time { return m.nowFunc() }

func (m *Manager) expiry() bigtable.Timestamp { return bigtable.Time(m.now().Add(m.ttl)) }

func (m *Manager) live() bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.TimestampRangeFilter(m.now(), time.Time{}))
}

// Acquire takes the lease of a resource or returns ErrHeld.
func (m *Manager) Acquire(ctx context.Context, res string) error {
	set := bigtable.NewMutation()
	set.Set(fam, colHolder, m.expiry(), []byte(m.owner)) // ok ttlwrite/write-time
	if verbose {
		host, _ := os.Hostname()
		set.Set(fam, colInfo, m.expiry(), []byte(host)) // ok ttlwrite/write-time
	}
	pred := bigtable.ChainFilters(
		bigtable.FamilyFilter(fam),
		bigtable.ColumnFilter(colHolder),
		bigtable.TimestampRangeFilter(m.now(), time.Time{}),
	)
	var held bool
	if err := m.table.Apply(ctx, res, bigtable.NewCondMutation(pred, nil, set), bigtable.GetCondMutationResult(&held)); err != nil { // ok ttlread/conditional-mutation
		return fmt.Errorf("lease: acquire %s: %w", res, err)
	}
	if held {
		return ErrHeld
	}
	m.mark(res, m.now().Add(m.ttl))
	m.emit(Event{Kind: "acquired", Resource: res, Holder: m.owner})
	return nil
}

// AcquireOld is what the crane firmware calls.
func (m *Manager) AcquireOld(ctx context.Context, res string) error {
	set := bigtable.NewMutation()
	set.Set(fam, colHolder, bigtable.Time(time.Now()), []byte(m.owner)) // want ttlwrite/write-time
	pred := bigtable.ColumnFilter(colHolder)
	var held bool
	if err := m.table.Apply(ctx, res, bigtable.NewCondMutation(pred, nil, set), bigtable.GetCondMutationResult(&held)); err != nil { // want ttlread/conditional-mutation
		return err
	}
	if held {
		return ErrHeld
	}
	m.mark(res, m.now())
	return nil
}

// Renew prolongs a lease that we hold.
func (m *Manager) Renew(ctx context.Context, res string, d time.Duration) error {
	if d == 0 {
		d = m.ttl
	}
	set := bigtable.NewMutation()
	set.Set(fam, colHolder, bigtable.Time(m.now().Add(d)), []byte(m.owner))                                                            // ok ttlwrite/write-time
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.ColumnFilter(colHolder), bigtable.ValueFilter(m.owner)), set, nil) // want ttlread/conditional-mutation
	var ours bool
	if err := m.table.Apply(ctx, res, cond, bigtable.GetCondMutationResult(&ours)); err != nil {
		return err
	}
	if !ours {
		return ErrHeld
	}
	m.mark(res, m.now().Add(d))
	return nil
}

// RenewLive is Renew with the bound in the predicate.
func (m *Manager) RenewLive(ctx context.Context, res string, d time.Duration) error {
	set := bigtable.NewMutation()
	set.DeleteCellsInColumn(fam, colHolder)
	set.Set(fam, colHolder, bigtable.Time(m.now().Add(d)), []byte(m.owner)) // ok ttlwrite/delete-after-set
	alive := bigtable.TimestampRangeFilter(m.now(), time.Time{})
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.ColumnFilter(colHolder), alive, bigtable.ValueFilter(m.owner)), set, nil) // ok ttlread/conditional-mutation
	var ours bool
	if err := m.table.Apply(ctx, res, cond, bigtable.GetCondMutationResult(&ours)); err != nil {
		return err
	}
	if !ours {
		return ErrHeld
	}
	m.mark(res, m.now().Add(d))
	return nil
}

// Release gives a lease back.
func (m *Manager) Release(ctx context.Context, res string, soft bool) error {
	mut := bigtable.NewMutation()
	if soft {
		// let readers see it for a moment
		mut.Set(fam, "released", bigtable.Time(m.now().Add(5*time.Second)), []byte(m.owner)) // ok ttlwrite/write-time
		mut.DeleteCellsInColumn(fam, colHolder)                                              // ok ttlwrite/delete-after-set
	} else {
		mut.Set(fam, "released", m.expiry(), []byte(m.owner))
		mut.DeleteCellsInFamily(fam) // want ttlwrite/delete-after-set
	}
	cond := bigtable.NewCondMutation(bigtable.ValueFilter(m.owner), mut, nil) // want ttlread/conditional-mutation
	if err := m.table.Apply(ctx, res, cond); err != nil {
		return err
	}
	m.mu.Lock()
	delete(m.held, res)
	m.mu.Unlock()
	m.emit(Event{Kind: "released", Resource: res, Holder: m.owner})
	return nil
}

// Drop removes somebody's lease; operators only.
func (m *Manager) Drop(ctx context.Context, res, holder string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(fam)
	cond := bigtable.NewCondMutation(bigtable.ValueFilter(holder), mut, nil) // ok ttlread/conditional-mutation
	return m.table.Apply(ctx, res, cond)
}

// Reserve is for the planner: whole day reservations.
func (m *Manager) Reserve(ctx context.Context, res, plan string, exact bool) error {
	mut := bigtable.NewMutation()
	if exact {
		end := time.Date(m.now().Year(), m.now().Month(), m.now().Day()+1, 0, 0, 0, 0, time.UTC)
		mut.Set(fam, "plan", bigtable.Time(end), []byte(plan)) // ok ttlwrite/write-time
	} else {
		mut.Set(fam, "plan", startExpiry, []byte(plan)) // want ttlwrite/stale-clock[start]
	}
	return m.table.Apply(ctx, res, mut)
}

// ReserveUntil takes the deadline as the planner's API gives it: seconds.
func (m *Manager) ReserveUntil(ctx context.Context, res, plan string, deadline time.Time, unit string) error {
	mut := bigtable.NewMutation()
	switch unit {
	case "s":
		mut.Set(fam, "plan", bigtable.Timestamp(deadline.Unix()), []byte(plan)) // want ttlunit/wrong-unit
	case "ms":
		mut.Set(fam, "plan", bigtable.Timestamp(deadline.UnixMilli()), []byte(plan)) // want ttlunit/wrong-unit
	case "us":
		mut.Set(fam, "plan", bigtable.Timestamp(deadline.UnixMicro()), []byte(plan)) // ok ttlunit/wrong-unit
	case "ns":
		mut.Set(fam, "plan", bigtable.Timestamp(deadline.UnixNano()/1000), []byte(plan)) // ok ttlunit/wrong-unit
	default:
		mut.Set(fam, "plan", bigtable.Time(deadline), []byte(plan)) // ok ttlunit/wrong-unit
	}
	return m.table.Apply(ctx, res, mut)
}

// ReserveFor adds to now, by hand.
func (m *Manager) ReserveFor(ctx context.Context, res, plan string, d time.Duration) error {
	mut := bigtable.NewMutation()
	mut.Set(fam, "plan", bigtable.Now()+bigtable.Timestamp(d), []byte(plan))                                           // want ttlunit/wrong-unit
	mut.Set(fam, "plan2", bigtable.Now()+bigtable.Timestamp(d.Microseconds()), []byte(plan))                           // ok ttlunit/wrong-unit
	mut.Set(fam, "plan3", bigtable.Now()+bigtable.Timestamp(d/time.Microsecond), []byte(plan))                         // ok ttlunit/wrong-unit
	mut.Set(fam, "plan4", bigtable.Timestamp(m.now().Add(d).Unix()*1000), []byte(plan))                                // want ttlunit/wrong-unit
	mut.Set(fam, "plan5", bigtable.Timestamp(m.now().Add(d).Unix()*1_000_000), []byte(plan))                           // ok ttlunit/wrong-unit
	mut.Set(fam, "plan6", bigtable.Timestamp(m.now().Add(d).UnixMilli())*1000, []byte(plan))                           // ok ttlunit/wrong-unit
	mut.Set(fam, "plan7", bigtable.Timestamp(m.now().Add(d).Unix()*int64(time.Second/time.Microsecond)), []byte(plan)) // ok ttlunit/wrong-unit
	return m.table.Apply(ctx, res, mut)
}

// Boot leaves a sign that we are up.
func (m *Manager) Boot(ctx context.Context) error {
	once.Do(func() {
		onceTS = bigtable.Time(time.Now().Add(time.Hour)) // want ttlwrite/stale-clock[once]
	})
	mut := bigtable.NewMutation()
	mut.Set(fam, "boot", onceTS, []byte(started.Format(time.RFC3339))) // want ttlwrite/stale-clock[once]
	return m.table.Apply(ctx, "boot#"+m.owner, mut)
}

// Heartbeat ticks until ctx ends.
func (m *Manager) Heartbeat(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case tick := <-t.C:
			mut := bigtable.NewMutation()
			mut.Set(fam, "beat", bigtable.Time(time.Now().Add(3*every)), []byte(tick.Format(time.RFC3339))) // ok ttlwrite/write-time
			if err := m.table.Apply(ctx, "beat#"+m.owner, mut); err != nil {
				log.Printf("lease: heartbeat: %v", err)
			}
		}
	}
}

// HeartbeatOnce is called by cron on the old boxes.
func (m *Manager) HeartbeatOnce(ctx context.Context, seq int64) error {
	mut := bigtable.NewMutation()
	now := m.now()
	mut.Set(fam, "beat", bigtable.Time(now), []byte(now.Format(time.RFC3339))) // want ttlwrite/write-time
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(fam, colSeq, seq) // want ttlwrite/read-modify-write
	if _, err := m.table.ApplyReadModifyWrite(ctx, "beat#"+m.owner, rmw); err != nil {
		return err
	}
	return m.table.Apply(ctx, "beat#"+m.owner, mut)
}

// Holder says who has a lease.
func (m *Manager) Holder(ctx context.Context, res string) (string, time.Time, error) {
	row, err := m.table.ReadRow(ctx, res, m.live()) // ok ttlread/missing-filter
	if err != nil {
		return "", time.Time{}, err
	}
	for _, it := range row[fam] {
		if it.Column == fam+":"+colHolder {
			return string(it.Value), it.Timestamp.Time(), nil // ok ttlage/not-write-time
		}
	}
	return "", time.Time{}, btutil.ErrNotFound
}

// HolderOld reads what is there.
func (m *Manager) HolderOld(ctx context.Context, res string) (string, time.Duration, error) {
	row, err := m.table.ReadRow(ctx, res, bigtable.RowFilter(bigtable.ColumnFilter(colHolder))) // want ttlread/missing-filter
	if err != nil {
		return "", 0, err
	}
	for _, it := range row[fam] {
		age := time.Since(it.Timestamp.Time()) // want ttlage/not-write-time
		return string(it.Value), age, nil
	}
	return "", 0, btutil.ErrNotFound
}

// HolderChecked asks the cell itself.
func (m *Manager) HolderChecked(ctx context.Context, res string) (string, error) {
	row, err := m.table.ReadRow(ctx, res, bigtable.RowFilter(bigtable.ColumnFilter(colHolder))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	deadline := bigtable.Time(m.now())
	for _, it := range row[fam] {
		if it.Timestamp < deadline {
			continue
		}
		return string(it.Value), nil
	}
	return "", btutil.ErrNotFound
}

// HolderTwice was meant to add the filters up.
func (m *Manager) HolderTwice(ctx context.Context, res string) (string, error) {
	row, err := m.table.ReadRow(ctx, res, m.live(), bigtable.RowFilter(bigtable.ColumnFilter(colHolder))) // want ttlread/overridden-filter // maybe ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[fam] {
		return string(it.Value), nil
	}
	return "", btutil.ErrNotFound
}

// Expired lists leases that ran out but are still there; the cleaner uses it.
func (m *Manager) Expired(ctx context.Context, prefix string) ([]string, error) {
	var out []string
	err := m.table.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool {
		for _, it := range r[fam] {
			out = append(out, string(it.Value))
		}
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Time{}, m.now()))) // want ttlread/expired-only
	return out, err
}

// Clean deletes what ran out.
func (m *Manager) Clean(ctx context.Context, prefix string) (int, error) {
	b := btutil.NewBatch(m.table, 200)
	n := 0
	err := m.table.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool {
		del := bigtable.NewMutation()
		del.DeleteRow()
		n++
		return b.Add(ctx, r.Key(), del) == nil
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Unix(0, 0), m.now()))) // ok ttlread/expired-only
	if err != nil {
		return n, err
	}
	return n, b.Flush(ctx)
}

// List returns the leases of a prefix, newest first. mode: "", "live", "raw", "count".
func (m *Manager) List(ctx context.Context, prefix, mode string) ([]Event, error) {
	var evs []Event
	collect := func(r bigtable.Row) bool {
		ev := Event{Kind: "held", Resource: r.Key(), Info: map[string]string{}}
		for _, it := range r[fam] {
			switch it.Column {
			case fam + ":" + colHolder:
				ev.Holder = string(it.Value)
				ev.Until = it.Timestamp.Time() // ok ttlage/not-write-time
			default:
				ev.Info[it.Column] = string(it.Value)
			}
		}
		evs = append(evs, ev)
		return true
	}
	var err error
	switch mode {
	case "", "live":
		err = m.table.ReadRows(ctx, bigtable.PrefixRange(prefix), collect, m.live()) // ok ttlread/missing-filter
	case "raw":
		err = m.table.ReadRows(ctx, bigtable.PrefixRange(prefix), collect) // want ttlread/missing-filter
	case "count":
		err = m.table.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/missing-filter
			evs = append(evs, Event{Kind: "count", Resource: r.Key()})
			return true
		}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	default:
		return nil, fmt.Errorf("lease: mode %q", mode)
	}
	sort.Slice(evs, func(i, j int) bool { return evs[i].Until.After(evs[j].Until) })
	return evs, err
}

// Day uses the wrong bound, copied from the quotes.
func (m *Manager) Day(ctx context.Context, res string) ([]string, error) {
	var out []string
	row, err := m.table.ReadRow(ctx, res, bigtable.RowFilter(btutil.Since(24*time.Hour))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	for _, it := range row[fam] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// Either has one branch too many.
func (m *Manager) Either(ctx context.Context, res string) ([]string, error) {
	var out []string
	f := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.ColumnFilter(colHolder), btutil.Live()),
		bigtable.ColumnFilter(colInfo), // want ttlread/unfiltered-branch[either]
	)
	row, err := m.table.ReadRow(ctx, res, bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[either]
	if err != nil {
		return nil, err
	}
	for _, it := range row[fam] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// IfHeld returns the info of resources that are held.
func (m *Manager) IfHeld(ctx context.Context, res string) ([]string, error) {
	var out []string
	held := bigtable.ChainFilters(bigtable.ColumnFilter(colHolder), bigtable.TimestampRangeFilter(m.now(), time.Time{}))
	row, err := m.table.ReadRow(ctx, res, bigtable.RowFilter(bigtable.ConditionFilter(held, bigtable.PassAllFilter(), nil))) // want ttlread/unfiltered-branch
	if err != nil {
		return nil, err
	}
	for _, it := range row[fam] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// IfHeldLive bounds the branch as well.
func (m *Manager) IfHeldLive(ctx context.Context, res string) ([]string, error) {
	var out []string
	alive := bigtable.TimestampRangeFilter(m.now(), time.Time{})
	held := bigtable.ChainFilters(bigtable.ColumnFilter(colHolder), alive)
	row, err := m.table.ReadRow(ctx, res, bigtable.RowFilter(bigtable.ConditionFilter(held, alive, bigtable.BlockAllFilter()))) // ok ttlread/unfiltered-branch
	if err != nil {
		return nil, err
	}
	for _, it := range row[fam] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

func (m *Manager) mark(res string, until time.Time) {
	m.mu.Lock()
	m.held[res] = until
	m.mu.Unlock()
}

func (m *Manager) emit(ev Event) {
	select {
	case m.events <- ev:
	default:
		log.Printf("lease: event dropped: %s %s", ev.Kind, ev.Resource)
	}
}

// loop writes events beside the leases.
func (m *Manager) loop() {
	defer close(m.done)
	for ev := range m.events {
		b, err := json.Marshal(ev)
		if err != nil {
			continue
		}
		b = bytes.TrimSpace(b)
		mut := bigtable.NewMutation()
		switch ev.Kind {
		case "acquired":
			mut.Set(fam, "ev_a", m.expiry(), b) // ok ttlwrite/write-time
		case "released":
			mut.Set(fam, "ev_r", bigtable.ServerTime, b) // want ttlwrite/server-timestamp
		default:
			mut.Set(fam, "ev_"+ev.Kind, bigtable.Now(), b) // want ttlwrite/write-time
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		if err := m.table.Apply(ctx, ev.Resource, mut); err != nil {
			log.Printf("lease: event: %v", err)
		}
		cancel()
	}
}

// Close stops the loop.
func (m *Manager) Close() {
	close(m.events)
	<-m.done
}

// Fence returns a fencing token; it is the expiry in milliseconds.
func (m *Manager) Fence(ctx context.Context, res string) (string, error) {
	_, until, err := m.Holder(ctx, res)
	if err != nil {
		return "", err
	}
	return strconv.FormatInt(until.UnixMilli(), 36), nil
}
