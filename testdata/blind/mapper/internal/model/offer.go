package model

import (
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"marketmap.example/market/internal/schema"
)

// Bid is a buyer's offer, numbered.
type Bid struct {
	Listing string `bt:"-"`
	Buyer   string `bt:"buyer"`
	Cents   int64  `bt:"cents"`
	Number  int64  `bt:"-"`
}

// Family implements mapper.Entity.
func (b *Bid) Family() string { return schema.FamBid }

// Key implements mapper.Entity.
func (b *Bid) Key() string { return b.Listing }

// Stamp implements mapper.Entity.
func (b *Bid) Stamp() bigtable.Timestamp { return bigtable.Timestamp(b.Number * 1000) } // ok ttlwrite/unscaled-sequence

// Ask is the seller's price, numbered.
type Ask struct {
	Listing string `bt:"-"`
	Cents   int64  `bt:"cents"`
	Number  int64  `bt:"-"`
}

// Family implements mapper.Entity.
func (a *Ask) Family() string { return schema.FamAsk }

// Key implements mapper.Entity.
func (a *Ask) Key() string { return a.Listing }

// Stamp implements mapper.Entity.
func (a *Ask) Stamp() bigtable.Timestamp { return bigtable.Timestamp(a.Number) } // want ttlwrite/unscaled-sequence[ask]

// Counter is the seller's answer to a bid.
type Counter struct {
	Bid
	Message string `bt:"message"`
}

// Stamp implements mapper.Entity.
func (c *Counter) Stamp() bigtable.Timestamp { return bigtable.Now() } // want ttlwrite/clock-in-sequence[counter]

// OfferNote is a remark on an offer.
type OfferNote struct {
	Listing string `bt:"-"`
	Author  string `bt:"author"`
	Text    string `bt:"text"`
}

// Family implements mapper.Entity.
func (n *OfferNote) Family() string { return schema.FamNote }

// Key implements mapper.Entity.
func (n *OfferNote) Key() string { return n.Listing }

// Stamp implements mapper.Entity.
func (n *OfferNote) Stamp() bigtable.Timestamp { return bigtable.Now() } // ok ttlwrite/clock-in-sequence

// Location is where a courier or a pickup point was last.
type Location struct {
	Subject string  `bt:"-"`
	Lat     float64 `bt:"lat"`
	Lon     float64 `bt:"lon"`
	Seen    int64   `bt:"seen"`
}

// Family implements mapper.Entity.
func (l *Location) Family() string { return schema.FamLast }

// Key implements mapper.Entity.
func (l *Location) Key() string { return "loc#" + l.Subject }

// Stamp implements mapper.Entity.
func (l *Location) Stamp() bigtable.Timestamp { return 0 } // ok ttlwrite/clock-in-zero

// CourierPing is a location that the courier's phone sent.
type CourierPing struct {
	Location
	Battery int64     `bt:"battery"`
	SeenAt  time.Time `bt:"-"`
}

// BeforeSave implements mapper.BeforeSaver.
func (p *CourierPing) BeforeSave() error {
	if p.Lat < -90 || p.Lat > 90 {
		return fmt.Errorf("%w: latitude %f", ErrInvalid, p.Lat)
	}
	p.SeenAt = time.Now() // want ttlwrite/clock-in-zero[ping]
	return nil
}

// Stamp implements mapper.Entity.
func (p *CourierPing) Stamp() bigtable.Timestamp { return bigtable.Time(p.SeenAt) } // want ttlwrite/clock-in-zero[ping]
