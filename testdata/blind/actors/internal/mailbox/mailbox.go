// Package mailbox is the little actor runtime of the arena: a goroutine, a
// channel of commands, and a handler.
package mailbox

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// ErrClosed is what a stopped actor answers.
var ErrClosed = errors.New("mailbox: closed")

// ErrFull is what an actor answers that has too much to do.
var ErrFull = errors.New("mailbox: full")

// Box is the mailbox of an actor.
type Box[C any] struct {
	name    string
	ch      chan envelope[C]
	quit    chan struct{}
	done    chan struct{}
	once    sync.Once
	handled atomic.Int64
	failed  atomic.Int64
	log     *slog.Logger
}

type envelope[C any] struct {
	ctx   context.Context
	cmd   C
	reply chan error
	since time.Time
}

// Start starts an actor that calls handle for one command after the other.
func Start[C any](name string, size int, log *slog.Logger, handle func(context.Context, C) error) *Box[C] {
	b := &Box[C]{
		name: name,
		ch:   make(chan envelope[C], size),
		quit: make(chan struct{}),
		done: make(chan struct{}),
		log:  log,
	}
	go b.loop(handle)
	return b
}

func (b *Box[C]) loop(handle func(context.Context, C) error) {
	defer close(b.done)
	for {
		select {
		case e := <-b.ch:
			b.one(e, handle)
		case <-b.quit:
			for {
				select {
				case e := <-b.ch:
					b.one(e, handle)
				default:
					return
				}
			}
		}
	}
}

func (b *Box[C]) one(e envelope[C], handle func(context.Context, C) error) {
	if err := e.ctx.Err(); err != nil {
		b.answer(e, err)
		return
	}
	if waited := time.Since(e.since); waited > time.Second {
		b.log.Warn("command waited", "actor", b.name, "for", waited)
	}
	err := handle(e.ctx, e.cmd)
	b.handled.Add(1)
	if err != nil {
		b.failed.Add(1)
		b.log.Error("command failed", "actor", b.name, "err", err)
	}
	b.answer(e, err)
}

func (b *Box[C]) answer(e envelope[C], err error) {
	if e.reply != nil {
		e.reply <- err
	}
}

// Ask sends cmd and waits for the answer.
func (b *Box[C]) Ask(ctx context.Context, cmd C) error {
	e := envelope[C]{ctx: ctx, cmd: cmd, reply: make(chan error, 1), since: time.Now()}
	select {
	case b.ch <- e:
	case <-b.quit:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-e.reply:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-b.done:
		return ErrClosed
	}
}

// Tell sends cmd and does not wait.
func (b *Box[C]) Tell(ctx context.Context, cmd C) error {
	select {
	case b.ch <- envelope[C]{ctx: context.WithoutCancel(ctx), cmd: cmd, since: time.Now()}:
		return nil
	case <-b.quit:
		return ErrClosed
	default:
		return ErrFull
	}
}

// Stop lets the actor finish what it has, and waits.
func (b *Box[C]) Stop(ctx context.Context) error {
	b.once.Do(func() { close(b.quit) })
	select {
	case <-b.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Stats says how many commands were handled, and how many of them failed.
func (b *Box[C]) Stats() (handled, failed int64) { return b.handled.Load(), b.failed.Load() }

// Every runs f every d until ctx ends.
func Every(ctx context.Context, d time.Duration, f func(context.Context)) {
	t := time.NewTicker(d)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			f(ctx)
		}
	}
}
