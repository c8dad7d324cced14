// Package agefield takes its tables out of one struct and keeps them in
// another, whose methods read.
package agefield

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/agefield/kit"
)

type line struct{ Modified time.Time }

type reconciler struct{ history, metrics *bigtable.Table }

func Main(c *bigtable.Client) error { return kit.Main(c, run) }

func run(e *kit.Env, args []string) error {
	ctx := context.Background()
	r := &reconciler{history: e.History, metrics: e.Metrics}
	if err := r.gaps(ctx, args[0]); err != nil {
		return err
	}
	if err := of(ctx, e.History, args[0]); err != nil {
		return err
	}
	if err := either(ctx, e.History, args[0]); err != nil {
		return err
	}
	return either(ctx, e.Metrics, args[0])
}

func (r *reconciler) gaps(ctx context.Context, key string) error {
	row, err := r.history.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	if err != nil {
		return err
	}
	for _, it := range row["val"] {
		fmt.Println(line{Modified: it.Timestamp.Time()}) // want `not-write-time: .*"val" of table "history"`
	}
	return r.okMetrics(ctx, key)
}

func (r *reconciler) okMetrics(ctx context.Context, key string) error {
	row, err := r.metrics.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	if err != nil {
		return err
	}
	for _, it := range row["val"] {
		fmt.Println(line{Modified: it.Timestamp.Time()})
	}
	return nil
}

func of(ctx context.Context, t *bigtable.Table, key string) error {
	row, err := t.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	if err != nil {
		return err
	}
	for _, it := range row["val"] {
		fmt.Println(time.Since(it.Timestamp.Time())) // want `not-write-time: .*"val" of table "history"`
	}
	return nil
}

// Either table: whose cells these are is the callers' choice.
func either(ctx context.Context, t *bigtable.Table, key string) error {
	row, err := t.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	if err != nil {
		return err
	}
	for _, it := range row["val"] {
		fmt.Println(time.Since(it.Timestamp.Time()))
	}
	return nil
}

// nested keeps the struct in another.
type nested struct{ env *kit.Env }

func newNested(e *kit.Env) *nested { return &nested{env: e} }

func (n *nested) ages(ctx context.Context, key string) error {
	row, err := n.env.History.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	if err != nil {
		return err
	}
	for _, it := range row["val"] {
		fmt.Println(line{Modified: it.Timestamp.Time()}) // want `not-write-time: .*"val" of table "history"`
	}
	return nil
}
