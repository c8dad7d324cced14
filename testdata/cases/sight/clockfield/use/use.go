// Package use gives the clock.
package use

import (
	"context"
	"errors"
	"time"

	"cloud.google.com/go/bigtable"

	clockfield "example.com/cases/sight/clockfield"
)

func open(client *bigtable.Client) *clockfield.Store {
	return clockfield.New(client.Open("tickets"), time.Now)
}

func moments(client *bigtable.Client) *clockfield.Moments {
	return clockfield.NewMoments(client.Open("tickets"), time.Now) // want `write-time` `already-expired`
}

func okOpen(client *bigtable.Client, now func() time.Time) *clockfield.Store {
	return clockfield.New(client.Open("tickets"), now)
}

func okOwn(client *bigtable.Client) *clockfield.Own {
	return clockfield.NewOwn(client.Open("tickets"), time.Now)
}

func stamped(ctx context.Context, client *bigtable.Client) error {
	s := clockfield.NewStamped(client.Open("tickets"), bigtable.Now()) // want `write-time` `already-expired`
	return errors.Join(s.Put(ctx), s.Earlier(ctx))
}
