package sessions

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"

	"example.com/gridwatch/internal/bus"
	"example.com/gridwatch/internal/events"
	"example.com/gridwatch/internal/sink"
	"example.com/gridwatch/internal/store"
)

// Transition is a device that came or went.
type Transition struct {
	Device string
	Online bool
	Cause  string
	Until  time.Time
}

// Tracker turns heartbeats into transitions and writes presence cells.
type Tracker struct {
	svc   *Service
	cells chan<- sink.Cell
	alive *sink.Recorder
	probe *sink.Recorder
	last  *sink.Recorder

	mu    sync.Mutex
	known map[string]time.Time
}

// NewTracker returns a tracker that writes through a sink of the session table.
func NewTracker(svc *Service, out *sink.Sink) *Tracker {
	return &Tracker{
		svc:   svc,
		cells: out.Cells(),
		alive: sink.NewRecorder(out.Writes(), store.FamPresence, func() bigtable.Timestamp { return store.ExpiresIn(store.PresenceTTL) }), // ok ttlwrite/write-time
		probe: sink.NewRecorder(out.Writes(), store.FamPresence, bigtable.Now),                                                            // want ttlwrite/write-time
		last:  sink.NewRecorder(out.Writes(), store.FamProfile, bigtable.Now),                                                             // ok ttlwrite/write-time
		known: map[string]time.Time{},
	}
}

// Run consumes heartbeats and publishes transitions.
func (t *Tracker) Run(ctx context.Context, beats <-chan events.Heartbeat, out *bus.Topic[Transition]) error {
	g, ctx := errgroup.WithContext(ctx)
	sweep := bus.Tick(ctx, 15*time.Second)
	g.Go(func() error {
		for {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case hb, ok := <-beats:
				if !ok {
					return nil
				}
				if err := t.beat(ctx, hb, out); err != nil {
					return err
				}
			case now := <-sweep:
				t.sweep(ctx, now, out)
			}
		}
	})
	return g.Wait()
}

func (t *Tracker) beat(ctx context.Context, hb events.Heartbeat, out *bus.Topic[Transition]) error {
	until := time.Now().Add(store.PresenceTTL)
	t.mu.Lock()
	_, was := t.known[hb.Device]
	t.known[hb.Device] = until
	t.mu.Unlock()

	key := events.ReverseKey(hb.Device)
	if err := t.alive.Record(ctx, key, "alive", []byte("1")); err != nil {
		return err
	}
	if err := t.last.Record(ctx, key, "last-beat", []byte(hb.Uptime.String())); err != nil {
		return err
	}
	t.cells <- sink.Cell{Row: key, Family: store.FamPresence, Column: "fw", TS: bigtable.Time(until), Value: []byte(hb.Firmware)}          // ok ttlwrite/write-time
	t.cells <- sink.Cell{Row: key, Family: store.FamPresence, Column: "zone", TS: bigtable.Now(), Value: []byte("eu")}                     // want ttlwrite/write-time
	t.cells <- sink.Cell{Row: key, Family: store.FamProfile, Column: "zone", TS: bigtable.Now(), Value: []byte("eu")}                      // ok ttlwrite/write-time
	t.cells <- sink.Cell{Row: key, Family: store.FamPresence, Column: "up", TS: bigtable.ServerTime, Value: []byte(hb.Uptime.String())}    // want ttlwrite/server-timestamp
	t.cells <- sink.Cell{Row: key, Family: store.FamProfile, Column: "uptime", TS: bigtable.ServerTime, Value: []byte(hb.Uptime.String())} // ok ttlwrite/server-timestamp
	if !was {
		return out.Publish(ctx, Transition{Device: hb.Device, Online: true, Cause: "heartbeat", Until: until})
	}
	return nil
}

func (t *Tracker) sweep(ctx context.Context, now time.Time, out *bus.Topic[Transition]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for device, until := range t.known {
		if until.After(now) {
			continue
		}
		delete(t.known, device)
		if err := out.Publish(ctx, Transition{Device: device, Cause: "timeout"}); err != nil {
			return
		}
	}
}

