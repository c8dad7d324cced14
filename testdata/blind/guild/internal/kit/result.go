package kit

import (
	"errors"
	"fmt"
)

// ErrNotFound says that there is no value under a key.
var ErrNotFound = errors.New("guild: not found")

// ErrConflict says that somebody else was faster.
var ErrConflict = errors.New("guild: conflict")

// Result is a value or the reason why there is none.
type Result[T any] struct {
	val T
	err error
}

// Ok returns a successful result.
func Ok[T any](v T) Result[T] { return Result[T]{val: v} }

// Fail returns a failed result.
func Fail[T any](err error) Result[T] { return Result[T]{err: err} }

// Failf returns a failed result with a formatted reason.
func Failf[T any](format string, args ...any) Result[T] {
	return Fail[T](fmt.Errorf(format, args...))
}

// Of wraps the two results of a call.
func Of[T any](v T, err error) Result[T] { return Result[T]{val: v, err: err} }

// Get unwraps the result.
func (r Result[T]) Get() (T, error) { return r.val, r.err }

// Err returns the reason of a failed result.
func (r Result[T]) Err() error { return r.err }

// Or returns the value, or def for a failed result.
func (r Result[T]) Or(def T) T {
	if r.err != nil {
		return def
	}
	return r.val
}

// Map applies f to the value of a successful result.
func Map[T, U any](r Result[T], f func(T) U) Result[U] {
	if r.err != nil {
		return Fail[U](r.err)
	}
	return Ok(f(r.val))
}

// Then applies f, which may fail, to the value of a successful result.
func Then[T, U any](r Result[T], f func(T) Result[U]) Result[U] {
	if r.err != nil {
		return Fail[U](r.err)
	}
	return f(r.val)
}

// Collect turns results into a result: all values, or the first failure.
func Collect[T any](rs []Result[T]) Result[[]T] {
	out := make([]T, 0, len(rs))
	for _, r := range rs {
		if r.err != nil {
			return Fail[[]T](r.err)
		}
		out = append(out, r.val)
	}
	return Ok(out)
}
