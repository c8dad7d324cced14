// Package app writes mutations of a family that means one thing in "cache"
// and another in "history", by way of batches, channels and functions. What
// they mean shows only where they are written.
package app

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/bulk/batch"
)

// A Service has its tables in fields.
type Service struct {
	cache   *bigtable.Table
	history *bigtable.Table
	plain   *bigtable.Table
	queue   chan item
	batch   *batch.Batch
}

// NewService opens the tables.
func NewService(c *bigtable.Client) *Service {
	return &Service{cache: c.Open("cache"), history: c.Open("history"), plain: c.Open("plain"), queue: make(chan item, 10), batch: batch.New(10)}
}

func (s *Service) cached(ctx context.Context, keys []string) error {
	b := batch.New(len(keys))
	for _, k := range keys {
		mut := bigtable.NewMutation()
		mut.Set("val", "x", bigtable.Now(), nil) // want `write-time: .*"val"`
		b.Add(k, mut)
	}
	return batch.Write(ctx, b, s.cache, 100)
}

func (s *Service) historic(ctx context.Context, keys []string) error {
	b := batch.New(len(keys))
	for i, k := range keys {
		mut := bigtable.NewMutation()
		mut.Set("val", "x", bigtable.Timestamp(i*1000), nil)
		mut.Set("val", "y", bigtable.Now(), nil) // want `clock-in-sequence: .*"val"`
		b.Add(k, mut)
		if len(b.Keys) >= 100 {
			if err := batch.Write(ctx, b, s.history, 100); err != nil {
				return err
			}
			b = batch.New(len(keys))
		}
	}
	return batch.Write(ctx, b, s.history, 100)
}

func (s *Service) okElsewhere(ctx context.Context, keys []string) error {
	b := batch.New(len(keys))
	for _, k := range keys {
		mut := bigtable.NewMutation()
		mut.Set("token", "x", bigtable.Now(), nil)
		b.Add(k, mut)
	}
	return batch.Write(ctx, b, s.plain, 100)
}

func (s *Service) cells(ctx context.Context) error {
	b := batch.New(2)
	b.AddCell("k", "val", bigtable.Now()) // want `write-time: .*"val"`
	return batch.Write(ctx, b, s.cache, 100)
}

func (s *Service) both(ctx context.Context) error {
	b := batch.New(2)
	b.AddCell("k", "val", bigtable.Now()) // want `write-time: .*"val"` `clock-in-sequence: .*"val"`
	if err := batch.Write(ctx, b, s.cache, 100); err != nil {
		return err
	}
	return batch.Write(ctx, b, s.history, 100)
}

func (s *Service) okUnknown(ctx context.Context, tbl *bigtable.Table) error {
	b := batch.New(2)
	b.AddCell("k", "val", bigtable.Now())
	return batch.Write(ctx, b, tbl, 100)
}

// A literal of the struct, without its methods.

func (s *Service) literal(ctx context.Context) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "x", bigtable.ServerTime, nil) // want `server-timestamp: .*"val"`
	b := batch.Batch{}
	b.Keys = append(b.Keys, "k")
	b.Muts = append(b.Muts, mut)
	return batch.Write(ctx, &b, s.cache, 1)
}

// Functions of a named type, each of which returns its batches.

// A transform makes the mutations of a record.
type transform func(record string) (data, meta *batch.Batch, err error)

func toCache(record string) (data, meta *batch.Batch, err error) {
	data, meta = &batch.Batch{}, &batch.Batch{}
	mut := bigtable.NewMutation()
	mut.Set("val", "x", bigtable.Now(), nil) // want `write-time: .*"val"`
	data.Keys = append(data.Keys, record)
	data.Muts = append(data.Muts, mut)
	m := bigtable.NewMutation()
	m.Set("val", "x", bigtable.Now(), nil) // want `clock-in-sequence: .*"val"`
	meta.Add(record, m)
	return data, meta, nil
}

