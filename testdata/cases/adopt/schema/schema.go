// Package schema declares the tables of the program that is rewritten.
package schema

import (
	"time"

	"github.com/ttlvet/ttlvet/runtime/ttl"
)

var (
	Grant  = ttl.OneSecond("ad-grant", 30*time.Minute)
	Person = ttl.RealTime("ad-person")
	Logins = ttl.NewTable("ad-logins", Grant, Person)

	Visit  = ttl.Default("ad-visit", 720*time.Hour)
	Visits = ttl.NewTable("ad-visits", Visit)

	Amount = ttl.Sequence("ad-amount", 3)
	Books  = ttl.NewTable("ad-books", Amount)

	Pref  = ttl.Zero("ad-pref")
	Prefs = ttl.NewTable("ad-prefs", Pref)
)
