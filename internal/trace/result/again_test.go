package result_test

import (
	"testing"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
)

// checkWrites holds what a source says behind a write or deletion against what is
// found of it.
func checkWrites(t *testing.T, src string) {
	t.Helper()
	code := layertest.Load(t, src)
	got := map[int]string{}
	for _, e := range found(code).Events {
		line := code.Prog.Pass.Fset.Position(e.Pos()).Line
		switch {
		case e.Op == btapi.Set && e.Again:
			got[line] = "again"
		case len(e.Overtakes) > 0:
			got[line] = "overtakes"
		}
	}
	for line, want := range code.Comments() {
		if got[line] != want {
			t.Errorf("line %d: got %q, want %q", line, got[line], want)
		}
		delete(got, line)
	}
	for line, what := range got {
		t.Errorf("line %d: %s", line, what)
	}
}

// A write in a loop is repeated to one cell where cell, timestamp and mutation stay
// the same in every turn; so is that of a function which a loop calls.
func TestAgain(t *testing.T) {
	checkWrites(t, `
func direct(keys []string, at bigtable.Timestamp) {
	mut := bigtable.NewMutation()
	for range keys {
		mut.Set("f", "c", at, nil) // again
	}
	for _, key := range keys {
		mut.Set("f", key, at, nil)
	}
	for i := range keys {
		if i == 0 {
			mut.Set("f", "first", at, nil)
		}
	}
	for range keys {
		mut.Set("f", "now", bigtable.Now(), nil)
		bigtable.NewMutation().Set("f", "c", at, nil)
	}
}
func put(mut *bigtable.Mutation, column string) { mut.Set("f", column, 0, nil) }
func called(keys []string) {
	mut := bigtable.NewMutation()
	for range keys {
		put(mut, "c") // again
	}
	for _, key := range keys {
		put(mut, key)
	}
	for range keys {
		put(bigtable.NewMutation(), "c")
	}
}
func outer(mut *bigtable.Mutation, keys []string) {
	for range keys {
		put(mut, "c") // again
	}
}
func sent(ctx context.Context, tbl *bigtable.Table, keys []string) {
	mut := bigtable.NewMutation()
	for _, key := range keys {
		mut.Set("f", "c", 0, nil)
		tbl.Apply(ctx, key, mut)
		mut = bigtable.NewMutation()
	}
}
`)
}

// A deletion of one place that comes again in a later turn overtakes what an earlier
// one wrote to the same mutation.
func TestOvertakes(t *testing.T) {
	checkWrites(t, `
func direct(keys []string) {
	mut := bigtable.NewMutation()
	for _, key := range keys {
		mut.DeleteCellsInFamily("f") // overtakes
		mut.Set("f", key, 0, nil)
	}
	for _, key := range keys {
		mut.DeleteCellsInColumn("f", key)
		mut.Set("f", key, 0, nil)
	}
}
func clear(mut *bigtable.Mutation, family string) { mut.DeleteCellsInFamily(family) }
func called(keys []string) {
	mut := bigtable.NewMutation()
	for _, key := range keys {
		clear(mut, "f") // overtakes
		mut.Set("f", key, 0, nil)
	}
	for _, key := range keys {
		clear(mut, key)
		mut.Set("f", key, 0, nil)
	}
}
func first(keys []string) {
	mut := bigtable.NewMutation()
	for i, key := range keys {
		if i == 0 {
			mut.DeleteRow()
		}
		mut.Set("f", key, 0, nil)
	}
}
func own(keys []string) {
	for _, key := range keys {
		mut := bigtable.NewMutation()
		mut.DeleteRow()
		mut.Set("f", key, 0, nil)
	}
}
`)
}
