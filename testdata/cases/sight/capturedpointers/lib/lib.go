// Package lib has objects whose methods set them.
package lib

import "cloud.google.com/go/bigtable"

// A State has a timestamp.
type State struct{ At bigtable.Timestamp }

// Later sets it.
func (s *State) Later(ts bigtable.Timestamp) { s.At = ts }

// Fill does too.
func Fill(s *State, ts bigtable.Timestamp) { s.At = ts }

// An Expiry is part of others.
type Expiry struct {
	Renewed int64
	At      bigtable.Timestamp
}

// Later sets it.
func (e *Expiry) Later(ts bigtable.Timestamp) { e.At = ts }

// A Lease has one.
type Lease struct {
	Expiry Expiry
	N      int64
}
