// Package sweep deletes by what cells say: a scan that chooses rows by their
// values and only deletes is silent; one that also counts, logs or keeps what
// the values say is a read.
package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"log"
	"slices"
	"strconv"
	"strings"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/chosensweep/codec"
)

type cleaner struct {
	clicks *bigtable.Table
	owner  string
}

func open(c *bigtable.Client, owner string) *cleaner { return &cleaner{c.Open("clicks"), owner} }

func (c *cleaner) blocked(ctx context.Context, blocked []string) error {
	return c.clicks.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row["event"] {
			for _, b := range blocked {
				if strings.Contains(string(it.Value), b) {
					m := bigtable.NewMutation()
					m.DeleteCellsInFamily("event")
					if err := c.clicks.Apply(ctx, row.Key(), m); err != nil {
						return false
					}
				}
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter("event")))
}

func (c *cleaner) mine(ctx context.Context) (err error) {
	e := c.clicks.ReadRows(ctx, bigtable.PrefixRange("u#"), func(row bigtable.Row) bool {
		for _, it := range row["event"] {
			if it.Column == "event:owner" && bytes.Equal(it.Value, []byte(c.owner)) {
				m := bigtable.NewMutation()
				m.DeleteRow()
				err = c.clicks.Apply(ctx, row.Key(), m)
				break
			}
		}
		return err == nil
	})
	if err == nil {
		err = e
	}
	return err
}

type record struct {
	Owner string `json:"owner"`
	Size  int    `json:"size"`
}

func (c *cleaner) decoded(ctx context.Context) error {
	var muts []*bigtable.Mutation
	var keys []string
	err := c.clicks.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row["event"] {
			var rec record
			if err := json.Unmarshal(it.Value, &rec); err != nil {
				continue
			}
			if rec.Owner == c.owner || rec.Size > 1<<20 {
				m := bigtable.NewMutation()
				m.DeleteCellsInColumn("event", strings.TrimPrefix(it.Column, "event:"))
				keys, muts = append(keys, row.Key()), append(muts, m)
			}
		}
		return true
	})
	if err != nil {
		return err
	}
	_, err = c.clicks.ApplyBulk(ctx, keys, muts)
	return err
}

func (c *cleaner) numbered(ctx context.Context, max int) error {
	return c.clicks.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row["event"] {
			n, err := strconv.Atoi(string(it.Value))
			if err == nil && n > max {
				m := bigtable.NewMutation()
				m.DeleteRow()
				return c.clicks.Apply(ctx, row.Key(), m) == nil
			}
		}
		return true
	})
}

// What is deleted is also handed on: a read.
func (c *cleaner) logged(ctx context.Context) error {
	return c.clicks.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want `missing-filter`
		for _, it := range row["event"] {
			if bytes.HasPrefix(it.Value, []byte("x")) {
				log.Printf("deleting %s", it.Value)
				m := bigtable.NewMutation()
				m.DeleteRow()
				return c.clicks.Apply(ctx, row.Key(), m) == nil
			}
		}
		return true
	})
}

func (c *cleaner) summed(ctx context.Context) (total int, err error) {
	err = c.clicks.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want `missing-filter`
		for _, it := range row["event"] {
			var rec record
			if json.Unmarshal(it.Value, &rec) != nil {
				continue
			}
			total += rec.Size
			if rec.Owner == c.owner {
				m := bigtable.NewMutation()
				m.DeleteRow()
				if err := c.clicks.Apply(ctx, row.Key(), m); err != nil {
					return false
				}
			}
		}
		return true
	})
	return total, err
}

// A value that is moved is no sweep.
func (c *cleaner) moved(ctx context.Context, to *bigtable.Table) error {
	return c.clicks.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want `missing-filter`
		for _, it := range row["event"] {
			m := bigtable.NewMutation()
			m.Set("meta", "copy", bigtable.Now(), it.Value)
			if to.Apply(ctx, row.Key(), m) != nil {
				return false
			}
			d := bigtable.NewMutation()
			d.DeleteRow()
			if c.clicks.Apply(ctx, row.Key(), d) != nil {
				return false
			}
		}
		return true
	})
}

