// Package replica keeps a copy of the sessions of another region. Operations arrive
// as a stream, are gathered per row and leave in batches.
package replica

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"

	"example.com/gridwatch/internal/bus"
	"example.com/gridwatch/internal/events"
	"example.com/gridwatch/internal/store"
)

// ErrOverflow is returned when a row gathers too many operations.
var ErrOverflow = errors.New("replica: too many operations")

// Op is one operation on a row.
type Op interface {
	apply(mut *bigtable.Mutation)
}

type setOp struct {
	family, column string
	ts             bigtable.Timestamp
	value          []byte
}

func (o setOp) apply(mut *bigtable.Mutation) { mut.Set(o.family, o.column, o.ts, o.value) }

type delOp struct {
	family, column string
}

func (o delOp) apply(mut *bigtable.Mutation) { mut.DeleteCellsInColumn(o.family, o.column) }

// Set is an operation that writes a cell.
func Set(family, column string, ts bigtable.Timestamp, value []byte) Op {
	return setOp{family, column, ts, value}
}

// Delete is an operation that deletes a column.
func Delete(family, column string) Op { return delOp{family, column} }

type config struct {
	stamp  func() bigtable.Timestamp
	filter bigtable.Filter
	limit  int
}

// Option configures a Replica.
type Option func(*config)

// WithStamp replaces the timestamp of the replica's own marks.
func WithStamp(f func() bigtable.Timestamp) Option { return func(c *config) { c.stamp = f } }

// WithFilter replaces the filter of Read.
func WithFilter(f bigtable.Filter) Option { return func(c *config) { c.filter = f } }

// WithLimit bounds the operations of one row.
func WithLimit(n int) Option { return func(c *config) { c.limit = n } }

// Replica writes operations to the session table.
type Replica struct {
	tbl *bigtable.Table
	cfg config
}

// New returns a replica.
func New(t *store.Tables, opts ...Option) *Replica {
	r := &Replica{tbl: t.Sessions, cfg: config{
		stamp:  func() bigtable.Timestamp { return store.ExpiresIn(store.PresenceTTL) },
		filter: bigtable.FamilyFilter(store.FamProfile),
		limit:  1000,
	}}
	for _, o := range opts {
		o(&r.cfg)
	}
	return r
}

// Variants are the replicas that the regions run.
func Variants(t *store.Tables) []*Replica {
	return []*Replica{
		New(t, WithLimit(10)),           // ok ttlwrite/write-time
		New(t, WithStamp(bigtable.Now)), // want ttlwrite/write-time
		New(t, WithStamp(func() bigtable.Timestamp { return store.ExpiresIn(time.Minute) })),                          // ok ttlwrite/write-time
		New(t, WithFilter(bigtable.FamilyFilter(store.FamToken))),                                                     // want ttlread/missing-filter
		New(t, WithFilter(bigtable.ChainFilters(bigtable.FamilyFilter(store.FamProfile), bigtable.LatestNFilter(1)))), // ok ttlread/missing-filter
	}
}

// Read returns what the replica has of a device.
func (r *Replica) Read(ctx context.Context, key string) (bigtable.Row, error) {
	row, err := r.tbl.ReadRow(ctx, key, bigtable.RowFilter(r.cfg.filter))
	if err != nil {
		return nil, fmt.Errorf("replica: %s: %w", key, err)
	}
	return row, nil
}

// Mark writes the replica's mark.
func (r *Replica) Mark(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set(store.FamPresence, "replica", r.cfg.stamp(), []byte("1"))
	return r.tbl.Apply(ctx, key, mut)
}

// Do applies operations to one row.
func (r *Replica) Do(ctx context.Context, key string, ops ...Op) error {
	if len(ops) > r.cfg.limit {
		return fmt.Errorf("%w: %d for %s", ErrOverflow, len(ops), key)
	}
	mut := bigtable.NewMutation()
	for _, o := range ops {
		o.apply(mut)
	}
	return r.tbl.Apply(ctx, key, mut)
}

// Login copies a login.
func (r *Replica) Login(ctx context.Context, ev events.Login) error {
	return r.Do(ctx, events.ReverseKey(ev.Device),
		Delete(store.FamToken, "jwt"),
		Set(store.FamToken, "jwt", bigtable.Time(ev.ExpiresAt), []byte(ev.JWT)),            // ok ttlwrite/write-time
		Set(store.FamToken, "region", bigtable.ServerTime, []byte("remote")),               // want ttlwrite/server-timestamp
		Set(store.FamProfile, "region", bigtable.ServerTime, []byte("remote")),             // ok ttlwrite/server-timestamp
		Set(store.FamToken, "copied", bigtable.Time(time.Now().UTC()), []byte("remote")),   // want ttlwrite/write-time
		Set(store.FamProfile, "copied", bigtable.Time(time.Now().UTC()), []byte("remote")), // ok ttlwrite/write-time
	)
}

