// Package seq has functions over iterators.
package seq

import "iter"

// Values drops the errors of an iterator, and keeps the last.
func Values[T any](in iter.Seq2[T, error], err *error) iter.Seq[T] {
	return func(yield func(T) bool) {
		for v, e := range in {
			if e != nil {
				*err = e
				return
			}
			if !yield(v) {
				return
			}
		}
	}
}

// Each calls f with each element.
func Each[T any](in iter.Seq[T], f func(T) error) error {
	for v := range in {
		if err := f(v); err != nil {
			return err
		}
	}
	return nil
}

// By collects elements by what they are called.
func By[T any](in iter.Seq[T], key func(T) string) map[string][]T {
	out := map[string][]T{}
	for v := range in {
		out[key(v)] = append(out[key(v)], v)
	}
	return out
}
