package sent

import (
	"context"
	"errors"

	"cloud.google.com/go/bigtable"
)

// service has its loop in a method, and its tables by the method that opens them.
type service struct {
	tables map[string]*bigtable.Table
	writes chan *write
	done   chan struct{}
}

func newService(c *bigtable.Client) *service {
	s := &service{tables: make(map[string]*bigtable.Table), writes: make(chan *write, 16), done: make(chan struct{})}
	for _, name := range []string{"history", "cache"} {
		s.tables[name] = c.Open(name)
	}
	go s.run()
	return s
}

func (s *service) run() {
	for {
		select {
		case w := <-s.writes:
			_ = s.apply(context.Background(), w)
		case <-s.done:
			return
		}
	}
}

func (s *service) apply(ctx context.Context, w *write) error {
	tbl, ok := s.tables[w.table]
	if !ok {
		return errors.New("no such table")
	}
	return tbl.Apply(ctx, w.key, w.mut)
}

func (s *service) enqueue(table, key string, mut *bigtable.Mutation) {
	s.writes <- &write{table: table, key: key, mut: mut}
}

func (s *service) put() {
	mut := bigtable.NewMutation()
	mut.Set("val", "c", bigtable.Now(), nil) // want `clock-in-sequence: .*"val" of table "history"`
	s.enqueue("history", "k", mut)
	other := bigtable.NewMutation()
	other.Set("val", "c", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
	s.enqueue("cache", "k", other)
}

func (s *service) okPut(table string, number int64) {
	mut := bigtable.NewMutation()
	mut.Set("val", "c", bigtable.Timestamp(number*1000), nil)
	s.enqueue("history", "k", mut)
	other := bigtable.NewMutation()
	other.Set("val", "c", bigtable.Now(), nil)
	s.enqueue(table, "k", other)
}