// Forms are the ways in which the regions spell an expiry.
func (r *Replica) Forms(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	exp := time.Now()
	exp = exp.Add(store.TokenTTL)
	mut.Set(store.FamToken, "a", bigtable.Time(exp), nil)                                                 // ok ttlwrite/write-time
	mut.Set(store.FamToken, "b", bigtable.Now().TruncateToMilliseconds(), nil)                            // want ttlwrite/write-time
	mut.Set(store.FamToken, "c", bigtable.Timestamp(time.Now().UnixMicro()), nil)                         // want ttlwrite/write-time
	mut.Set(store.FamToken, "d", bigtable.Now()+bigtable.Timestamp(store.TokenTTL/time.Microsecond), nil) // ok ttlunit/wrong-unit
	mut.Set(store.FamToken, "e", bigtable.Timestamp(time.Now().Add(store.TokenTTL).UnixNano()/1000), nil) // ok ttlunit/wrong-unit
	mut.Set(store.FamToken, "f", bigtable.Timestamp(exp.UnixMilli()), nil)                                // want ttlunit/wrong-unit
	mut.Set(store.FamToken, "g", bigtable.Time(time.Time{}), nil)                                         // want ttlwrite/already-expired
	mut.Set(store.FamToken, "h", bigtable.Time(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)), nil)         // want ttlwrite/already-expired
	mut.Set(store.FamProfile, "h", bigtable.Time(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)), nil)       // ok ttlwrite/already-expired
	return r.tbl.Apply(ctx, key, mut)
}

// touch marks families with the present.
func touch(mut *bigtable.Mutation, families ...string) {
	for _, f := range families {
		mut.Set(f, "touched", bigtable.Now(), nil)
	}
}

// wipe deletes families.
func wipe(mut *bigtable.Mutation, families ...string) {
	for _, f := range families {
		mut.DeleteCellsInFamily(f)
	}
}

// rowMutation is a mutation that knows its row.
type rowMutation struct {
	*bigtable.Mutation
	key string
}

// Gather collects the operations of many rows and writes them in one request.
func (r *Replica) Gather(ctx context.Context, in <-chan any) error {
	muts := map[string]*rowMutation{}
	get := func(key string) *rowMutation {
		rm := muts[key]
		if rm == nil {
			rm = &rowMutation{Mutation: bigtable.NewMutation(), key: key}
			muts[key] = rm
		}
		return rm
	}
	for ev := range in {
		switch ev := ev.(type) {
		case events.Login:
			rm := get(ev.Device)
			rm.Set(store.FamToken, "jwt", bigtable.Time(ev.ExpiresAt), []byte(ev.JWT)) // ok ttlwrite/write-time
			rm.Set(store.FamToken, "gathered", bigtable.Now(), nil)                    // want ttlwrite/write-time
			rm.Set(store.FamProfile, "gathered", bigtable.Now(), nil)                  // ok ttlwrite/write-time
		case *events.Heartbeat:
			get(ev.Device).Set(store.FamPresence, "alive", bigtable.ServerTime, nil)                             // want ttlwrite/server-timestamp
			get(ev.Device).Set(store.FamPresence, "fw", store.ExpiresIn(store.PresenceTTL), []byte(ev.Firmware)) // ok ttlwrite/server-timestamp
			get(ev.Device).Set(store.FamProfile, "fw", bigtable.ServerTime, []byte(ev.Firmware))                 // ok ttlwrite/server-timestamp
		case string:
			touch(get(ev).Mutation, store.FamProfile)                    // ok ttlwrite/write-time
			touch(get(ev).Mutation, store.FamProfile, store.FamPresence) // want ttlwrite/write-time
		default:
			return fmt.Errorf("replica: event of type %T", ev)
		}
	}
	keys := make([]string, 0, len(muts))
	list := make([]*bigtable.Mutation, 0, len(muts))
	for key, rm := range muts {
		keys = append(keys, key)
		list = append(list, rm.Mutation)
	}
	errs, err := r.tbl.ApplyBulk(ctx, keys, list)
	return errors.Join(append(errs, err)...)
}

// Reset replaces what a row holds.
func (r *Replica) Reset(ctx context.Context, key, jwt string) error {
	mut := bigtable.NewMutation()
	wipe(mut, store.FamToken, store.FamPresence) // ok ttlwrite/delete-after-set
	mut.Set(store.FamToken, "jwt", store.ExpiresIn(store.TokenTTL), []byte(jwt))
	if err := r.tbl.Apply(ctx, key, mut); err != nil {
		return err
	}
	mut = bigtable.NewMutation()
	mut.Set(store.FamPresence, "reset", store.ExpiresIn(store.PresenceTTL), nil)
	wipe(mut, store.FamToken, store.FamPresence) // want ttlwrite/delete-after-set
	return r.tbl.Apply(ctx, key, mut)
}

// Compare reads rows here and there and sends the keys that differ.
func (r *Replica) Compare(ctx context.Context, remote bigtable.TableAPI, keys <-chan string, out chan<- string) error {
	return bus.Each(ctx, 4, keys, func(ctx context.Context, key string) error {
		var here, there bigtable.Row
		g, ctx := errgroup.WithContext(ctx)
		g.Go(func() (err error) {
			here, err = r.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter(store.FamToken))) // want ttlread/missing-filter
			return err
		})
		g.Go(func() (err error) {
			there, err = remote.ReadRow(ctx, key, bigtable.RowFilter(store.LiveFamily(store.FamToken))) // ok ttlread/missing-filter
			return err
		})
		if err := g.Wait(); err != nil {
			return err
		}
		if len(here[store.FamToken]) != len(there[store.FamToken]) {
			out <- key
		}
		return nil
	})
}
