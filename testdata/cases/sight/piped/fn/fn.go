// Package fn knows nothing of Bigtable.
package fn

// Pipe hands a value through functions.
func Pipe[A any](v A, steps ...func(A) A) A {
	for _, s := range steps {
		v = s(v)
	}
	return v
}

// PipeBack hands a value through functions, the last one first.
func PipeBack[A any](v A, steps ...func(A) A) A {
	for i := range steps {
		v = steps[len(steps)-1-i](v)
	}
	return v
}
