//go:build misuse

package planted

import (
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/ttlvet/ttlvet/runtime/ttl"

	"example.com/cases/runtime_program/tables"
)

// The misuses that do not compile, each on the line of its comment.

func settingFor(mut *bigtable.Mutation) error {
	return tables.Setting.SetFor(mut, "shown", nil, time.Hour) // does not compile: a timestamp-zero family has no lifetimes
}

func bookingWithoutNumber(mut *bigtable.Mutation) error {
	return tables.Booking.Set(mut, "amount", nil) // does not compile: a booking has a number
}

func ticketWithTimestamp(mut *bigtable.Mutation) error {
	return tables.Ticket.Set(mut, "jwt", bigtable.Now(), nil) // does not compile: the timestamp is the family's business
}

func countBookings() any {
	return ttl.NewCounter(tables.Booking, "n") // does not compile: numbers do not expire
}
