// Package wire puts services and stores together, for others.
package wire

import (
	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/consumers/service"
	"example.com/cases/sight/consumers/store"
)

// Service has a store.
func Service(c *bigtable.Client) *service.Service {
	return service.New(store.New(c)) // want `write-time: .*"token" of table "sessions"`
}

// Right has a store too.
func Right(c *bigtable.Client) *service.Right { return service.NewRight(store.New(c)) }
