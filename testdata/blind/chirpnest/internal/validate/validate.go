// Package validate is our zod.
package validate

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Rule checks a value.
type Rule[T any] func(T) error

// Check runs the rules and joins their errors.
func Check[T any](v T, rules ...Rule[T]) error {
	var errs []error
	for _, r := range rules {
		if err := r(v); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

var idPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{1,63}$`)

// Field wraps a rule's error with a field's name.
func Field[T, F any](name string, get func(T) F, rules ...Rule[F]) Rule[T] {
	return func(v T) error {
		if err := Check(get(v), rules...); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
}

// ID is a user or post id.
func ID(s string) error {
	if !idPattern.MatchString(s) {
		return errors.New("not an id")
	}
	return nil
}

// NotBlank wants text.
func NotBlank(s string) error {
	if strings.TrimSpace(s) == "" {
		return errors.New("is blank")
	}
	return nil
}

// MaxLen limits runes.
func MaxLen(n int) Rule[string] {
	return func(s string) error {
		if len([]rune(s)) > n {
			return fmt.Errorf("longer than %d", n)
		}
		return nil
	}
}

// Between limits a number.
func Between[N int | int64 | float64](lo, hi N) Rule[N] {
	return func(n N) error {
		if n < lo || n > hi {
			return fmt.Errorf("%v is not in [%v, %v]", n, lo, hi)
		}
		return nil
	}
}
