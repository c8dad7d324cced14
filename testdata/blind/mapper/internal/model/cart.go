// Package model has the entities that the mapper saves.
package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"marketmap.example/market/internal/schema"
)

// ErrInvalid is returned by hooks that refuse an entity.
var ErrInvalid = errors.New("model: invalid")

// itemBase is shared by what lives in the item family of a cart.
type itemBase struct {
	Buyer string `bt:"-"`
}

// Family implements mapper.Entity.
func (itemBase) Family() string { return schema.FamItem }

// Key implements mapper.Entity.
func (b itemBase) Key() string { return "cart#" + b.Buyer }

// CartItem is a line of a cart.
type CartItem struct {
	itemBase
	SKU       string    `bt:"sku"`
	Qty       int64     `bt:"qty"`
	CreatedAt time.Time `bt:"-"`
}

// NewCartItem makes a line.
func NewCartItem(buyer, sku string, qty int64) *CartItem {
	return &CartItem{itemBase: itemBase{Buyer: buyer}, SKU: sku, Qty: qty}
}

// Stamp implements mapper.Entity.
func (c *CartItem) Stamp() bigtable.Timestamp {
	return bigtable.Now() // want ttlwrite/write-time[additem] ttlwrite/write-time[reitem] ttlwrite/write-time[unititem]
}

// Scan implements mapper.Scanner.
func (c *CartItem) Scan(items []bigtable.ReadItem) {
	for _, it := range items {
		switch strings.TrimPrefix(it.Column, schema.FamItem+":") {
		case "sku":
			c.SKU = string(it.Value)
			c.CreatedAt = it.Timestamp.Time() // want ttlage/not-write-time
		case "qty":
			c.Qty = int64(len(it.Value))
		}
	}
}

// CartCoupon is a coupon that was put into a cart; it goes with the cart.
type CartCoupon struct {
	itemBase
	Code    string    `bt:"coupon"`
	Expires time.Time `bt:"-"`
}

// NewCartCoupon makes one.
func NewCartCoupon(buyer, code string) *CartCoupon {
	return &CartCoupon{itemBase: itemBase{Buyer: buyer}, Code: code}
}

// BeforeSave implements mapper.BeforeSaver.
func (c *CartCoupon) BeforeSave() error {
	c.Code = strings.ToUpper(strings.TrimSpace(c.Code))
	if c.Code == "" {
		return fmt.Errorf("%w: empty coupon", ErrInvalid)
	}
	return nil
}

// Stamp implements mapper.Entity.
func (c *CartCoupon) Stamp() bigtable.Timestamp { return bigtable.ServerTime } // want ttlwrite/server-timestamp[coupon]

// SavedItem is a line that was saved for later: twice as long as others.
type SavedItem struct {
	itemBase
	SKU string `bt:"saved"`
}

// NewSavedItem makes one.
func NewSavedItem(buyer, sku string) *SavedItem {
	return &SavedItem{itemBase: itemBase{Buyer: buyer}, SKU: sku}
}

// Stamp implements mapper.Entity.
func (s *SavedItem) Stamp() bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(2 * schema.ItemTTL)) // ok ttlwrite/write-time
}

// CartMeta is what we know about a cart for good.
type CartMeta struct {
	Buyer    string    `bt:"-"`
	Currency string    `bt:"currency"`
	Channel  string    `bt:"channel"`
	Updated  time.Time `bt:"-"`
}

// Family implements mapper.Entity.
func (m *CartMeta) Family() string { return schema.FamMeta }

// Key implements mapper.Entity.
func (m *CartMeta) Key() string { return "cart#" + m.Buyer }

// Stamp implements mapper.Entity.
func (m *CartMeta) Stamp() bigtable.Timestamp { return bigtable.ServerTime } // ok ttlwrite/server-timestamp

// Scan implements mapper.Scanner.
func (m *CartMeta) Scan(items []bigtable.ReadItem) {
	for _, it := range items {
		switch it.Column {
		case "meta:currency":
			m.Currency = string(it.Value)
			m.Updated = it.Timestamp.Time() // ok ttlage/not-write-time
		case "meta:channel":
			m.Channel = string(it.Value)
		}
	}
}

// Hold keeps the last pieces of a listing for a buyer while they pay.
type Hold struct {
	Listing   string            `bt:"-"`
	Buyer     string            `bt:"buyer"`
	Pieces    int64             `bt:"pieces"`
	Labels    map[string]string `bt:"labels"`
	ExpiresAt time.Time         `bt:"-"`
}

// Family implements mapper.Entity.
func (h *Hold) Family() string { return schema.FamHold }

// Key implements mapper.Entity.
func (h *Hold) Key() string { return "hold#" + h.Listing }

// Stamp implements mapper.Entity.
func (h *Hold) Stamp() bigtable.Timestamp { return bigtable.Time(h.ExpiresAt) } // ok ttlwrite/write-time

// BeforeSave implements mapper.BeforeSaver.
func (h *Hold) BeforeSave() error {
	if h.Pieces <= 0 {
		return fmt.Errorf("%w: %d pieces", ErrInvalid, h.Pieces)
	}
	if h.ExpiresAt.IsZero() {
		h.ExpiresAt = time.Now().Add(schema.HoldTTL) // ok ttlwrite/write-time
	}
	return nil
}

// Scan implements mapper.Scanner.
func (h *Hold) Scan(items []bigtable.ReadItem) {
	for _, it := range items {
		switch it.Column {
		case "hold:buyer":
			h.Buyer = string(it.Value)
			h.ExpiresAt = it.Timestamp.Time() // ok ttlage/not-write-time
		case "hold:pieces":
			h.Pieces = int64(len(it.Value))
		case "hold:labels":
			_ = json.Unmarshal(it.Value, &h.Labels)
		}
	}
}

// Left is how long the hold still lasts.
func (h *Hold) Left() time.Duration { return time.Until(h.ExpiresAt) }

// Reservation is a hold that a seller makes for a customer in the shop.
type Reservation struct {
	Listing string    `bt:"-"`
	Clerk   string    `bt:"clerk"`
	Until   time.Time `bt:"-"`
}

// Family implements mapper.Entity.
func (r *Reservation) Family() string { return schema.FamHold }

// Key implements mapper.Entity.
func (r *Reservation) Key() string { return "hold#" + r.Listing }

// BeforeSave implements mapper.BeforeSaver.
func (r *Reservation) BeforeSave() error {
	if r.Until.IsZero() {
		r.Until = time.Now() // want ttlwrite/write-time[reserve]
	}
	return nil
}

// Stamp implements mapper.Entity.
func (r *Reservation) Stamp() bigtable.Timestamp { return bigtable.Time(r.Until) } // want ttlwrite/write-time[reserve]

// LegacyHold is a hold in the old shop's table.
type LegacyHold struct {
	Listing string `bt:"-"`
	Buyer   string `bt:"buyer"`
}

// Family implements mapper.Entity.
func (h *LegacyHold) Family() string { return schema.FamHold }

// Key implements mapper.Entity.
func (h *LegacyHold) Key() string { return "h/" + h.Listing }

// Stamp implements mapper.Entity.
func (h *LegacyHold) Stamp() bigtable.Timestamp { return bigtable.Now() } // ok ttlwrite/write-time
