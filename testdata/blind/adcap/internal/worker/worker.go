// Package worker consumes events and writes what follows from them.
package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"adcap.example/platform/internal/bt"
	"adcap.example/platform/internal/filters"
	"adcap.example/platform/internal/mutate"
	"adcap.example/platform/internal/schema"
)

// Kind tells events apart.
type Kind int

// Kinds of events.
const (
	KindImpression Kind = iota
	KindClick
	KindOptOut
	KindModel
)

// Event is what the queue delivers.
type Event struct {
	Kind   Kind
	User   string
	Ref    string
	Offset int64
	At     time.Time
}

// op is a pending mutation.
type op struct {
	table string
	key   string
	mut   *bigtable.Mutation
}

// Pipeline turns events into mutations and writes them.
type Pipeline struct {
	c    *bigtable.Client
	log  *slog.Logger
	ops  chan op
	once sync.Once
}

// New returns a pipeline.
func New(c *bigtable.Client, log *slog.Logger) *Pipeline {
	return &Pipeline{c: c, log: log, ops: make(chan op, 64)}
}

// Run consumes events until the channel is closed.
func (p *Pipeline) Run(ctx context.Context, events <-chan Event, workers int) error {
	var wg sync.WaitGroup
	errs := make(chan error, workers)
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			errs <- p.write(ctx)
		}()
	}
	for e := range events {
		p.dispatch(e)
	}
	p.once.Do(func() { close(p.ops) })
	wg.Wait()
	close(errs)
	var all []error
	for err := range errs {
		all = append(all, err)
	}
	return errors.Join(all...)
}

func (p *Pipeline) dispatch(e Event) {
	switch e.Kind {
	case KindImpression:
		p.impression(e)
	case KindClick:
		p.click(e)
	case KindOptOut:
		p.optOut(e)
	case KindModel:
		p.model(e)
	default:
		p.log.Warn("unknown event", "kind", e.Kind)
	}
}

func (p *Pipeline) impression(e Event) {
	m := bigtable.NewMutation()
	m.Set(schema.FamCap, e.Ref, mutate.Until(e.At, schema.CapWindow), []byte("1")) // ok ttlwrite/write-time
	m.Set(schema.FamSeen, e.Ref, bigtable.ServerTime, nil)                         // ok ttlwrite/server-timestamp
	p.ops <- op{schema.TableFreqCap, e.User, m}
}

func (p *Pipeline) click(e Event) {
	m := bigtable.NewMutation()
	m.Set(schema.FamCap, "click/"+e.Ref, bigtable.ServerTime, []byte("1")) // want ttlwrite/server-timestamp
	m.Set(schema.FamSeg, "clicker", bigtable.ServerTime, nil)              // ok ttlwrite/server-timestamp
	p.ops <- op{schema.TableFreqCap, e.User, m}
}

func (p *Pipeline) optOut(e Event) {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(schema.FamGrant)                            // ok ttlwrite/delete-after-set
	m.Set(schema.FamGrant, "none", bigtable.Now(), nil)               // want ttlwrite/write-time
	m.Set(schema.FamRev, "state", mutate.Seq(e.Offset), []byte("{}")) // ok ttlwrite/unscaled-sequence
	m.Set(schema.FamMeta, "optout", bigtable.Time(e.At), nil)         // ok ttlwrite/write-time
	m.Set(schema.FamCur, "state", 0, []byte("{}"))                    // ok ttlwrite/clock-in-zero
	p.ops <- op{schema.TableConsent, e.User, m}
}

func (p *Pipeline) model(e Event) {
	m := bigtable.NewMutation()
	m.Set(schema.FamModel, e.Ref, bigtable.Time(e.At), nil)       // want ttlwrite/clock-in-sequence
	m.Set(schema.FamModel, e.Ref+"/n", mutate.Seq(e.Offset), nil) // ok ttlwrite/clock-in-sequence
	m.Set(schema.FamMember, e.Ref, bigtable.Time(e.At), nil)      // ok ttlwrite/write-time
	p.ops <- op{schema.TableAudience, e.Ref, m}
}

func (p *Pipeline) write(ctx context.Context) error {
	for o := range p.ops {
		tbl := p.c.Open(o.table)
		err := bt.DefaultBackoff.Retry(ctx, func(ctx context.Context) error {
			return tbl.Apply(ctx, o.key, o.mut)
		})
		if err != nil {
			return fmt.Errorf("%s/%s: %w", o.table, o.key, err)
		}
	}
	return nil
}

// Sweeper warms the cache from the live caps.
type Sweeper struct {
	tbl    bt.RowScanner
	seen   map[string]int
	window bigtable.Filter
}

// startup is when the process began.
var startup = time.Now() // want ttlread/stale-bound[startup]

// NewSweeper opens the table.
func NewSweeper(c *bigtable.Client) *Sweeper {
	return &Sweeper{tbl: c.Open(schema.TableFreqCap), seen: map[string]int{}}
}

func (s *Sweeper) scan(ctx context.Context, family string, opt bigtable.ReadOption) error {
	clear(s.seen)
	return s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {
		for _, it := range r[family] {
			s.seen[it.Column]++
		}
		return true
	}, opt)
}

// Caps counts the live caps per campaign.
func (s *Sweeper) Caps(ctx context.Context) error {
	return s.scan(ctx, schema.FamCap, bigtable.RowFilter(filters.LiveFamily(schema.FamCap, time.Now()))) // ok ttlread/missing-filter ttlread/stale-bound
}

// CapsSinceStart counts with the clock of the start.
func (s *Sweeper) CapsSinceStart(ctx context.Context) error {
	return s.scan(ctx, schema.FamCap, bigtable.RowFilter(filters.LiveFamily(schema.FamCap, startup))) // want ttlread/stale-bound[startup]
}

// CapsAll counts all.
func (s *Sweeper) CapsAll(ctx context.Context) error {
	return s.scan(ctx, schema.FamCap, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamCap))) // want ttlread/missing-filter
}

// Seen counts exposures by their rule.
func (s *Sweeper) Seen(ctx context.Context) error {
	return s.scan(ctx, schema.FamSeen, bigtable.RowFilter(filters.Seen(time.Now()))) // ok ttlread/wrong-bound
}

// SeenMonth counts with another lifetime.
func (s *Sweeper) SeenMonth(ctx context.Context) error {
	return s.scan(ctx, schema.FamSeen, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamSeen), filters.Since(time.Now(), schema.MemberTTL)))) // want ttlread/wrong-bound
}

// Segments counts the ordinary family.
func (s *Sweeper) Segments(ctx context.Context) error {
	return s.scan(ctx, schema.FamSeg, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamSeg))) // ok ttlread/missing-filter
}

// Every calls f on each tick.
func Every(ctx context.Context, d time.Duration, f func(context.Context) error) error {
	t := time.NewTicker(d)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
			if err := f(ctx); err != nil {
				return err
			}
		}
	}
}
