// Package gen has generic helpers. It does not import the client.
package gen

// Or returns the first value that is not zero.
func Or[T comparable](values ...T) T {
	var zero T
	for _, v := range values {
		if v != zero {
			return v
		}
	}
	return zero
}

// Ptr returns a pointer to a value.
func Ptr[T any](v T) *T { return &v }

// Deref returns what a pointer points to.
func Deref[T any](p *T) T { return *p }

// Must returns a value or panics.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// If chooses.
func If[T any](cond bool, a, b T) T {
	if cond {
		return a
	}
	return b
}
