// Package user gives a watcher its filters.
package user

import (
	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/s3_foreign"
	"example.com/cases/sight/s3_foreign/filter"
)

// Live watches what lives.
func Live(c *bigtable.Client) *s3_foreign.Watcher {
	return s3_foreign.NewWatcher(c.Open("sessions"), filter.Default{})
}

// Writer writes tokens at the server's time.
func Writer() *s3_foreign.Writer {
	return s3_foreign.NewWriter(server{}) // want `server-timestamp: .*"token"`
}

type server struct{}

func (server) Next() bigtable.Timestamp { return bigtable.ServerTime }

// All watches everything.
func All(c *bigtable.Client) *s3_foreign.Watcher {
	return s3_foreign.NewWatcher(c.Open("sessions"), everything{}) // want `missing-filter: .*"token"`
}

type everything struct{}

func (everything) Live() bigtable.Filter { return bigtable.PassAllFilter() }
