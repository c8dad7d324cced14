package program

import (
	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// OpenedName returns the name under which a client opens the table that a value
// is; nil of a value that is no such table.
func OpenedName(v *value.Value) *value.Value {
	b := v.Base()
	if b.Kind != value.Call || !btapi.Opens(b.Name) || len(b.Args) < 2 {
		return nil
	}
	return b.Args[1]
}
