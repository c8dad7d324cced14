package model

import (
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"marketmap.example/market/internal/schema"
)

// Listing is something for sale.
type Listing struct {
	ID       string            `bt:"-"`
	Title    string            `bt:"title"`
	Seller   string            `bt:"seller"`
	Cents    int64             `bt:"cents"`
	Labels   map[string]string `bt:"labels"`
	Modified time.Time         `bt:",stamp"`
}

// Family implements mapper.Entity.
func (l *Listing) Family() string { return schema.FamCore }

// Key implements mapper.Entity.
func (l *Listing) Key() string { return l.ID }

// Stamp implements mapper.Entity.
func (l *Listing) Stamp() bigtable.Timestamp { return bigtable.Now() } // ok ttlwrite/clock-in-sequence

// BeforeSave implements mapper.BeforeSaver.
func (l *Listing) BeforeSave() error {
	l.Title = strings.Join(strings.Fields(l.Title), " ")
	if l.Title == "" || l.Seller == "" {
		return ErrInvalid
	}
	return nil
}

// Promo is a promotion of a listing; a week unless the seller paid for less.
type Promo struct {
	ID      string        `bt:"-"`
	Slot    string        `bt:"slot"`
	Paid    int64         `bt:"paid"`
	Life    time.Duration `bt:"-"`
	Updated time.Time     `bt:"-"`
}

// Family implements mapper.Entity.
func (p *Promo) Family() string { return schema.FamPromo }

// Key implements mapper.Entity.
func (p *Promo) Key() string { return p.ID }

// Stamp implements mapper.Entity.
func (p *Promo) Stamp() bigtable.Timestamp {
	if p.Life == 0 {
		return bigtable.ServerTime // ok ttlwrite/server-timestamp
	}
	return bigtable.Time(time.Now().Add(p.Life - schema.PromoTTL)) // ok ttlwrite/already-expired
}

// Scan implements mapper.Scanner.
func (p *Promo) Scan(items []bigtable.ReadItem) {
	for _, it := range items {
		switch it.Column {
		case "promo:slot":
			p.Slot = string(it.Value)
			p.Updated = it.Timestamp.Time() // want ttlage/not-write-time[promoscan]
		case "promo:paid":
			p.Paid = int64(len(it.Value))
		}
	}
}

// Flash is a promotion of an hour.
type Flash struct{ Promo }

// Stamp implements mapper.Entity.
func (f *Flash) Stamp() bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(time.Hour - schema.PromoTTL)) // ok ttlwrite/already-expired
}

// Retired is a promotion that was cancelled; kept for a last look at the accounts.
type Retired struct{ Promo }

// Stamp implements mapper.Entity.
func (r *Retired) Stamp() bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(-schema.PromoTTL)) // want ttlwrite/already-expired[retired]
}

// Revision is a numbered version of a listing's text.
type Revision struct {
	ID     string `bt:"-"`
	Text   string `bt:"text"`
	Number int    `bt:"-"`
}

// Family implements mapper.Entity.
func (r *Revision) Family() string { return schema.FamRev }

// Key implements mapper.Entity.
func (r *Revision) Key() string { return r.ID }

// Stamp implements mapper.Entity.
func (r *Revision) Stamp() bigtable.Timestamp { return bigtable.Timestamp(int64(r.Number) * 1000) } // ok ttlwrite/unscaled-sequence

// Scan implements mapper.Scanner.
func (r *Revision) Scan(items []bigtable.ReadItem) {
	for _, it := range items {
		if it.Column == "rev:text" {
			r.Text = string(it.Value)
			r.Number = int(it.Timestamp / 1000) // ok ttlage/not-write-time
		}
	}
}

// PricePoint is a price at a time.
type PricePoint struct {
	Listing string    `bt:"-"`
	Cents   int64     `bt:"cents"`
	At      time.Time `bt:"-"`
	Written time.Time `bt:"-"`
}

// Family implements mapper.Entity.
func (p *PricePoint) Family() string { return schema.FamHist }

// Key implements mapper.Entity.
func (p *PricePoint) Key() string { return "price#" + p.Listing }

// Stamp implements mapper.Entity.
func (p *PricePoint) Stamp() bigtable.Timestamp { return bigtable.Time(p.At) } // ok ttlunit/wrong-unit

// Scan implements mapper.Scanner.
func (p *PricePoint) Scan(items []bigtable.ReadItem) {
	for _, it := range items {
		if n, err := strconv.ParseInt(string(it.Value), 10, 64); err == nil {
			p.Cents = n
		}
		p.At = it.Timestamp.Time()
		p.Written = it.Timestamp.Time() // ok ttlage/not-write-time
	}
}

// PriceHold freezes a price while a contract is made; the timestamp is when it was frozen.
type PriceHold struct {
	Listing string `bt:"-"`
	Reason  string `bt:"reason"`
}

// Family implements mapper.Entity.
func (h *PriceHold) Family() string { return schema.FamHold }

// Key implements mapper.Entity.
func (h *PriceHold) Key() string { return "price#" + h.Listing }

// Stamp implements mapper.Entity.
func (h *PriceHold) Stamp() bigtable.Timestamp { return bigtable.Now() } // ok ttlwrite/write-time

// SellerSession is a login of a seller.
type SellerSession struct {
	Token   string `bt:"-"`
	Seller  string `bt:"seller"`
	Device  string `bt:"device"`
	Started int64  `bt:"started"`
}

// Family implements mapper.Entity.
func (s *SellerSession) Family() string { return schema.FamTok }

// Key implements mapper.Entity.
func (s *SellerSession) Key() string { return "sess#" + s.Token }

// Stamp implements mapper.Entity.
func (s *SellerSession) Stamp() bigtable.Timestamp { return bigtable.Now() } // ok ttlwrite/write-time

// BeforeSave implements mapper.BeforeSaver.
func (s *SellerSession) BeforeSave() error {
	s.Started = time.Now().Unix()
	return nil
}

// Impersonation is a login of support as a seller, for an hour.
type Impersonation struct {
	SellerSession
	Agent string `bt:"agent"`
}

// Stamp implements mapper.Entity.
func (i *Impersonation) Stamp() bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(time.Hour - schema.SessionTTL)) // ok ttlwrite/already-expired
}

// Device is a device that a seller logs in from.
type Device struct {
	Token string `bt:"-"`
	Agent string `bt:"agent"`
	IP    string `bt:"ip"`
}

// Family implements mapper.Entity.
func (d *Device) Family() string { return schema.FamDevice }

// Key implements mapper.Entity.
func (d *Device) Key() string { return "sess#" + d.Token }

// Stamp implements mapper.Entity.
func (d *Device) Stamp() bigtable.Timestamp { return bigtable.ServerTime } // ok ttlwrite/server-timestamp
