// Package strategy promises no compatibility, and neither do those below it: they
// change with the linter. It says what the timestamps of a column family are
// agreed to mean, and what that asks of whoever writes its cells.
//
// It and the packages below it decide for the linter, which knows values only
// as far as it can trace them, and for ttlguard, which sees them on the wire:
// [github.com/ttlvet/ttlvet/runtime/strategy/filter] about what a read lets
// pass, gcpolicy about garbage collection, sql about GoogleSQL statements. They
// import nothing but the standard library. Programs have no need of them:
// package ttl is made for these.
package strategy

import "time"

// A Strategy is an agreement of writers, readers and garbage collection on
// what the timestamps of a column family mean.
type Strategy string

// The strategies, by the names that registry files use.
const (
	// OneSecond: the timestamp is the moment of expiry, and garbage collection
	// deletes what is older than a second.
	// https://cloud.google.com/bigtable/docs/gc-cell-level
	OneSecond Strategy = "one-second-expiration"
	// Default: cells live for the age of garbage collection, and their
	// timestamps are shifted for other lifetimes.
	// https://cloud.google.com/bigtable/docs/gc-cell-level
	Default Strategy = "default-expiration"
	// Sequence: the timestamp is a counter times 1000.
	// https://cloud.google.com/bigtable/docs/gc-sequence-numbers
	Sequence Strategy = "sequential-numbers"
	// Zero: the timestamp is always 0.
	// https://cloud.google.com/bigtable/docs/gc-latest-value
	Zero Strategy = "timestamp-zero"
	// Real: an ordinary family, whose timestamps are times of writing.
	Real Strategy = "real-timestamps"
)

// Strategies returns all strategies in the documentation's order.
func Strategies() []Strategy { return []Strategy{OneSecond, Default, Sequence, Zero, Real} }

// Expires reports whether cells die by their timestamps.
func (s Strategy) Expires() bool { return s == OneSecond || s == Default }

// NeedsFilter reports whether reads must keep out cells that garbage
// collection may already have removed.
func (s Strategy) NeedsFilter() bool { return s.Expires() || s == Sequence }

// Artificial reports whether timestamps are something else than write times.
func (s Strategy) Artificial() bool { return s != Real }

// A Family is a column family with its agreement.
type Family struct {
	Name     string
	Strategy Strategy
	// TTL is the usual lifetime of a one-second family (0 when none is
	// declared) and the default lifetime of a default-expiration family.
	TTL time.Duration
	// MaxAge is the age of the garbage collection policy: of a one-second
	// family one second unless declared otherwise, of a default-expiration
	// family its TTL, of a real-timestamps family 0 when none is declared.
	MaxAge time.Duration
	// Versions is the number of versions that are kept, 0 when none is
	// declared.
	Versions int
}
