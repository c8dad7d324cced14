// Command notifyd sends notifications.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/skylark/internal/alerting"
	"example.com/skylark/internal/api"
	"example.com/skylark/internal/bt"
	"example.com/skylark/internal/config"
	"example.com/skylark/internal/dedupe"
	"example.com/skylark/internal/metrics"
	"example.com/skylark/internal/offsets"
	"example.com/skylark/internal/outbox"
	"example.com/skylark/internal/pipeline"
	"example.com/skylark/internal/queue"
	"example.com/skylark/internal/sink"
	"example.com/skylark/internal/tokens"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil && !errors.Is(err, context.Canceled) {
		slog.Error("notifyd", "err", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	cfg, err := config.Load()
	if err != nil {
		return err
	}
	log, m := slog.Default(), metrics.NewSet()
	client, err := bigtable.NewClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		return err
	}
	defer client.Close()
	stores := bt.Open(client)
	broker := queue.New(8)
	alerts := make(chan alerting.Alert, 64)
	send := outbox.SenderFunc(func(ctx context.Context, j *outbox.Job) error {
		log.Info("send", "id", j.ID, "to", j.To)
		return nil
	})
	box := outbox.New(stores, map[outbox.Channel]outbox.Sender{outbox.Email: send, outbox.Push: send}, log, m)
	engine := alerting.NewEngine(stores, alerts, log, m)
	reg := tokens.NewRegistry(stores, log, m)
	commits := offsets.NewCommitter(client, log, m)
	once := dedupe.New(client)
	track := newTracker(stores, log, m)

	g, ctx := pipeline.NewGroup(ctx)
	g.Go(func() error {
		return broker.Subscribe(ctx, "notify", cfg.Workers, commits.Handler("notifyd", once.Wrap(box.Handle)))
	})
	g.Go(func() error { return broker.Subscribe(ctx, "alerts", cfg.Workers, once.Wrap(engine.Handle)) })
	g.Go(func() error { return broker.Subscribe(ctx, "tokens", 2, reg.Handle) })
	g.Go(func() error { return box.Run(ctx, cfg.Workers) })
	g.Go(func() error { return commits.Run(ctx) })
	g.Go(func() error { return track.run(ctx, alerts) })
	g.Go(func() error {
		mux := http.NewServeMux()
		api.New(stores, log, m).Routes(mux)
		srv := &http.Server{Addr: cfg.Listen, Handler: mux, ReadHeaderTimeout: 5 * time.Second}
		go func() {
			<-ctx.Done()
			_ = srv.Close()
		}()
		return srv.ListenAndServe()
	})
	return g.Wait()
}

// tracker records which alerts were turned into notifications.
type tracker struct {
	alerts, outbox, offsets *sink.Sink
	n                       int64
	log                     *slog.Logger
}

func newTracker(s *bt.Stores, log *slog.Logger, m *metrics.Set) *tracker {
	return &tracker{
		alerts:  sink.New(s.Alerts, "t-alerts", sink.WithLog(log, m), sink.WithMark(bt.FamHist, bt.Stamp)),     // ok ttlwrite/write-time
		outbox:  sink.New(s.Outbox, "t-outbox", sink.WithLog(log, m), sink.WithMark(bt.FamJob, untilTomorrow)), // ok ttlwrite/write-time
		offsets: sink.New(s.Offsets, "t-offsets", sink.WithLog(log, m)),
		log:     log,
	}
}

func untilTomorrow() bigtable.Timestamp { return bt.Expire(24 * time.Hour) }

func now() bigtable.Timestamp { return bigtable.Time(time.Now()) }

func (t *tracker) run(ctx context.Context, in <-chan alerting.Alert) error {
	g, ctx := pipeline.NewGroup(ctx)
	for _, s := range []*sink.Sink{t.alerts, t.outbox, t.offsets} {
		g.Go(func() error { return s.Run(ctx) })
	}
	g.Go(func() error {
		return pipeline.Drain(ctx, in, func(ctx context.Context, a alerting.Alert) error {
			t.n++
			for s, m := range map[*sink.Sink]*bigtable.Mutation{
				t.alerts:  t.alertMutation(a),
				t.outbox:  t.jobMutation(a),
				t.offsets: t.offsetMutation(a),
			} {
				if err := s.Send(ctx, sink.Write{Key: a.Key, Mut: m}); err != nil {
					return err
				}
			}
			return nil
		})
	})
	return g.Wait()
}

