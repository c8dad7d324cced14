// Package opt has values that may be missing.
package opt

// An Option holds a value or none.
type Option[T any] struct {
	value T
	ok    bool
}

// Some holds v.
func Some[T any](v T) Option[T] { return Option[T]{value: v, ok: true} }

// None holds nothing.
func None[T any]() Option[T] { return Option[T]{} }

// Get returns what it holds.
func (o Option[T]) Get() (T, bool) { return o.value, o.ok }
