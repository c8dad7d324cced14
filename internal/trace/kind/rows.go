package kind

import (
	"go/types"

	"github.com/ttlvet/ttlvet/internal/btapi"
)

// CarriesRow reports whether a type is a row, or lists or maps hold rows by it, such as
// those of each key.
func CarriesRow(t types.Type) bool {
	for range 4 { // types may hold themselves
		if btapi.Type(t) == "bigtable.Row" {
			return true
		}
		switch u := t.Underlying().(type) {
		case *types.Slice:
			if t = u.Elem(); btapi.Type(t) == "bigtable.ReadItem" {
				return true
			}
		case *types.Map:
			t = u.Elem()
		default:
			return false
		}
	}
	return false
}

// IsCellTimestamp reports whether a field of a type is the timestamp of a cell.
func IsCellTimestamp(t types.Type, field int) bool {
	if btapi.Type(t) != "bigtable.ReadItem" {
		return false
	}
	f := StructField(t, field)
	return f != nil && f.Name() == "Timestamp"
}

// CarriesCells reports whether a type is a cell, a row, or a list of either.
func CarriesCells(t types.Type) bool {
	if s, ok := t.Underlying().(*types.Slice); ok {
		t = s.Elem()
	}
	name := btapi.Type(t)
	return name == "bigtable.ReadItem" || name == "bigtable.Row"
}
