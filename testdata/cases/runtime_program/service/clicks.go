package service

import (
	"context"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/ttlvet/ttlvet/runtime/ttl"

	"example.com/cases/runtime_program/tables"
)

// Clicks keeps what was looked at, and settings.
type Clicks struct{ clicks, settings *bigtable.Table }

// NewClicks returns the store of clicks.
func NewClicks(c *bigtable.Client) *Clicks {
	return &Clicks{clicks: c.Open(tables.Clicks.Name()), settings: c.Open(tables.Settings.Name())}
}

// Record keeps clicks of a user, those of bots for a day only.
func (c *Clicks) Record(ctx context.Context, user string, articles []string, bot bool) error {
	mut := bigtable.NewMutation()
	for _, article := range articles {
		if bot {
			if err := tables.Click.SetFor(mut, article, []byte("bot"), 24*time.Hour); err != nil {
				return err
			}
			continue
		}
		if err := tables.Click.Set(mut, article, []byte("user")); err != nil {
			return err
		}
	}
	return c.clicks.Apply(ctx, user, mut)
}

// Forget keeps the clicks of a column until the deadline only.
func (c *Clicks) Forget(ctx context.Context, user, article string, deadline time.Time) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(tables.Click.Name(), article)
	if err := tables.Click.SetUntil(mut, article, []byte("user"), deadline); err != nil {
		return err
	}
	return c.clicks.Apply(ctx, user, mut)
}

// Import keeps clicks of many users at once.
func (c *Clicks) Import(ctx context.Context, clicks map[string][]string) error {
	var keys []string
	var muts []*bigtable.Mutation
	for user, articles := range clicks {
		mut := bigtable.NewMutation()
		for _, article := range articles {
			if err := keep(tables.Click, mut, article); err != nil {
				return err
			}
		}
		keys, muts = append(keys, user), append(muts, mut)
	}
	_, err := c.clicks.ApplyBulk(ctx, keys, muts)
	return err
}

// keep writes by whatever family expires.
func keep(f ttl.Expiring, mut *bigtable.Mutation, column string) error {
	return f.Set(mut, column, []byte("import"))
}

// Recent lists what a user has looked at, and how long it is still kept.
func (c *Clicks) Recent(ctx context.Context, user string) (map[string]time.Duration, error) {
	row, err := c.clicks.ReadRow(ctx, user, tables.Clicks.LiveAnd(bigtable.LatestNFilter(1)))
	if err != nil {
		return nil, err
	}
	left := map[string]time.Duration{}
	for _, item := range row[tables.Click.Name()] {
		left[item.Column] = time.Until(tables.Click.Expiry(item))
	}
	return left, nil
}

// Configure sets how many articles are shown.
func (c *Clicks) Configure(ctx context.Context, user string, n int) error {
	mut := bigtable.NewMutation()
	if err := tables.Setting.Set(mut, "shown", strconv.AppendInt(nil, int64(n), 10)); err != nil {
		return err
	}
	return c.settings.Apply(ctx, user, mut)
}

// Shown returns how many articles are shown.
func (c *Clicks) Shown(ctx context.Context, user string) (int, error) {
	row, err := c.settings.ReadRow(ctx, user, tables.Settings.Live())
	if err != nil || len(row[tables.Setting.Name()]) == 0 {
		return 10, err
	}
	return strconv.Atoi(string(row[tables.Setting.Name()][0].Value))
}
