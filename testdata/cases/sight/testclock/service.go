package testclock

import (
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/testclock/clock"
)

type clocked interface{ Now() time.Time }

// A service is given a clock, too.
type service struct{ clk clocked }

func newService() *service { return &service{clk: clock.System{}} }

func (s *service) today() time.Time { return s.clk.Now().Truncate(24 * time.Hour) }

func (s *service) renew(mut *bigtable.Mutation) {
	mut.Set("event", "a", bigtable.Time(s.clk.Now()), nil)
}
