// Package opt has values that may be absent.
package opt

type Option[T any] struct {
	value T
	ok    bool
}

func Some[T any](v T) Option[T] { return Option[T]{value: v, ok: true} }

func None[T any]() Option[T] { return Option[T]{} }

func Of[T any](v T, ok bool) Option[T] {
	if !ok {
		return None[T]()
	}
	return Some(v)
}

func (o Option[T]) Get() (T, bool) { return o.value, o.ok }

func (o Option[T]) Absent() (T, bool) { return o.value, !o.ok }

// First looks at what it is given, too.
func First[T any](vs []T) (T, bool) {
	if len(vs) == 0 {
		var zero T
		return zero, false
	}
	return vs[0], true
}

// Known looks elsewhere.
func Known[T any](v T, m map[string]bool, key string) (T, bool) {
	return v, m[key]
}
