// Package durationunits makes durations of numbers that it does not know.
package durationunits

import (
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/durationunits/conf"
)

// Local multiplies by a unit.
func Local(m *bigtable.Mutation, n int) {
	d := time.Duration(n) * time.Minute
	m.Set("token", "a", bigtable.Now()+bigtable.Timestamp(d), nil) // want `wrong-unit: .*nanoseconds of a time.Duration`
	m.Set("profile", "b", bigtable.Timestamp(d), nil)              // want `wrong-unit: `
	m.Set("token", "c", bigtable.Now()+bigtable.Timestamp(d.Microseconds()), nil)
	m.Set("token", "d", bigtable.Now()+bigtable.Timestamp(d/time.Microsecond), nil)
	m.Set("token", "e", bigtable.Time(time.Now().Add(d)), nil)
	micros := d / 1000
	m.Set("token", "f", bigtable.Now()+bigtable.Timestamp(micros), nil)
}

// Fields multiplies what is in fields, in parts and the other way round.
func Fields(m *bigtable.Mutation, c *conf.Config) {
	m.Set("token", "a", bigtable.Now()+bigtable.Timestamp(time.Minute*time.Duration(c.Minutes)), nil)         // want `wrong-unit: `
	m.Set("token", "b", bigtable.Now()+bigtable.Timestamp(time.Duration(c.Minutes)*60*time.Second), nil)      // want `wrong-unit: `
	m.Set("token", "c", bigtable.Now()+bigtable.Timestamp(time.Duration(c.Seconds)*time.Second+c.Grace), nil) // want `wrong-unit: `
	m.Set("token", "d", bigtable.Now()+bigtable.Timestamp((time.Duration(c.Seconds)*time.Second+c.Grace).Microseconds()), nil)
	m.Set("token", "e", bigtable.Now()+bigtable.Timestamp(c.Seconds*1e6), nil)
	m.Set("token", "f", bigtable.Now()+bigtable.Timestamp(c.Seconds)*bigtable.Timestamp(time.Second/time.Microsecond), nil)
}

// Across has them made by another package.
func Across(m *bigtable.Mutation, c conf.Config) {
	m.Set("token", "a", bigtable.Now()+bigtable.Timestamp(c.Lifetime()), nil) // want `wrong-unit: `
	m.Set("token", "b", bigtable.Now()+bigtable.Timestamp(c.Lifetime().Microseconds()), nil)
	m.Set("token", "c", bigtable.Now()+bigtable.Timestamp(conf.Seconds(c.Seconds)), nil) // want `wrong-unit: `
	m.Set("token", "d", bigtable.Now()+bigtable.Timestamp(conf.Seconds(c.Seconds)/time.Microsecond), nil)
}

// numbers are no durations: whatever they count is scaled as it must be.
func numbers(m *bigtable.Mutation, n int64, seq int64) {
	m.Set("token", "a", bigtable.Now()+bigtable.Timestamp(n)*60*1000*1000, nil)
	m.Set("token", "b", bigtable.Time(time.Unix(0, n*int64(time.Millisecond))), nil)
	m.Set("entry", "c", bigtable.Timestamp(seq*1000), nil)
}

// Ages subtracts a lifetime, to read what lives.
func Ages(n int) bigtable.Filter {
	d := time.Duration(n) * time.Hour
	return bigtable.ChainFilters(bigtable.FamilyFilter("profile"), bigtable.TimestampRangeFilter(time.Now().Add(-d), time.Time{}))
}
