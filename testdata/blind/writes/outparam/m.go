package outparam

import (
	"time"

	"cloud.google.com/go/bigtable"
)

func fill(ts *bigtable.Timestamp) { *ts = bigtable.Time(time.Now().Add(time.Hour)) }

func Use(m *bigtable.Mutation) {
	var ts bigtable.Timestamp
	fill(&ts)
	m.Set("token", "a", ts, nil) // silent
}
