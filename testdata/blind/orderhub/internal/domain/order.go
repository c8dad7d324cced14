package domain

import (
	"fmt"
	"time"
)

// OrderState is where an order stands.
type OrderState string

// The states of an order.
const (
	StatePlaced    OrderState = "PLACED"
	StatePaid      OrderState = "PAID"
	StateShipped   OrderState = "SHIPPED"
	StateDelivered OrderState = "DELIVERED"
	StateCancelled OrderState = "CANCELLED"
)

// Terminal tells whether nothing follows.
func (s OrderState) Terminal() bool { return s == StateDelivered || s == StateCancelled }

// Next tells whether a change of state is legal.
func (s OrderState) Next(to OrderState) bool {
	switch s {
	case "":
		return to == StatePlaced
	case StatePlaced:
		return to == StatePaid || to == StateCancelled
	case StatePaid:
		return to == StateShipped || to == StateCancelled
	case StateShipped:
		return to == StateDelivered
	}
	return false
}

// Money is an amount in the smallest unit of its currency.
type Money struct {
	Amount   int64
	Currency string
}

// String implements fmt.Stringer.
func (m Money) String() string {
	return fmt.Sprintf("%d.%02d %s", m.Amount/100, m.Amount%100, m.Currency)
}

// Line is a line of an order.
type Line struct {
	Sku      string
	Quantity int
	Price    Money
}

// Order is an order.
type Order struct {
	id       string
	customer string
	merchant string
	lines    []Line
	total    Money
	placedAt time.Time
}

// ID returns the id.
func (o *Order) ID() string { return o.id }

// Customer returns the customer.
func (o *Order) Customer() string { return o.customer }

// Merchant returns the merchant.
func (o *Order) Merchant() string { return o.merchant }

// Lines returns the lines.
func (o *Order) Lines() []Line { return o.lines }

// Total returns the total.
func (o *Order) Total() Money { return o.total }

// PlacedAt returns when the order was placed.
func (o *Order) PlacedAt() time.Time { return o.placedAt }

// Accept lets a visitor see the order and its lines.
func (o *Order) Accept(v OrderVisitor) error {
	if err := v.VisitOrder(o); err != nil {
		return err
	}
	for i := range o.lines {
		if err := v.VisitLine(o, o.lines[i]); err != nil {
			return err
		}
	}
	return nil
}

// OrderVisitor visits orders.
type OrderVisitor interface {
	VisitOrder(o *Order) error
	VisitLine(o *Order, l Line) error
}

// OrderBuilder builds an Order.
type OrderBuilder struct {
	o Order
}

// NewOrderBuilder returns an empty OrderBuilder.
func NewOrderBuilder() *OrderBuilder { return &OrderBuilder{} }

// WithID sets the id.
func (b *OrderBuilder) WithID(id string) *OrderBuilder { b.o.id = id; return b }

// WithCustomer sets the customer.
func (b *OrderBuilder) WithCustomer(c string) *OrderBuilder { b.o.customer = c; return b }

// WithMerchant sets the merchant.
func (b *OrderBuilder) WithMerchant(m string) *OrderBuilder { b.o.merchant = m; return b }

// AddLine adds a line.
func (b *OrderBuilder) AddLine(l Line) *OrderBuilder {
	b.o.lines = append(b.o.lines, l)
	b.o.total.Amount += l.Price.Amount * int64(l.Quantity)
	b.o.total.Currency = l.Price.Currency
	return b
}

// WithTotal overrides the sum of the lines.
func (b *OrderBuilder) WithTotal(m Money) *OrderBuilder { b.o.total = m; return b }

// PlacedAt sets when the order was placed.
func (b *OrderBuilder) PlacedAt(t time.Time) *OrderBuilder { b.o.placedAt = t; return b }

// Build returns the Order.
func (b *OrderBuilder) Build() (*Order, error) {
	if b.o.id == "" || b.o.customer == "" {
		return nil, ErrIncomplete
	}
	o := b.o
	return &o, nil
}

// Hold is a reservation of stock.
type Hold struct {
	Sku      string
	Quantity int
	Until    time.Time
}

// Revision is a version of an order's text.
type Revision struct {
	Number  int64
	Author  string
	Payload []byte
}
