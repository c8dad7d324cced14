// Package lib writes with what is given as an interface that types of others implement.
package lib

import "cloud.google.com/go/bigtable"

// Stamped says at which time a cell is written.
type Stamped interface{ Timestamp() bigtable.Timestamp }

// Put writes to a family.
func Put(m *bigtable.Mutation, family string, at Stamped) { m.Set(family, "c", at.Timestamp(), nil) }

// Micros is a time.
type Micros int64

// Timestamp is the time.
func (m Micros) Timestamp() bigtable.Timestamp { return bigtable.Timestamp(m) }
