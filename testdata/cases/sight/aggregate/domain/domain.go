// Package domain has aggregates, and knows nothing of tables.
package domain

import "time"

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

// A Revision stays as it is: the next one is another.
type Revision struct{ number int64 }

func Decoded(number int64) Revision { return Revision{number} }

func (r Revision) Next() Revision  { return Revision{number: r.number + 1} }
func (r Revision) First() Revision { return Revision{} }
func (r Revision) Number() int64   { return r.number }

// A Stamp is followed by a later one.
type Stamp struct{ number int64 }

func (s Stamp) Next() Stamp          { return Stamp{s.number + 1} }
func (s Stamp) At(t time.Time) Stamp { return Stamp{t.UnixMicro()} }
func (s Stamp) Number() int64        { return s.number }

// A Thousandth leaves room.
type Thousandth struct{ number int64 }

func (t Thousandth) Next() Thousandth { return Thousandth{t.number + 1000} }
func (t Thousandth) Number() int64    { return t.number }

// A Plain has a number that nobody counts.
type Plain struct{ Version int64 }
