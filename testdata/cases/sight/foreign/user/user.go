// Package user gives a watcher its filters.
package user

import (
	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/foreign"
	"example.com/cases/sight/foreign/filter"
)

// Live watches what lives.
func Live(c *bigtable.Client) *foreign.Watcher {
	return foreign.NewWatcher(c.Open("sessions"), filter.Default{})
}

// Writer writes tokens at the server's time.
func Writer() *foreign.Writer {
	return foreign.NewWriter(server{}) // want `server-timestamp: .*"token"`
}

type server struct{}

func (server) Next() bigtable.Timestamp { return bigtable.ServerTime }

// All watches everything.
func All(c *bigtable.Client) *foreign.Watcher {
	return foreign.NewWatcher(c.Open("sessions"), everything{}) // want `missing-filter: .*"token"`
}

type everything struct{}

func (everything) Live() bigtable.Filter { return bigtable.PassAllFilter() }
