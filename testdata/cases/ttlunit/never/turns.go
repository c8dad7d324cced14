package never

import "cloud.google.com/go/bigtable"

// In the turn that makes a filter that the service would reject it goes nowhere.
func lastTurn() bigtable.ReadOption {
	f := bigtable.PassAllFilter()
	for _, n := range []int{0, 1} {
		latest := bigtable.LatestNFilter(n)
		if n > 0 {
			f = latest
		}
	}
	return bigtable.RowFilter(f)
}

func firstTurn() bigtable.ReadOption {
	f := bigtable.PassAllFilter()
	for _, n := range []int{0, 1} {
		latest := bigtable.LatestNFilter(n) // want `invalid-filter: `
		if n == 0 {
			f = latest
		}
	}
	return bigtable.RowFilter(f)
}

func anyTurn(replace bool) bigtable.ReadOption {
	f := bigtable.PassAllFilter()
	for _, n := range []int{0, 1} {
		latest := bigtable.LatestNFilter(n) // want `invalid-filter: `
		if replace {
			f = latest
		}
	}
	return bigtable.RowFilter(f)
}
