// Package check leaves out cells that have expired.
package check

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Live returns the cells of a family that live.
func Live(row bigtable.Row, family string) (out []bigtable.ReadItem) {
	now := bigtable.Time(time.Now())
	for _, it := range row[family] {
		if it.Timestamp > now {
			out = append(out, it)
		}
	}
	return out
}
