package methodarg

import "cloud.google.com/go/bigtable"

func fill(set func(family, column string, ts bigtable.Timestamp, value []byte), ts bigtable.Timestamp) {
	set("token", "a", ts, nil)
}

func Use(m *bigtable.Mutation) {
	fill(m.Set, bigtable.Now()) // want `write-time: .*"token"`
	put := m.Set
	put("token", "b", bigtable.Now(), nil) // want `write-time: .*"token"`
}
