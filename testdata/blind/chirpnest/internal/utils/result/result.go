// Package result has the two types we missed most after TypeScript.
package result

import "errors"

// ErrEmpty is what Unwrap of None gives.
var ErrEmpty = errors.New("result: empty option")

// Option is a value that may be absent.
type Option[T any] struct {
	value T
	ok    bool
}

func Some[T any](v T) Option[T] { return Option[T]{value: v, ok: true} }

func None[T any]() Option[T] { return Option[T]{} }

func (o Option[T]) IsSome() bool { return o.ok }

func (o Option[T]) Get() (T, bool) { return o.value, o.ok }

func (o Option[T]) OrElse(def T) T {
	if o.ok {
		return o.value
	}
	return def
}

// Result is a value or an error.
type Result[T any] struct {
	value T
	err   error
}

func Ok[T any](v T) Result[T] { return Result[T]{value: v} }

func Err[T any](err error) Result[T] { return Result[T]{err: err} }

func From[T any](v T, err error) Result[T] { return Result[T]{value: v, err: err} }

func (r Result[T]) Unpack() (T, error) { return r.value, r.err }

func (r Result[T]) Err() error { return r.err }

func (r Result[T]) IsOk() bool { return r.err == nil }

func (r Result[T]) UnwrapOr(def T) T {
	if r.err != nil {
		return def
	}
	return r.value
}

// Map applies f to a good result.
func Map[T, U any](r Result[T], f func(T) U) Result[U] {
	if r.err != nil {
		return Err[U](r.err)
	}
	return Ok(f(r.value))
}

// AndThen chains a step that may fail itself.
func AndThen[T, U any](r Result[T], f func(T) Result[U]) Result[U] {
	if r.err != nil {
		return Err[U](r.err)
	}
	return f(r.value)
}

// MapOption applies f to a present value.
func MapOption[T, U any](o Option[T], f func(T) U) Option[U] {
	if !o.ok {
		return None[U]()
	}
	return Some(f(o.value))
}
