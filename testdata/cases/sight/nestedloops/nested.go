// Package nestedloops writes the rows of a table of literals in a loop within a
// loop.
package nestedloops

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func now() bigtable.Timestamp { return bigtable.Now() }

func soon() bigtable.Timestamp { return bigtable.Time(time.Now().Add(30 * time.Minute)) }

var targets = []struct {
	family, column string
	stamp          func() bigtable.Timestamp
}{
	{"profile", "url", now},
	{"token", "device", soon},
	{"token", "country", now},
}

func write(ctx context.Context, tbl *bigtable.Table, recs []map[string]string) {
	for _, r := range recs {
		m := bigtable.NewMutation()
		for _, t := range targets {
			if v, ok := r[t.column]; ok {
				m.Set(t.family, t.column, t.stamp(), []byte(v)) // want `family "token" \(table not known\) uses the current time`
			}
		}
		_ = tbl.Apply(ctx, r["id"], m)
	}
}

// The inner loop ends early: which rows are written hangs on the data.
func until(ctx context.Context, tbl *bigtable.Table, recs []map[string]string) {
	for i := 0; i < len(recs); i++ {
		m := bigtable.NewMutation()
		for _, t := range targets {
			v, ok := recs[i][t.column]
			if !ok {
				break
			}
			m.Set(t.family, t.column, t.stamp(), []byte(v)) // want `family "token" \(table not known\) uses the current time`
		}
		_ = tbl.Apply(ctx, recs[i]["id"], m)
		println(i)
	}
}

// The first row only.
func first(ctx context.Context, tbl *bigtable.Table, recs []map[string]string) {
	for _, r := range recs {
		m := bigtable.NewMutation()
		for _, t := range targets {
			m.Set(t.family, t.column, t.stamp(), []byte(r[t.column]))
			break
		}
		_ = tbl.Apply(ctx, r["id"], m)
	}
}

// The first row of its family only, which is right.
func found(ctx context.Context, tbl *bigtable.Table, recs []map[string]string) {
	for _, r := range recs {
		stamp := now
		for _, t := range targets {
			if t.family == "token" {
				stamp = t.stamp
				break
			}
		}
		m := bigtable.NewMutation()
		m.Set("token", "v", stamp(), []byte(r["v"]))
		_ = tbl.Apply(ctx, r["id"], m)
	}
}

// Policies of families, for each of several tables.
func policies(ctx context.Context, a *bigtable.AdminClient, tables []string) {
	for _, table := range tables {
		for _, p := range []struct {
			family string
			gc     bigtable.GCPolicy
		}{
			{"token", bigtable.MaxAgePolicy(time.Second)},
			{"hot", bigtable.MaxAgePolicy(time.Hour)}, // want `sets the age 1h`
			{"ticket", bigtable.MaxAgePolicy(time.Second)},
		} {
			_ = a.SetGCPolicy(ctx, table, p.family, p.gc)
		}
		println(table)
	}
}
