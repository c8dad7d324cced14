// Package runningmax looks for the newest cell by hand. The -1 it starts from
// is less than any timestamp, and says nothing of the server's clock.
package runningmax

import "cloud.google.com/go/bigtable"

func newest(row bigtable.Row, family, column string) (value []byte) {
	var max bigtable.Timestamp = -1
	for _, item := range row[family] {
		if item.Column == column && item.Timestamp > max {
			max = item.Timestamp
			value = item.Value
		}
	}
	return value
}

func stored(item bigtable.ReadItem) bool { return item.Timestamp > -1 }

func sentinel(item bigtable.ReadItem) bool {
	return item.Timestamp == bigtable.ServerTime // want `server-sentinel: `
}
