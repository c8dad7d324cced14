// Package bulk copies rows: mutations that a callback collects go to one table.
package bulk

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/bulk/clocks"
)

// Runner copies tokens.
type Runner struct {
	client *bigtable.Client
	clk    clocks.Clock
}

// NewRunner returns a runner.
func NewRunner(c *bigtable.Client, clk clocks.Clock) *Runner { return &Runner{c, clocks.Or(clk)} }

// Report copies into a table that is not registered.
func (r *Runner) Report(ctx context.Context) error {
	from, to := r.client.Open("sessions"), r.client.Open("reports")
	now := bigtable.Time(r.clk.Now())
	var keys []string
	var muts []*bigtable.Mutation
	err := from.ReadRows(ctx, bigtable.PrefixRange("s#"), func(row bigtable.Row) bool {
		c := bigtable.NewMutation()
		c.Set("token", "a", now, nil)
		keys, muts = append(keys, row.Key()), append(muts, c)
		return true
	})
	if err != nil {
		return err
	}
	_, err = to.ApplyBulk(ctx, keys, muts)
	return err
}

// Keeper copies within a table.
type Keeper struct {
	client *bigtable.Client
	clk    clocks.Clock
}

// NewKeeper returns a keeper.
func NewKeeper(c *bigtable.Client, clk clocks.Clock) *Keeper { return &Keeper{c, clocks.Or(clk)} }

// Copy copies into the table of the tokens.
func (r *Keeper) Copy(ctx context.Context) error {
	tbl := r.client.Open("sessions")
	now := bigtable.Time(r.clk.Now())
	var keys []string
	var muts []*bigtable.Mutation
	err := tbl.ReadRows(ctx, bigtable.PrefixRange("s#"), func(row bigtable.Row) bool {
		c := bigtable.NewMutation()
		c.Set("token", "a", now, nil) // want `write-time: .*"token" of table "sessions"`
		keys, muts = append(keys, row.Key()), append(muts, c)
		return true
	})
	if err != nil {
		return err
	}
	_, err = tbl.ApplyBulk(ctx, keys, muts)
	return err
}

// Both copies into two tables, which is not followed.
func (r *Runner) Both(ctx context.Context) error {
	from := r.client.Open("sessions")
	now := bigtable.Time(r.clk.Now())
	var keys []string
	var muts []*bigtable.Mutation
	err := from.ReadRows(ctx, bigtable.PrefixRange("s#"), func(row bigtable.Row) bool {
		c := bigtable.NewMutation()
		c.Set("sample", "a", now, nil)
		keys, muts = append(keys, row.Key()), append(muts, c)
		return true
	})
	if err != nil {
		return err
	}
	if _, err = r.client.Open("reports").ApplyBulk(ctx, keys, muts); err != nil {
		return err
	}
	_, err = r.client.Open("metrics").ApplyBulk(ctx, keys, muts)
	return err
}
