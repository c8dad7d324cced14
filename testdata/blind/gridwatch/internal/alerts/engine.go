// Package alerts evaluates rules on readings, keeps what fires in alert-state and
// tells people. In alert-state, firing and state live for three days unless their
// timestamp is moved, mute holds the moment the mute ends, rule is ordinary.
package alerts

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"

	"example.com/gridwatch/internal/bus"
	"example.com/gridwatch/internal/events"
	"example.com/gridwatch/internal/retry"
	"example.com/gridwatch/internal/sink"
	"example.com/gridwatch/internal/store"
)

// Rule is a threshold on one sensor.
type Rule struct {
	Name     string          `json:"name"`
	Sensor   string          `json:"sensor"`
	Above    *float64        `json:"above,omitempty"`
	Below    *float64        `json:"below,omitempty"`
	For      time.Duration   `json:"for"`
	Severity events.Severity `json:"severity"`
}

// Breached reports whether v breaks the rule.
func (r Rule) Breached(v float64) bool {
	return r.Above != nil && v > *r.Above || r.Below != nil && v < *r.Below
}

// Engine evaluates rules.
type Engine struct {
	tbl *bigtable.Table

	mu    sync.RWMutex
	rules map[string][]Rule

	pending map[string]time.Time
	out     *bus.Topic[events.Alert]
}

// NewEngine returns an engine without rules.
func NewEngine(t *store.Tables) *Engine {
	return &Engine{
		tbl:     t.Alerts,
		rules:   map[string][]Rule{},
		pending: map[string]time.Time{},
		out:     bus.NewTopic[events.Alert]("alerts"),
	}
}

// Alerts is where alerts are published.
func (e *Engine) Alerts() *bus.Topic[events.Alert] { return e.out }

// LoadRules reads the rules of a tenant; they are ordinary cells.
func (e *Engine) LoadRules(ctx context.Context, tenant string) error {
	row, err := e.tbl.ReadRow(ctx, "rules#"+tenant, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	rules := map[string][]Rule{}
	for _, it := range row[store.FamRule] {
		var r Rule
		if err := json.Unmarshal(it.Value, &r); err != nil {
			slog.WarnContext(ctx, "bad rule", "tenant", tenant, "column", it.Column, "err", err)
			continue
		}
		rules[r.Sensor] = append(rules[r.Sensor], r)
	}
	e.mu.Lock()
	e.rules = rules
	e.mu.Unlock()
	return nil
}

// SaveRule writes a rule.
func (e *Engine) SaveRule(ctx context.Context, tenant string, r Rule) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(store.FamRule, r.Name, bigtable.Now(), b)                       // ok ttlwrite/write-time
	mut.Set(store.FamState, "rule-changed", bigtable.Now(), []byte(r.Name)) // ok ttlwrite/clock-in-zero
	mut.Set(store.FamMute, r.Name, bigtable.Now(), []byte("edited"))        // want ttlwrite/write-time
	return e.tbl.Apply(ctx, "rules#"+tenant, mut)
}

