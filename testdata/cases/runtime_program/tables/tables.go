// Package tables declares what the service keeps in Bigtable.
package tables

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/ttlvet/ttlvet/runtime/ttl"
)

// Sessions: who is logged in, and for how long.
var (
	Ticket   = ttl.OneSecond("ticket", 30*time.Minute)
	Account  = ttl.RealTime("account").MaxVersions(1)
	Sessions = ttl.NewTable("rt-sessions", Ticket, Account)

	// Issued says when the ticket of a session was issued.
	Issued = ttl.WrittenAt(Ticket, "issued")
	// Failures are the failed logins of the last half hour.
	Failures = ttl.NewCounter(Ticket, "failures")
)

// Clicks: what was looked at in the last thirty days.
var (
	Click  = ttl.Default("click", 30*24*time.Hour)
	Clicks = ttl.NewTable("rt-clicks", Click)
)

// Ledger: bookings by number, of which the last three count.
var (
	Booking = ttl.Sequence("booking", 3)
	Ledger  = ttl.NewTable("rt-ledger", Booking)
)

// Settings: one value of each.
var (
	Setting  = ttl.Zero("setting")
	Settings = ttl.NewTable("rt-settings", Setting)
)

// Locks: who holds what, with a number that fences off earlier holders.
var (
	Lease = ttl.OneSecond("lease", 10*time.Second)
	Fence = ttl.Sequence("fence", 1)
	Locks = ttl.NewTable("rt-locks", Lease, Fence)
)

// All are the tables of the service.
var All = []*ttl.Table{Sessions, Clicks, Ledger, Settings, Locks}

// Create creates the tables that are missing, and holds the others against
// their declarations.
func Create(ctx context.Context, admin *bigtable.AdminClient) error {
	have, err := admin.Tables(ctx)
	if err != nil {
		return err
	}
	exists := make(map[string]bool, len(have))
	for _, name := range have {
		exists[name] = true
	}
	var faults []error
	for _, t := range All {
		if exists[t.Name()] {
			faults = append(faults, t.Verify(ctx, admin))
			continue
		}
		if err := admin.CreateTableFromConf(ctx, t.Conf()); err != nil {
			faults = append(faults, fmt.Errorf("table %s: %w", t.Name(), err))
		}
	}
	return errors.Join(faults...)
}
