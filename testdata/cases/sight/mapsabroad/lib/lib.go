// Package lib fills maps that it is given.
package lib

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Ages puts lifetimes of columns into a map.
func Ages(m map[string]time.Duration, age time.Duration) {
	m["dead"] = 0
	m["long"] = age
}

// Filters puts filters into a map, by their names.
func Filters(m map[string]bigtable.Filter) {
	m["all"] = bigtable.FamilyFilter("token")
	m["live"] = bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
}

// Families puts a family and its policy into a map.
func Families(m map[string]bigtable.Family, name string, age time.Duration) {
	m[name] = bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(age)}
}

// OkLater puts the lifetimes into a map by way of another function.
func OkLater(m map[string]time.Duration) {
	Ages(m, time.Hour)
	m["dead"] = time.Hour
}
