// Package events builds the mutations of events, for whoever stores them.
package events

import (
	"encoding/json"
	"time"

	"cloud.google.com/go/bigtable"
)

// Family is where events go.
const Family = "ev"

// Event is something that happened.
type Event struct {
	Kind   string          `json:"kind"`
	Actor  string          `json:"actor"`
	Body   json.RawMessage `json:"body"`
	At     time.Time       `json:"at"`
	Number int64           `json:"number"`
}

// Stamped is the mutation of an event with the time at which it is written.
func Stamped(e Event) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set(Family, e.Kind, bigtable.Now(), e.Body)
	return m
}

// Numbered is the mutation of an event with its number as its version.
func Numbered(e Event, n int64) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set(Family, e.Kind, bigtable.Timestamp(n*1000), e.Body)
	return m
}

// At is the mutation of an event at a timestamp that the caller chooses.
func At(e Event, ts bigtable.Timestamp) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set(Family, e.Kind, ts, e.Body)
	return m
}
