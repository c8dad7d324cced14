// Package clock is where Beacon's services read the time, so that tests can set it.
package clock

import (
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
)

// Clock tells the time.
type Clock interface {
	Now() time.Time
}

// System is the machine's clock.
type System struct{}

// Now is the current time.
func (System) Now() time.Time { return time.Now() }

// Fake is a clock that stands until it is moved.
type Fake struct {
	mu sync.Mutex
	t  time.Time
}

// NewFake returns a clock that stands at t.
func NewFake(t time.Time) *Fake { return &Fake{t: t} }

// Now is the time that was set.
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

// In is the timestamp of a moment that is d away.
func In(d time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(d))
}

// Stamp is the current time as a timestamp, cut to what Bigtable stores.
func Stamp() bigtable.Timestamp {
	return bigtable.Now().TruncateToMilliseconds()
}

// Millis is the current time in milliseconds, for keys and payloads.
func Millis() int64 { return time.Now().UnixMilli() }

// Seq makes a timestamp of a sequence number.
func Seq(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) }

// FromSeq gives the sequence number back.
func FromSeq(ts bigtable.Timestamp) int64 { return int64(ts) / 1000 }

// Backdated is the timestamp of a cell in a family that keeps its cells for keep,
// when the cell should live for life only.
func Backdated(life, keep time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(life - keep))
}
