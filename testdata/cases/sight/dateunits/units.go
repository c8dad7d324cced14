// Package dateunits has constant dates as numbers of another unit.
package dateunits

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

var launch = time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC)

const launchMillis = 1717200000000

func direct(m *bigtable.Mutation) {
	m.Set("any", "v", bigtable.Timestamp(time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC).UnixMilli()), nil) // want `wrong-unit`
	m.Set("any", "v", bigtable.Timestamp(time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC).Unix()), nil)      // want `wrong-unit`
	m.Set("any", "v", bigtable.Timestamp(launch.UnixMilli()), nil)                                      // want `wrong-unit`
	m.Set("any", "v", bigtable.Timestamp(launch.Add(time.Hour).Unix()), nil)                            // want `wrong-unit`
	m.Set("any", "v", bigtable.Timestamp(launch.UnixNano()), nil)                                       // want `wrong-unit`
	m.Set("any", "v", bigtable.Timestamp(launch.UnixMicro()), nil)
	m.Set("any", "v", bigtable.Timestamp(launch.UnixMilli()*1000), nil)
	m.Set("any", "v", bigtable.Timestamp(launch.Unix()*1e6), nil)
	m.Set("any", "v", bigtable.Timestamp(launch.UnixNano()/1000), nil)
	m.Set("any", "v", bigtable.Timestamp(launchMillis), nil)
	m.Set("any", "v", bigtable.Timestamp(launchMillis*1000), nil)
}

func local(m *bigtable.Mutation) {
	ms := launch.UnixMilli()
	ts := bigtable.Timestamp(ms) // want `wrong-unit`
	m.Set("any", "v", ts, nil)
	us := ms * 1000
	m.Set("any", "v", bigtable.Timestamp(us), nil)
}

func millis(t time.Time) int64 { return t.UnixMilli() }

func stamp(ms int64) bigtable.Timestamp { return bigtable.Timestamp(ms) }

func helper(m *bigtable.Mutation) {
	m.Set("any", "v", bigtable.Timestamp(millis(launch)), nil) // want `wrong-unit`
	m.Set("any", "v", stamp(launch.UnixMilli()), nil)          // want `wrong-unit`
	m.Set("any", "v", stamp(launch.UnixMicro()), nil)
}

func scaled(ms int64) bigtable.Timestamp { return bigtable.Timestamp(ms * 1000) }

func good(m *bigtable.Mutation) { m.Set("any", "v", scaled(launch.UnixMilli()), nil) }

var cases = []struct {
	family string
	at     int64
}{
	{"token", launch.UnixMicro()},
	{"ticket", launch.UnixMilli()},
}

func table(ctx context.Context, tbl *bigtable.Table) error {
	for _, c := range cases {
		m := bigtable.NewMutation()
		m.Set("any", "v", bigtable.Timestamp(c.at), nil) // want `wrong-unit`
		if err := tbl.Apply(ctx, "k", m); err != nil {
			return err
		}
	}
	return nil
}

func ranges() bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.TimestampRangeFilterMicros(bigtable.Timestamp(launch.UnixMilli()), 0), // want `wrong-unit`
		bigtable.TimestampRangeFilterMicros(bigtable.Timestamp(launch.UnixMicro()), 0))
}
