// Package opt has results and options, and what hands on what is in them.
package opt

import "iter"

type Result[T any] struct {
	value T
	err   error
}

func Try[T any](v T, err error) Result[T] { return Result[T]{v, err} }

func (r Result[T]) Get() (T, error) { return r.value, r.err }

func (r Result[T]) Tap(f func(T)) Result[T] {
	f(r.value)
	return r
}

func Then[T, U any](r Result[T], f func(T) U) Result[U] {
	if r.err != nil {
		return Result[U]{err: r.err}
	}
	return Result[U]{value: f(r.value)}
}

// With hands on the whole result.
func With[T, U any](r Result[T], f func(Result[T]) U) U { return f(r) }

// A Box keeps what it is given.
type Box[T any] struct{ last Result[T] }

func (b *Box[T]) Put(r Result[T]) Result[T] {
	old := b.last
	b.last = r
	return old
}

func (b *Box[T]) Last() T { return b.last.value }

func Map[T, U any](s iter.Seq[T], f func(T) U) iter.Seq[U] {
	return func(yield func(U) bool) {
		for v := range s {
			if !yield(f(v)) {
				return
			}
		}
	}
}
