// Package ticks has clocks behind an interface whose method is not called what clocks are.
package ticks

import "time"

// A Source says what time it is.
type Source interface{ Tick() time.Time }

// Wall and Utc are all that it has, and both tell the current time.
type Wall struct{}

func (Wall) Tick() time.Time { return time.Now() }

type Utc struct{}

func (Utc) Tick() time.Time { return time.Now().UTC() }
