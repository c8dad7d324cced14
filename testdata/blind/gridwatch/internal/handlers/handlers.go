// Package handlers holds what the event loop does for each kind of event: handlers
// fill mutations, the loop applies them.
package handlers

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"

	"example.com/gridwatch/internal/bus"
	"example.com/gridwatch/internal/events"
	"example.com/gridwatch/internal/retry"
	"example.com/gridwatch/internal/store"
)

// families of device-sessions in the order of the old schema.
var families = []string{store.FamToken, store.FamPresence, store.FamProfile}

// stamps by kind of event.
var stamps = map[events.Kind]func() bigtable.Timestamp{
	events.KindLogin:     func() bigtable.Timestamp { return store.ExpiresIn(store.TokenTTL) },
	events.KindHeartbeat: bigtable.Now, // want ttlwrite/write-time[stampmap]
}

// Event is something that leaves a trace in device-sessions.
type Event interface {
	Key() string
	Fill(mut *bigtable.Mutation)
}

// Paired is a device that found a peer.
type Paired struct {
	Device string
	Peer   string
	Until  time.Time
}

// Key implements Event.
func (e Paired) Key() string { return events.ReverseKey(e.Device) }

// Fill implements Event.
func (e Paired) Fill(mut *bigtable.Mutation) {
	mut.Set(store.FamToken, "peer", bigtable.Time(e.Until), []byte(e.Peer))  // ok ttlwrite/write-time
	mut.Set(store.FamToken, "paired", bigtable.ServerTime, []byte(e.Peer))   // want ttlwrite/server-timestamp
	mut.Set(store.FamProfile, "paired", bigtable.ServerTime, []byte(e.Peer)) // ok ttlwrite/server-timestamp
}

// Moved is a device that changed its site.
type Moved struct {
	Device string
	Site   string
}

// Key implements Event.
func (e *Moved) Key() string { return events.ReverseKey(e.Device) }

// Fill implements Event.
func (e *Moved) Fill(mut *bigtable.Mutation) {
	fam := families[2]
	mut.Set(fam, "site", bigtable.Now(), []byte(e.Site)) // ok ttlwrite/write-time
	fam = families[1]
	mut.Set(fam, "site", bigtable.Now(), []byte(e.Site))                       // want ttlwrite/write-time
	mut.Set(families[0], "site", store.ExpiresIn(time.Minute), []byte(e.Site)) // ok ttlwrite/write-time
}

// Seen is a device that somebody scanned.
type Seen struct {
	Device string
	By     string
}

// Key implements Event.
func (e Seen) Key() string { return events.ReverseKey(e.Device) }

// Fill implements Event.
func (e Seen) Fill(mut *bigtable.Mutation) {
	mut.Set(store.FamPresence, "scan", stamps[events.KindHeartbeat](), []byte(e.By)) // want ttlwrite/write-time[stampmap]
	mut.Set(store.FamToken, "scan", stamps[events.KindLogin](), []byte(e.By))        // ok ttlwrite/write-time
	placeTrace(mut, e.By)
}

// traces are what every scan leaves.
var traces = []struct {
	family, column string
	ts             func() bigtable.Timestamp
}{
	{store.FamProfile, "trace", bigtable.Now},                                                             // ok ttlwrite/write-time
	{store.FamPresence, "trace", func() bigtable.Timestamp { return store.ExpiresIn(store.PresenceTTL) }}, // ok ttlwrite/write-time
	{store.FamToken, "trace", bigtable.Now},                                                               // want ttlwrite/write-time[traces]
}

func placeTrace(mut *bigtable.Mutation, by string) {
	for _, t := range traces {
		mut.Set(t.family, t.column, t.ts(), []byte(by)) // want ttlwrite/write-time[traces]
	}
}

// stampFor is the timestamp of a cell that an event of kind k leaves.
func stampFor(k events.Kind) bigtable.Timestamp {
	switch k {
	case events.KindLogin:
		return store.ExpiresIn(store.TokenTTL)
	case events.KindHeartbeat:
		return store.ExpiresIn(store.PresenceTTL)
	default:
		return bigtable.Now()
	}
}

