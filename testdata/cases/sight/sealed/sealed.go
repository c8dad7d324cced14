// Package sealed gives another package one of its closed set of types, whose method only
// that can name.
package sealed

import (
	"time"

	"example.com/cases/sight/sealed/cells"
)

func put() {
	cells.Put("token", cells.ByServer{})               // want `server-timestamp: .*"token"`
	cells.Put("token", cells.Fixed(0))                 // want `already-expired: .*"token"`
	cells.Put("token", cells.After{D: 0})              // want `write-time: .*"token"`
	cells.Put("token", cells.After{D: time.Hour})      // ok
	cells.Put("profile", cells.ByServer{})             // ok
	cells.Put("token", cells.After{D: -2 * time.Hour}) // want `already-expired: .*"token"`
}

// renamed has the method by what it embeds: the other package alone names it.
type renamed struct{ cells.ByServer }

func putRenamed() {
	cells.Put("token", renamed{})   // want `server-timestamp: .*"token"`
	cells.Put("profile", renamed{}) // ok
}
