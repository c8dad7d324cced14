package callback2

import "cloud.google.com/go/bigtable"

func run(m *bigtable.Mutation, items []bigtable.ReadItem, f func(bigtable.ReadItem) (string, bigtable.Timestamp)) {
	for _, it := range items {
		family, ts := f(it)
		m.Set(family, "a", ts, it.Value)
	}
}

func run1(m *bigtable.Mutation, items []bigtable.ReadItem, f func(bigtable.ReadItem) bigtable.Timestamp) {
	for _, it := range items {
		m.Set("token", "a", f(it), it.Value)
	}
}

func Use(m *bigtable.Mutation, items []bigtable.ReadItem) {
	run(m, items, func(bigtable.ReadItem) (string, bigtable.Timestamp) {
		return "token", bigtable.Now() // not seen
	})
	run(m, items, func(bigtable.ReadItem) (string, bigtable.Timestamp) { return "profile", bigtable.Now() })
	run1(m, items, func(bigtable.ReadItem) bigtable.Timestamp { return bigtable.Now() }) // want `write-time: .*"token"`
}
