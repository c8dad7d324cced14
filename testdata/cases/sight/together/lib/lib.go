// Package lib chooses families with their timestamps.
package lib

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// A Place is where and when a value is written.
type Place struct {
	Family, Column string
	TS             bigtable.Timestamp
}

// For returns the place of a kind of value.
func For(kind string, pinned map[string]bool) Place {
	p := Place{Family: "profile", Column: "v", TS: bigtable.Now()}
	if pinned[kind] {
		p.Family, p.TS = "token", bigtable.Time(time.Now().Add(time.Hour))
	}
	return p
}

// Pair returns a family with its timestamp.
func Pair(pinned map[string]bool, kind string) (family string, ts bigtable.Timestamp) {
	family, ts = "profile", bigtable.Now()
	if pinned[kind] {
		family, ts = "token", bigtable.Time(time.Now().Add(time.Hour))
	}
	return family, ts
}

// Bad returns another.
func Bad(pinned map[string]bool, kind string) (family string, ts bigtable.Timestamp) {
	family, ts = "profile", bigtable.Now()
	if pinned[kind] {
		family, ts = "token", bigtable.Now()
	}
	return family, ts
}
