// Package dates takes artificial timestamps for the time of writing.
package dates

import (
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

// Age.

func since(row bigtable.Row) time.Duration {
	for _, item := range row["token"] {
		return time.Since(item.Timestamp.Time()) // want `not-write-time: .*"token"`
	}
	return 0
}

func sinceLocal(row bigtable.Row) time.Duration {
	item := row["event"][0]
	written := item.Timestamp
	return time.Since(written.Time()) // want `not-write-time: .*"event"`
}

func sub(row bigtable.Row) time.Duration {
	now := time.Now()
	return now.Sub(row["token"][0].Timestamp.Time()) // want `not-write-time: .*"token"`
}

func sequence(row bigtable.Row) time.Duration {
	return time.Since(row["entry"][0].Timestamp.Time()) // want `not-write-time: .*"entry"`
}

func zero(row bigtable.Row) time.Duration {
	return time.Since(row["latest"][0].Timestamp.Time()) // want `not-write-time: .*"latest"`
}

func okReal(row bigtable.Row) time.Duration {
	return time.Since(row["profile"][0].Timestamp.Time())
}

func okUnregistered(row bigtable.Row) time.Duration {
	return time.Since(row["other"][0].Timestamp.Time())
}

func okAmbiguousButUnknown(row bigtable.Row, family string) time.Duration {
	return time.Since(row[family][0].Timestamp.Time())
}

func okItem(item bigtable.ReadItem) time.Duration {
	return time.Since(item.Timestamp.Time())
}

// What is left of life is what the timestamp says.
func okRemaining(row bigtable.Row) time.Duration {
	return time.Until(row["token"][0].Timestamp.Time())
}

func okRemainingBySub(row bigtable.Row) time.Duration {
	return row["token"][0].Timestamp.Time().Sub(time.Now())
}

func okExpired(row bigtable.Row) bool {
	return row["token"][0].Timestamp.Time().Before(time.Now())
}

func okAfter(row bigtable.Row) bool {
	return row["token"][0].Timestamp > bigtable.Now()
}

// Names that say when something was written.

type record struct {
	CreatedAt time.Time
	UpdatedAt time.Time
	ExpiresAt time.Time
	Number    int64
}

func created(row bigtable.Row) record {
	item := row["token"][0]
	return record{CreatedAt: item.Timestamp.Time()} // want `not-write-time: .*"token"`
}

func updated(row bigtable.Row) (r record) {
	item := row["event"][0]
	r.UpdatedAt = item.Timestamp.Time() // want `not-write-time: .*"event"`
	return r
}

func okExpires(row bigtable.Row) record {
	return record{ExpiresAt: row["token"][0].Timestamp.Time()}
}

func okNumber(row bigtable.Row) record {
	return record{Number: int64(row["entry"][0].Timestamp) / 1000}
}

func okCreatedReal(row bigtable.Row) record {
	return record{CreatedAt: row["profile"][0].Timestamp.Time()}
}

func localName(row bigtable.Row) string {
	writtenAt := row["token"][0].Timestamp.Time().Format(time.RFC3339) // want `not-write-time: .*"token"`
	return writtenAt
}

func modifiedName(row bigtable.Row) time.Time {
	lastModified := row["entry"][0].Timestamp.Time() // want `not-write-time: .*"entry"`
	return lastModified
}

func okLocalName(row bigtable.Row) string {
	expires := row["token"][0].Timestamp.Time().Format(time.RFC3339)
	return expires
}

func okPrinted(row bigtable.Row) {
	for _, item := range row["token"] {
		fmt.Println("valid until", item.Timestamp.Time())
	}
}

// Copying keeps the timestamp.
func okCopied(row bigtable.Row, mut *bigtable.Mutation) {
	for _, item := range row["token"] {
		mut.Set("token", "copy", item.Timestamp, item.Value)
	}
}

// Beside a use of the time, another that is stored under a name of its own.
func both(row bigtable.Row) {
	it := row["token"][0]
	fmt.Println(time.Since(it.Timestamp.Time())) // want `not-write-time: .*"token"`
	created := it.Timestamp.Time()               // want `not-write-time: .*"token"`
	fmt.Printf("%s created=%s\n", it.Column, created)
}