// placement says where an event goes and with which timestamp.
func placement(k events.Kind) (string, bigtable.Timestamp) {
	switch k {
	case events.KindLogin:
		return store.FamToken, store.ExpiresIn(store.TokenTTL)
	case events.KindHeartbeat:
		return store.FamPresence, store.ExpiresIn(store.PresenceTTL)
	}
	return store.FamProfile, bigtable.Now()
}

// Loop applies events to device-sessions.
type Loop struct {
	tbl    *bigtable.Table
	lookup func(ctx context.Context, key string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	stats  *bus.Topic[Stat]
}

// Stat is a cell on its way to the profile or presence of a device.
type Stat struct {
	Device string
	Name   string
	TS     bigtable.Timestamp
}

// New returns a loop.
func New(t *store.Tables) *Loop {
	return &Loop{tbl: t.Sessions, lookup: t.Sessions.ReadRow, stats: bus.NewTopic[Stat]("stats")}
}

// Run applies events until in is closed.
func (l *Loop) Run(ctx context.Context, in <-chan Event) error {
	return bus.Each(ctx, 8, in, func(ctx context.Context, ev Event) error {
		mut := bigtable.NewMutation()
		ev.Fill(mut)
		return retry.Do(ctx, retry.Default, func(ctx context.Context) error {
			return l.tbl.Apply(ctx, ev.Key(), mut)
		})
	})
}

// Handle writes what an envelope says of its device.
func (l *Loop) Handle(ctx context.Context, env events.Envelope) error {
	mut := bigtable.NewMutation()
	fam, ts := placement(env.Kind)
	mut.Set(fam, "last", ts, env.Payload)                                           // ok ttlwrite/write-time
	mut.Set(store.FamToken, "login", stampFor(events.KindLogin), env.Payload)       // ok ttlwrite/write-time
	mut.Set(store.FamToken, "command", stampFor(events.KindCommand), env.Payload)   // want ttlwrite/write-time
	mut.Set(store.FamProfile, "command", stampFor(events.KindCommand), env.Payload) // ok ttlwrite/write-time
	set := mut.Set
	set(store.FamPresence, "kind", bigtable.ServerTime, []byte(env.Kind)) // want ttlwrite/server-timestamp
	set(store.FamProfile, "kind", bigtable.ServerTime, []byte(env.Kind))  // ok ttlwrite/server-timestamp
	return l.tbl.Apply(ctx, env.Device, mut)
}

// guarded writes a token whose expiry may be left to the house.
func (l *Loop) guarded(ctx context.Context, device, column string, ts bigtable.Timestamp) error {
	if ts == bigtable.ServerTime {
		ts = store.ExpiresIn(store.TokenTTL)
	}
	mut := bigtable.NewMutation()
	mut.Set(store.FamToken, column, ts, []byte(device))
	return l.tbl.Apply(ctx, device, mut)
}

// unguarded writes a token with the expiry that it is given.
func (l *Loop) unguarded(ctx context.Context, device, column string, ts bigtable.Timestamp) error {
	mut := bigtable.NewMutation()
	mut.Set(store.FamToken, column, ts, []byte(device))
	return l.tbl.Apply(ctx, device, mut)
}

// Grants consumes grants.
func (l *Loop) Grants(ctx context.Context, in <-chan string) error {
	for device := range in {
		if err := l.guarded(ctx, device, "grant", bigtable.ServerTime); err != nil { // ok ttlwrite/server-timestamp
			return err
		}
		if err := l.guarded(ctx, device, "grant-now", bigtable.Now()); err != nil { // want ttlwrite/write-time
			return err
		}
		if err := l.unguarded(ctx, device, "pass", bigtable.ServerTime); err != nil { // want ttlwrite/server-timestamp
			return err
		}
		if err := l.unguarded(ctx, device, "pass-ok", store.ExpiresIn(time.Hour)); err != nil { // ok ttlwrite/server-timestamp
			return err
		}
	}
	return ctx.Err()
}

// Critical writes with a lifetime only for what matters.
func (l *Loop) Critical(ctx context.Context, device string, critical bool) error {
	ts := bigtable.Now()
	if critical {
		ts = store.ExpiresIn(time.Hour)
	}
	mut := bigtable.NewMutation()
	mut.Set(store.FamPresence, "critical", ts, []byte(device)) // strict ttlwrite/write-time
	return l.tbl.Apply(ctx, device, mut)
}

// Sweep writes a mark with every turn of a ticker.
func (l *Loop) Sweep(ctx context.Context, device string) error {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case now := <-tick.C:
			mut := bigtable.NewMutation()
			mut.Set(store.FamPresence, "swept", bigtable.Time(now), []byte(device))                       // want ttlwrite/write-time
			mut.Set(store.FamPresence, "next", bigtable.Time(now.Add(store.PresenceTTL)), []byte(device)) // ok ttlwrite/write-time
			mut.Set(store.FamProfile, "swept", bigtable.Time(now), []byte(device))                        // ok ttlwrite/write-time
			if err := l.tbl.Apply(ctx, device, mut); err != nil {
				return err
			}
		}
	}
}

