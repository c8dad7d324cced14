// Package notify tells people and machines about alerts.
package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/gridwatch/internal/events"
	"example.com/gridwatch/internal/metrics"
)

// Channel delivers an alert.
type Channel interface {
	Name() string
	Deliver(ctx context.Context, a events.Alert) error
}

// Webhook posts alerts as JSON.
type Webhook struct {
	URL    string
	Client *http.Client
}

// Name implements Channel.
func (w *Webhook) Name() string { return "webhook" }

// Deliver implements Channel.
func (w *Webhook) Deliver(ctx context.Context, a events.Alert) error {
	b, err := json.Marshal(a)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(b))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := w.Client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return fmt.Errorf("notify: %s: %s", w.URL, resp.Status)
	}
	return nil
}

// Log writes alerts to the log.
type Log struct{ Logger *slog.Logger }

// Name implements Channel.
func (l Log) Name() string { return "log" }

// Deliver implements Channel.
func (l Log) Deliver(ctx context.Context, a events.Alert) error {
	l.Logger.InfoContext(ctx, "alert", "rule", a.Rule, "device", a.Device, "severity", a.Severity.String(), "resolved", a.Resolved)
	return nil
}

// job is one delivery.
type job struct {
	ch      Channel
	alert   events.Alert
	attempt int
	due     time.Time
}

// Dispatcher delivers alerts over channels with a pool of workers; what fails is
// tried again later.
type Dispatcher struct {
	channels []Channel
	workers  int
	max      int
	reg      *metrics.Registry

	mu    sync.Mutex
	later []job
}

// NewDispatcher returns a dispatcher.
func NewDispatcher(reg *metrics.Registry, workers int, channels ...Channel) *Dispatcher {
	return &Dispatcher{channels: channels, workers: workers, max: 6, reg: reg}
}

// Run delivers until in is closed.
func (d *Dispatcher) Run(ctx context.Context, in <-chan events.Alert) error {
	jobs := make(chan job, d.workers*4)
	g, ctx := errgroup.WithContext(ctx)
	for range d.workers {
		g.Go(func() error {
			for j := range jobs {
				d.deliver(ctx, j)
			}
			return nil
		})
	}
	g.Go(func() error {
		defer close(jobs)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case a, ok := <-in:
				if !ok {
					return nil
				}
				for _, ch := range d.channels {
					if err := send(ctx, jobs, job{ch: ch, alert: a}); err != nil {
						return err
					}
				}
			case now := <-tick.C:
				for _, j := range d.due(now) {
					if err := send(ctx, jobs, j); err != nil {
						return err
					}
				}
			}
		}
	})
	return g.Wait()
}

func send(ctx context.Context, jobs chan<- job, j job) error {
	select {
	case jobs <- j:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *Dispatcher) due(now time.Time) []job {
	d.mu.Lock()
	defer d.mu.Unlock()
	var ready []job
	rest := d.later[:0]
	for _, j := range d.later {
		if j.due.After(now) {
			rest = append(rest, j)
		} else {
			ready = append(ready, j)
		}
	}
	d.later = rest
	return ready
}

func (d *Dispatcher) deliver(ctx context.Context, j job) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	err := j.ch.Deliver(ctx, j.alert)
	if err == nil {
		d.reg.Counter("notify." + j.ch.Name() + ".ok").Inc()
		return
	}
	d.reg.Counter("notify." + j.ch.Name() + ".failed").Inc()
	if j.attempt++; j.attempt >= d.max || errors.Is(err, context.Canceled) {
		slog.ErrorContext(ctx, "alert not delivered", "channel", j.ch.Name(), "rule", j.alert.Rule, "err", err)
		return
	}
	j.due = time.Now().Add(time.Duration(1<<j.attempt) * time.Second)
	d.mu.Lock()
	d.later = append(d.later, j)
	d.mu.Unlock()
}
