// Package main supplies clocks to what tells how old cells are.
package main

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/toldwithclock/gw"
)

func main() {
	ctx := context.Background()
	c, err := bigtable.NewClient(ctx, "p", "i")
	if err != nil {
		panic(err)
	}
	run(ctx, c)
	of(ctx, c)
}

// What the clock is decides nothing: it was told where the age is.
func run(ctx context.Context, c *bigtable.Client) {
	var s gw.Sessions
	s.Init(c, &gw.Clock{Read: time.Now})
	var r gw.Report
	r.Init(&s)
	_ = r.Collect(ctx)
	_ = r.Oldest(ctx, "k")
	println(r.Age)
}

func of(ctx context.Context, c *bigtable.Client) {
	var v gw.Values
	v.Init(c.Open("cache"), &gw.Clock{Read: time.Now})
	age, _ := v.Age(ctx, "k") // want `not-write-time: .*"val" of table "cache"`
	println(age)
	var w gw.Values
	w.Init(c.Open("catalog"), &gw.Clock{Read: time.Now})
	age, _ = w.Age(ctx, "k")
	println(age)
}
