package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lumen/internal/bt"
	"example.com/lumen/internal/names"
)

// Message is what a stream delivers.
type Message struct {
	Kind   string          `json:"kind"`
	Tenant string          `json:"tenant"`
	Series string          `json:"series"`
	Trace  string          `json:"trace"`
	At     time.Time       `json:"at"`
	Value  float64         `json:"value"`
	Labels json.RawMessage `json:"labels"`
	Body   json.RawMessage `json:"body"`
	Offset int64           `json:"offset"`
}

// write is a row's mutation on its way to a table.
type write struct {
	key string
	mut *bigtable.Mutation
}

// Pipeline turns messages into mutations and writes them, table by table.
type Pipeline struct {
	points, spans, index *bigtable.Table
	cursors              *Cursors
	batch                int
	pointCh, spanCh      chan write
	indexCh              chan write
	dropped              int
}

func NewPipeline(c *bigtable.Client, cursors *Cursors, batch int) *Pipeline {
	return &Pipeline{
		points:  c.Open(names.TablePoints),
		spans:   c.Open(names.TableSpans),
		index:   c.Open(names.TableSpanIndex),
		cursors: cursors,
		batch:   batch,
		pointCh: make(chan write, batch),
		spanCh:  make(chan write, batch),
		indexCh: make(chan write, batch),
	}
}

func (p *Pipeline) Run(ctx context.Context, in <-chan []byte) error {
	var wg sync.WaitGroup
	errs := make(chan error, 3)
	start := func(t *bigtable.Table, ch <-chan write) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := p.drain(ctx, t, ch); err != nil {
				errs <- err
			}
		}()
	}
	start(p.points, p.pointCh)
	start(p.spans, p.spanCh)
	start(p.index, p.indexCh)
	for raw := range in {
		var m Message
		if err := json.Unmarshal(raw, &m); err != nil {
			p.dropped++
			continue
		}
		if err := p.route(m); err != nil {
			slog.Warn("message", "err", err)
		}
	}
	close(p.pointCh)
	close(p.spanCh)
	close(p.indexCh)
	wg.Wait()
	close(errs)
	var all error
	for err := range errs {
		all = errors.Join(all, err)
	}
	return all
}

func (p *Pipeline) drain(ctx context.Context, t *bigtable.Table, ch <-chan write) error {
	b := bt.NewBatch(t, p.batch)
	for w := range ch {
		if err := b.Add(ctx, w.key, w.mut); err != nil {
			return err
		}
	}
	return b.Flush(ctx)
}

func (p *Pipeline) route(m Message) error {
	switch m.Kind {
	case "point":
		p.pointCh <- pointWrite(m)
	case "label":
		p.pointCh <- labelWrite(m)
	case "span":
		p.spanCh <- spanWrite(m)
		p.indexCh <- indexWrite(m)
	case "late":
		p.spanCh <- lateWrite(m)
	case "test":
		p.spanCh <- testWrite(m)
	default:
		return fmt.Errorf("ingest: kind %q", m.Kind)
	}
	return nil
}

func pointWrite(m Message) write {
	mut := bigtable.NewMutation()
	mut.Set(names.FamPoint, "v", bigtable.Time(m.At), fmt.Appendf(nil, "%g", m.Value)) // ok ttlwrite/already-expired
	return write{m.Tenant + "#" + m.Series, mut}
}

func labelWrite(m Message) write {
	mut := bigtable.NewMutation()
	mut.Set(names.FamLabels, "json", bigtable.Now(), m.Labels) // want ttlwrite/clock-in-zero
	return write{m.Tenant + "#" + m.Series, mut}
}

func spanWrite(m Message) write {
	mut := bigtable.NewMutation()
	mut.Set(names.FamSpan, "body", bigtable.ServerTime, m.Body)            // ok ttlwrite/server-timestamp
	mut.Set(names.FamLink, "parent", bigtable.Time(m.At), []byte(m.Trace)) // ok ttlwrite/write-time
	return write{m.Tenant + "#" + m.Trace, mut}
}

func indexWrite(m Message) write {
	mut := bigtable.NewMutation()
	mut.Set(names.FamIndex, m.Series, bigtable.Now(), []byte(m.Trace)) // ok ttlwrite/write-time
	return write{m.Tenant + "#" + m.At.Format("2006010215"), mut}
}

func lateWrite(m Message) write {
	mut := bigtable.NewMutation()
	mut.Set(names.FamSpan, "body", bigtable.Time(time.Now().Add(-8*names.Day)), m.Body) // want ttlwrite/already-expired
	return write{m.Tenant + "#" + m.Trace, mut}
}

func testWrite(m Message) write {
	mut := bigtable.NewMutation()
	mut.Set(names.FamSpan, "body", bigtable.Time(time.Now().Add(-6*names.Day)), m.Body) // ok ttlwrite/already-expired
	return write{m.Tenant + "#" + m.Trace, mut}
}

// ---- deduplication ----

// Seen remembers messages for a while, in the lease family of the cursors.
type Seen struct {
	tbl *bigtable.Table
	ttl time.Duration
}

func NewSeen(c *bigtable.Client, ttl time.Duration) *Seen {
	return &Seen{tbl: c.Open(names.TableCursors), ttl: ttl}
}

func (s *Seen) Mark(ctx context.Context, id string) error {
	return bt.Put(ctx, s.tbl, "seen/"+id, names.FamLease, "id", bt.ExpiresIn(s.ttl), []byte("1")) // ok ttlwrite/write-time
}

func (s *Seen) MarkMany(ctx context.Context, ids []string) error {
	keys := make([]string, len(ids))
	muts := make([]*bigtable.Mutation, len(ids))
	now := bigtable.Time(time.Now())
	for i, id := range ids {
		keys[i] = "seen/" + id
		muts[i] = bigtable.NewMutation()
		muts[i].Set(names.FamLease, "id", now, []byte("1")) // want ttlwrite/write-time
	}
	errs, err := s.tbl.ApplyBulk(ctx, keys, muts)
	return errors.Join(append(errs, err)...)
}

func (s *Seen) Has(ctx context.Context, id string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, "seen/"+id) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row[names.FamLease]) > 0, nil
}

func (s *Seen) HasNow(ctx context.Context, id string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, "seen/"+id, bigtable.RowFilter(bt.InFamily(names.FamLease, bt.Live()))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row[names.FamLease]) > 0, nil
}

func (s *Seen) FirstTime(ctx context.Context, id string) (bool, error) {
	mark := bigtable.NewMutation()
	mark.Set(names.FamLease, "id", bt.ExpiresIn(s.ttl), []byte("1"))
	var known bool
	cond := bigtable.NewCondMutation(bigtable.PassAllFilter(), nil, mark) // want ttlread/conditional-mutation
	err := s.tbl.Apply(ctx, "seen/"+id, cond, bigtable.GetCondMutationResult(&known))
	return !known, err
}
