// Command worker runs jobs.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/chirpnest/internal/bt"
	"example.com/chirpnest/internal/config"
	"example.com/chirpnest/internal/container"
	"example.com/chirpnest/internal/dto"
	"example.com/chirpnest/internal/events"
	"example.com/chirpnest/internal/repos"
	"example.com/chirpnest/internal/tables"
	"example.com/chirpnest/internal/utils/async"
	"example.com/chirpnest/internal/utils/strutil"
)

type handler func(ctx context.Context, j dto.Job) ([]byte, error)

type worker struct {
	c        *container.Container
	name     string
	handlers map[string]handler
	beats    int64
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	cfg, err := config.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	c, err := container.New(ctx, cfg)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	w := &worker{c: c, name: "w-" + strutil.NanoID()}
	w.handlers = map[string]handler{
		"digest": func(ctx context.Context, j dto.Job) ([]byte, error) {
			var in struct{ UserID string }
			if err := json.Unmarshal(j.Payload, &in); err != nil {
				return nil, err
			}
			return nil, c.Notify.Digest(ctx, in.UserID)
		},
		"warm": w.warm,
	}
	c.Events.On(events.JobFailed, events.Typed(func(ctx context.Context, j dto.Job) error {
		c.Log.Error("job failed", "id", j.ID, "kind", j.Kind)
		return w.bury(ctx, j)
	}))
	for kind := range w.handlers {
		go w.loop(ctx, kind)
	}
	<-ctx.Done()
}

func (w *worker) loop(ctx context.Context, kind string) {
	for ctx.Err() == nil {
		jobs, err := w.c.Repos.Jobs.FindMany(ctx, kind)
		if err != nil {
			w.c.Log.Error("list", "kind", kind, "err", err)
		}
		for _, j := range jobs {
			j.Kind = kind
			if j.Worker != "" || j.State == "done" {
				continue
			}
			if err := w.run(ctx, j); err != nil && !errors.Is(err, repos.ErrLeased) {
				_ = w.c.Events.Emit(ctx, events.JobFailed, j)
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(w.c.Config.Jobs.Poll):
		}
	}
}

func (w *worker) run(ctx context.Context, j dto.Job) error {
	if err := w.c.Repos.Jobs.Acquire(ctx, j.Kind, j.ID, w.name); err != nil {
		return err
	}
	done := async.Go(func() ([]byte, error) { return w.handlers[j.Kind](ctx, j) })
	out, err := done.Await(ctx)
	if err != nil {
		return errors.Join(err, w.c.Repos.Jobs.Fail(ctx, j.Kind, j.ID, err))
	}
	return w.c.Repos.Jobs.Finish(ctx, j.Kind, j.ID, out)
}

// bury marks a job as dead.
func (w *worker) bury(ctx context.Context, j dto.Job) error {
	tbl := w.c.Client.Open(tables.Jobs)
	mut := bigtable.NewMutation()
	mut.Set(tables.FamLease, "grave", bigtable.ServerTime, []byte(w.name))   // want ttlwrite/server-timestamp
	mut.Set(tables.FamPayload, "grave", bigtable.ServerTime, []byte(w.name)) // ok ttlwrite/server-timestamp
	return tbl.Apply(ctx, strutil.Key("j", j.Kind, j.ID), mut)
}

// beat tells the dashboard that the worker is there.
func (w *worker) beat(ctx context.Context) error {
	w.beats++
	tbl := w.c.Tables.Presence
	cells := map[string]bigtable.Timestamp{
		"beat": bt.ExpiresIn(time.Minute),
		"name": bt.ExpiresIn(time.Minute),
	}
	mut := bigtable.NewMutation()
	for column, ts := range cells {
		mut.Set(tables.FamOnline, column, ts, []byte(w.name)) // ok ttlwrite/write-time
	}
	mut.Set(tables.FamOnline, "n", bigtable.Now(), bt.Int64(w.beats)) // want ttlwrite/write-time
	return tbl.Apply(ctx, strutil.Key("worker", w.name), mut)
}

// warm reads what the first screen needs.
func (w *worker) warm(ctx context.Context, j dto.Job) ([]byte, error) {
	user := string(j.Payload)
	sess := w.c.Client.Open(tables.Sessions)
	lim := w.c.Tables.Counters
	token := async.Go(func() (bigtable.Row, error) {
		return sess.ReadRow(ctx, strutil.Key("s", user), bt.Where(bt.InFamily(tables.FamSess, bt.LiveNow()))) // ok ttlread/missing-filter
	})
	window := async.Go(func() (bigtable.Row, error) {
		return lim.ReadRow(ctx, strutil.Key("w", user), bigtable.RowFilter(bigtable.FamilyFilter(tables.FamWindow))) // want ttlread/missing-filter
	})
	total := async.Go(func() (bigtable.Row, error) {
		return lim.ReadRow(ctx, strutil.Key("t", user), bigtable.RowFilter(bigtable.FamilyFilter(tables.FamTotal))) // ok ttlread/missing-filter
	})
	rows, err := async.All(ctx, token, window, total)
	if err != nil {
		return nil, err
	}
	n := 0
	for _, row := range rows {
		n += len(row)
	}
	if err := w.beat(ctx); err != nil {
		return nil, err
	}
	return []byte(fmt.Sprint(n)), nil
}
