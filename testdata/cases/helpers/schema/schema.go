// Package schema names families and columns. It does not import the client.
package schema

import "strings"

// A Family is one of those of the table of sessions.
type Family int

const (
	Token Family = iota
	Profile
)

func (f Family) String() string {
	switch f {
	case Token:
		return "token"
	case Profile:
		return "profile"
	}
	return ""
}

// Of returns the family of a kind of value.
func Of(kind string) string {
	if kind == "jwt" {
		return "token"
	}
	return "profile"
}

var names = map[Family]string{Token: "token", Profile: "profile"}

// Name looks a family up.
func Name(f Family) string { return names[f] }

// Families are those of the table, by number.
var Families = []string{"token", "profile"}

// Sessions is the name of a table.
func Sessions(env string) string { return "sessions" }

// Key makes a row key.
func Key(parts ...string) string { return strings.Join(parts, "#") }

// A Column is in a family.
type Column struct{ Family, Qualifier string }

// JWT is the column of the token.
var JWT = Column{"token", "jwt"}

// Bio returns the column of the biography.
func Bio() Column { return Column{Family: "profile", Qualifier: "bio"} }