// One that writes something else when a value says so decides by it.
func (c *cleaner) decided(ctx context.Context) error {
	return c.clicks.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want `missing-filter`
		for _, it := range row["event"] {
			if string(it.Value) == "open" {
				m := bigtable.NewMutation()
				m.Set("event", "state", bigtable.Now(), []byte("closed"))
				if c.clicks.Apply(ctx, row.Key(), m) != nil {
					return false
				}
			} else {
				d := bigtable.NewMutation()
				d.DeleteRow()
				if c.clicks.Apply(ctx, row.Key(), d) != nil {
					return false
				}
			}
		}
		return true
	})
}

func (c *cleaner) theirs(it bigtable.ReadItem) bool {
	var rec record
	return json.Unmarshal(it.Value, &rec) == nil && rec.Owner == c.owner
}

func (c *cleaner) asked(ctx context.Context) error {
	return c.clicks.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		if !slices.ContainsFunc(row["event"], c.theirs) {
			return true
		}
		m := bigtable.NewMutation()
		m.DeleteRow()
		return c.clicks.Apply(ctx, row.Key(), m) == nil
	})
}

func (c *cleaner) askedOneByOne(ctx context.Context) error {
	return c.clicks.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row["event"] {
			if c.theirs(it) {
				m := bigtable.NewMutation()
				m.DeleteRow()
				return c.clicks.Apply(ctx, row.Key(), m) == nil
			}
		}
		return true
	})
}

// What a value is looked up for decides, as the value itself.
func (c *cleaner) lookedUp(ctx context.Context, banned map[string]bool, reasons map[string]string) error {
	var muts []*bigtable.Mutation
	var keys []string
	err := c.clicks.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row["event"] {
			if _, known := reasons[string(it.Value)]; known || banned[string(it.Value)] {
				m := bigtable.NewMutation()
				m.DeleteRow()
				keys, muts = append(keys, row.Key()), append(muts, m)
			}
		}
		return true
	})
	if err != nil {
		return err
	}
	_, err = c.clicks.ApplyBulk(ctx, keys, muts)
	return err
}

// What is found is told, too.
func (c *cleaner) told(ctx context.Context, reasons map[string]string) error {
	return c.clicks.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want `missing-filter`
		for _, it := range row["event"] {
			if reason := reasons[string(it.Value)]; reason != "" {
				log.Print(reason)
				m := bigtable.NewMutation()
				m.DeleteRow()
				return c.clicks.Apply(ctx, row.Key(), m) == nil
			}
		}
		return true
	})
}

type account struct{ left int }

// Values are counted, too: by way of what is found, and in the map.
func (c *cleaner) counted(ctx context.Context, accounts map[string]*account) error {
	return c.clicks.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want `missing-filter`
		for _, it := range row["event"] {
			if a := accounts[string(it.Value)]; a.left > 0 {
				a.left--
				m := bigtable.NewMutation()
				m.DeleteRow()
				return c.clicks.Apply(ctx, row.Key(), m) == nil
			}
		}
		return true
	})
}

func (c *cleaner) collected(ctx context.Context, counts map[string]int) error {
	return c.clicks.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want `missing-filter`
		for _, it := range row["event"] {
			counts[string(it.Value)]++
			m := bigtable.NewMutation()
			m.DeleteRow()
			if c.clicks.Apply(ctx, row.Key(), m) != nil {
				return false
			}
		}
		return true
	})
}

// What another package returns of the cells decides, or goes elsewhere.
func (c *cleaner) firstOnes(ctx context.Context, banned map[string]bool) error {
	err := c.clicks.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		if banned[string(codec.First(row, "event", "owner"))] {
			m := bigtable.NewMutation()
			m.DeleteRow()
			return c.clicks.Apply(ctx, row.Key(), m) == nil
		}
		return true
	})
	if err != nil {
		return err
	}
	return c.clicks.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want `missing-filter`
		owner := codec.First(row, "event", "owner")
		log.Printf("%s", owner)
		m := bigtable.NewMutation()
		m.DeleteRow()
		return c.clicks.Apply(ctx, row.Key(), m) == nil
	})
}
