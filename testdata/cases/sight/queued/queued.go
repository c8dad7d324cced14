// Package queued adds rows to buffers that other methods write: what is wrong with a row
// is wrong where it is added.
package queued

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
	"example.com/cases/sight/queued/lib"
)

type touched struct {
	family string
	ts     bigtable.Timestamp
}

type toucher struct {
	tbl *bigtable.Table
	buf []touched
}

func (t *toucher) add(x touched) { t.buf = append(t.buf, x) }

func (t *toucher) flush(ctx context.Context) {
	for _, x := range t.buf {
		m := bigtable.NewMutation()
		m.Set(x.family, "c", x.ts, nil)
		t.tbl.Apply(ctx, "k", m)
	}
}

func own(ctx context.Context, c *bigtable.Client) {
	t := &toucher{tbl: c.Open("sessions")}
	t.add(touched{"profile", bigtable.Now()})
	t.add(touched{"token", bigtable.Time(time.Now().Add(time.Hour))})
	t.add(touched{"token", bigtable.Now()})      // want `write-time: .*"token"`
	t.add(touched{"token", bigtable.ServerTime}) // want `server-timestamp: .*"token"`
	var x touched
	x.family, x.ts = "token", bigtable.Now()
	t.add(x) // want `write-time: .*"token"`
	t.flush(ctx)
}

func abroad(ctx context.Context, c *bigtable.Client) error {
	q := lib.New(c)
	q.Add(lib.Row{Family: "profile", TS: bigtable.Now()})
	q.Add(lib.Row{Family: "token", TS: bigtable.Time(time.Now().Add(time.Hour))})
	q.Add(lib.Row{Family: "token", TS: bigtable.Now()})                   // want `write-time: .*"token"`
	q.Add(lib.Row{Family: "token", TS: bigtable.ServerTime})              // want `server-timestamp: .*"token"`
	q.AddTimes(lib.Row{Family: "token", TS: bigtable.Now()}, copies(ctx)) // want `write-time: .*"token"`
	return q.Flush(ctx)
}

func copies(ctx context.Context) int { return len(ctx.Err().Error()) }

// A first has a row from the start, which is wrong whoever adds others.
type first struct {
	tbl *bigtable.Table
	buf []touched
}

func newFirst(c *bigtable.Client) *first {
	return &first{tbl: c.Open("sessions"), buf: []touched{{"token", bigtable.Now()}}}
}

func (f *first) add(x touched) { f.buf = append(f.buf, x) }

func (f *first) flush(ctx context.Context) {
	for _, x := range f.buf {
		m := bigtable.NewMutation()
		m.Set(x.family, "c", x.ts, nil) // want `write-time: .*"token"`
		f.tbl.Apply(ctx, "k", m)
	}
}

func started(ctx context.Context, c *bigtable.Client) {
	f := newFirst(c)
	f.add(touched{"profile", bigtable.Now()})
	f.add(touched{"token", bigtable.ServerTime}) // want `server-timestamp: .*"token"`
	f.flush(ctx)
}
