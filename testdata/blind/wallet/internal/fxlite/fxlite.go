// Package fxlite runs a list of constructors in order and tears down what they
// started in reverse.
package fxlite

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
)

// Module is a named step of an application's start.
type Module struct {
	Name  string
	Start func(ctx context.Context, lc *Lifecycle) error
}

// Lifecycle collects what has to be undone. Its zero value is ready.
type Lifecycle struct {
	mu    sync.Mutex
	hooks []hook
}

type hook struct {
	name string
	stop func(context.Context) error
}

// OnStop registers stop.
func (l *Lifecycle) OnStop(name string, stop func(context.Context) error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hooks = append(l.hooks, hook{name: name, stop: stop})
}

func (l *Lifecycle) shutdown(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var errs []error
	for i := len(l.hooks) - 1; i >= 0; i-- {
		if err := l.hooks[i].stop(ctx); err != nil {
			errs = append(errs, fmt.Errorf("stop %s: %w", l.hooks[i].name, err))
		}
	}
	l.hooks = nil
	return errors.Join(errs...)
}

// Run starts modules, waits for ctx, and stops.
func Run(ctx context.Context, logger *slog.Logger, modules ...Module) (err error) {
	var lc Lifecycle
	defer func() {
		err = errors.Join(err, lc.shutdown(context.WithoutCancel(ctx)))
	}()
	for _, m := range modules {
		if err := m.Start(ctx, &lc); err != nil {
			return fmt.Errorf("start %s: %w", m.Name, err)
		}
		logger.Info("started", slog.String("module", m.Name))
	}
	<-ctx.Done()
	return nil
}