// Observe publishes a statistic.
func (l *Loop) Observe(ctx context.Context, device, name string) error {
	return l.stats.Publish(ctx, Stat{Device: device, Name: name, TS: bigtable.Now()}) // want ttlwrite/write-time[stats]
}

// Stats writes what was published.
func (l *Loop) Stats(ctx context.Context) error {
	for st := range l.stats.Subscribe(32) {
		mut := bigtable.NewMutation()
		mut.Set(store.FamProfile, st.Name, st.TS, nil)  // ok ttlwrite/write-time
		mut.Set(store.FamPresence, st.Name, st.TS, nil) // want ttlwrite/write-time[stats]
		if err := l.tbl.Apply(ctx, st.Device, mut); err != nil {
			return err
		}
	}
	return nil
}

// Replace was meant to clear the family before it is filled.
func (l *Loop) Replace(ctx context.Context, ev Paired) error {
	mut := bigtable.NewMutation()
	ev.Fill(mut)
	mut.DeleteCellsInFamily(store.FamToken) // want ttlwrite/delete-after-set
	return l.tbl.Apply(ctx, ev.Key(), mut)
}

// ReplaceAll has the right order.
func (l *Loop) ReplaceAll(ctx context.Context, ev Paired) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(store.FamToken) // ok ttlwrite/delete-after-set
	ev.Fill(mut)
	return l.tbl.Apply(ctx, ev.Key(), mut)
}

// Numbered writes commands that get their number from a goroutine.
func Numbered(ctx context.Context, t *store.Tables, tenant string, in <-chan events.Command) error {
	tbl := t.CommandLog(tenant)
	nums := numbers(ctx)
	for c := range in {
		mut := bigtable.NewMutation()
		mut.Set(store.FamEntry, "cmd", bigtable.Timestamp(<-nums), []byte(c.Op))         // want ttlwrite/unscaled-sequence
		mut.Set(store.FamEntry, "args", bigtable.Timestamp(<-nums*1000), []byte(c.Args)) // ok ttlwrite/unscaled-sequence
		if err := tbl.Apply(ctx, c.Device, mut); err != nil {
			return err
		}
	}
	return nil
}

