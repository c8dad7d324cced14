package two

import (
	"time"

	"cloud.google.com/go/bigtable"
)

func pair(m *bigtable.Mutation, a, b string, ts bigtable.Timestamp) {
	m.Set("token", a, ts, nil)
	m.Set("token", b, ts, nil)
}

func Use(m *bigtable.Mutation) {
	exp := bigtable.Time(time.Now().Add(time.Hour))
	pair(m, "x", "x", exp) // not seen
	pair(m, "p", "q", exp)
	pair(m, "p", "r", exp) // want `same-timestamp: .*"token"`
}
