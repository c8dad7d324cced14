// Package sink gives them their tables.
package sink

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/sink/sink"
)

func run(ctx context.Context, c *bigtable.Client) {
	for _, s := range []*sink.Sink{
		sink.New(c.Open("eu-ledger"), "entry", bigtable.Now), // want `clock-in-sequence`
		sink.New(c.Open("archive"), "entry", bigtable.Now),
		sink.New(c.Open("sessions"), "profile", bigtable.Now),
	} {
		go s.Run(ctx)
	}
	go sink.NewOther(c.Open("archive")).Run(ctx, nil, nil)
}

func runHelped(ctx context.Context, c *bigtable.Client) {
	for _, s := range []*sink.Helped{
		sink.NewHelped(c.Open("eu-ledger"), "entry", bigtable.Now), // want `clock-in-sequence`
		sink.NewHelped(c.Open("archive"), "entry", bigtable.Now),
		sink.NewHelped(c.Open("sessions"), "profile", bigtable.Now),
	} {
		go s.Run(ctx)
	}
}
