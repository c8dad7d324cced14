package uses_test

import (
	"testing"

	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/trace/uses"
)

// Deletes: a function deletes cells, or calls one nearby that does. Cells: the
// callback of a scan uses cells for nothing else.
func TestSweep(t *testing.T) {
	code := layertest.Load(t, `
func drop(tbl *bigtable.Table, key string) {
	mut := bigtable.NewMutation()
	mut.DeleteRow()
	tbl.Apply(context.Background(), key, mut)
}
func sweeps(tbl *bigtable.Table) {
	tbl.ReadRows(context.Background(), bigtable.PrefixRange(""), func(row bigtable.Row) bool {
		for _, item := range row["token"] {
			if item.Timestamp < 5 {
				drop(tbl, item.Row)
			}
		}
		return true
	})
}
func name(item bigtable.ReadItem) (family, column string) { return cut(item.Column) }
func cut(name string) (family, column string) { return name[:5], name[6:] }
func named(tbl *bigtable.Table) {
	tbl.ReadRows(context.Background(), bigtable.PrefixRange(""), func(row bigtable.Row) bool {
		mut := bigtable.NewMutation()
		for _, item := range row["token"] {
			mut.DeleteCellsInColumn(name(item))
		}
		return tbl.Apply(context.Background(), row.Key(), mut) == nil
	})
}
func shows(tbl *bigtable.Table) {
	tbl.ReadRows(context.Background(), bigtable.PrefixRange(""), func(row bigtable.Row) bool {
		for _, item := range row["token"] {
			fmt.Println(item.Value)
			drop(tbl, item.Row)
		}
		return true
	})
}
func prunes(tbl *bigtable.Table) error {
	var stale []string
	tbl.ReadRows(context.Background(), bigtable.PrefixRange(""), func(row bigtable.Row) bool {
		for _, item := range row["token"] {
			if string(item.Value) < "2020" {
				stale = append(stale, row.Key())
			}
		}
		return true
	})
	for _, key := range stale {
		drop(tbl, key)
	}
	return nil
}
func lists(tbl *bigtable.Table) []string {
	var stale []string
	tbl.ReadRows(context.Background(), bigtable.PrefixRange(""), func(row bigtable.Row) bool {
		for _, item := range row["token"] {
			if string(item.Value) < "2020" {
				stale = append(stale, row.Key())
			}
		}
		return true
	})
	for _, key := range stale {
		drop(tbl, key)
	}
	return stale
}
func reads(tbl *bigtable.Table) {
	tbl.ReadRows(context.Background(), bigtable.PrefixRange(""), func(row bigtable.Row) bool { return true })
}
`)
	f := uses.NewSweeps(code.Prog)
	for fn, want := range map[string]struct{ deletes, cells bool }{
		"sweeps": {true, true}, "named": {true, true}, "shows": {true, false}, "prunes": {true, true}, "lists": {true, false}, "reads": {false, false},
	} {
		call := code.Call(fn, "ReadRows")
		target, _ := code.Prog.Target(call.Common())
		if deletes, cells := f.Deletes(code.Func(fn), uses.Nearby), f.Only(call, target, summary.Uses{Callback: 4}); deletes != want.deletes || cells != want.cells {
			t.Errorf("%s deletes: %t, and uses cells for nothing else: %t", fn, deletes, cells)
		}
	}
}

// Callback, Loops, Caller: the same of what a call supplies to a function that hands
// rows on.
func TestHandsOn(t *testing.T) {
	code := layertest.Load(t, `
func rows(tbl *bigtable.Table) func(yield func(bigtable.Row) bool) {
	return func(yield func(bigtable.Row) bool) {
		tbl.ReadRows(context.Background(), bigtable.PrefixRange(""), func(row bigtable.Row) bool { return yield(row) })
	}
}
func columns(row bigtable.Row) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, item := range row["token"] {
			if !yield(item.Column[6:]) {
				return
			}
		}
	}
}
func purges(tbl *bigtable.Table) {
	for row := range rows(tbl) {
		mut := bigtable.NewMutation()
		for column := range columns(row) {
			mut.DeleteCellsInColumn("token", column)
		}
		tbl.Apply(context.Background(), row.Key(), mut)
	}
}
func shows(tbl *bigtable.Table) {
	for row := range rows(tbl) {
		mut := bigtable.NewMutation()
		for column := range columns(row) {
			fmt.Println(column)
			mut.DeleteCellsInColumn("token", column)
		}
		tbl.Apply(context.Background(), row.Key(), mut)
	}
}
func both(tbl *bigtable.Table) {
	all := rows(tbl)
	for row := range all {
		mut := bigtable.NewMutation()
		mut.DeleteRow()
		tbl.Apply(context.Background(), row.Key(), mut)
	}
	for row := range all {
		fmt.Println(row["token"][0].Value)
	}
}
`)
	f := uses.NewSweeps(code.Prog)
	for fn, want := range map[string]struct{ loops, caller bool }{"purges": {true, true}, "shows": {false, false}, "both": {false, false}} {
		call := code.Call(fn, "rows")
		if loops, caller := f.Only(call, program.Target{}, summary.Uses{Yields: 1}), f.Only(call, program.Target{}, summary.Uses{Returned: true}); loops != want.loops || caller != want.caller {
			t.Errorf("%s: the loops only delete: %t, and all of it: %t", fn, loops, caller)
		}
	}
}
