// Package shared keeps stores in variables, for others.
package shared

import (
	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/storemethod/h"
)

var (
	Codes *h.Store
	Notes *h.Open
)

// All are stores in a struct.
var All struct{ Tickets *h.Store }

func Init(c *bigtable.Client) {
	Codes = h.New(c, "otp", "code")             // want `write-time: .*"code"` `missing-filter: .*"code"`
	All.Tickets = h.New(c, "tickets", "ticket") // want `write-time: .*"ticket"` `missing-filter: .*"ticket"`
	Notes = &h.Open{Table: c.Open("cache"), Family: "val"}
}

// NewCodes makes one.
func NewCodes(c *bigtable.Client) *h.Store {
	return h.New(c, "otp", "code") // want `write-time: .*"code"` `missing-filter: .*"code"`
}
