// Package stock opens all tables in one place and hands them out in a struct
// that other packages keep, take apart or pass around.
package stock

import "cloud.google.com/go/bigtable"

// Shelf holds the tables.
type Shelf struct {
	Codes  *bigtable.Table
	Plain  *bigtable.Table
	Values *bigtable.Table
	Late   *bigtable.Table
	// Two has two makers that disagree.
	Two *bigtable.Table
	// Any is whatever a caller names.
	Any *bigtable.Table
	// Free is set by another package as well.
	Free *bigtable.Table
}

// New opens them.
func New(c *bigtable.Client, name string) *Shelf {
	s := &Shelf{
		Codes:  c.Open("otp"),
		Plain:  c.Open("plain"),
		Values: c.Open("history"),
		Two:    c.Open("otp"),
		Any:    c.Open(name),
		Free:   c.Open("otp"),
	}
	s.Late = c.Open("otp")
	return s
}

// Alternate swaps one.
func (s *Shelf) Alternate(c *bigtable.Client) { s.Two = c.Open("plain") }
