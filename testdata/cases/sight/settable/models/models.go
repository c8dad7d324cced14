// Package models fills a field that others may fill otherwise.
package models

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// A Ticket is valid for a while.
type Ticket struct {
	Key      string
	Lifetime time.Duration
}

// NewTicket gives the usual time.
func NewTicket(key string) *Ticket { return &Ticket{Key: key, Lifetime: 15 * time.Minute} }

// Save writes it.
func (t *Ticket) Save(ctx context.Context, tbl *bigtable.Table) error {
	mut := bigtable.NewMutation()
	mut.Set("ticket", "code", bigtable.Time(time.Now().Add(t.Lifetime)), nil)
	return tbl.Apply(ctx, t.Key, mut)
}
