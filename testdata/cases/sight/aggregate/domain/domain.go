// Package domain has aggregates, and knows nothing of tables.
package domain

// A Slot counts its versions.
type Slot struct {
	ID      string
	Version int64
}

func (s *Slot) Advance() { s.Version++ }

// An Order keeps its number to itself.
type Order struct{ version int64 }

func NewOrder(version int64) *Order { return &Order{version: version} }

func (o *Order) Pay()           { o.version++ }
func (o *Order) Cancel()        { o.version++ }
func (o *Order) Version() int64 { return o.version }

// A Ledger counts by thousands.
type Ledger struct{ Version int64 }

func (l *Ledger) Advance() { l.Version += 1000 }

// A Clocked is versioned by whoever sets it.
type Clocked struct{ Version int64 }

func (c *Clocked) Advance()           { c.Version++ }
func (c *Clocked) Reset(millis int64) { c.Version = millis * 1000 }

// A Plain has a number that nobody counts.
type Plain struct{ Version int64 }
