// Package outcome has results that hold their error.
package outcome

// A Result is a value, or an error.
type Result[T any] struct {
	Value T
	Err   error
}

// Ok is the result that is a value.
func Ok[T any](v T) Result[T] { return Result[T]{Value: v} }

// Fail is the result that is an error.
func Fail[T any](err error) Result[T] { return Result[T]{Err: err} }

// Unpack returns both.
func (r Result[T]) Unpack() (T, error) { return r.Value, r.Err }
