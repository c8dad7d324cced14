package ttl

import (
	"encoding/binary"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

// A WrittenAtColumn stores when a value was written, which the timestamps of an
// artificial strategy do not tell. [WrittenAt] makes one.
type WrittenAtColumn struct {
	family, column string
}

// WrittenAt declares the companion of values: a column of the same family that
// stores when they were written. A family with the companion writes it in the
// same mutation as the value and with the same timestamp, so that both live
// equally long:
//
//	issued := ttl.WrittenAt(Token, "jwt-issued")
//
//	err := Token.With(issued).SetFor(mut, "jwt", value, lifetime)
//	...
//	at, ok := issued.Time(row)
//
// A companion of several columns has the time of the last write to any.
//
// https://cloud.google.com/bigtable/docs/gc-cell-level
func WrittenAt(family Family, column string) WrittenAtColumn {
	if plain(family) == nil {
		return WrittenAtColumn{column: column}
	}
	return WrittenAtColumn{family.Name(), column}
}

// companion returns the declaration with a column for write times.
func (d declaration) companion(w WrittenAtColumn) declaration {
	if w.family != d.name {
		d = d.with(fmt.Errorf("the companion %q is of family %q", w.column, w.family))
	}
	d.writtenAt = &w.column
	return d
}

// Column returns the name of the companion column, without the family.
func (w WrittenAtColumn) Column() string { return w.column }

// Value returns the current time as the value of the companion: microseconds
// since 1970 in 8 bytes, big endian, as Bigtable encodes integers. It is for
// mutations that are made without this package; Token.With(w) writes it by
// itself.
func (w WrittenAtColumn) Value() []byte { return encode(time.Now().UnixMicro()) }

// Time returns the write time that the most recent cell of the companion
// column in the row has stored. It reports false if the row has no such cell,
// which is also the case when the read did not include the column, or if the
// cell holds something else than [WrittenAtColumn.Value] wrote.
func (w WrittenAtColumn) Time(row bigtable.Row) (time.Time, bool) {
	for _, item := range row[w.family] {
		if item.Column == w.family+":"+w.column {
			micros, ok := decode(item.Value)
			return time.UnixMicro(micros), ok
		}
	}
	return time.Time{}, false
}

func encode(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

func decode(value []byte) (int64, bool) {
	if len(value) != 8 {
		return 0, false
	}
	return int64(binary.BigEndian.Uint64(value)), true
}
