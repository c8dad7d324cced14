// Package lib keeps values with their times.
package lib

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// A Value is one with the time of its cell.
type Value struct {
	Data []byte
	At   time.Time
}

// Of makes values of a family's cells.
func Of(row bigtable.Row, family string) (out []Value) {
	for _, it := range row[family] {
		out = append(out, Value{it.Value, it.Timestamp.Time()})
	}
	return out
}

// Fresh tells.
func (v Value) Fresh() bool { return v.At.After(time.Now()) }
