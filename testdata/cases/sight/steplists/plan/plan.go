// Package plan runs steps on the state of a request.
package plan

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// A State is what steps work on.
type State struct {
	M   *bigtable.Mutation
	Exp bigtable.Timestamp
}

// A Step is one of them.
type Step func(*State)

// Prepare sets when it expires.
func Prepare(st *State) { st.Exp = bigtable.Time(time.Now().Add(time.Hour)) }

// Wall sets the current time.
func Wall(st *State) { st.Exp = bigtable.Now() }
