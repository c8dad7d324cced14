// Package feature evaluates feature flags.
package feature

import (
	"context"
	"hash/fnv"
	"log/slog"
	"sync/atomic"
	"time"

	"haulr.dev/backend/internal/store"
)

// Source is where flags come from.
type Source interface {
	All(ctx context.Context) ([]store.Flag, error)
}

// Set is a snapshot of all flags that renews itself.
type Set struct {
	src   Source
	log   *slog.Logger
	flags atomic.Pointer[map[string]store.Flag]
}

// New returns a set; call Run.
func New(src Source, log *slog.Logger) *Set {
	s := &Set{src: src, log: log}
	s.flags.Store(&map[string]store.Flag{})
	return s
}

// Refresh loads the flags.
func (s *Set) Refresh(ctx context.Context) error {
	all, err := s.src.All(ctx)
	if err != nil {
		return err
	}
	m := make(map[string]store.Flag, len(all))
	for _, f := range all {
		m[f.Name] = f
	}
	s.flags.Store(&m)
	return nil
}

// Run refreshes until ctx ends.
func (s *Set) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if err := s.Refresh(ctx); err != nil {
				s.log.Warn("flags", "err", err)
			}
		}
	}
}

// On says whether a flag is on for a user.
func (s *Set) On(name, user string) bool {
	f, ok := (*s.flags.Load())[name]
	if !ok || !f.Enabled {
		return false
	}
	if f.Percent >= 100 {
		return true
	}
	h := fnv.New32a()
	h.Write([]byte(name + "/" + user))
	return int(h.Sum32()%100) < f.Percent
}
