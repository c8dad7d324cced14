// Package clock is the only place of the program that asks the machine for
// the time. Everything else is given a Clock.
package clock

import (
	"sync"
	"time"
)

// A Clock tells the time.
type Clock interface {
	Now() time.Time
}

// System is the machine's clock.
type System struct{}

// Now returns the current time.
func (System) Now() time.Time { return time.Now() }

// Func makes a Clock of a function.
type Func func() time.Time

// Now calls f.
func (f Func) Now() time.Time { return f() }

// UTC is the machine's clock in UTC.
var UTC Clock = Func(func() time.Time { return time.Now().UTC() })

// Truncated is a clock that shows whole milliseconds, which is what Bigtable
// keeps.
type Truncated struct {
	Clock
}

// Now returns the time of the clock below, cut to milliseconds.
func (t Truncated) Now() time.Time { return t.Clock.Now().Truncate(time.Millisecond) }

// Or returns c, or the machine's clock if c is nil.
func Or(c Clock) Clock {
	if c == nil {
		return System{}
	}
	return c
}

// Sequence hands out strictly increasing numbers.
type Sequence struct {
	mu   sync.Mutex
	last int64
}

// NewSequence returns a sequence whose first number is after+1.
func NewSequence(after int64) *Sequence { return &Sequence{last: after} }

// Next returns the next number.
func (s *Sequence) Next() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	return s.last
}

// Last returns the number that Next returned last.
func (s *Sequence) Last() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}
