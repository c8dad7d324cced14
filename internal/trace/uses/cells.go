package uses

import "golang.org/x/tools/go/ssa"

// A Verdict says whether the time of some cells is compared with a time.
type Verdict struct {
	Checked bool
	Lost    bool // cells went where they are not followed
	Perhaps bool // see [Comparison]
}

// CheckedCells follows cells, or lists of them, not out of the function asked, to see
// whether the time of any of them is compared with a time. A check exempts the read whose
// cells it looks at, not every read of the function.
func (p *CellTimes) CheckedCells(cells []ssa.Value, asked *ssa.Function) Verdict {
	c := p.Comparison(asked)
	for _, v := range cells {
		c.add(v, cellTime)
	}
	return Verdict{c.Found(), c.lostCells, c.Perhaps}
}
