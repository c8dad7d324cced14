// Package model makes the cells of things.
package model

import "cloud.google.com/go/bigtable"

// Family is a column family.
type Family int

// The families.
const (
	Token Family = iota + 1
	Profile
)

var names = [...]string{"", "token", "profile"}

func (f Family) String() string {
	if f < 0 || int(f) >= len(names) {
		return "?"
	}
	return names[f]
}

// Column is a column of a family.
type Column struct {
	Family Family
	Name   string
}

// The columns.
var (
	JWT  = Column{Token, "jwt"}
	Ref  = Column{Token, "ref"}
	Name = Column{Profile, "name"}
)

// Cell is what is written.
type Cell struct {
	Column
	Timestamp bigtable.Timestamp
	Value     []byte
}

// Session is a session.
type Session struct{ ID, JWT, Refresh, Name string }

// Cells returns the cells that the session has.
func (s *Session) Cells(ts bigtable.Timestamp) []Cell {
	var out []Cell
	if s.JWT != "" {
		out = append(out, Cell{JWT, ts, []byte(s.JWT)})
	}
	if s.Refresh != "" {
		out = append(out, Cell{Ref, ts, []byte(s.Refresh)})
	}
	return out
}

// ProfileCells returns the cells of the profile.
func (s *Session) ProfileCells() []Cell {
	return []Cell{{Name, bigtable.ServerTime, []byte(s.Name)}}
}
