// Package newest finds the newest of cells.
package newest

import "cloud.google.com/go/bigtable"

func Of(cells []bigtable.ReadItem) (newest bigtable.Timestamp) {
	for _, it := range cells {
		newest = max(newest, it.Timestamp)
	}
	return newest
}
