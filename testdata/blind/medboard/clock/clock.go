// Package clock is where time and identifiers come from, so that tests can supply their own.
package clock

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"sync"
	"time"
)

// Clock tells the time.
type Clock interface {
	Now() time.Time
}

// System is the machine's clock.
type System struct{}

// Now implements Clock.
func (System) Now() time.Time { return time.Now() }

// Func makes a Clock of a function.
type Func func() time.Time

// Now implements Clock.
func (f Func) Now() time.Time { return f() }

// Fake is a clock that moves when it is told to.
type Fake struct {
	mu sync.Mutex
	t  time.Time
}

// NewFake returns a clock that stands at t.
func NewFake(t time.Time) *Fake { return &Fake{t: t} }

// Now implements Clock.
func (f *Fake) Now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.t
}

// Advance moves the clock.
func (f *Fake) Advance(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.t = f.t.Add(d)
}

// IDs gives out identifiers.
type IDs interface {
	NewID() string
}

// Random gives out random identifiers.
type Random struct{}

// NewID implements IDs.
func (Random) NewID() string {
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err)
	}
	return hex.EncodeToString(b[:])
}

// Counting gives out id-1, id-2 and so on.
type Counting struct {
	mu     sync.Mutex
	Prefix string
	n      int
}

// NewID implements IDs.
func (c *Counting) NewID() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	return fmt.Sprintf("%s-%d", c.Prefix, c.n)
}

// Numbers gives out the next number of a series.
type Numbers interface {
	Next(series string) int64
}

// Local is a Numbers that lives in memory.
type Local struct {
	mu   sync.Mutex
	last map[string]int64
}

// NewLocal returns a Local that starts at 1.
func NewLocal() *Local { return &Local{last: make(map[string]int64)} }

// Next implements Numbers.
func (l *Local) Next(series string) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last[series]++
	return l.last[series]
}

// Seed sets the number that was given out last.
func (l *Local) Seed(series string, n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last[series] = n
}
