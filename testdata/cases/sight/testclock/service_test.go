package testclock

import (
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/testclock/clock"
)

type standing struct{ at time.Time }

func (s standing) Now() time.Time { return s.at }

// TestStanding asks the clock that it gives.
func TestStanding(t *testing.T) {
	s := &service{clk: standing{time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)}}
	mut := bigtable.NewMutation()
	s.renew(mut)
	mut.Set("event", "b", bigtable.Time(s.clk.Now()), nil)
	mut.Set("event", "c", bigtable.Time(s.today()), nil)

	u := store{now: func() time.Time { return time.Unix(1600000000, 0) }}
	mut.Set("event", "d", bigtable.Time(u.now()), nil)

	var c clocked = standing{time.Unix(1600000000, 0)}
	mut.Set("event", "e", bigtable.Time(c.Now()), nil)
}

// TestOwn writes times of its own.
func TestOwn(t *testing.T) {
	mut := bigtable.NewMutation()
	mut.Set("event", "a", bigtable.Time(time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)), nil) // want `already-expired: .*"event"`
	mut.Set("event", "b", bigtable.Time(standing{time.Unix(1600000000, 0)}.Now()), nil)      // want `already-expired: .*"event"`
	type fixture struct{ now func() time.Time }
	f := fixture{func() time.Time { return time.Unix(1600000000, 0) }}
	mut.Set("event", "c", bigtable.Time(f.now()), nil) // want `already-expired: .*"event"`
}

// TestRunning gives the clock of the machine.
func TestRunning(t *testing.T) {
	s := &service{clk: clock.System{}}
	mut := bigtable.NewMutation()
	mut.Set("ticket", "a", bigtable.Time(s.clk.Now()), nil) // want `write-time: .*"ticket"`
	u := store{now: func() time.Time { return time.Now().UTC() }}
	mut.Set("ticket", "b", bigtable.Time(u.now()), nil) // want `write-time: .*"ticket"`
}
