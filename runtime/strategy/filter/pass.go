package filter

import "sort"

// pass runs the tree over the cells of a row, which are in Bigtable's order
// (family, column, newest first), and returns those that pass.
func (t *Tree) pass(row []Sample, r Run) []Sample {
	if len(row) == 0 || *r.over {
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
		if re := t.matcher(); re != nil && !re.MatchString(r.Key) {
			return nil
		}
	case Family:
		return matching(row, t.matcher(), func(c Sample) string { return c.Family })
	case Column:
		return matching(row, t.matcher(), func(c Sample) string { return c.Column })
	case Cell:
		if r.others && !t.Pattern.Known {
			return keep(row, func(c Sample) bool { return c.Value != newest })
		}
		return matching(row, t.matcher(), func(c Sample) string { return c.Value })
	case ColumnRange:
		return keep(row, func(c Sample) bool {
			return (!t.Pattern.Known || c.Family == t.Pattern.S) && t.within(c.Column)
		})
	case CellRange:
		return keep(row, func(c Sample) bool { return t.within(c.Value) })
	case TimeRange:
		start, end := micros(t.Start), micros(t.End)
		return keep(row, func(c Sample) bool { return c.Micros >= start && (end == 0 || c.Micros < end) })
	case LatestN:
		seen := map[[2]string]int{}
		return keep(row, func(c Sample) bool {
			k := [2]string{c.Family, c.Column}
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
		row = keep(row, func(Sample) bool { return true })
		for i := range row {
			row[i].Value = ""
		}
	case Chain:
		for _, s := range t.Sub {
			row = s.pass(row, r)
		}
	case Interleave:
		var all []Sample
		for _, s := range t.Sub {
			all = append(all, s.pass(row, r)...)
		}
		if len(all) > maxCells {
			*r.over = true
			return nil
		}
		sort.SliceStable(all, func(i, j int) bool { return before(all[i], all[j]) })
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

// before reports whether a cell stands before another in a row: by family and column,
// the newest first.
func before(a, b Sample) bool {
	switch {
	case a.Family != b.Family:
		return a.Family < b.Family
	case a.Column != b.Column:
		return a.Column < b.Column
	}
	return a.Micros > b.Micros
}

// within reports whether s lies in the tree's range of columns or values.
func (t *Tree) within(s string) bool {
	return (!t.Lo.Known || s >= t.Lo.S) && (!t.Hi.Known || t.Hi.S == "" || s < t.Hi.S)
}

func matching(row []Sample, re *matcher, of func(Sample) string) []Sample {
	return keep(row, func(c Sample) bool { return re == nil || re.MatchString(of(c)) })
}

func keep(row []Sample, ok func(Sample) bool) []Sample {
	var kept []Sample
	for _, c := range row {
		if ok(c) {
			kept = append(kept, c)
		}
	}
	return kept
}
