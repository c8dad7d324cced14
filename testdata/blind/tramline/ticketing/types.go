// Package ticketing sells seats on trams and trains: holds, one-time codes
// and the riders behind them.
package ticketing

import (
	"context"
	"errors"
	"time"
)

// Hold is a seat that nobody else may buy for a while.
type Hold struct {
	ID      string    `json:"id"`
	Trip    string    `json:"trip"`
	Seat    string    `json:"seat"`
	Rider   string    `json:"rider"`
	Price   int64     `json:"price"`
	Until   time.Time `json:"until"`
	Created time.Time `json:"created"`
}

// Rider is a customer.
type Rider struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Phone string `json:"phone"`
	Class int    `json:"class"`
}

// Code is a one-time code.
type Code struct {
	Phone    string
	Digits   string
	Attempts int64
	Sent     time.Time
}

// Errors of the domain.
var (
	ErrTaken   = errors.New("seat is taken")
	ErrExpired = errors.New("hold has expired")
	ErrCode    = errors.New("wrong code")
)

// Holds is the port to the storage of holds.
type Holds interface {
	Place(ctx context.Context, h Hold) error
	Get(ctx context.Context, trip, seat string) (Hold, error)
	Extend(ctx context.Context, h Hold, by time.Duration) error
	Release(ctx context.Context, trip, seat string) error
	ForTrip(ctx context.Context, trip string) ([]Hold, error)
}

// Codes is the port to the storage of one-time codes.
type Codes interface {
	Issue(ctx context.Context, c Code) error
	Check(ctx context.Context, phone, digits string) (bool, error)
	Burn(ctx context.Context, phone string) error
}

// Riders is the port to the storage of riders.
type Riders interface {
	Rider(ctx context.Context, id string) (Rider, error)
	SaveRider(ctx context.Context, r Rider) error
}

// Clock tells the time.
type Clock interface{ Now() time.Time }
