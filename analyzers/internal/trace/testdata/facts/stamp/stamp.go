// Package stamp makes timestamps, at the bottom of the other packages.
package stamp

import (
	"time"

	"cloud.google.com/go/bigtable"
)

func Now() bigtable.Timestamp { return bigtable.Now() }

func ExpiresIn(ttl time.Duration) bigtable.Timestamp { return At(time.Now().Add(ttl)) }

func At(t time.Time) bigtable.Timestamp { return bigtable.Time(t) }

func Number(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) }

// Or has two results, between which its parameter decides.
func Or(ts bigtable.Timestamp) bigtable.Timestamp {
	if ts == 0 {
		return bigtable.ServerTime
	}
	return ts
}

// With returns values that go together.
func With(token bool) (string, bigtable.Timestamp) {
	if token {
		return "token", ExpiresIn(time.Hour)
	}
	return "profile", bigtable.Now()
}

// Halved calls itself.
func Halved(n int64) bigtable.Timestamp {
	if n > 1000 {
		return Halved(n / 2)
	}
	return bigtable.Timestamp(n)
}

// Even and Odd call each other.
func Even(n int) bigtable.Timestamp {
	if n == 0 {
		return bigtable.Now()
	}
	return Odd(n - 1)
}

func Odd(n int) bigtable.Timestamp {
	if n == 0 {
		return 0
	}
	return Even(n - 1)
}

// Pick is generic.
func Pick[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}

// hidden is seen in this package only.
func hidden() bigtable.Timestamp { return bigtable.Now() }

// Nothing tells nothing.
func Nothing() error { _ = hidden(); return nil }

// Variables.
var (
	Token    = "token"
	Families = []string{"profile", "token"}
	Lifetime = 30 * time.Minute
	Start    = time.Unix(1700000000, 0)
	Changed  = "a"
	Unset    string
	Funcs    = map[string]func() bigtable.Timestamp{"now": Now}
)

// Change makes one of them have two values.
func Change() { Changed = "b" }

// A Clock is an interface that one type implements.
type Clock interface {
	Stamp(d time.Duration) bigtable.Timestamp
}

type System struct{ Slack time.Duration }

func (s System) Stamp(d time.Duration) bigtable.Timestamp { return ExpiresIn(d + s.Slack) }

func (s *System) SetSlack(d time.Duration) { s.Slack = d }

func NewSystem(slack time.Duration) *System { return &System{Slack: slack} }
