// Package sent sends mutations of a family with two meanings through channels, in
// structs: beside the table, or beside its name, by which the receiver looks it up.
package sent

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type write struct { // by name
	table, key string
	mut        *bigtable.Mutation
}

type job struct { // by table
	tbl *bigtable.Table
	mut *bigtable.Mutation
}

type feed struct {
	history, cache *bigtable.Table
	tables         map[string]*bigtable.Table
	writes         chan write
	jobs           chan job
	bare           chan *bigtable.Mutation
}

func newFeed(c *bigtable.Client) *feed {
	f := &feed{history: c.Open("history"), cache: c.Open("cache"), writes: make(chan write), jobs: make(chan job), bare: make(chan *bigtable.Mutation)}
	f.tables = map[string]*bigtable.Table{"history": f.history, "cache": f.cache}
	go func() {
		for w := range f.writes {
			_ = f.tables[w.table].Apply(context.Background(), w.key, w.mut)
		}
	}()
	go func() {
		for j := range f.jobs {
			_ = j.tbl.Apply(context.Background(), "k", j.mut)
		}
	}()
	go func() {
		for mut := range f.bare {
			_ = f.history.Apply(context.Background(), "k", mut)
		}
	}()
	return f
}

func (f *feed) send() {
	a, b, c := bigtable.NewMutation(), bigtable.NewMutation(), bigtable.NewMutation()
	a.Set("val", "c", bigtable.Now(), nil) // want `clock-in-sequence: .*"val" of table "history"`
	b.Set("val", "c", bigtable.Now(), nil) // want `clock-in-sequence: .*"val" of table "history"`
	c.Set("val", "c", bigtable.Now(), nil) // want `clock-in-sequence: .*"val" of table "history"`
	f.writes <- write{"history", "k", a}
	f.jobs <- job{f.history, b}
	f.bare <- c
}

func (f *feed) sendCached(ctx context.Context) {
	a := bigtable.NewMutation()
	a.Set("val", "c", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
	select {
	case f.writes <- write{table: "cache", key: "k", mut: a}:
	case <-ctx.Done():
	}
}

func (f *feed) okSend(number int64) {
	a, b, c := bigtable.NewMutation(), bigtable.NewMutation(), bigtable.NewMutation()
	a.Set("val", "c", bigtable.Timestamp(number*1000), nil)
	b.Set("val", "c", bigtable.Timestamp(number*1000), nil)
	c.Set("val", "c", bigtable.Timestamp(number*1000), nil)
	f.writes <- write{"history", "k", a}
	f.jobs <- job{f.history, b}
	f.bare <- c
}

// okSendElsewhere does not know the table, or sends to one that nobody declares.
func (f *feed) okSendElsewhere(table string) {
	a, b := bigtable.NewMutation(), bigtable.NewMutation()
	a.Set("val", "c", bigtable.Now(), nil)
	b.Set("val", "c", bigtable.Now(), nil)
	f.writes <- write{table, "k", a}
	f.writes <- write{"archive", "k", b}
}

// okSwapped sets its tables on one way only before the loop begins.
func okSwapped(c *bigtable.Client, replay bool) chan write {
	f := &feed{writes: make(chan write)}
	f.tables = map[string]*bigtable.Table{"history": c.Open("history")}
	if replay {
		f.tables = map[string]*bigtable.Table{"history": c.Open("archive")}
	}
	writes := make(chan write)
	go func() {
		for w := range writes {
			_ = f.tables[w.table].Apply(context.Background(), w.key, w.mut)
		}
	}()
	mut := bigtable.NewMutation()
	mut.Set("val", "c", bigtable.Now(), nil)
	writes <- write{"history", "k", mut}
	return writes
}
