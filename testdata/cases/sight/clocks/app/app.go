// Package app gives a store its clock and its layout, which is not wrong.
package app

import (
	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/clocks"
	"example.com/cases/sight/clocks/clock"
	"example.com/cases/sight/clocks/layout"
)

func start(c *bigtable.Client) *clocks.Store {
	return clocks.New(c, layout.DefaultSessions(), layout.Mixed{}.WithDefaults(), layout.Family{Name: "profile"}, clock.Truncated{Clock: clock.System{}})
}
