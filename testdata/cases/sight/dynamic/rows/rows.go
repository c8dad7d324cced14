// Package rows writes itself.
package rows

import "cloud.google.com/go/bigtable"

// Hold is of a family that expires.
type Hold struct{ Room string }

// Marshal writes it.
func (h *Hold) Marshal(mut *bigtable.Mutation, ts bigtable.Timestamp) {
	mut.Set("token", "room", ts, []byte(h.Room))
}

// Note is of an ordinary family.
type Note struct{ Text string }

// Marshal writes it.
func (n *Note) Marshal(mut *bigtable.Mutation, ts bigtable.Timestamp) {
	mut.Set("profile", "text", ts, []byte(n.Text))
}
