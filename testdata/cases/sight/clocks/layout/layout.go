// Package layout says how tables are laid out.
package layout

import "os"

// Sessions is the layout of a table.
type Sessions struct {
	Families struct{ Token, Profile string }
	Column   string
}

// DefaultSessions is what every edition uses.
func DefaultSessions() Sessions {
	var s Sessions
	s.Families.Token, s.Families.Profile = "token", "profile"
	s.Column = os.Getenv("COLUMN")
	return s
}

// Mixed is the layout of another, filled by its defaults.
type Mixed struct{ Hot, Log, Seq string }

// WithDefaults fills what is not set; what the environment says may be any.
func (m Mixed) WithDefaults() Mixed {
	if m.Hot == "" {
		m.Hot = "hot"
	}
	if m.Log == "" {
		m.Log = "log"
	}
	m.Seq = "seq"
	if s := os.Getenv("SEQ"); s != "" {
		m.Seq = s
	}
	return m
}

// Family describes one of many families: that this package has one says nothing
// of others.
type Family struct {
	Name     string
	Versions int
}

// Token is one of them.
var Token = Family{Name: "token", Versions: 1}

// Column is a column of a family.
type Column struct{ Family, Name string }

// JWT is one.
var JWT = Column{Family: "token", Name: "jwt"}
