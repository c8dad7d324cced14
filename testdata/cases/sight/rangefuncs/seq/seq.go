// Package seq has iterators over what others have.
package seq

import "iter"

// Of yields the elements.
func Of[T any](elements ...T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, e := range elements {
			if !yield(e) {
				return
			}
		}
	}
}

// Map returns what f makes of each element.
func Map[T, U any](list []T, f func(T) U) []U {
	out := make([]U, 0, len(list))
	for _, e := range list {
		out = append(out, f(e))
	}
	return out
}