func (t *tracker) alertMutation(a alerting.Alert) *bigtable.Mutation {
	m := bigtable.NewMutation()
	set := func(family string, ts bigtable.Timestamp, v string) { m.Set(family, "notified", ts, []byte(v)) }
	set(bt.FamHist, now(), a.State)                 // ok ttlwrite/write-time
	set(bt.FamState, 0, a.State)                    // ok ttlwrite/clock-in-zero
	set(bt.FamHold, bt.Expire(bt.HoldTTL), a.State) // ok ttlwrite/write-time
	m.Set(bt.FamHold, "notified-at", now(), nil)    // want ttlwrite/write-time
	m.Set(bt.FamState, "notified-at", now(), nil)   // want ttlwrite/clock-in-zero
	return m
}

func (t *tracker) jobMutation(a alerting.Alert) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set(bt.FamJob, "alert", now(), []byte(a.Key))                  // want ttlwrite/write-time
	m.Set(bt.FamJob, "state", bt.Expire(bt.JobTTL), []byte(a.State)) // ok ttlwrite/write-time
	m.Set(bt.FamReceipt, "alert", now(), []byte(a.Key))              // ok ttlwrite/write-time
	return m
}

func (t *tracker) offsetMutation(a alerting.Alert) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set(bt.FamCommit, "alerts", bigtable.Timestamp(t.n), []byte(a.Key))  // want ttlwrite/unscaled-sequence
	m.Set(bt.FamCommit, "alerts-k", bt.Seq(t.n), []byte(a.Key))            // ok ttlwrite/unscaled-sequence
	m.Set(bt.FamCommit, "when", now(), []byte(strconv.FormatInt(t.n, 10))) // want ttlwrite/clock-in-sequence
	return m
}

// replayer writes lost jobs again.
type replayer struct {
	tbl  bigtable.TableAPI
	sem  chan struct{}
	wg   sync.WaitGroup
	mu   sync.Mutex
	errs []error
}

func newReplayer(tbl bigtable.TableAPI, parallel int) *replayer {
	return &replayer{tbl: tbl, sem: make(chan struct{}, parallel)}
}

func (r *replayer) write(ctx context.Context, key string, build func(*bigtable.Mutation)) {
	r.sem <- struct{}{}
	r.wg.Add(1)
	go func() {
		defer func() { <-r.sem; r.wg.Done() }()
		m := bigtable.NewMutation()
		build(m)
		if err := r.tbl.Apply(ctx, key, m); err != nil {
			r.mu.Lock()
			r.errs = append(r.errs, fmt.Errorf("%s: %w", key, err))
			r.mu.Unlock()
		}
	}()
}

func (r *replayer) wait() error {
	r.wg.Wait()
	return errors.Join(r.errs...)
}

// replay writes the dead letters of a broker again.
func replay(ctx context.Context, s *bt.Stores, b *queue.Broker) error {
	jobs, copies := newReplayer(s.Outbox, 4), newReplayer(s.Archive, 4)
	for _, msg := range b.Dead() {
		jobs.write(ctx, msg.ID, func(m *bigtable.Mutation) {
			m.Set(bt.FamJob, "body", bigtable.ServerTime, msg.Body)            // want ttlwrite/server-timestamp
			m.Set(bt.FamJob, "replayed", bt.Expire(time.Hour), []byte(msg.ID)) // ok ttlwrite/server-timestamp
		})
		copies.write(ctx, msg.ID, func(m *bigtable.Mutation) {
			m.Set("body", "body", bigtable.ServerTime, msg.Body) // ok ttlwrite/server-timestamp
		})
	}
	return errors.Join(jobs.wait(), copies.wait())
}
