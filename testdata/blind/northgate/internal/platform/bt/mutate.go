package bt

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// putConfig is what put options change.
type putConfig struct {
	at bigtable.Timestamp
}

// PutOption changes how Put writes a cell.
type PutOption func(*putConfig)

// At writes the cell at ts.
func At(ts bigtable.Timestamp) PutOption { return func(c *putConfig) { c.at = ts } }

// For lets the cell live for d in a family of one-second expiration.
func For(d time.Duration) PutOption {
	return func(c *putConfig) { c.at = ExpireIn(d) }
}

// Numbered writes the cell at a sequence number.
func Numbered(n uint64) PutOption { return func(c *putConfig) { c.at = Seq(n) } }

// InPlace overwrites the cell that is there.
func InPlace() PutOption { return func(c *putConfig) { c.at = Epoch } }

// Put sets a cell. Without options it is written now, by this host's clock.
func Put[F ~string](m *bigtable.Mutation, family F, column string, value []byte, opts ...PutOption) {
	c := putConfig{at: bigtable.Now()}
	for _, o := range opts {
		o(&c)
	}
	m.Set(string(family), column, c.at, value)
}

// PutString is Put for text.
func PutString[F ~string](m *bigtable.Mutation, family F, column, value string, opts ...PutOption) {
	Put(m, family, column, []byte(value), opts...)
}

// Replace deletes the column before it sets it, so that a shorter life wins.
func Replace[F ~string](m *bigtable.Mutation, family F, column string, value []byte, ts bigtable.Timestamp) {
	m.DeleteCellsInColumn(string(family), column)
	m.Set(string(family), column, ts, value) // ok ttlwrite/delete-after-set
}

// Mutate builds a mutation from steps.
func Mutate(steps ...func(*bigtable.Mutation)) *bigtable.Mutation {
	m := bigtable.NewMutation()
	for _, s := range steps {
		s(m)
	}
	return m
}

// SetCell is a step for Mutate.
func SetCell[F ~string](family F, column string, ts bigtable.Timestamp, value []byte) func(*bigtable.Mutation) {
	return func(m *bigtable.Mutation) { m.Set(string(family), column, ts, value) }
}

// DropColumn is a step for Mutate.
func DropColumn[F ~string](family F, column string) func(*bigtable.Mutation) {
	return func(m *bigtable.Mutation) { m.DeleteCellsInColumn(string(family), column) }
}
