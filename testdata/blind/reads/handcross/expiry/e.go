package expiry

import (
	"time"

	"cloud.google.com/go/bigtable"
)

func Live(it bigtable.ReadItem) bool { return it.Timestamp.Time().After(time.Now()) }

func LiveTS(ts bigtable.Timestamp) bool { return ts > bigtable.Now() }

func Keep(items []bigtable.ReadItem) (out []bigtable.ReadItem) {
	for _, it := range items {
		if it.Timestamp > bigtable.Now() {
			out = append(out, it)
		}
	}
	return out
}

func KeepRow(row bigtable.Row) (out []bigtable.ReadItem) {
	for _, it := range row["link"] {
		if it.Timestamp > bigtable.Now() {
			out = append(out, it)
		}
	}
	return out
}
