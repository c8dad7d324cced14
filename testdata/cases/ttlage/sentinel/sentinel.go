// Package sentinel looks for ServerTime in cells that were read. The server
// stores its clock, so that no cell has that timestamp. Families need not be
// registered.
package sentinel

import "cloud.google.com/go/bigtable"

func equal(item bigtable.ReadItem) bool {
	return item.Timestamp == bigtable.ServerTime // want `server-sentinel: `
}

func notEqual(item bigtable.ReadItem) bool {
	return item.Timestamp != bigtable.ServerTime // want `server-sentinel: `
}

func minusOne(item bigtable.ReadItem) bool {
	return item.Timestamp == -1 // want `server-sentinel: `
}

func reversed(item *bigtable.ReadItem) bool {
	return bigtable.ServerTime == item.Timestamp // want `server-sentinel: `
}

func indexed(row bigtable.Row) bool {
	return row["profile"][0].Timestamp == bigtable.ServerTime // want `server-sentinel: `
}

func local(row bigtable.Row) bool {
	for _, item := range row["other"] {
		ts := item.Timestamp
		if ts == bigtable.ServerTime { // want `server-sentinel: `
			return true
		}
	}
	return false
}

func switched(item bigtable.ReadItem) string {
	switch item.Timestamp {
	case bigtable.ServerTime: // want `server-sentinel: `
		return "server"
	case 0:
		return "zero"
	}
	return ""
}

func okZero(item bigtable.ReadItem) bool { return item.Timestamp == 0 }

func okOther(a, b bigtable.ReadItem) bool { return a.Timestamp == b.Timestamp }

// A guard of a parameter that is about to be written.
func okGuard(ts bigtable.Timestamp) bigtable.Timestamp {
	if ts == bigtable.ServerTime {
		return bigtable.Now()
	}
	return ts
}

type write struct{ Timestamp bigtable.Timestamp }

func okOtherType(w write) bool { return w.Timestamp == bigtable.ServerTime }
