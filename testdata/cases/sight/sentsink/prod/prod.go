// Package prod sends cells to another package.
package prod

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/sentsink/sink"
)

func start(ctx context.Context, tbl *bigtable.Table) {
	ch := make(chan sink.Cell, 1)
	go sink.Consume(ctx, tbl, ch) // want `family "token" \(table not known\) uses the current time`
	ch <- sink.Cell{Family: "token", Column: "b", TS: bigtable.Now()}
	ch <- sink.Cell{Family: "profile", Column: "b", TS: bigtable.Now()}
}

func right(ctx context.Context, tbl *bigtable.Table) {
	ch := make(chan sink.Cell)
	go sink.Consume(ctx, tbl, ch)
	for i := range 3 {
		ch <- sink.Cell{Family: "token", TS: bigtable.Time(time.Now().Add(time.Hour))}
		ch <- sink.Cell{Family: "entry", TS: bigtable.Timestamp(i * 1000)}
	}
}

type producer struct {
	cells chan *sink.Cell
	stop  chan struct{}
}

func newProducer() *producer {
	return &producer{cells: make(chan *sink.Cell, 8), stop: make(chan struct{})}
}

func (p *producer) run(ctx context.Context, tbl *bigtable.Table) error {
	return sink.Until(ctx, tbl, p.cells, p.stop) // want `family "token" \(table not known\) uses the current time`
}

func (p *producer) login(column string) {
	p.cells <- &sink.Cell{Column: column, TS: bigtable.Now()}
}

func (p *producer) renew(column string, d time.Duration) {
	p.cells <- &sink.Cell{Column: column, TS: bigtable.Time(time.Now().Add(time.Hour))}
}

// What comes from others is theirs.
func forward(ctx context.Context, tbl *bigtable.Table, in chan sink.Cell) { sink.Consume(ctx, tbl, in) }

func policies(ctx context.Context, a *bigtable.AdminClient) error {
	ch := make(chan sink.Policy)
	go func() {
		defer close(ch)
		ch <- sink.Policy{Family: "hot", GC: bigtable.MaxAgePolicy(time.Second)}
		ch <- sink.Policy{Family: "seq", GC: bigtable.MaxAgePolicy(time.Hour)} // want `age-on-sequence`
	}()
	return sink.Apply(ctx, a, ch)
}
