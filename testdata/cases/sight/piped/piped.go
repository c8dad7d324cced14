// Package piped hands filters and times through functions, each of which is given what
// the one before has made.
package piped

import (
	"context"
	"os"
	"time"

	"cloud.google.com/go/bigtable"
	"example.com/cases/sight/piped/fn"
	"example.com/cases/sight/piped/step"
)

func ever(ctx context.Context, c *bigtable.Client) (int, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k", step.By(step.Only("token"), step.Newest(1))) // want `missing-filter: .*"token"`
	return len(row["token"]), err
}

func okLive(ctx context.Context, c *bigtable.Client) (int, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k", step.By(step.Only("token"), step.Live(time.Now()), step.Newest(1)))
	return len(row["token"]), err
}

func okOther(ctx context.Context, c *bigtable.Client) (int, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k", step.By(step.Only("profile"), step.Newest(1)))
	return len(row["profile"]), err
}

func okGiven(ctx context.Context, c *bigtable.Client, more ...step.Step) (int, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k", step.By(append(more, step.Only("token"))...))
	return len(row["token"]), err
}

func okPerhaps(ctx context.Context, c *bigtable.Client) (int, error) {
	steps := []step.Step{step.Only("token"), step.Newest(1)}
	for _, arg := range os.Args {
		if arg == "live" {
			steps = append(steps, step.Live(time.Now()))
		}
	}
	row, err := c.Open("sessions").ReadRow(ctx, "k", step.By(steps...))
	return len(row["token"]), err
}

// own pipes in this package, a filter at a time.
func own(f bigtable.Filter, steps steps) bigtable.Filter {
	for i := 0; i < len(steps); i++ {
		f = steps[i](f)
	}
	return f
}

// rest leaves out the first.
func rest(f bigtable.Filter, steps steps) bigtable.Filter {
	for i := 1; i < len(steps); i++ {
		f = steps[i](f)
	}
	return f
}

func live(f bigtable.Filter) bigtable.Filter {
	return bigtable.ChainFilters(f, bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
}

func newest(f bigtable.Filter) bigtable.Filter {
	return bigtable.ChainFilters(f, bigtable.LatestNFilter(1))
}

type steps = []func(bigtable.Filter) bigtable.Filter

func one(f bigtable.Filter) bigtable.Filter {
	return bigtable.ChainFilters(f, bigtable.CellsPerRowLimitFilter(1))
}

func owned(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("sessions").ReadRow(ctx, "a", bigtable.RowFilter(own(bigtable.FamilyFilter("token"), steps{newest}))) // want `missing-filter: .*"token"`
}

func okOwned(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("sessions").ReadRow(ctx, "b", bigtable.RowFilter(own(bigtable.FamilyFilter("token"), steps{newest, live})))
}

func none(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("sessions").ReadRow(ctx, "c", bigtable.RowFilter(own(bigtable.FamilyFilter("token"), nil))) // want `missing-filter: .*"token"`
}

func limited(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("sessions").ReadRow(ctx, "d", bigtable.RowFilter(own(bigtable.FamilyFilter("token"), steps{one, live}))) // want `limit-before-filter: .*"token"`
}

func okRest(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("sessions").ReadRow(ctx, "d", bigtable.RowFilter(rest(bigtable.FamilyFilter("token"), steps{one, live})))
}

func later(d time.Duration) func(time.Time) time.Time {
	return func(t time.Time) time.Time { return t.Add(d) }
}

func utc(t time.Time) time.Time { return t.UTC() }

func write(ctx context.Context, c *bigtable.Client) error {
	m := bigtable.NewMutation()
	m.Set("token", "a", bigtable.Time(fn.Pipe(time.Now(), utc)), nil) // want `write-time: .*"token"`
	m.Set("token", "b", bigtable.Time(fn.Pipe(time.Now(), utc, later(time.Hour))), nil)
	m.Set("token", "c", bigtable.Time(fn.PipeBack(time.Now(), later(time.Hour), utc)), nil)
	return c.Open("sessions").Apply(ctx, "k", m)
}
