// Package keys stores the timestamps of cells under keys that are put
// together.
package keys

import (
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

const written = "_written"

func described(row bigtable.Row) map[string]string {
	out := map[string]string{}
	for _, it := range row["token"] {
		out[it.Column+".created"] = it.Timestamp.Time().Format(time.RFC3339)           // want `not-write-time: .*"token"`
		out["jwt"+written] = it.Timestamp.Time().Format(time.RFC3339)                  // want `not-write-time: .*"token"`
		out[it.Column+written] = it.Timestamp.Time().String()                          // want `not-write-time: .*"token"`
		out[fmt.Sprintf("%s.created_at", it.Column)] = it.Timestamp.Time().String()    // want `not-write-time: .*"token"`
		out["created:"+it.Column] = it.Timestamp.Time().UTC().Format(time.RFC3339Nano) // want `not-write-time: .*"token"`
	}
	return out
}

func okExpiry(row bigtable.Row, suffix string) map[string]string {
	out := map[string]string{}
	for _, it := range row["token"] {
		out[it.Column+".expires"] = it.Timestamp.Time().Format(time.RFC3339)
		out[it.Column+suffix] = it.Timestamp.Time().Format(time.RFC3339)
		out["created"+"."+it.Column+".until"] = it.Timestamp.Time().Format(time.RFC3339)
		out[fmt.Sprintf("%s.valid_until", it.Column)] = it.Timestamp.Time().String()
	}
	for _, it := range row["profile"] {
		out[it.Column+".created"] = it.Timestamp.Time().Format(time.RFC3339)
	}
	return out
}