// Probe records that a device was pinged.
func (t *Tracker) Probe(ctx context.Context, device string) error {
	return t.probe.Record(ctx, events.ReverseKey(device), "probed", []byte("1"))
}

// markOffline writes the last word on a device.
func markOffline(ctx context.Context, out chan<- sink.Write, device, cause string) error {
	key := events.ReverseKey(device)
	if err := sink.Put(ctx, out, key, store.FamPresence, "cause", bigtable.ServerTime, []byte(cause)); err != nil { // want ttlwrite/server-timestamp
		return err
	}
	if err := sink.Put(ctx, out, key, store.FamPresence, "offline", store.ExpiresIn(time.Hour), []byte("1")); err != nil { // ok ttlwrite/server-timestamp
		return err
	}
	if err := sink.PutNow(ctx, out, key, store.FamPresence, "offline-since", []byte(cause)); err != nil { // want ttlwrite/write-time
		return err
	}
	return sink.PutNow(ctx, out, key, store.FamProfile, "offline-cause", []byte(cause)) // ok ttlwrite/write-time
}

// Offline consumes transitions and writes down who left.
func (t *Tracker) Offline(ctx context.Context, in <-chan Transition, out chan<- sink.Write) error {
	return bus.Each(ctx, 4, in, func(ctx context.Context, tr Transition) error {
		if tr.Online {
			return nil
		}
		return markOffline(ctx, out, tr.Device, tr.Cause)
	})
}

// presenceMutation is built by workers and applied by whoever owns the batch.
type presenceMutation struct {
	key string
	mut *bigtable.Mutation
}

// build is a pipeline stage: transitions in, mutations out.
func build(ctx context.Context, in <-chan Transition) <-chan presenceMutation {
	out := make(chan presenceMutation, 64)
	go func() {
		defer close(out)
		for tr := range in {
			mut := bigtable.NewMutation()
			ts := store.ExpiresIn(store.PresenceTTL)
			if !tr.Online {
				ts = bigtable.Now()
			}
			mut.Set(store.FamProfile, "transition", ts, []byte(tr.Cause))                                                              // ok ttlwrite/write-time
			mut.Set(store.FamPresence, "online", bigtable.Time(time.Now().Add(store.PresenceTTL)), strconv.AppendBool(nil, tr.Online)) // ok ttlwrite/write-time
			mut.Set(store.FamPresence, "cause", ts, []byte(tr.Cause))                                                                  // want ttlwrite/write-time
			select {
			case out <- presenceMutation{events.ReverseKey(tr.Device), mut}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

// Mirror writes transitions in bulk.
func (t *Tracker) Mirror(ctx context.Context, in <-chan Transition) error {
	for batch := range bus.Batch(ctx, build(ctx, in), 100, time.Second) {
		keys := make([]string, 0, len(batch))
		muts := make([]*bigtable.Mutation, 0, len(batch))
		for _, pm := range batch {
			keys = append(keys, pm.key)
			muts = append(muts, pm.mut)
		}
		errs, err := t.svc.tbl.ApplyBulk(ctx, keys, muts)
		if err != nil {
			return fmt.Errorf("mirror: %w", err)
		}
		for i, err := range errs {
			if err != nil {
				t.svc.log.WarnContext(ctx, "mirror", "row", keys[i], "err", err)
			}
		}
	}
	return nil
}

// Beats counts heartbeats per device. Increment cannot carry an expiry.
func (t *Tracker) Beats(ctx context.Context, device string) (int, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(store.FamPresence, "beats", 1)             // want ttlwrite/read-modify-write
	rmw.Increment(store.FamProfile, "beats-total", 1)        // ok ttlwrite/read-modify-write
	rmw.AppendValue(store.FamPresence, "trail", []byte{'.'}) // want ttlwrite/read-modify-write
	rmw.AppendValue(store.FamProfile, "trail", []byte{'.'})  // ok ttlwrite/read-modify-write
	row, err := t.svc.tbl.ApplyReadModifyWrite(ctx, events.ReverseKey(device), rmw)
	if err != nil {
		return 0, err
	}
	return len(row[store.FamProfile]), nil
}