// Index runs the transforms that callers choose.
func (s *Service) Index(ctx context.Context, records []string, transforms []transform) error {
	all, meta := batch.Batch{}, batch.Batch{}
	for _, r := range records {
		for _, t := range transforms {
			d, m, err := t(r)
			if err != nil {
				return err
			}
			all.Keys = append(all.Keys, d.Keys...)
			all.Muts = append(all.Muts, d.Muts...)
			meta.Keys = append(meta.Keys, m.Keys...)
			meta.Muts = append(meta.Muts, m.Muts...)
		}
	}
	if err := batch.Write(ctx, &all, s.cache, 10); err != nil {
		return err
	}
	return batch.Write(ctx, &meta, s.history, 10)
}

func (s *Service) indexAll(ctx context.Context, records []string) error {
	return s.Index(ctx, records, []transform{toCache, transformed, s.method})
}

func (s *Service) method(record string) (data, meta *batch.Batch, err error) {
	data, meta = &batch.Batch{}, &batch.Batch{}
	meta.AddCell(record, "val", bigtable.Now()) // want `clock-in-sequence: .*"val"`
	return data, meta, nil
}

// OkElsewhere has the type, but who runs it and where it is written to is for
// other packages to say.
func OkElsewhere(record string) (data, meta *batch.Batch, err error) {
	data, meta = &batch.Batch{}, &batch.Batch{}
	data.AddCell(record, "val", bigtable.Now())
	return data, meta, nil
}

// A channel of structs, and a loop that gathers.

type item struct {
	key string
	mut *bigtable.Mutation
}

func (s *Service) send(key string) {
	mut := bigtable.NewMutation()
	mut.Set("val", "x", bigtable.Now(), nil) // want `clock-in-sequence: .*"val"`
	s.queue <- item{key, mut}
}

func (s *Service) drain(ctx context.Context) error {
	b := batch.New(10)
	for it := range s.queue {
		b.Add(it.key, it.mut)
		if len(b.Keys) == 10 {
			if err := batch.Write(ctx, b, s.history, 10); err != nil {
				return err
			}
			b = batch.New(10)
		}
	}
	return nil
}

// A batch in a field, filled by one method and written by another.

func (s *Service) collect(key string) {
	mut := bigtable.NewMutation()
	mut.Set("val", "x", bigtable.Now(), nil) // want `write-time: .*"val"`
	s.batch.Add(key, mut)
}

func (s *Service) flush(ctx context.Context) error {
	defer func() { s.batch = batch.New(10) }()
	return batch.Write(ctx, s.batch, s.cache, 10)
}

// A map of lists by table.

type pending struct {
	byTable map[*bigtable.Table][]*bigtable.Mutation
	own     []*bigtable.Mutation
}

func (p *pending) add() {
	mut := bigtable.NewMutation()
	mut.Set("val", "x", bigtable.Now(), nil) // want `write-time: .*"val"`
	p.own = append(p.own, mut)
}

func (p *pending) write(ctx context.Context, c *bigtable.Client, keys []string) error {
	_, err := c.Open("cache").ApplyBulk(ctx, keys, p.own)
	return err
}

func (p *pending) okAdd(tbl *bigtable.Table) {
	mut := bigtable.NewMutation()
	mut.Set("val", "x", bigtable.Now(), nil)
	p.byTable[tbl] = append(p.byTable[tbl], mut)
}

func (p *pending) okWrite(ctx context.Context, keys []string) error {
	for tbl, muts := range p.byTable {
		if _, err := tbl.ApplyBulk(ctx, keys, muts); err != nil {
			return err
		}
	}
	return nil
}

// Named results that a deferred function holds, and a bare Mutation.

func transformed(record string) (data, meta *batch.Batch, err error) {
	defer func() {
		if err != nil {
			data = nil
		}
	}()
	data, meta = &batch.Batch{}, &batch.Batch{}
	mut := &bigtable.Mutation{}
	mut.Set("val", "x", bigtable.Now(), nil) // want `write-time: .*"val"`
	data.Keys = append(data.Keys, record)
	data.Muts = append(data.Muts, mut)
	return data, meta, nil
}
