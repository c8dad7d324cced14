// Package expirynames keeps an expiry under names that say when it was written.
package expirynames

import (
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"
)

type line struct {
	LastUpdate, LastWrite, LastChange, SavedAt, ModTime, CreationDate time.Time
	LastSeen, Expires, StoredExpiry, At                               time.Time
	UpdateTS                                                          int64
	Mtime                                                             int64 `json:"mtime"`
}

func literals(row bigtable.Row) []line {
	var out []line
	for _, it := range row["token"] {
		out = append(out, line{LastUpdate: it.Timestamp.Time()})   // want `not-write-time`
		out = append(out, line{LastWrite: it.Timestamp.Time()})    // want `not-write-time`
		out = append(out, line{LastChange: it.Timestamp.Time()})   // want `not-write-time`
		out = append(out, line{SavedAt: it.Timestamp.Time()})      // want `not-write-time`
		out = append(out, line{ModTime: it.Timestamp.Time()})      // want `not-write-time`
		out = append(out, line{CreationDate: it.Timestamp.Time()}) // want `not-write-time`
		out = append(out, line{UpdateTS: int64(it.Timestamp)})     // want `not-write-time`
		out = append(out, line{Mtime: it.Timestamp.Time().Unix()}) // want `not-write-time`
		out = append(out, line{LastSeen: it.Timestamp.Time()})
		out = append(out, line{Expires: it.Timestamp.Time()})
		out = append(out, line{StoredExpiry: it.Timestamp.Time()})
		out = append(out, line{At: it.Timestamp.Time()})
	}
	return out
}

func other(row bigtable.Row, l *line) map[string]any {
	it := row["token"][0]
	l.LastUpdate = it.Timestamp.Time() // want `not-write-time`
	l.StoredExpiry = it.Timestamp.Time()
	lastWrite := it.Timestamp.Time() // want `not-write-time`
	fmt.Println(lastWrite)
	slog.Info("read", "last_write", it.Timestamp.Time()) // want `not-write-time`
	fmt.Printf("last update: %s\n", it.Timestamp.Time()) // want `not-write-time`
	fmt.Printf("valid until %s, updates %d\n", it.Timestamp.Time(), len(row))
	return map[string]any{
		"lastUpdate": it.Timestamp.Time(), // want `not-write-time`
		"mod_time":   it.Timestamp.Time(), // want `not-write-time`
		"validUntil": it.Timestamp.Time(),
	}
}
