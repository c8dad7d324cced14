package filter

import (
	"iter"
	"math"
	"regexp/syntax"
	"slices"
	"sort"
	"strings"

	"github.com/ttlvet/ttlvet/runtime/strategy"
)

// plain reports whether it is obvious that some dead cell takes the path: no
// two of its filters can contradict each other, and no predicate, offset or
// limit decides.
func plain(p path) bool {
	if p.conditional {
		return false
	}
	columns, values, times, keys := 0, 0, 0, 0
	for _, l := range p.leaves {
		switch l.Op {
		case Column, ColumnRange:
			columns++
		case Cell, CellRange, StripValue:
			values++
		case TimeRange:
			times++
		case RowKey:
			keys++
		case RowOffset, RowLimit, RowSample:
			return false
		case LatestN:
			// An interleave doubles cells, which use up the limit, and a
			// filter of values before it may let every value pass.
			if p.branch != nil || values > 0 {
				return false
			}
		case Interleave, Condition, Any:
			return false
		}
		if l.Pattern.Known && l.Op != ColumnRange && l.matcher() == nil {
			return false
		}
	}
	return columns <= 1 && values <= 1 && times <= 1 && keys <= 1
}

// A Sample is a cell of a row that is made to show what passes a tree.
type Sample struct {
	Family, Column, Value string
	Micros                int64
	Dead                  bool
}

// Clock is the time at which trees are run, in microseconds.
const Clock int64 = 1_125_899_906_000_000

// A Run is the circumstances under which a tree is run.
type Run struct {
	Key    string
	any    bool  // whether a filter of which nothing is known lets cells pass
	others bool  // whether a pattern of values that is not known matches all but the newest
	over   *bool // set when there are too many cells to go on
}

// maxCells is how many cells a row may come to have: interleaves double them.
const maxCells = 10_000

// witness reports whether there is a row of which a dead cell of the family
// passes the tree. It tries so many rows, which are made of what the tree asks
// for.
func witness(t *Tree, f *strategy.Family, rows int) bool {
	for _, r := range t.Runs() {
		for row := range t.Rows(f) {
			if rows--; rows < 0 {
				return false
			}
			passed := t.pass(row, r)
			if *r.over {
				return false
			}
			for _, c := range passed {
				if c.Dead && c.Family == f.Name {
					return true
				}
			}
		}
	}
	return false
}

// Runs returns the circumstances that matter to a tree.
func (t *Tree) Runs() []Run {
	var runs []Run
	for _, key := range t.samples(RowKey, "row") {
		runs = append(runs, Run{Key: key, any: true, over: new(bool)})
		if t.some(func(t *Tree) bool { return t.Op == Cell && !t.Pattern.Known }) {
			runs = append(runs, Run{Key: key, any: true, others: true, over: new(bool)})
		}
		if t.Has(Any) {
			runs = append(runs, Run{Key: key, over: new(bool)})
		}
	}
	return runs
}

// Rows yields rows with dead cells of the family, alone, repeated, and beside
// live ones.
func (t *Tree) Rows(f *strategy.Family) iter.Seq[[]Sample] {
	return func(yield func([]Sample) bool) {
		times := t.deadTimes(f)
		for _, column := range t.samples(Column, "c") {
			for _, value := range t.samples(Cell, "v") {
				for _, micros := range times {
					if !t.rowsAt(f, Sample{f.Name, column, value, micros, true}, yield) {
						return
					}
				}
			}
		}
	}
}

// rowsAt yields rows with one dead cell.
func (t *Tree) rowsAt(f *strategy.Family, dead Sample, yield func([]Sample) bool) bool {
	copies := 1 + t.largest(RowOffset)
	if f.Strategy == strategy.Sequence {
		n := f.Versions + copies
		column := versions(f, dead, n, 1)
		return yield(column) && (f.Versions < 2 || yield(versions(f, dead, n, f.Versions))) && t.amid(column, yield)
	}
	live, beside := dead, dead
	live.Value, live.Micros, live.Dead = "other", Clock+1e9, false
	beside.Family, beside.Micros, beside.Dead = "zzz", Clock+1e9, false
	var many []Sample
	for i := 0; i < copies+1; i++ {
		c := dead
		if c.Micros -= int64(i) * 1000; c.Micros >= 0 {
			many = append(many, c)
		}
	}
	return yield([]Sample{dead}) && yield([]Sample{live, dead}) && yield([]Sample{dead, beside}) && yield(many) &&
		t.others(dead, yield) && t.amid([]Sample{dead}, yield)
}

