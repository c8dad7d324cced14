package stamp // want package:`\) reaches Bigtable}$`

// Package stamp makes timestamps, at the bottom of the other packages.

import (
	"time"

	"cloud.google.com/go/bigtable"
)

func Now() bigtable.Timestamp { return bigtable.Now() } // want Now:`returns bigtable\.Now\(\)`

func ExpiresIn(ttl time.Duration) bigtable.Timestamp { return At(time.Now().Add(ttl)) } // want ExpiresIn:`returns bigtable\.Time\(time\.Time\.Add\(time\.Now\(\), \$0\)\);`

func At(t time.Time) bigtable.Timestamp { return bigtable.Time(t) } // want At:`returns bigtable\.Time\(\$0\);`

func Number(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) } // want Number:`returns \*\(\$0, 1000\);`

// Or has two results, between which its parameter decides.
func Or(ts bigtable.Timestamp) bigtable.Timestamp { // want Or:`if ==\(\$0, 0\) returns -1; if !\(==\(\$0, 0\)\) returns \$0;`
	if ts == 0 {
		return bigtable.ServerTime
	}
	return ts
}

// With returns values that go together.
func With(token bool) (string, bigtable.Timestamp) { // want With:`if \$0 returns "token", bigtable\.Time\(time\.Time\.Add\(time\.Now\(\), 3600000000000\)\); if !\(\$0\) returns "profile", bigtable\.Now\(\)`
	if token {
		return "token", ExpiresIn(time.Hour)
	}
	return "profile", bigtable.Now()
}

// Halved calls itself.
func Halved(n int64) bigtable.Timestamp { // want Halved:`if !\(>\(\$0, 1000\)\) returns \$0;`
	if n > 1000 {
		return Halved(n / 2)
	}
	return bigtable.Timestamp(n)
}

// Even and Odd call each other.
func Even(n int) bigtable.Timestamp { // want Even:`if ==\(\$0, 0\) returns bigtable\.Now\(\); if !\(==\(\$0, 0\)\) if ==\(-\(\$0, 1\), 0\) returns 0;`
	if n == 0 {
		return bigtable.Now()
	}
	return Odd(n - 1)
}

func Odd(n int) bigtable.Timestamp { // want Odd:`if ==\(\$0, 0\) returns 0;`
	if n == 0 {
		return 0
	}
	return Even(n - 1)
}

// Pick is generic.
func Pick[T any](first bool, a, b T) T { // want Pick:`if \$0 returns \$1; if !\(\$0\) returns \$2`
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
	Token    = "token"                                          // want Token:`holds \("token"\)`
	Families = []string{"profile", "token"}                     // want Families:`holds \(\["profile", "token"\]\)`
	Lifetime = 30 * time.Minute                                 // want Lifetime:`holds \(1800000000000\)`
	Start    = time.Unix(1700000000, 0)                         // want Start:`holds \(time\.Unix\(1700000000, 0\)\)`
	Changed  = "a"                                              // want Changed:`holds \("a", "b"\)`
	Unset    string                                             // other packages may set it
	Funcs    = map[string]func() bigtable.Timestamp{"now": Now} // want Funcs:`holds \(map\["now", example.com/facts/stamp.Now\(\)\]\)`
)

// Change makes one of them have two values.
func Change() { Changed = "b" }

// A Clock is an interface that one type implements.
type Clock interface {
	Stamp(d time.Duration) bigtable.Timestamp // want Stamp:`returns bigtable\.Time\(time\.Time\.Add\(time\.Now\(\), \+\(\$1, \$0\.Slack\)\)\);`
}

type System struct{ Slack time.Duration }

func (s System) Stamp(d time.Duration) bigtable.Timestamp { return ExpiresIn(d + s.Slack) } // want Stamp:`returns bigtable\.Time\(time\.Time\.Add\(time\.Now\(\), \+\(\$1, \$0\.Slack\)\)\);`

func (s *System) SetSlack(d time.Duration) { s.Slack = d } // want SetSlack:`sets \$0\.Slack to \$1`

func NewSystem(slack time.Duration) *System { return &System{Slack: slack} } // want NewSystem:`returns example\.com/facts/stamp\.System\{Slack: \$0\}`
