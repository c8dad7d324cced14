// Command relay sends the messages of the outbox.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/saga/clock"
	"example.com/saga/config"
	"example.com/saga/domain/event"
	"example.com/saga/policy"
	"example.com/saga/relay"
	"example.com/saga/store"
)

func main() {
	conf, err := config.FromEnv()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	client, err := bigtable.NewClient(ctx, conf.Project, conf.Instance)
	if err != nil {
		slog.Error("bigtable", "err", err)
		os.Exit(1)
	}
	defer client.Close()
	host, _ := os.Hostname()
	r := &relay.Relay{
		Box: store.NewOutbox(client, clock.System{}), Pub: relay.PublisherFunc(post), Clock: clock.System{},
		Owner: host, Batch: int64(conf.BatchSize), Every: conf.RelayEvery,
		Retry: policy.Backoff{First: 100 * time.Millisecond, Tries: 4}, Shards: []string{"orders", "stock"},
	}
	if err := r.Announce(ctx); err != nil {
		slog.Warn("announce", "err", err)
	}
	go status(r)
	if err := r.Run(ctx); err != nil {
		slog.Error("relay", "err", err)
		os.Exit(1)
	}
}

func status(r *relay.Relay) {
	http.HandleFunc("/leases", func(w http.ResponseWriter, req *http.Request) {
		ls, err := r.Leases(req.Context())
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"leases": ls, "uptime": relay.Uptime().String()})
	})
	slog.Error("status", "err", http.ListenAndServe("localhost:8081", nil))
}

func post(ctx context.Context, m event.Message) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, os.Getenv("SINK_URL")+"/"+m.Topic, strings.NewReader(string(b)))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("sink: %s", resp.Status)
	}
	return nil
}
