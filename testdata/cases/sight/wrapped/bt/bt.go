// Package bt wraps the client.
package bt

import "cloud.google.com/go/bigtable"

// Client opens tables.
type Client struct{ raw *bigtable.Client }

// Table is a table with its name.
type Table struct {
	name string
	tbl  bigtable.TableAPI
}

// Dial wraps a client.
func Dial(c *bigtable.Client) *Client { return &Client{c} }

// Table opens a table.
func (c *Client) Table(name string) *Table { return &Table{name: name, tbl: c.raw.OpenTable(name)} }

// Raw is the table itself.
func (t *Table) Raw() bigtable.TableAPI { return t.tbl }
