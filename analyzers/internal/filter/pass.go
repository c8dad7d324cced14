package filter

import "sort"

// pass runs the tree over the cells of a row, which are in Bigtable's order
// (family, column, newest first), and returns those that pass.
func (t *Tree) pass(row []cell, r run) []cell {
	if len(row) == 0 {
		return nil
	}
	switch t.Op {
	case Any:
		if !r.any {
			return nil
		}
	case BlockAll:
		return nil
	case RowKey:
		if re := matcher(t.Pattern); re != nil && !re.MatchString(r.key) {
			return nil
		}
	case Family:
		return matching(row, t.Pattern, func(c cell) string { return c.family })
	case Column:
		return matching(row, t.Pattern, func(c cell) string { return c.column })
	case Cell:
		return matching(row, t.Pattern, func(c cell) string { return c.value })
	case ColumnRange:
		return keep(row, func(c cell) bool {
			return (!t.Pattern.Known || c.family == t.Pattern.S) && t.within(c.column)
		})
	case CellRange:
		return keep(row, func(c cell) bool { return t.within(c.value) })
	case TimeRange:
		start, end := micros(t.Start), micros(t.End)
		return keep(row, func(c cell) bool { return c.micros >= start && (end == 0 || c.micros < end) })
	case LatestN:
		seen := map[[2]string]int{}
		return keep(row, func(c cell) bool {
			k := [2]string{c.family, c.column}
			seen[k]++
			return !t.NKnown || seen[k] <= t.N
		})
	case RowLimit:
		if t.NKnown && t.N < len(row) {
			return row[:max(t.N, 0)]
		}
	case RowOffset:
		if t.NKnown {
			return row[min(max(t.N, 0), len(row)):]
		}
	case StripValue:
		row = keep(row, func(cell) bool { return true })
		for i := range row {
			row[i].value = ""
		}
	case Live:
		return keep(row, func(c cell) bool { return !c.dead })
	case Chain:
		for _, s := range t.Sub {
			row = s.pass(row, r)
		}
	case Interleave:
		var all []cell
		for _, s := range t.Sub {
			all = append(all, s.pass(row, r)...)
		}
		sort.SliceStable(all, func(i, j int) bool {
			a, b := all[i], all[j]
			switch {
			case a.family != b.family:
				return a.family < b.family
			case a.column != b.column:
				return a.column < b.column
			}
			return a.micros > b.micros
		})
		return all
	case Condition:
		branch := t.Sub[2]
		if len(t.Sub[0].pass(row, r)) > 0 {
			branch = t.Sub[1]
		}
		if branch == nil {
			return nil
		}
		return branch.pass(row, r)
	}
	return row
}

// within reports whether s lies in the tree's range of columns or values.
func (t *Tree) within(s string) bool {
	return (!t.Lo.Known || s >= t.Lo.S) && (!t.Hi.Known || t.Hi.S == "" || s < t.Hi.S)
}

func matching(row []cell, pattern Text, of func(cell) string) []cell {
	re := matcher(pattern)
	return keep(row, func(c cell) bool { return re == nil || re.MatchString(of(c)) })
}

func keep(row []cell, ok func(cell) bool) []cell {
	var kept []cell
	for _, c := range row {
		if ok(c) {
			kept = append(kept, c)
		}
	}
	return kept
}
