// Package tenant opens tables by names of its own.
package tenant

import "cloud.google.com/go/bigtable"

// An Opener opens the tables of a tenant.
type Opener struct {
	C      *bigtable.Client
	Tenant string
}

// Open opens a table of the tenant.
func (o Opener) Open(name string) *bigtable.Table { return o.C.Open(o.Tenant + "-" + name) }
