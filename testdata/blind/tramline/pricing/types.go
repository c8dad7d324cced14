// Package pricing knows what a ride costs.
package pricing

import (
	"context"
	"time"
)

// Tariff is a price list.
type Tariff struct {
	Zone  string             `json:"zone"`
	Rates map[string]float64 `json:"rates"`
	From  time.Time          `json:"from"`
}

// Change is a line of the history of a tariff.
type Change struct {
	Who  string    `json:"who"`
	What string    `json:"what"`
	At   time.Time `json:"at"`
}

// Quote is an offer that holds for some minutes.
type Quote struct {
	ID    string  `json:"id"`
	Zone  string  `json:"zone"`
	Price float64 `json:"price"`
	Group bool    `json:"group"`
}

// Tariffs is the port to the storage of tariffs.
type Tariffs interface {
	Tariff(ctx context.Context, zone string) (Tariff, error)
	SaveTariff(ctx context.Context, t Tariff, c Change) error
}

// Quotes is the port to the storage of quotes.
type Quotes interface {
	Offer(ctx context.Context, q Quote, life time.Duration) error
	Quote(ctx context.Context, id string) (Quote, error)
}
