// Package jobs runs what has to be done for every tenant now and then.
package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"example.com/beacon/internal/store"
)

// Job does one thing for one tenant.
type Job interface {
	Name() string
	Run(ctx context.Context, t *store.Tenant) error
}

// Func is a Job made of a function.
type Func struct {
	name string
	run  func(ctx context.Context, t *store.Tenant) error
}

// NewFunc makes a job of a function.
func NewFunc(name string, run func(ctx context.Context, t *store.Tenant) error) Func {
	return Func{name: name, run: run}
}

// Name is the job's name.
func (f Func) Name() string { return f.name }

// Run runs the function.
func (f Func) Run(ctx context.Context, t *store.Tenant) error { return f.run(ctx, t) }

// Runner runs jobs for all tenants, some at a time.
type Runner struct {
	dir     *store.Directory
	jobs    []Job
	workers int
	every   time.Duration
	log     *slog.Logger
}

// NewRunner returns a runner of jobs.
func NewRunner(dir *store.Directory, workers int, every time.Duration, log *slog.Logger, jobs ...Job) *Runner {
	if workers < 1 {
		workers = 1
	}
	if every <= 0 {
		every = time.Hour
	}
	return &Runner{dir: dir, jobs: jobs, workers: workers, every: every, log: log}
}

// Loop runs until the context ends.
func (r *Runner) Loop(ctx context.Context) error {
	for {
		if err := r.Once(ctx); err != nil {
			r.log.Error("jobs", "err", err)
		}
		jitter := time.Duration(rand.Int64N(int64(r.every / 10)))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(r.every + jitter):
		}
	}
}

// Once runs every job for every tenant.
func (r *Runner) Once(ctx context.Context) error {
	names := make(chan string)
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		errs []error
	)
	for range r.workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for name := range names {
				if err := r.tenant(ctx, name); err != nil {
					mu.Lock()
					errs = append(errs, err)
					mu.Unlock()
				}
			}
		}()
	}
	for _, n := range r.dir.Names() {
		select {
		case names <- n:
		case <-ctx.Done():
		}
	}
	close(names)
	wg.Wait()
	return errors.Join(errs...)
}

func (r *Runner) tenant(ctx context.Context, name string) error {
	t, err := r.dir.Tenant(ctx, name)
	if err != nil {
		return err
	}
	for _, j := range r.jobs {
		start := time.Now()
		err := j.Run(ctx, t)
		r.log.Info("job", "job", j.Name(), "tenant", name, "took", time.Since(start), "err", err)
		if err != nil {
			return fmt.Errorf("%s for %s: %w", j.Name(), name, err)
		}
	}
	return nil
}