// named reports whether a text can be the name of a family: of other families there
// is no cell to stand beside.
func named(family string) bool {
	return family != "" && strings.Trim(family, "-_.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// others yields rows in which a cell stands beside live cells of the families
// that the tree names besides: a predicate may ask for them.
func (t *Tree) others(dead Sample, yield func([]Sample) bool) bool {
	for _, family := range t.samples(Family, "") {
		if family == dead.Family || !named(family) {
			continue
		}
		for _, column := range t.samples(Column, "c") {
			for _, value := range t.samples(Cell, "v") {
				live := Sample{family, column, value, Clock + 1e9, false}
				row := []Sample{dead, live}
				if live.Family < dead.Family {
					row = []Sample{live, dead}
				}
				if !yield(row) {
					return false
				}
			}
		}
	}
	return true
}

// amid yields rows in which a column stands amid live cells of all others, of its family
// and of those that the tree names: of a predicate that finds one, the whole row passes.
func (t *Tree) amid(column []Sample, yield func([]Sample) bool) bool {
	if !t.Has(Condition) {
		return true
	}
	of, columns := column[0], t.samples(Column, "c")
	if len(columns) == 1 {
		columns = append(columns, "d")
	}
	for _, value := range t.samples(Cell, "v") {
		row := slices.Clone(column)
		for _, family := range t.samples(Family, of.Family) {
			for _, name := range columns {
				if named(family) && (family != of.Family || name != of.Column) {
					row = append(row, Sample{family, name, value, Clock + 1e9, false})
				}
			}
		}
		sort.SliceStable(row, func(i, j int) bool { return before(row[i], row[j]) })
		if !yield(row) {
			return false
		}
	}
	return true
}

// Exists reports whether a predicate only asks whether there is any cell: in
// a row, a family, a column. A nil tree asks that of the row.
func (t *Tree) Exists() bool {
	if t == nil {
		return true
	}
	switch t.Op {
	case PassAll, RowKey, Family, Column, ColumnRange, StripValue, Label:
		return true
	case LatestN, RowLimit:
		return t.NKnown && t.N > 0
	case Chain, Interleave:
		for _, s := range t.Sub {
			if !s.Exists() {
				return false
			}
		}
		return true
	}
	return false
}

// newest is the value of versions that a filter of values drops.
const newest = "newest"

// versions returns a column of n versions of a cell, the oldest as given, of
// which only the newest f.Versions are alive. The newest have another value, one
// of them or all that live: a filter of values drops those.
func versions(f *strategy.Family, oldest Sample, n, dropped int) []Sample {
	var row []Sample
	for i := 0; i < n; i++ {
		c := oldest
		c.Micros, c.Dead = oldest.Micros+int64(n-1-i)*1000, i >= f.Versions
		if i < dropped {
			c.Value = newest
		}
		row = append(row, c)
	}
	return row
}

// deadTimes returns timestamps of dead cells: long dead, and at the edges of
// the tree's ranges.
func (t *Tree) deadTimes(f *strategy.Family) []int64 {
	limit := Clock - f.MaxAge.Microseconds()
	if f.Strategy == strategy.Sequence {
		limit = math.MaxInt64
	}
	times := []int64{1000, min(limit-1000, Clock), Clock / 2 / 1000 * 1000}
	var walk func(*Tree)
	walk = func(t *Tree) {
		if t == nil {
			return
		}
		if t.Op == TimeRange {
			for _, i := range []strategy.Instant{t.Start, t.End} {
				for _, m := range []int64{micros(i), micros(i) - 1000} {
					if m > 0 && m < limit {
						times = append(times, m/1000*1000)
					}
				}
			}
		}
		for _, s := range t.Sub {
			walk(s)
		}
	}
	walk(t)
	return times
}

// micros returns a bound as a timestamp at the clock's time, 0 when it is
// open or not known.
func micros(i strategy.Instant) int64 {
	switch i.Kind {
	case strategy.Fixed:
		return i.Micros / 1000 * 1000
	case strategy.Now:
		if !math.IsInf(i.Lo, 0) {
			return (Clock + int64(i.Lo/1e3)) / 1000 * 1000
		}
	}
	return 0
}

// largest returns the largest N of the filters of that kind.
func (t *Tree) largest(op Op) int {
	n := 0
	if t != nil {
		if t.Op == op && t.N < 100 {
			n = t.N
		}
		for _, s := range t.Sub {
			n = max(n, s.largest(op))
		}
	}
	return n
}

// samples returns texts that the patterns of that kind in the tree match,
// and one that needs to match nothing.
func (t *Tree) samples(op Op, other string) []string {
	seen := map[string]bool{other: true}
	var walk func(*Tree)
	walk = func(t *Tree) {
		if t == nil {
			return
		}
		if t.Op == op && t.Pattern.Known {
			if re, err := syntax.Parse(t.Pattern.S, syntax.Perl); err == nil {
				seen[sample(re)] = true
			}
		}
		if op == Column && t.Op == ColumnRange || op == Cell && t.Op == CellRange {
			seen[t.Lo.S] = true
		}
		for _, s := range t.Sub {
			walk(s)
		}
	}
	walk(t)
	var list []string
	for s := range seen {
		list = append(list, s)
	}
	sort.Strings(list)
	return list
}

// sample returns a text that the expression matches.
func sample(re *syntax.Regexp) string {
	s := ""
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		if len(re.Rune) > 0 {
			return string(re.Rune[0])
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "x"
	case syntax.OpCapture, syntax.OpPlus:
		return sample(re.Sub[0])
	case syntax.OpRepeat:
		for i := 0; i < re.Min; i++ {
			s += sample(re.Sub[0])
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			s += sample(sub)
		}
	case syntax.OpAlternate:
		return sample(re.Sub[0])
	}
	return s
}
