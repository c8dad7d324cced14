package btx

import (
	"encoding/binary"
	"time"

	"cloud.google.com/go/bigtable"
)

// Started is when the tool started; the closing line of every run prints the
// time that went by since.
var Started = time.Now() // want ttlwrite/stale-clock[started]

// Elapsed is for the closing line.
func Elapsed() time.Duration { return time.Since(Started).Round(time.Millisecond) }

// Stamp is the time of a write, for ordinary families.
func Stamp() bigtable.Timestamp { return bigtable.Now() } // ok ttlwrite/write-time

// Expiry is the timestamp of a cell that lives d from now on.
func Expiry(d time.Duration) bigtable.Timestamp { return bigtable.Time(time.Now().Add(d)) } // ok ttlwrite/write-time

// ExpiryAt is the timestamp of a cell that lives until t.
func ExpiryAt(t time.Time) bigtable.Timestamp {
	return bigtable.Time(t).TruncateToMilliseconds()
}

// Shifted is the timestamp of a cell of a family whose default lifetime is def
// and that shall live d.
func Shifted(def, d time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(d - def))
}

// Seq is the timestamp that stands for sequence number n.
func Seq(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) } // ok ttlwrite/unscaled-sequence // ok ttlunit/wrong-unit

// SeqOf is the number that Seq made ts from.
func SeqOf(ts bigtable.Timestamp) int64 { return int64(ts) / 1000 }

// RawSeq was Seq before the numbers were scaled. Only the reader of the 2021
// dumps needs it.
func RawSeq(n int64) bigtable.Timestamp { return bigtable.Timestamp(n) }

// Int is the encoding that Increment uses.
func Int(n int64) []byte {
	b := make([]byte, 8)
	binary.BigEndian.PutUint64(b, uint64(n))
	return b
}

// ToInt decodes what Int or Increment wrote.
func ToInt(b []byte) int64 {
	if len(b) != 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(b))
}

// Put is Set with a string, because nearly everything here is one.
func Put(m *bigtable.Mutation, family, column string, ts bigtable.Timestamp, value string) {
	m.Set(family, column, ts, []byte(value))
}

// PutNow is for ordinary families.
func PutNow(m *bigtable.Mutation, family, column, value string) {
	Put(m, family, column, Stamp(), value)
}

// PutFor writes a cell that lives for d.
func PutFor(m *bigtable.Mutation, family, column string, d time.Duration, value string) {
	m.Set(family, column, Expiry(d), []byte(value)) // ok ttlwrite/write-time
}

// PutSeq writes the value with number n.
func PutSeq(m *bigtable.Mutation, family, column string, n int64, value []byte) {
	m.Set(family, column, Seq(n), value)
}

// Replace deletes the column first, so that a shorter life wins.
func Replace(m *bigtable.Mutation, family, column string, ts bigtable.Timestamp, value []byte) {
	m.DeleteCellsInColumn(family, column) // ok ttlwrite/delete-after-set
	m.Set(family, column, ts, value)
}
