package instant

import (
	"strings"

	"github.com/ttlvet/ttlvet/internal/value"
)

// decideColumn decides what is asked of the column of a cell that was looked up
// by its family: the column's name begins with that, and a colon. a is the
// column, b the text that it is compared with, or that it is to begin with.
func decideColumn(a, b *value.Value, prefix bool) (holds, ok bool) {
	text, known := b.IsStr()
	if !known {
		return false, false
	}
	family := familyOfColumn(a)
	if family == "" {
		return false, false
	}
	family += ":"
	if prefix && strings.HasPrefix(family, text) {
		return true, true
	}
	// What else follows the colon is not known.
	return false, !strings.HasPrefix(text, family)
}

// familyOfColumn returns the family of the cell whose column a value is; "" of
// any other value.
func familyOfColumn(v *value.Value) string {
	if v = v.Base(); v.Kind != value.Field || v.Name != "bigtable.ReadItem.Column" || len(v.Args) == 0 {
		return ""
	}
	cell := v.Args[0].Base()
	if cell.Is(value.Elem) && len(cell.Args) > 0 {
		cell = cell.Args[0].Base()
	}
	if !cell.Is("cells") || len(cell.Args) < 2 {
		return ""
	}
	family, _ := cell.Args[1].IsStr()
	return family
}
