// Package seqx has the small functions over iterators that the standard
// library leaves out.
package seqx

import (
	"cmp"
	"iter"
	"maps"
	"slices"
)

// Number is what can be summed.
type Number interface {
	~int | ~int32 | ~int64 | ~uint64 | ~float64
}

// Map yields f of each element.
func Map[A, B any](in iter.Seq[A], f func(A) B) iter.Seq[B] {
	return func(yield func(B) bool) {
		for a := range in {
			if !yield(f(a)) {
				return
			}
		}
	}
}

// Filter yields the elements that keep wants.
func Filter[A any](in iter.Seq[A], keep func(A) bool) iter.Seq[A] {
	return func(yield func(A) bool) {
		for a := range in {
			if keep(a) && !yield(a) {
				return
			}
		}
	}
}

// Chunk yields slices of at most n elements.
func Chunk[A any](in iter.Seq[A], n int) iter.Seq[[]A] {
	return func(yield func([]A) bool) {
		var buf []A
		for a := range in {
			buf = append(buf, a)
			if len(buf) == n {
				if !yield(buf) {
					return
				}
				buf = nil
			}
		}
		if len(buf) > 0 {
			yield(buf)
		}
	}
}

// Take yields the first n elements.
func Take[A any](in iter.Seq[A], n int) iter.Seq[A] {
	return func(yield func(A) bool) {
		if n <= 0 {
			return
		}
		left := n
		for a := range in {
			if !yield(a) {
				return
			}
			if left--; left == 0 {
				return
			}
		}
	}
}

// Values drops the errors of a sequence and keeps the last one in err.
func Values[A any](in iter.Seq2[A, error], err *error) iter.Seq[A] {
	return func(yield func(A) bool) {
		for a, e := range in {
			if e != nil {
				*err = e
				return
			}
			if !yield(a) {
				return
			}
		}
	}
}

// GroupBy collects the elements by key.
func GroupBy[K comparable, A any](in iter.Seq[A], key func(A) K) map[K][]A {
	out := map[K][]A{}
	for a := range in {
		k := key(a)
		out[k] = append(out[k], a)
	}
	return out
}

// SortedKeys yields a map in the order of its keys.
func SortedKeys[K cmp.Ordered, V any](m map[K]V) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}

// Sum adds f of each element.
func Sum[A any, N Number](in iter.Seq[A], f func(A) N) N {
	var n N
	for a := range in {
		n += f(a)
	}
	return n
}

// Reduce folds a sequence.
func Reduce[A, B any](in iter.Seq[A], zero B, f func(B, A) B) B {
	acc := zero
	for a := range in {
		acc = f(acc, a)
	}
	return acc
}

// Enumerate numbers the elements from 0.
func Enumerate[A any](in iter.Seq[A]) iter.Seq2[int, A] {
	return func(yield func(int, A) bool) {
		i := 0
		for a := range in {
			if !yield(i, a) {
				return
			}
			i++
		}
	}
}

// Drain reads a channel to its end.
func Drain[A any](ch <-chan A) iter.Seq[A] {
	return func(yield func(A) bool) {
		for a := range ch {
			if !yield(a) {
				return
			}
		}
	}
}
