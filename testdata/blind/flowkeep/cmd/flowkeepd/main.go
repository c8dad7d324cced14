// Command flowkeepd runs the workflow engine.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/flowkeep/config"
	"example.com/flowkeep/engine"
	"example.com/flowkeep/history"
	"example.com/flowkeep/httpapi"
	"example.com/flowkeep/idem"
	"example.com/flowkeep/internal/clock"
	"example.com/flowkeep/internal/metrics"
	"example.com/flowkeep/internal/pool"
	"example.com/flowkeep/lease"
	"example.com/flowkeep/query"
	"example.com/flowkeep/results"
	"example.com/flowkeep/retention"
	"example.com/flowkeep/schedule"
	"example.com/flowkeep/schema"
	sig "example.com/flowkeep/signal"
	"example.com/flowkeep/task"
	"example.com/flowkeep/timers"
)

func main() {
	path := flag.String("config", "flowkeep.yaml", "configuration `file`")
	ensure := flag.Bool("ensure-schema", false, "create tables and families first")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *path, *ensure); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "flowkeepd:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, path string, ensure bool) error {
	cfg, err := config.Load(path)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	client, err := bigtable.NewClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		return err
	}
	defer client.Close()
	if ensure {
		if err := ensureSchema(ctx, cfg); err != nil {
			return err
		}
	}
	host, _ := os.Hostname()
	clk := clock.System{}
	reg := metrics.NewRegistry()
	var (
		hist   = history.Open(client, history.WithLogger(log))
		leases = lease.Open(client, lease.WithTTL(time.Duration(cfg.LeaseTTL)))
		timer  = timers.Open(client, cfg.Env, clk)
		keys   = idem.New(client)
		mail   = sig.Open(client)
		queue  = task.Open(client)
		res    = results.Open(client)
		store  = engine.NewStore(client, engine.WithHook(engine.WhoTouched(host)), engine.WithHook(engine.WhoTouchedLast(host)))
		mach   = engine.NewMachine(store, log)
		ask    = query.New(client, clk)
		sweep  = retention.New(client, retention.WithWidth(3), retention.WithRule(hostRule(host)))
		export = metrics.NewExporter(client, reg, host)
	)
	mach.Observe(func(ctx context.Context, in engine.Instance, ev engine.Event) {
		reg.Counter("events_" + string(ev)).Add(1)
		if err := hist.Append(ctx, in.ID, history.Event{Seq: in.Step, Kind: history.Kind(ev), At: in.Changed}); err != nil {
			log.ErrorContext(ctx, "history", "run", in.ID, "err", err)
		}
		if in.State.Terminal() {
			if err := res.Put(ctx, in.NS, in.ID, []byte(in.State)); err != nil {
				log.ErrorContext(ctx, "result", "run", in.ID, "err", err)
			}
		}
	})
	sched := schedule.New(client, func(ctx context.Context, workflow, id string) error {
		if err := store.Save(ctx, &engine.Instance{ID: id, NS: cfg.Env, Flow: workflow, State: engine.Created}); err != nil {
			return err
		}
		_, err := mach.Fire(ctx, cfg.Env, id, engine.Start)
		return err
	})
	wheel := timers.NewWheel(timer, clk, func(ctx context.Context, t timers.Timer) error {
		_, err := mach.Fire(ctx, cfg.Env, t.Run, engine.Wake)
		return err
	})
	srv := &http.Server{Addr: cfg.Listen, Handler: httpapi.New(client, mach, keys, mail, ask, reg, log), ReadHeaderTimeout: 5 * time.Second}
	tick := time.NewTicker(time.Duration(cfg.Tick))
	defer tick.Stop()

	g, ctx := pool.WithContext(ctx, 16)
	g.Go(queue.Write)
	g.Go(func(ctx context.Context) error { return sched.Run(ctx, host, tick.C) })
	g.Go(func(ctx context.Context) error { return every(ctx, time.Second, wheel.Tick) })
	g.Go(func(ctx context.Context) error { return every(ctx, time.Hour, sweep.Sweep) })
	g.Go(func(ctx context.Context) error {
		return every(ctx, time.Minute, func(ctx context.Context) error { return export.Flush(ctx, clk.Now()) })
	})
	for _, ns := range cfg.Namespaces {
		workers := task.NewWorkers(queue, ns.Workers)
		workers.Handle("noop", func(context.Context, task.Task) error { return nil })
		for _, q := range ns.Queues {
			g.Go(func(ctx context.Context) error {
				return every(ctx, time.Second, func(ctx context.Context) error {
					if _, err := leases.Acquire(ctx, q, host); err != nil {
						return nil
					}
					return workers.Run(ctx, q)
				})
			})
		}
	}
	g.Go(func(context.Context) error { return srv.ListenAndServe() })
	g.Go(func(ctx context.Context) error {
		<-ctx.Done()
		return srv.Shutdown(context.WithoutCancel(ctx))
	})
	return g.Wait()
}

func every(ctx context.Context, d time.Duration, f func(context.Context) error) error {
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

// hostRule marks the leases of this host on every sweep.
func hostRule(host string) retention.Rule {
	return retention.Rule{
		Table: lease.Table,
		Filter: func(now time.Time) bigtable.Filter {
			return bigtable.ChainFilters(bigtable.FamilyFilter("lease"), bigtable.ValueFilter(host), bigtable.TimestampRangeFilter(now, time.Time{})) // ok ttlread/missing-filter
		},
		Mutate: func(row bigtable.Row, now time.Time) *bigtable.Mutation {
			m := bigtable.NewMutation()
			m.Set("lease", "swept", bigtable.Time(now.Add(time.Hour)), []byte(host)) // ok ttlwrite/write-time
			m.Set("lease", "sweeper", bigtable.ServerTime, []byte(host))             // want ttlwrite/server-timestamp
			return m
		},
	}
}

func ensureSchema(ctx context.Context, cfg config.Config) error {
	admin, err := bigtable.NewAdminClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		return err
	}
	defer admin.Close()
	errs := []error{schema.Ensure(ctx, admin), schema.EnsureTimers(ctx, admin, cfg.Env)}
	for _, ns := range cfg.Namespaces {
		errs = append(errs, schema.EnsureNamespace(ctx, admin, ns.Name))
	}
	return errors.Join(errs...)
}
