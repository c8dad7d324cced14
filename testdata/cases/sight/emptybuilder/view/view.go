// Package view builds what a read passes, beginning with nothing.
package view

import "cloud.google.com/go/bigtable"

type View struct{ parts []bigtable.Filter }

func Everything() View { return View{} }

func (v View) Family(f string) View { return v.with(bigtable.FamilyFilter(f)) }

func (v View) Latest(n int) View { return v.with(bigtable.LatestNFilter(n)) }

func (v View) with(f bigtable.Filter) View {
	return View{append(append([]bigtable.Filter{}, v.parts...), f)}
}

func (v View) Option() bigtable.ReadOption {
	if len(v.parts) == 1 {
		return bigtable.RowFilter(v.parts[0])
	}
	return bigtable.RowFilter(bigtable.ChainFilters(v.parts...))
}