// numbers counts.
func numbers(ctx context.Context) <-chan int64 {
	out := make(chan int64)
	go func() {
		defer close(out)
		for n := int64(1); ; n++ {
			select {
			case out <- n:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

// tokenOf and siteOf pick what they need of a row.
func tokenOf(row bigtable.Row) string {
	for _, it := range row[store.FamToken] {
		if it.Column == "token:jwt" {
			return string(it.Value)
		}
	}
	return ""
}

func siteOf(row bigtable.Row) string {
	for _, it := range row[store.FamProfile] {
		if it.Column == "profile:site" {
			return string(it.Value)
		}
	}
	return ""
}

// alive compares with the clock.
func alive(it bigtable.ReadItem, now time.Time) bool {
	return !it.Timestamp.Time().Before(now)
}

// Site reads where a device is.
func (l *Loop) Site(ctx context.Context, key string) (string, error) {
	row, err := l.tbl.ReadRow(ctx, key) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return siteOf(row), nil
}

// Bearer reads the token of a device.
func (l *Loop) Bearer(ctx context.Context, key string) (string, error) {
	row, err := l.tbl.ReadRow(ctx, key) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return tokenOf(row), nil
}

// BearerFunc reads it through the function that tests replace.
func (l *Loop) BearerFunc(ctx context.Context, key string) (string, error) {
	row, err := l.lookup(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter(store.FamToken))) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return tokenOf(row), nil
}

// BearerLive reads it through that function with a bound.
func (l *Loop) BearerLive(ctx context.Context, key string) (string, error) {
	f := bigtable.FamilyFilter(store.FamToken)
	f = bigtable.ChainFilters(f, store.Alive())
	row, err := l.lookup(ctx, key, bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return tokenOf(row), nil
}

// Present reads presence and looks at the timestamps in a helper.
func (l *Loop) Present(ctx context.Context, key string) (bool, error) {
	row, err := l.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter(store.FamPresence))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	now := time.Now()
	for _, it := range row[store.FamPresence] {
		if alive(it, now) {
			return true, nil
		}
	}
	return false, nil
}

// job is work for the pool.
type job func(ctx context.Context) error

// Warm reads rows so that their tablets are in memory, with a pool of workers.
func (l *Loop) Warm(ctx context.Context, keys []string, found chan<- string) error {
	jobs := make(chan job)
	g, ctx := errgroup.WithContext(ctx)
	for range 4 {
		g.Go(func() error {
			for j := range jobs {
				if err := j(ctx); err != nil {
					slog.WarnContext(ctx, "warm", "err", err)
				}
			}
			return nil
		})
	}
	for _, key := range keys {
		jobs <- func(ctx context.Context) error {
			fs := []bigtable.Filter{bigtable.FamilyFilter(store.FamPresence)}
			fs = append(fs, bigtable.ColumnFilter("alive"))
			row, err := l.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(fs...))) // want ttlread/missing-filter
			if err != nil {
				return fmt.Errorf("warm %s: %w", key, err)
			}
			if len(row) > 0 {
				found <- key
			}
			return nil
		}
		jobs <- func(ctx context.Context) error {
			fs := []bigtable.Filter{bigtable.FamilyFilter(store.FamPresence)}
			fs = append(fs, store.Alive(), bigtable.ColumnFilter("alive"))
			row, err := l.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(fs...))) // ok ttlread/missing-filter
			if err == nil && len(row) > 0 {
				found <- key
			}
			return err
		}
	}
	close(jobs)
	return g.Wait()
}

// writer sets cells of one family with one timestamp.
type writer struct {
	mut    *bigtable.Mutation
	family string
	ts     bigtable.Timestamp
}

func newWriter(mut *bigtable.Mutation, family string, ts bigtable.Timestamp) *writer {
	return &writer{mut: mut, family: family, ts: ts}
}

func (w *writer) put(column string, value []byte) *writer {
	w.mut.Set(w.family, column, w.ts, value)
	return w
}

// Adopt writes what is known of a new device.
func (l *Loop) Adopt(ctx context.Context, device, jwt, site string) error {
	mut := bigtable.NewMutation()
	newWriter(mut, store.FamToken, store.ExpiresIn(store.TokenTTL)).put("jwt", []byte(jwt))                 // ok ttlwrite/write-time
	newWriter(mut, store.FamPresence, bigtable.Now()).put("adopted", nil).put("adopted-site", []byte(site)) // want ttlwrite/write-time
	newWriter(mut, store.FamProfile, bigtable.Now()).put("site", []byte(site))                              // ok ttlwrite/write-time
	return l.tbl.Apply(ctx, device, mut)
}
