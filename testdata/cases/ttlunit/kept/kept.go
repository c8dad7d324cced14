// Package kept keeps filters as what they need not be, and reads with them.
package kept

import (
	"sync"

	"cloud.google.com/go/bigtable"
)

var filters sync.Map

func keep() {
	filters.Store("all", bigtable.ChainFilters()) // want `invalid-filter: `
}

func option() bigtable.ReadOption {
	v, _ := filters.Load("all")
	filter, ok := v.(bigtable.Filter)
	if !ok {
		return nil
	}
	return bigtable.RowFilter(filter)
}
