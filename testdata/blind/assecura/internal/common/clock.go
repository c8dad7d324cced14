// Package common holds what every layer uses.
package common

import (
	"sync"
	"time"
)

// Clock is the port of java.time.Clock.
type Clock interface {
	Now() time.Time
}

type systemClock struct{}

// NewSystemClock returns the clock of the machine.
func NewSystemClock() Clock { return systemClock{} }

// Now implements Clock.
func (systemClock) Now() time.Time { return time.Now() }

// ClockHolder is the singleton of the old code base.
type ClockHolder struct{ clock Clock }

var (
	holderOnce sync.Once
	holder     *ClockHolder
)

// GetClockHolder returns the singleton.
func GetClockHolder() *ClockHolder {
	holderOnce.Do(func() { holder = &ClockHolder{clock: NewSystemClock()} })
	return holder
}

// GetClock returns the clock.
func (h *ClockHolder) GetClock() Clock { return h.clock }

// DateUtils is a class of static methods.
type DateUtils struct{}

// Now returns the current date.
func (DateUtils) Now() time.Time { return time.Now() }

// AddMinutes adds minutes.
func (DateUtils) AddMinutes(t time.Time, n int) time.Time {
	return t.Add(time.Duration(n) * time.Minute)
}

// PlusDays adds days.
func (DateUtils) PlusDays(t time.Time, n int) time.Time { return t.AddDate(0, 0, n) }

// StartOfDay cuts to midnight UTC.
func (DateUtils) StartOfDay(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }
