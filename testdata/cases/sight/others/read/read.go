// Package read looks at the timestamps of cells.
package read

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Recent counts the changes of a profile within an hour.
func Recent(row bigtable.Row) (n int) {
	for _, it := range row["profile"] {
		if it.Timestamp.Time().After(time.Now().Add(-time.Hour)) {
			n++
		}
	}
	return n
}

// Live counts the tokens that live.
func Live(row bigtable.Row) (n int) {
	for _, it := range row["token"] {
		if it.Timestamp.Time().After(time.Now()) {
			n++
		}
	}
	return n
}
