package excl

import (
	"time"

	"cloud.google.com/go/bigtable"
)

func H(m *bigtable.Mutation, v []byte) {
	ts := bigtable.Time(time.Now().Add(time.Hour))
	if v != nil {
		m.Set("tok", "c", ts, v)
	}
	if v == nil {
		m.Set("tok", "c", ts, []byte("none")) // silent
	}
}

func O(m *bigtable.Mutation) {
	ts := bigtable.Time(time.Now().Add(time.Hour))
	for _, f := range []string{"tok", "lease"} {
		m.DeleteCellsInFamily(f)
		m.Set(f, "z", ts, nil)
	}
}