// Run evaluates readings until in is closed.
func (e *Engine) Run(ctx context.Context, in <-chan events.Reading) error {
	defer e.out.Close()
	parts := bus.Partition(ctx, in, 4, func(r events.Reading) string { return r.Device })
	g, ctx := errgroup.WithContext(ctx)
	var mu sync.Mutex
	for _, part := range parts {
		g.Go(func() error {
			for r := range part {
				for _, a := range e.evaluate(&mu, r) {
					if err := e.out.Publish(ctx, a); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
	return g.Wait()
}

func (e *Engine) evaluate(mu *sync.Mutex, r events.Reading) []events.Alert {
	e.mu.RLock()
	rules := e.rules[r.Sensor]
	e.mu.RUnlock()
	var out []events.Alert
	for _, rule := range rules {
		a := events.Alert{Rule: rule.Name, Device: r.Device, Severity: rule.Severity, Value: r.Value}
		mu.Lock()
		since, pending := e.pending[a.Key()]
		switch {
		case !rule.Breached(r.Value) && pending:
			delete(e.pending, a.Key())
			a.Resolved = true
			out = append(out, a)
		case rule.Breached(r.Value) && !pending:
			e.pending[a.Key()] = r.TakenAt
		case rule.Breached(r.Value) && r.TakenAt.Sub(since) >= rule.For:
			a.Since = since
			out = append(out, a)
		}
		mu.Unlock()
	}
	return out
}

// Keeper writes alerts to alert-state.
type Keeper struct {
	tbl  *bigtable.Table
	sink *sink.Sink
}

// NewKeeper returns a keeper.
func NewKeeper(t *store.Tables, s *sink.Sink) *Keeper {
	return &Keeper{tbl: t.Alerts, sink: s}
}

// Run consumes alerts.
func (k *Keeper) Run(ctx context.Context, in <-chan events.Alert) error {
	return bus.Each(ctx, 8, in, k.keep)
}

// lifetime of a firing alert by severity.
func lifetime(s events.Severity) time.Duration {
	switch s {
	case events.Critical:
		return 14 * 24 * time.Hour
	case events.Warning:
		return store.FiringTTL
	}
	return 12 * time.Hour
}

func (k *Keeper) keep(ctx context.Context, a events.Alert) error {
	mut := bigtable.NewMutation()
	if a.Resolved {
		mut.DeleteCellsInFamily(store.FamFiring)
		mut.Set(store.FamState, "state", bigtable.ServerTime, []byte("resolved"))                                // ok ttlwrite/clock-in-zero
		mut.Set(store.FamFiring, "resolved", bigtable.Time(time.Now().Add(-100*time.Hour)), []byte("1"))         // want ttlwrite/already-expired
		mut.Set(store.FamFiring, "grace", bigtable.Time(time.Now().Add(time.Hour-store.FiringTTL)), []byte("1")) // ok ttlwrite/already-expired
		return k.tbl.Apply(ctx, a.Key(), mut)
	}
	ts := bigtable.Time(time.Now().Add(lifetime(a.Severity) - store.FiringTTL))
	mut.Set(store.FamFiring, "value", ts, strconv.AppendFloat(nil, a.Value, 'g', -1, 64)) // ok ttlwrite/already-expired
	mut.Set(store.FamFiring, "severity", ts, []byte(a.Severity.String()))                 // ok ttlwrite/same-timestamp
	mut.Set(store.FamFiring, "value", ts, []byte(a.Severity.String()))                    // want ttlwrite/same-timestamp
	mut.Set(store.FamState, "state", bigtable.Now(), []byte("firing"))                    // ok ttlwrite/clock-in-zero
	mut.AddIntToCell(store.FamFiring, "count", bigtable.ServerTime, 1)                    // want ttlwrite/aggregate-server-time
	mut.AddIntToCell(store.FamFiring, "count-all", ts, 1)                                 // ok ttlwrite/aggregate-server-time
	return retry.Do(ctx, retry.Default, func(ctx context.Context) error {
		return k.tbl.Apply(ctx, a.Key(), mut)
	})
}

// Notes attaches remarks. All have one column and one timestamp.
func (k *Keeper) Notes(ctx context.Context, a events.Alert, notes []string) error {
	mut := bigtable.NewMutation()
	ts := store.Shifted(store.FiringTTL, 24*time.Hour)
	for _, n := range notes {
		mut.Set(store.FamFiring, "note", ts, []byte(n)) // want ttlwrite/same-timestamp
	}
	return k.tbl.Apply(ctx, a.Key(), mut)
}

// Tags has a column for each tag.
func (k *Keeper) Tags(ctx context.Context, a events.Alert, tags map[string]string) error {
	mut := bigtable.NewMutation()
	ts := store.Shifted(store.FiringTTL, 24*time.Hour)
	for name, v := range tags {
		mut.Set(store.FamFiring, "tag:"+name, ts, []byte(v)) // ok ttlwrite/same-timestamp
	}
	return k.tbl.Apply(ctx, a.Key(), mut)
}

// Forward hands state to another region's table; nobody here knows which.
func (k *Keeper) Forward(ctx context.Context, a events.Alert) error {
	if err := sink.Put(ctx, k.sink.Writes(), a.Key(), store.FamState, "forwarded", bigtable.ServerTime, []byte("1")); err != nil { // ok ttlwrite/clock-in-zero
		return err
	}
	return sink.Put(ctx, k.sink.Writes(), a.Key(), store.FamFiring, "forwarded", bigtable.ServerTime, []byte("1")) // ok ttlwrite/server-timestamp
}

// Mute silences a rule on a device for d.
func (k *Keeper) Mute(ctx context.Context, device, rule, who string, d time.Duration) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(store.FamMute, rule)
	mut.Set(store.FamMute, rule, bigtable.Time(time.Now().Add(d)), []byte(who)) // ok ttlwrite/write-time
	mut.Set(store.FamMute, "by", bigtable.ServerTime, []byte(who))              // want ttlwrite/server-timestamp
	mut.Set(store.FamFiring, "muted-by", bigtable.ServerTime, []byte(who))      // ok ttlwrite/server-timestamp
	return k.tbl.Apply(ctx, device, mut)
}

// MuteForever was requested by the plant in Lyon.
func (k *Keeper) MuteForever(ctx context.Context, device, rule string) error {
	mut := bigtable.NewMutation()
	mut.Set(store.FamMute, rule, bigtable.Time(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)), []byte("forever")) // want ttlunit/out-of-range
	return k.tbl.Apply(ctx, device, mut)
}

// MuteLong is MuteForever within what a timestamp can say.
func (k *Keeper) MuteLong(ctx context.Context, device, rule string) error {
	mut := bigtable.NewMutation()
	mut.Set(store.FamMute, rule, bigtable.Time(time.Date(2199, 12, 31, 0, 0, 0, 0, time.UTC)), []byte("long")) // ok ttlunit/out-of-range
	return k.tbl.Apply(ctx, device, mut)
}

// MuteUntil takes an expiry from the console, which sends seconds.
func (k *Keeper) MuteUntil(ctx context.Context, device, rule string, until time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(store.FamMute, rule, bigtable.Timestamp(until.Unix()), []byte("console"))                // want ttlunit/wrong-unit
	mut.Set(store.FamMute, rule+"/u", bigtable.Timestamp(until.UnixMicro()), []byte("console"))      // ok ttlunit/wrong-unit
	mut.Set(store.FamMute, rule+"/m", bigtable.Timestamp(until.UnixMilli()*1000), []byte("console")) // ok ttlunit/wrong-unit
	return k.tbl.Apply(ctx, device, mut)
}

// Describe is for logs.
func Describe(a events.Alert) string {
	if a.Resolved {
		return fmt.Sprintf("%s resolved on %s", a.Rule, a.Device)
	}
	return fmt.Sprintf("%s (%s) on %s: %g", a.Rule, a.Severity, a.Device, a.Value)
}
