// Package main supplies clocks.
package main

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/boundclocks/clock"
	"example.com/cases/sight/boundclocks/hooks"
)

type system struct{}

func (system) Now() time.Time { return time.Now() }

type booked struct{ at time.Time }

func (b booked) Expires() time.Time { return b.at }

func main() {
	ctx := context.Background()
	c, _ := bigtable.NewClient(ctx, "p", "i")
	b := hooks.NewBatcher(hooks.New(c.Open("sessions"), clock.System{}))
	_ = b.Report(ctx, "k")
	o := hooks.NewOwn(c.Open("sessions"), system{})
	_ = o.Failed(ctx, "k")
	s := hooks.NewSourced(c.Open("sessions"), booked{time.Now().Add(time.Hour)})
	_ = s.OkFailed(ctx, "k")
}
