// Package mutations makes mutations for more than one table.
package mutations

import (
	"cloud.google.com/go/bigtable"

	"example.com/assecura/internal/constants"
)

// EventMutationFactory makes mutations of families of events: claims and telematics both have one.
type EventMutationFactory interface {
	CreateTimedEvent(kind string, body []byte) *bigtable.Mutation
	CreateNumberedEvent(kind string, n int64, body []byte) *bigtable.Mutation
}

type eventMutationFactoryImpl struct{}

// NewEventMutationFactory makes the factory.
func NewEventMutationFactory() EventMutationFactory { return &eventMutationFactoryImpl{} }

// CreateTimedEvent implements EventMutationFactory.
func (*eventMutationFactoryImpl) CreateTimedEvent(kind string, body []byte) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set(constants.ClaimEvent.ColumnFamily(), kind, bigtable.Now(), body) // ok ttlwrite/clock-in-sequence
	return m
}

// CreateNumberedEvent implements EventMutationFactory.
func (*eventMutationFactoryImpl) CreateNumberedEvent(kind string, n int64, body []byte) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set(constants.ClaimEvent.ColumnFamily(), kind, bigtable.Timestamp(n*1000), body) // ok ttlwrite/unscaled-sequence
	return m
}
