// Package stamp declares policies, with one implementation of each.
package stamp

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// A Policy says which timestamp a cell gets.
type Policy interface{ Next() bigtable.Timestamp }

// Expiry stamps cells with their expiry.
type Expiry struct{ TTL time.Duration }

// Next returns the moment of expiry.
func (e Expiry) Next() bigtable.Timestamp { return bigtable.Time(time.Now().Add(e.TTL)) }

// A Namer names families; nobody implements it here.
type Namer interface{ Family() string }

// A Sole has one implementation anywhere.
type Sole interface{ At() bigtable.Timestamp }

type written struct{}

func (written) At() bigtable.Timestamp { return bigtable.Now() }

// NewSole returns the implementation.
func NewSole() Sole { return written{} }
