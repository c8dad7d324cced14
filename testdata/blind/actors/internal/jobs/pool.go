// Package jobs is what runs beside the game: a pool of workers, and the jobs
// that are fed to it.
package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"example.com/arena/internal/telemetry"
)

// Job is one piece of work.
type Job struct {
	Name string
	Run  func(ctx context.Context) error
	// Tries is how often it may fail, and Wait how long it waits in between.
	Tries int
	Wait  time.Duration
}

// Pool runs jobs on a fixed number of goroutines.
type Pool struct {
	jobs chan Job
	wg   sync.WaitGroup
	log  *slog.Logger
	ok   *telemetry.Counter
	bad  *telemetry.Counter
	time *telemetry.Timer
	stop context.CancelFunc
	once sync.Once
}

// NewPool starts n workers.
func NewPool(ctx context.Context, n int, reg *telemetry.Registry, log *slog.Logger) *Pool {
	ctx, cancel := context.WithCancel(ctx)
	p := &Pool{
		jobs: make(chan Job, 4*n),
		log:  log,
		ok:   reg.Counter("jobs.ok"),
		bad:  reg.Counter("jobs.bad"),
		time: reg.Timer("jobs"),
		stop: cancel,
	}
	for range n {
		p.wg.Add(1)
		go func() {
			defer p.wg.Done()
			for j := range p.jobs {
				p.run(ctx, j)
			}
		}()
	}
	return p
}

func (p *Pool) run(ctx context.Context, j Job) {
	defer p.time.Since(time.Now())
	defer func() {
		if r := recover(); r != nil {
			p.bad.Inc()
			p.log.Error("job panicked", "job", j.Name, "panic", fmt.Sprint(r))
		}
	}()
	tries := max(j.Tries, 1)
	var errs []error
	for i := range tries {
		err := j.Run(ctx)
		if err == nil {
			p.ok.Inc()
			return
		}
		errs = append(errs, err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(j.Wait << i):
		}
	}
	p.bad.Inc()
	p.log.Error("job failed", "job", j.Name, "err", errors.Join(errs...))
}

// Add enqueues a job.
func (p *Pool) Add(ctx context.Context, j Job) error {
	select {
	case p.jobs <- j:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Schedule enqueues a job every d until ctx ends.
func (p *Pool) Schedule(ctx context.Context, d time.Duration, j Job) {
	go func() {
		t := time.NewTicker(d)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				if err := p.Add(ctx, j); err != nil {
					p.log.WarnContext(ctx, "job not enqueued", "job", j.Name, "err", err)
				}
			}
		}
	}()
}

// Close lets the workers finish.
func (p *Pool) Close(ctx context.Context) error {
	p.once.Do(func() { close(p.jobs) })
	done := make(chan struct{})
	go func() { p.wg.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		p.stop()
		return ctx.Err()
	}
}
