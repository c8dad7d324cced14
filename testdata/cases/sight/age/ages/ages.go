// Package ages computes how old cells are.
package ages

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Of returns the age of a cell.
func Of(it bigtable.ReadItem) time.Duration { return time.Since(it.Timestamp.Time()) }

// OfRow returns the age of the first cell of a family.
func OfRow(row bigtable.Row, family string) time.Duration {
	items := row[family]
	if len(items) == 0 {
		return 0
	}
	return Of(items[0])
}

// Older reports whether a timestamp is older than d.
func Older(ts bigtable.Timestamp, d time.Duration) bool {
	return time.Duration(bigtable.Now()-ts)*time.Microsecond > d
}

// A Cell is a cell for people.
type Cell struct {
	Value     string
	CreatedAt time.Time
}

// Show returns a cell for people.
func Show(it bigtable.ReadItem) Cell {
	return Cell{Value: string(it.Value), CreatedAt: it.Timestamp.Time()}
}
