// Package column names columns and reads them from rows.
package column

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Name is a column's name in its family.
type Name struct{ Family, Qualifier string }

// Column is a column of values.
type Column[T any] struct {
	Name
	Decode func([]byte) T
}

// Str is a column of texts.
func Str(family, qualifier string) Column[string] {
	return Column[string]{Name{family, qualifier}, func(b []byte) string { return string(b) }}
}

// Item is the column's cell.
func (c Column[T]) Item(r bigtable.Row) (bigtable.ReadItem, bool) {
	for _, it := range r[c.Family] {
		if it.Column == c.Family+":"+c.Qualifier {
			return it, true
		}
	}
	return bigtable.ReadItem{}, false
}

// Get is the column's value.
func (c *Column[T]) Get(r bigtable.Row) (v T) {
	for _, it := range r[c.Family] {
		return c.Decode(it.Value)
	}
	return v
}

// Live is the column's value unless it has expired.
func (c Column[T]) Live(r bigtable.Row) (v T) {
	for _, it := range r[c.Family] {
		if it.Timestamp.Time().After(time.Now()) {
			return c.Decode(it.Value)
		}
	}
	return v
}

// Mapper maps rows.
type Mapper struct{ conf Config }

// Config says which families a mapper maps.
type Config struct{ Main, Extra string }

// NewMapper makes a mapper.
func NewMapper(c Config) *Mapper { return &Mapper{c} }

// Map maps a row.
func (m *Mapper) Map(r bigtable.Row) map[string]string {
	out := map[string]string{}
	for _, family := range []string{m.conf.Main, m.conf.Extra} {
		for _, it := range r[family] {
			out[it.Column] = string(it.Value)
		}
	}
	return out
}

// First reads a family by its name.
func First(r bigtable.Row, n Name) string { return string(r[n.Family][0].Value) }
