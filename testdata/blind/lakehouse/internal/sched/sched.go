package sched

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"example.com/lakehouse/internal/conf"
)

// Scheduler runs the jobs of a registry.
type Scheduler struct {
	reg    *Registry
	leases *Leases
	cfg    conf.Sched
	log    *slog.Logger

	mu   sync.Mutex
	next map[string]time.Time
}

// New makes one.
func New(reg *Registry, leases *Leases, cfg conf.Sched, log *slog.Logger) *Scheduler {
	return &Scheduler{reg: reg, leases: leases, cfg: cfg, log: log, next: map[string]time.Time{}}
}

// Loop runs until ctx ends.
func (s *Scheduler) Loop(ctx context.Context) error {
	t := time.NewTicker(s.cfg.Tick)
	defer t.Stop()
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case now := <-t.C:
			for _, j := range s.due(now) {
				wg.Go(func() { s.once(ctx, j) })
			}
		}
	}
}

func (s *Scheduler) due(now time.Time) []Job {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Job
	for _, j := range s.reg.All() {
		if at, ok := s.next[j.Name()]; ok && now.Before(at) {
			continue
		}
		s.next[j.Name()] = now.Add(j.Every())
		out = append(out, j)
	}
	return out
}

func (s *Scheduler) once(ctx context.Context, j Job) {
	log := s.log.With("job", j.Name())
	if err := s.leases.Acquire(ctx, j.Name()); errors.Is(err, ErrHeld) {
		return
	} else if err != nil {
		log.Error("lease", "err", err)
		return
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go s.keep(ctx, j.Name(), cancel)
	n, err := s.leases.Begin(ctx, j.Name())
	if err != nil {
		log.Error("begin", "err", err)
		return
	}
	start := time.Now()
	rep, err := j.Run(ctx)
	log.Info("done", "run", n, "report", rep.String(), "err", err, "took", time.Since(start))
	if err := s.leases.Done(context.WithoutCancel(ctx), j.Name(), n, rep, err); err != nil {
		log.Error("note", "err", err)
	}
	if err := s.leases.Release(context.WithoutCancel(ctx), j.Name()); err != nil {
		log.Warn("release", "err", err)
	}
}

func (s *Scheduler) keep(ctx context.Context, job string, lost context.CancelCauseFunc) {
	t := time.NewTicker(s.cfg.Lease / 3)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if err := s.leases.Renew(ctx, job); err != nil {
				lost(err)
				return
			}
		}
	}
}
