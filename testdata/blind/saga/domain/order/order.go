// Package order is the order aggregate. Every change is a new revision, and the store keeps the last five.
package order

import (
	"encoding/json"
	"errors"
	"fmt"

	"example.com/saga/clock"
	"example.com/saga/domain/event"
	"example.com/saga/vo"
)

// Families of the orders table.
const (
	famRev    = "rev"
	famStatus = "status"
	famNote   = "note"
)

// State is where an order is.
type State string

// States.
const (
	Pending   State = "pending"
	Paid      State = "paid"
	Shipped   State = "shipped"
	Cancelled State = "cancelled"
)

// ErrState is wrapped when a change is not allowed in the state that the order has.
var ErrState = errors.New("not allowed in this state")

// Line is an article of an order.
type Line struct {
	SKU   vo.SKU   `json:"sku"`
	Qty   int      `json:"qty"`
	Price vo.Money `json:"price"`
}

// Order is the aggregate.
type Order struct {
	event.Recorder
	ID      vo.OrderID
	Lines   []Line
	Total   vo.Money
	Address string
	Coupon  vo.CouponCode

	clk   clock.Clock
	state State
	rev   vo.Revision
	notes int
}

// New makes a pending order.
func New(clk clock.Clock, id vo.OrderID, lines []Line) (*Order, error) {
	o := &Order{ID: id, Lines: lines, clk: clk, state: Pending, rev: 1}
	for _, l := range lines {
		t, err := o.Total.Add(l.Price.Times(l.Qty))
		if err != nil {
			return nil, fmt.Errorf("order %s: %w", id, err)
		}
		o.Total = t
	}
	enc, err := json.Marshal(lines)
	if err != nil {
		return nil, fmt.Errorf("order %s: %w", id, err)
	}
	o.Record(famRev, "lines", o.rev.Micros(), enc)                             // ok ttlwrite/unscaled-sequence
	o.Record(famRev, "total", o.rev.Micros(), []byte(o.Total.String()))        // ok ttlwrite/unscaled-sequence
	o.Record(famStatus, "state", 0, []byte(Pending))                           // ok ttlwrite/clock-in-zero
	o.Record(famNote, "placed", clk.Now().UnixMicro(), []byte("order placed")) // ok ttlunit/wrong-unit
	return o, nil
}

// Restore makes an order of what the store has.
func Restore(clk clock.Clock, id vo.OrderID, rev vo.Revision, state State, lines []Line, total vo.Money) *Order {
	return &Order{ID: id, clk: clk, rev: rev, state: state, Lines: lines, Total: total}
}

// Revision is the current revision.
func (o *Order) Revision() vo.Revision { return o.rev }

// State is the current state.
func (o *Order) State() State { return o.state }

func (o *Order) allow(states ...State) error {
	for _, s := range states {
		if o.state == s {
			return nil
		}
	}
	return fmt.Errorf("order %s is %s: %w", o.ID, o.state, ErrState)
}

// Move changes the address.
func (o *Order) Move(address string) error {
	if err := o.allow(Pending, Paid); err != nil {
		return err
	}
	o.Address = address
	o.rev++
	o.Record(famRev, "address", int64(o.rev), []byte(address)) // want ttlwrite/unscaled-sequence
	return nil
}

// Apply takes a coupon off the total.
func (o *Order) Apply(code vo.CouponCode, percent int) error {
	if err := o.allow(Pending); err != nil {
		return err
	}
	o.Coupon = code
	o.Total.Minor -= o.Total.Percent(percent).Minor
	o.rev = o.rev.Next()
	o.Record(famRev, "coupon", o.rev.Micros(), []byte(code))            // ok ttlwrite/unscaled-sequence
	o.Record(famRev, "total", o.rev.Micros(), []byte(o.Total.String())) // ok ttlwrite/unscaled-sequence
	return nil
}

// Pay marks the order paid.
func (o *Order) Pay(reference string) error {
	if err := o.allow(Pending); err != nil {
		return err
	}
	o.state = Paid
	o.rev = o.rev.Next()
	o.Record(famRev, "payment", o.clk.Now().UnixMicro(), []byte(reference)) // want ttlwrite/clock-in-sequence
	o.Record(famStatus, "state", 0, []byte(Paid))                           // ok ttlwrite/clock-in-zero
	o.Record(famNote, "paid", o.clk.Now().UnixMilli(), []byte(reference))   // want ttlunit/wrong-unit
	return nil
}

// Ship marks the order shipped.
func (o *Order) Ship(parcel string) error {
	if err := o.allow(Paid); err != nil {
		return err
	}
	now := o.clk.Now()
	o.state = Shipped
	o.rev = o.rev.Next()
	o.Record(famRev, "parcel", int64(o.rev)*1000, []byte(parcel))  // ok ttlwrite/unscaled-sequence
	o.Record(famStatus, "state", now.UnixMicro(), []byte(Shipped)) // want ttlwrite/clock-in-zero
	o.Record(famNote, "shipped", now.UnixMicro(), []byte(parcel))  // ok ttlwrite/clock-in-zero
	return nil
}

// Cancel is the compensation of New.
func (o *Order) Cancel(reason string) error {
	if err := o.allow(Pending, Paid); err != nil {
		return err
	}
	o.state = Cancelled
	o.rev = o.rev.Next()
	o.Record(famRev, "cancelled", o.rev.Micros(), []byte(reason)) // ok ttlwrite/clock-in-sequence
	o.Record(famStatus, "state", 0, []byte(Cancelled))            // ok ttlwrite/clock-in-zero
	return nil
}

// Annotate adds a note of the service desk.
func (o *Order) Annotate(by, text string) {
	o.notes++
	o.Record(famNote, fmt.Sprintf("desk%03d:%s", o.notes, by), o.clk.Now().UnixMicro(), []byte(text)) // ok ttlwrite/clock-in-sequence
}
