// Package timestamp chooses the timestamps of cells: the strategy pattern, as com.meridian.orderhub.timestamp had it.
package timestamp

import (
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/meridian/orderhub/internal/platform/clock"
)

// Policy chooses the timestamp of the next cell.
type Policy interface {
	Next() bigtable.Timestamp
}

// ExpiryPolicy stamps cells with the time they expire.
type ExpiryPolicy struct {
	clock clock.Clock
	ttl   time.Duration
}

// NewExpiryPolicy returns an ExpiryPolicy.
func NewExpiryPolicy(c clock.Clock, ttl time.Duration) *ExpiryPolicy {
	return &ExpiryPolicy{clock: c, ttl: ttl}
}

// Next implements Policy.
func (p *ExpiryPolicy) Next() bigtable.Timestamp {
	return bigtable.Time(p.clock.Now().Add(p.ttl))
}

// ServerPolicy leaves the timestamp to the server.
type ServerPolicy struct{}

// Next implements Policy.
func (ServerPolicy) Next() bigtable.Timestamp { return bigtable.ServerTime }

// WallClockPolicy stamps cells with the time they were written.
type WallClockPolicy struct {
	clock clock.Clock
}

// NewWallClockPolicy returns a WallClockPolicy.
func NewWallClockPolicy(c clock.Clock) *WallClockPolicy { return &WallClockPolicy{clock: c} }

// Next implements Policy.
func (p *WallClockPolicy) Next() bigtable.Timestamp { return bigtable.Time(p.clock.Now()) }

// ZeroPolicy keeps one cell per column.
type ZeroPolicy struct{}

// Next implements Policy.
func (ZeroPolicy) Next() bigtable.Timestamp { return 0 }

// SequencePolicy counts.
type SequencePolicy struct {
	last atomic.Int64
}

// Next implements Policy.
func (p *SequencePolicy) Next() bigtable.Timestamp {
	return bigtable.Timestamp(p.last.Add(1) * 1000)
}

// Sequence returns the timestamp of a sequence number.
func Sequence(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) }

// Number is the inverse of Sequence.
func Number(ts bigtable.Timestamp) int64 { return int64(ts) / 1000 }

// Shifted returns the timestamp of a cell that shall live for ttl in a family whose age limit is def.
func Shifted(now time.Time, ttl, def time.Duration) bigtable.Timestamp {
	return bigtable.Time(now.Add(ttl - def))
}
