// Package cart is the cart aggregate: lines that expire, and a profile that does not.
package cart

import (
	"fmt"
	"time"

	"example.com/saga/clock"
	"example.com/saga/policy"
	"example.com/saga/vo"
)

// Event is something that happened to a cart.
type Event interface{ event() }

// LineAdded is raised when an article is put into the cart.
type LineAdded struct {
	SKU   vo.SKU
	Qty   int
	Until time.Time
}

// LineChanged is raised when a quantity changes.
type LineChanged struct {
	SKU   vo.SKU
	Qty   int
	Until time.Time
}

// LineRemoved is raised when an article is taken out.
type LineRemoved struct{ SKU vo.SKU }

// PriceShown is raised when a price was shown to the customer: it binds us for a while.
type PriceShown struct {
	SKU   vo.SKU
	Price vo.Money
	Until vo.Deadline
}

// ProfileSet is raised when the customer tells us something.
type ProfileSet struct {
	Key, Value string
	At         time.Time
}

// Opened is raised when the cart is looked at.
type Opened struct{ By string }

func (LineAdded) event()   {}
func (LineChanged) event() {}
func (LineRemoved) event() {}
func (PriceShown) event()  {}
func (ProfileSet) event()  {}
func (Opened) event()      {}

// Cart is the aggregate.
type Cart struct {
	ID     vo.CartID
	Lines  map[vo.SKU]int
	clk    clock.Clock
	life   policy.Lifetime
	events []Event
}

// New makes an empty cart.
func New(clk clock.Clock, id vo.CartID, life policy.Lifetime) *Cart {
	return &Cart{ID: id, Lines: map[vo.SKU]int{}, clk: clk, life: life}
}

// Add puts an article into the cart.
func (c *Cart) Add(s vo.SKU, qty int) error {
	if qty <= 0 {
		return fmt.Errorf("quantity %d: %w", qty, vo.ErrInvalid)
	}
	c.Lines[s] += qty
	c.raise(LineAdded{SKU: s, Qty: c.Lines[s], Until: c.life.Until(c.clk.Now())}) // ok ttlwrite/write-time
	return nil
}

// Change sets a quantity.
func (c *Cart) Change(s vo.SKU, qty int) error {
	if _, ok := c.Lines[s]; !ok {
		return fmt.Errorf("no %s in cart %s: %w", s, c.ID, vo.ErrInvalid)
	}
	if qty <= 0 {
		delete(c.Lines, s)
		c.raise(LineRemoved{SKU: s})
		return nil
	}
	c.Lines[s] = qty
	c.raise(LineChanged{SKU: s, Qty: qty, Until: c.clk.Now()}) // want ttlwrite/write-time[changed]
	return nil
}

// ShowPrice remembers what the customer saw.
func (c *Cart) ShowPrice(s vo.SKU, p vo.Money) {
	c.raise(PriceShown{SKU: s, Price: p, Until: vo.In(c.clk.Now(), 20*time.Minute)}) // ok ttlwrite/write-time
}

// Tell sets a value of the profile.
func (c *Cart) Tell(key, value string) {
	c.raise(ProfileSet{Key: key, Value: value, At: c.clk.Now()}) // ok ttlwrite/write-time
}

// Open is called when somebody looks.
func (c *Cart) Open(by string) { c.raise(Opened{By: by}) }

func (c *Cart) raise(e Event) { c.events = append(c.events, e) }

// Take returns the events and forgets them.
func (c *Cart) Take() []Event {
	e := c.events
	c.events = nil
	return e
}
