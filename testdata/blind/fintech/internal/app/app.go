// Package app is the in-house application framework: a typed container,
// modules that fill it, and hooks that run when the process starts and stops.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"sync"
	"time"
)

// ErrNotProvided says that nobody provided a type.
var ErrNotProvided = errors.New("app: not provided")

type provider struct {
	once  sync.Once
	build func(*Container) (any, error)
	value any
	err   error
}

// Container holds one value per type, built on first use.
type Container struct {
	mu        sync.Mutex
	providers map[reflect.Type]*provider
	hooks     []Hook
}

// Hook runs at start and stop.
type Hook struct {
	Name  string
	Start func(context.Context) error
	Stop  func(context.Context) error
}

// Module registers providers and hooks.
type Module interface {
	Name() string
	Register(*Container) error
}

// ModuleFunc adapts a function to Module.
type ModuleFunc struct {
	ID string
	Fn func(*Container) error
}

// Name implements Module.
func (m ModuleFunc) Name() string { return m.ID }

// Register implements Module.
func (m ModuleFunc) Register(c *Container) error { return m.Fn(c) }

// NewContainer is empty.
func NewContainer() *Container {
	return &Container{providers: map[reflect.Type]*provider{}}
}

// Provide says how a T is made.
func Provide[T any](c *Container, build func(*Container) (T, error)) {
	var zero *T
	c.mu.Lock()
	defer c.mu.Unlock()
	c.providers[reflect.TypeOf(zero)] = &provider{build: func(c *Container) (any, error) { return build(c) }}
}

// Value provides a T that exists already.
func Value[T any](c *Container, v T) {
	Provide(c, func(*Container) (T, error) { return v, nil })
}

// Get returns the container's T.
func Get[T any](c *Container) (T, error) {
	var zero *T
	var none T
	c.mu.Lock()
	p := c.providers[reflect.TypeOf(zero)]
	c.mu.Unlock()
	if p == nil {
		return none, fmt.Errorf("%w: %T", ErrNotProvided, none)
	}
	p.once.Do(func() { p.value, p.err = p.build(c) })
	if p.err != nil {
		return none, p.err
	}
	v, ok := p.value.(T)
	if !ok {
		return none, fmt.Errorf("%w: %T", ErrNotProvided, none)
	}
	return v, nil
}

// Must is Get for code that runs while the application is assembled.
func Must[T any](c *Container) T {
	v, err := Get[T](c)
	if err != nil {
		panic(err)
	}
	return v
}

// OnLifecycle adds a hook.
func (c *Container) OnLifecycle(h Hook) {
	c.mu.Lock()
	c.hooks = append(c.hooks, h)
	c.mu.Unlock()
}

// App is a container with its modules.
type App struct {
	c       *Container
	log     *slog.Logger
	grace   time.Duration
	modules []Module
}

// Option configures an App.
type Option func(*App)

// WithLogger replaces the default logger.
func WithLogger(l *slog.Logger) Option { return func(a *App) { a.log = l } }

// WithGrace bounds the time that stopping takes.
func WithGrace(d time.Duration) Option { return func(a *App) { a.grace = d } }

// New assembles an application.
func New(modules []Module, opts ...Option) (*App, error) {
	a := &App{c: NewContainer(), log: slog.Default(), grace: 20 * time.Second, modules: modules}
	for _, o := range opts {
		o(a)
	}
	for _, m := range modules {
		if err := m.Register(a.c); err != nil {
			return nil, fmt.Errorf("module %s: %w", m.Name(), err)
		}
		a.log.Debug("registered", "module", m.Name())
	}
	return a, nil
}

// Container gives access to what the modules provided.
func (a *App) Container() *Container { return a.c }

// Run starts every hook, waits for ctx, and stops them in reverse.
func (a *App) Run(ctx context.Context) error {
	started := 0
	var err error
	for _, h := range a.c.hooks {
		if h.Start != nil {
			if err = h.Start(ctx); err != nil {
				err = fmt.Errorf("start %s: %w", h.Name, err)
				break
			}
		}
		started++
	}
	if err == nil {
		<-ctx.Done()
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.grace)
	defer cancel()
	for i := started - 1; i >= 0; i-- {
		if h := a.c.hooks[i]; h.Stop != nil {
			if e := h.Stop(stop); e != nil {
				err = errors.Join(err, fmt.Errorf("stop %s: %w", h.Name, e))
			}
		}
	}
	return err
}

// Every runs fn each interval until ctx ends; it is a hook's usual body.
func Every(ctx context.Context, interval time.Duration, fn func(context.Context) error, log *slog.Logger) {
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if err := fn(ctx); err != nil {
				log.Warn("periodic job failed", "err", err)
			}
		}
	}
}
