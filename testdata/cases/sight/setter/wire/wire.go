// Package wire keeps what is sent, and knows nothing of where it comes from.
package wire

import "time"

// Meta is of everything that is sent.
type Meta struct {
	LastModified int64
	Revision     int64
}

// Stamp sets when something was changed.
func (m *Meta) Stamp(at time.Time) { m.LastModified = at.UnixMilli() }

// Number sets the number of a change.
func (m *Meta) Number(n int64) { m.Revision = n }
