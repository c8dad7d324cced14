package core

import (
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/assecura/internal/common"
)

// TimestampStrategy gives the timestamps of cells.
type TimestampStrategy interface {
	NextTimestamp() bigtable.Timestamp
}

// AbstractTimestampStrategy is the base of those that need a clock.
type AbstractTimestampStrategy struct{ clock common.Clock }

type wallClockTimestampStrategy struct{ AbstractTimestampStrategy }

// NewWallClockTimestampStrategy gives the current time.
func NewWallClockTimestampStrategy(clock common.Clock) TimestampStrategy {
	return &wallClockTimestampStrategy{AbstractTimestampStrategy{clock: clock}}
}

// NextTimestamp implements TimestampStrategy.
func (s *wallClockTimestampStrategy) NextTimestamp() bigtable.Timestamp {
	return bigtable.Time(s.clock.Now())
}

type expiryTimestampStrategy struct {
	AbstractTimestampStrategy
	ttl time.Duration
}

// NewExpiryTimestampStrategy gives the moment of expiry.
func NewExpiryTimestampStrategy(clock common.Clock, ttl time.Duration) TimestampStrategy {
	return &expiryTimestampStrategy{AbstractTimestampStrategy{clock: clock}, ttl}
}

// NextTimestamp implements TimestampStrategy.
func (s *expiryTimestampStrategy) NextTimestamp() bigtable.Timestamp {
	return bigtable.Time(s.clock.Now().Add(s.ttl))
}

type zeroTimestampStrategy struct{}

// NewZeroTimestampStrategy gives zero.
func NewZeroTimestampStrategy() TimestampStrategy { return zeroTimestampStrategy{} }

// NextTimestamp implements TimestampStrategy.
func (zeroTimestampStrategy) NextTimestamp() bigtable.Timestamp { return 0 }

type serverTimestampStrategy struct{}

// NewServerTimestampStrategy lets the server decide.
func NewServerTimestampStrategy() TimestampStrategy { return serverTimestampStrategy{} }

// NextTimestamp implements TimestampStrategy.
func (serverTimestampStrategy) NextTimestamp() bigtable.Timestamp { return bigtable.ServerTime }

type sequenceTimestampStrategy struct{ last atomic.Int64 }

// NewSequenceTimestampStrategy gives sequence numbers, scaled to milliseconds.
func NewSequenceTimestampStrategy(start int64) TimestampStrategy {
	s := &sequenceTimestampStrategy{}
	s.last.Store(start)
	return s
}

// NextTimestamp implements TimestampStrategy.
func (s *sequenceTimestampStrategy) NextTimestamp() bigtable.Timestamp {
	return bigtable.Timestamp(s.last.Add(1) * 1000)
}

// StrategyKind was an enum.
type StrategyKind int

const (
	StrategyWallClock StrategyKind = iota
	StrategyServer
	StrategyZero
)

// TimestampStrategyFactory makes strategies by kind.
type TimestampStrategyFactory interface {
	CreateStrategy(kind StrategyKind) TimestampStrategy
}

type timestampStrategyFactoryImpl struct{ clock common.Clock }

// NewTimestampStrategyFactory makes the factory.
func NewTimestampStrategyFactory(clock common.Clock) TimestampStrategyFactory {
	return &timestampStrategyFactoryImpl{clock: clock}
}

// CreateStrategy implements TimestampStrategyFactory.
func (f *timestampStrategyFactoryImpl) CreateStrategy(kind StrategyKind) TimestampStrategy {
	switch kind {
	case StrategyServer:
		return NewServerTimestampStrategy()
	case StrategyZero:
		return NewZeroTimestampStrategy()
	default:
		return NewWallClockTimestampStrategy(f.clock)
	}
}
