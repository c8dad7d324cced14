// Package loopdeletes deletes in loops what turns before have written.
package loopdeletes

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/loopdeletes/lib"
)

func soon() bigtable.Timestamp { return bigtable.Time(time.Now().Add(time.Hour)) }

func family(m *bigtable.Mutation, cols []string) {
	for _, col := range cols {
		m.DeleteCellsInFamily("token") // want `delete-after-set: .*"token"`
		m.Set("token", col, soon(), nil)
	}
}

func row(m *bigtable.Mutation, cols []string) {
	for _, col := range cols {
		m.DeleteRow() // want `delete-after-set: .*"profile"`
		if col != "" {
			m.Set("profile", col, bigtable.Now(), nil)
		}
	}
}

func other(m *bigtable.Mutation, cols []string) {
	for _, col := range cols {
		m.DeleteCellsInFamily("profile")
		m.Set("token", col, soon(), nil)
	}
}

func column(m *bigtable.Mutation, cols []string) {
	for _, col := range cols {
		m.DeleteCellsInColumn("token", col)
		m.Set("token", col, soon(), nil)
	}
}

// sameColumn writes what it deletes in each turn, with timestamps of their own.
func sameColumn(m *bigtable.Mutation, values [][]byte) {
	for i, v := range values {
		m.DeleteCellsInColumn("event", "last") // want `delete-after-set: .*"event"`
		m.Set("event", "last", bigtable.Time(time.Now().Add(time.Duration(i)*time.Second)), v)
	}
}

func once(m *bigtable.Mutation, cols []string) {
	for i, col := range cols {
		if i == 0 {
			m.DeleteCellsInFamily("token")
		}
		m.Set("token", col, soon(), nil)
	}
}

func flagged(m *bigtable.Mutation, cols []string) {
	cleared := false
	for _, col := range cols {
		if !cleared {
			m.DeleteCellsInFamily("token")
			cleared = true
		}
		m.Set("token", col, soon(), nil)
	}
}

func families(m *bigtable.Mutation) {
	for _, fam := range []string{"token", "profile"} {
		m.DeleteCellsInFamily(fam)
		m.Set(fam, "a", soon(), nil)
	}
}

func before(m *bigtable.Mutation, cols []string) {
	m.DeleteCellsInFamily("token")
	for _, col := range cols {
		m.Set("token", col, soon(), nil)
	}
}

func own(ctx context.Context, tbl *bigtable.Table, cols []string) (err error) {
	for _, col := range cols {
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily("token")
		m.Set("token", col, soon(), nil)
		err = tbl.Apply(ctx, "k", m)
	}
	return err
}

// sent sends a mutation and goes on with another.
func sent(ctx context.Context, tbl *bigtable.Table, cols []string) (err error) {
	m := bigtable.NewMutation()
	for _, col := range cols {
		m.DeleteCellsInFamily("token")
		m.Set("token", col, soon(), nil)
		if err = tbl.Apply(ctx, "k", m); err != nil {
			return err
		}
		m = bigtable.NewMutation()
	}
	return nil
}

// last leaves the loop after what it writes.
func last(m *bigtable.Mutation, cols []string) {
	for _, col := range cols {
		m.DeleteCellsInFamily("token")
		if col == "x" {
			m.Set("token", col, soon(), nil)
			break
		}
	}
}

func clear1(m *bigtable.Mutation) { m.DeleteCellsInFamily("token") }

func byHelper(m *bigtable.Mutation, cols []string) {
	for _, col := range cols {
		clear1(m) // want `delete-after-set: .*"token"`
		m.Set("token", col, soon(), nil)
	}
}

func across(m *bigtable.Mutation, cols []string) {
	for _, col := range cols {
		lib.Clear(m, "token") // want `delete-after-set: .*"token"`
		m.Set("token", col, soon(), nil)
	}
	for _, col := range cols {
		lib.Rewrite(m, "profile", col, bigtable.Now()) // want `delete-after-set: .*"profile"`
	}
}

func acrossEach(m *bigtable.Mutation) {
	for _, fam := range []string{"token", "profile"} {
		lib.Rewrite(m, fam, "a", soon())
	}
}

type step interface{ column() string }

type set struct{ name string }

type erase struct{}

func (s set) column() string { return s.name }
func (erase) column() string { return "" }

// steps does what it is told, in that order.
func steps(m *bigtable.Mutation, all []step) {
	for _, s := range all {
		switch s := s.(type) {
		case set:
			m.Set("token", s.name, soon(), nil)
		case erase:
			m.DeleteRow()
		}
	}
}

// together writes in the turns that delete, too.
func together(m *bigtable.Mutation, all []step) {
	for _, s := range all {
		if _, ok := s.(erase); ok {
			m.DeleteRow() // want `delete-after-set: .*"token"`
		}
		m.Set("token", s.column(), soon(), nil)
	}
}

func use(ctx context.Context, c *bigtable.Client, cols []string, values [][]byte) error {
	tbl := c.Open("sessions")
	for _, f := range []func(*bigtable.Mutation, []string){family, row, other, column, once, flagged, before, last, byHelper, across} {
		m := bigtable.NewMutation()
		f(m, cols)
		if err := tbl.Apply(ctx, "k", m); err != nil {
			return err
		}
	}
	m := bigtable.NewMutation()
	families(m)
	together(m, []step{set{"a"}, erase{}})
	sameColumn(m, values)
	acrossEach(bigtable.NewMutation())
	lib.All(bigtable.NewMutation(), cols, bigtable.Now())
	m = bigtable.NewMutation()
	steps(m, []step{set{"a"}, set{"b"}})
	if err := tbl.Apply(ctx, "k", m); err != nil {
		return err
	}
	m = bigtable.NewMutation()
	steps(m, []step{erase{}})
	if err := tbl.Apply(ctx, "k", m); err != nil {
		return err
	}
	return sent(ctx, tbl, cols)
}

var _ = []any{use, own}
