// Package schema creates families from tables of policies, reads dates and
// converts units; what has no mark is silent.
package schema

import (
	"context"
	"fmt"
	"os"
	"time"

	"cloud.google.com/go/bigtable"
)

const day = 24 * time.Hour

type familySpec struct {
	name   string
	policy bigtable.GCPolicy
}

var schema = map[string][]familySpec{
	"sessions":    {{"token", bigtable.MaxAgePolicy(time.Second)}, {"profile", bigtable.MaxVersionsPolicy(1)}},
	"bank-ledger": {{"entry", bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(90*day))}}, // want `age-on-sequence: .*"entry"`
	"clicks":      {{"event", bigtable.MaxAgePolicy(30 * day)}},
	"catalog":     {{"latest", bigtable.IntersectionPolicy(bigtable.MaxAgePolicy(day), bigtable.MaxVersionsPolicy(1))}},
}

func Create(ctx context.Context, ac *bigtable.AdminClient) error {
	for table, fams := range schema {
		for _, f := range fams {
			if err := ac.CreateColumnFamily(ctx, table, f.name); err != nil {
				return err
			}
			if err := ac.SetGCPolicy(ctx, table, f.name, f.policy); err != nil {
				return err
			}
		}
	}
	return nil
}

func openTable(ctx context.Context, ac *bigtable.AdminClient, name, family string, versions int, age time.Duration) error {
	var p bigtable.GCPolicy = bigtable.NoGcPolicy()
	switch {
	case versions > 0 && age > 0:
		p = bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(versions), bigtable.MaxAgePolicy(age))
	case versions > 0:
		p = bigtable.MaxVersionsPolicy(versions)
	case age > 0:
		p = bigtable.MaxAgePolicy(age)
	}
	if err := ac.CreateColumnFamily(ctx, name, family); err != nil {
		return err
	}
	return ac.SetGCPolicy(ctx, name, family, p)
}

func setup(ctx context.Context, ac *bigtable.AdminClient) {
	openTable(ctx, ac, "sessions", "token", 0, time.Second)
	openTable(ctx, ac, "sessions", "token", 1, time.Second) // want `versions-with-expiry: .*"token"`
	openTable(ctx, ac, "bank-ledger", "entry", 3, 0)
	openTable(ctx, ac, "bank-ledger", "entry", 0, day) // want `age-on-sequence: .*"entry"`
	openTable(ctx, ac, "clicks", "event", 0, 0)        // want `no-policy: .*"event"`
	openTable(ctx, ac, "plain", "entry", 0, day)
}

func conf() *bigtable.TableConf {
	c := &bigtable.TableConf{TableID: "clicks", ColumnFamilies: map[string]bigtable.Family{}}
	c.ColumnFamilies["event"] = bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(7 * day)} // want `age-mismatch: .*"event"`
	return c
}

func create(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateTableFromConf(ctx, conf())
}

func fromEnv(ctx context.Context, ac *bigtable.AdminClient) error {
	d, err := time.ParseDuration(os.Getenv("AGE"))
	if err != nil {
		return err
	}
	return ac.SetGCPolicy(ctx, "clicks", "event", bigtable.MaxAgePolicy(d))
}

func update(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.UpdateFamily(ctx, "sessions", "token", bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(time.Hour)}) // want `age-mismatch: .*"token"`
}

// ttlage
type Item struct {
	Created time.Time
	Expires time.Time
}

func load(ctx context.Context, c *bigtable.Client) (*Item, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))))
	if err != nil {
		return nil, err
	}
	it := &Item{}
	for _, cell := range row["token"] {
		switch cell.Column {
		case "token:jwt":
			it.Expires = cell.Timestamp.Time()
			fmt.Println(time.Until(cell.Timestamp.Time()))
		case "token:meta":
			it.Created = cell.Timestamp.Time() // want `not-write-time: .*"token"`
		}
	}
	return it, nil
}

func age(item bigtable.ReadItem) time.Duration { return time.Since(item.Timestamp.Time()) }

func useAge(ctx context.Context, c *bigtable.Client) {
	row, _ := c.Open("bank-ledger").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(1)))
	fmt.Println(age(row["entry"][0])) // want `not-write-time: .*"entry"`
	row, _ = c.Open("plain").ReadRow(ctx, "k")
	fmt.Println(age(row["entry"][0]))
}

// units
func units(mut *bigtable.Mutation, sec int64, t time.Time, d time.Duration) {
	mut.Set("data", "a", bigtable.Timestamp(sec*1e6), nil)
	mut.Set("data", "a", bigtable.Timestamp(t.Unix()), nil)               // want `wrong-unit: `
	mut.Set("data", "a", bigtable.Timestamp(time.Now().UnixMilli()), nil) // want `wrong-unit: `
	mut.Set("data", "a", bigtable.Time(t)+bigtable.Timestamp(d), nil)     // want `wrong-unit: `
	mut.Set("data", "a", bigtable.Time(t)+bigtable.Timestamp(d.Microseconds()), nil)
	mut.Set("data", "a", bigtable.Timestamp(t.UnixNano())/1000, nil)
	mut.Set("data", "a", bigtable.Timestamp(t.UnixMicro()), nil)
	x := t.Unix() * 1000
	mut.Set("data", "a", bigtable.Timestamp(x)*1000, nil)
	mut.Set("data", "a", bigtable.Timestamp(x*1000), nil)
	mut.Set("data", "a", bigtable.Timestamp(x), nil) // want `wrong-unit: `
	rev := bigtable.Timestamp(9223372036854775807/1000*1000) - bigtable.Now()
	mut.Set("data", "a", rev, nil)
}
