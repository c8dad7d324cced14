// Package app gives a store its clock and its layout, which is not wrong.
package app

import (
	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/k5_clocks"
	"example.com/cases/sight/k5_clocks/clock"
	"example.com/cases/sight/k5_clocks/layout"
)

func start(c *bigtable.Client) *k5_clocks.Store {
	return k5_clocks.New(c, layout.DefaultSessions(), layout.Mixed{}.WithDefaults(), layout.Family{Name: "profile"}, clock.Truncated{Clock: clock.System{}})
}
