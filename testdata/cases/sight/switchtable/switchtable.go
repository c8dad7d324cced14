// Package switchtable chooses tables by branches in which mutations are filled.
package switchtable

import (
	"context"
	"flag"
	"time"

	"cloud.google.com/go/bigtable"
)

var what = flag.String("what", "", "")

func okEach(ctx context.Context, c *bigtable.Client) error {
	history, cache := c.Open("history"), c.Open("cache")
	for _, key := range flag.Args() {
		m := bigtable.NewMutation()
		var tbl *bigtable.Table
		switch *what {
		case "numbers":
			tbl = history
			m.Set("val", "n", 1000, nil)
		case "notes":
			tbl = cache
			m.Set("val", "n", bigtable.Time(time.Now().Add(time.Minute)), nil)
		}
		if err := tbl.Apply(ctx, key, m); err != nil {
			return err
		}
	}
	return nil
}

func each(ctx context.Context, c *bigtable.Client) error {
	history, cache := c.Open("history"), c.Open("cache")
	for _, key := range flag.Args() {
		m := bigtable.NewMutation()
		var tbl *bigtable.Table
		switch key[0] {
		case 'a':
			tbl = history
			m.Set("val", "n", bigtable.Now(), nil) // want `clock-in-sequence: .*"val" of table "history"`
		case 'b':
			tbl = cache
			m.Set("val", "n", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
		default:
			continue
		}
		if err := tbl.Apply(ctx, key, m); err != nil {
			return err
		}
	}
	return nil
}

func okIf(ctx context.Context, c *bigtable.Client, keys []string) error {
	for _, key := range keys {
		m := bigtable.NewMutation()
		tbl := c.Open("history")
		if key == "" {
			tbl = c.Open("cache")
			m.Set("val", "n", bigtable.Time(time.Now().Add(time.Minute)), nil)
		} else {
			m.Set("val", "n", 1000, nil)
		}
		if err := tbl.Apply(ctx, key, m); err != nil {
			return err
		}
	}
	return nil
}

// within fills in a loop of its own.
func within(ctx context.Context, c *bigtable.Client, keys []string, columns []string) error {
	for _, key := range keys {
		m := bigtable.NewMutation()
		tbl := c.Open("history")
		if key == "" {
			tbl = c.Open("cache")
			for _, column := range columns {
				m.Set("val", column, bigtable.Time(time.Now().Add(time.Minute)), nil)
			}
		} else {
			for _, column := range columns {
				m.Set("val", column, bigtable.Now(), nil) // want `clock-in-sequence: .*"val" of table "history"`
			}
		}
		if err := tbl.Apply(ctx, key, m); err != nil {
			return err
		}
	}
	return nil
}

// carried keeps the table of the turn before.
func carried(ctx context.Context, c *bigtable.Client, keys []string) error {
	tbl := c.Open("history")
	m := bigtable.NewMutation()
	for _, key := range keys {
		if key == "" {
			m.Set("val", "n", bigtable.Now(), nil) // want `clock-in-sequence: .*"val" of table "history"` `write-time: .*"val" of table "cache"`
		} else {
			tbl = c.Open("cache")
		}
		if err := tbl.Apply(ctx, key, m); err != nil {
			return err
		}
	}
	return nil
}

// after chooses first and fills later.
func after(ctx context.Context, c *bigtable.Client, keys []string) error {
	for _, key := range keys {
		tbl := c.Open("metrics")
		if key == "" {
			tbl = c.Open("cache")
		}
		m := bigtable.NewMutation()
		m.Set("val", "n", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
		if err := tbl.Apply(ctx, key, m); err != nil {
			return err
		}
	}
	return nil
}

func okNested(ctx context.Context, c *bigtable.Client, keys []string) error {
	for _, key := range keys {
		m := bigtable.NewMutation()
		var tbl *bigtable.Table
		if key == "" {
			if *what == "" {
				tbl = c.Open("cache")
				m.Set("val", "n", bigtable.Time(time.Now().Add(time.Minute)), nil)
			} else {
				tbl = c.Open("metrics")
				m.Set("sample", "n", bigtable.Now(), nil)
			}
		} else {
			tbl = c.Open("history")
			m.Set("val", "n", 1000, nil)
		}
		if err := tbl.Apply(ctx, key, m); err != nil {
			return err
		}
	}
	return nil
}

func okIncrements(ctx context.Context, c *bigtable.Client, keys []string) error {
	for _, key := range keys {
		m := bigtable.NewReadModifyWrite()
		var tbl *bigtable.Table
		switch *what {
		case "m":
			tbl = c.Open("elsewhere")
			m.Increment("val", "n", 1)
		case "h":
			tbl = c.Open("history")
			m.Increment("count", "n", 1)
		}
		if _, err := tbl.ApplyReadModifyWrite(ctx, key, m); err != nil {
			return err
		}
	}
	return nil
}

func same(t *bigtable.Table) *bigtable.Table { return t }

func sent(m *bigtable.Mutation) *bigtable.Mutation { return m }

// What a helper hands on is what the branch has chosen.
func okHelped(ctx context.Context, c *bigtable.Client, keys []string) error {
	history, cache := c.Open("history"), c.Open("cache")
	for _, key := range keys {
		m := bigtable.NewMutation()
		var tbl *bigtable.Table
		switch *what {
		case "numbers":
			tbl = history
			m.Set("val", "n", 1000, nil)
		case "notes":
			tbl = cache
			m.Set("val", "n", bigtable.Time(time.Now().Add(time.Minute)), nil)
		}
		if err := same(tbl).Apply(ctx, key, sent(m)); err != nil {
			return err
		}
	}
	return nil
}
