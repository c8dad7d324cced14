package ttl_test

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A model is what Google's documentation says of a row, in its words: values
// that expire, numbers, latest values, write times. It knows neither timestamps
// nor filters nor this package.
//
// https://cloud.google.com/bigtable/docs/gc-cell-level
// https://cloud.google.com/bigtable/docs/gc-sequence-numbers
// https://cloud.google.com/bigtable/docs/gc-latest-value
// https://cloud.google.com/bigtable/docs/garbage-collection
type model map[string][]modelCell // by "family:column"

type modelCell struct {
	value string
	// place is what the strategy orders the values of a column by, in
	// milliseconds: when the value expires, its number, or when it was written.
	// Two values with one place are one: the later replaces the earlier.
	place int64
}

// put adds a value to a column.
func (m model) put(column, value string, place int64) {
	cells := slices.DeleteFunc(m[column], func(c modelCell) bool { return c.place == place })
	m[column] = append(cells, modelCell{value, place})
}

// delete removes a column's values.
func (m model) delete(column string) { delete(m, column) }

// A modelStrategy says which values of a column count: those for which keep is
// true, and of these at most so many, from the highest place down.
type modelStrategy struct {
	keep func(c modelCell, now time.Time) bool
	most int // 0 for any number
}

func always(modelCell, time.Time) bool { return true }

// expires is true until the millisecond is over in which the value expires.
func expires(c modelCell, now time.Time) bool { return now.UnixMilli() <= c.place }

// younger is true of values that were written at most so long ago.
func younger(d time.Duration) func(modelCell, time.Time) bool {
	return func(c modelCell, now time.Time) bool { return now.Add(-d).UnixMilli() <= c.place }
}

// forget removes what will never count again.
func (m model) forget(strategies map[string]modelStrategy, now time.Time) {
	for column, cells := range m {
		family, _, _ := strings.Cut(column, ":")
		m[column] = slices.DeleteFunc(cells, func(c modelCell) bool { return !strategies[family].keep(c, now) })
	}
}

// read returns what counts at a time, of each column at most so many values,
// as [values] prints a row. Families without a strategy are left out.
func (m model) read(strategies map[string]modelStrategy, now time.Time, most int) string {
	var out []string
	for column, cells := range m {
		family, _, _ := strings.Cut(column, ":")
		s, ok := strategies[family]
		if !ok {
			continue
		}
		cells = slices.Clone(cells)
		cells = slices.DeleteFunc(cells, func(c modelCell) bool { return !s.keep(c, now) })
		slices.SortFunc(cells, func(a, b modelCell) int { return int(b.place - a.place) })
		for _, limit := range []int{s.most, most} {
			if limit > 0 {
				cells = cells[:min(limit, len(cells))]
			}
		}
		for i, c := range cells {
			out = append(out, fmt.Sprintf("%s\x00%04d%s", strings.Replace(column, ":", "\x00", 1), i, c.value))
		}
	}
	slices.Sort(out)
	for i, s := range out {
		parts := strings.Split(s, "\x00")
		out[i] = parts[0] + ":" + parts[1] + "=" + parts[2][4:]
	}
	return strings.Join(out, " ")
}
