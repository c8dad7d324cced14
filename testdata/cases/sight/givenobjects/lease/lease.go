// Package lease has what is written.
package lease

import "cloud.google.com/go/bigtable"

// A Lease is it.
type Lease struct {
	Family string
	Until  bigtable.Timestamp
}
