// Package box is a generic mailbox.
package box

import "context"

type Box[C any] struct{ ch chan envelope[C] }

type envelope[C any] struct {
	ctx context.Context
	cmd C
}

func Start[C any](handle func(context.Context, C) error) *Box[C] {
	b := &Box[C]{ch: make(chan envelope[C], 1)}
	go func() {
		for e := range b.ch {
			_ = handle(e.ctx, e.cmd)
		}
	}()
	return b
}

func (b *Box[C]) Ask(ctx context.Context, c C) { b.ch <- envelope[C]{ctx, c} }

// A Kept is a mailbox that keeps its handler in a field, and runs when it is told to.
type Kept[C any] struct {
	ch     chan C
	handle func(context.Context, C) error
}

func NewKept[C any](size int, handle func(context.Context, C) error) *Kept[C] {
	return &Kept[C]{ch: make(chan C, size), handle: handle}
}

func (k *Kept[C]) Send(c C) { k.ch <- c }

func (k *Kept[C]) TrySend(ctx context.Context, c C) error {
	select {
	case k.ch <- c:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (k *Kept[C]) Run(ctx context.Context) error {
	for {
		select {
		case c := <-k.ch:
			if err := k.process(ctx, c); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (k *Kept[C]) process(ctx context.Context, c C) error { return k.handle(ctx, c) }
