// Command worker does what need not happen while a request waits.
package main

import (
	"context"
	"flag"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"cloud.google.com/go/bigtable"

	"haulr.dev/backend/internal/clock"
	"haulr.dev/backend/internal/store"
)

// job is something that runs every now and then.
type job struct {
	name  string
	every time.Duration
	run   func(context.Context) error
}

func main() {
	var (
		project  = flag.String("project", os.Getenv("GOOGLE_CLOUD_PROJECT"), "Google Cloud project")
		instance = flag.String("instance", "prod", "Bigtable instance")
		region   = flag.String("region", "eu", "region of the rate limits")
		market   = flag.String("market", "de", "market of the quotes")
	)
	flag.Parse()
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	client, err := bigtable.NewClient(ctx, *project, *instance)
	if err != nil {
		log.Error("worker", "err", err)
		os.Exit(1)
	}
	defer client.Close()
	stores := store.New(client, *region, *market, clock.System{})
	w := newWorker(client, stores, log)
	var wg sync.WaitGroup
	for _, j := range w.jobs() {
		wg.Add(1)
		go func() {
			defer wg.Done()
			w.loop(ctx, j)
		}()
	}
	wg.Wait()
}

func (w *worker) loop(ctx context.Context, j job) {
	t := time.NewTicker(j.every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		start := time.Now()
		if err := j.run(ctx); err != nil {
			w.log.Error("job", "name", j.name, "err", err)
			continue
		}
		w.log.Info("job", "name", j.name, "took", time.Since(start)) // ok ttlage/not-write-time
	}
}
