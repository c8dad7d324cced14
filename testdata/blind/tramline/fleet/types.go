// Package fleet follows the vehicles: where they are, what they are told and
// what the depots write down about them.
package fleet

import (
	"context"
	"time"
)

// Position is where a vehicle was.
type Position struct {
	Vehicle string    `json:"vehicle"`
	Lat     float64   `json:"lat"`
	Lon     float64   `json:"lon"`
	Speed   float64   `json:"speed"`
	At      time.Time `json:"at"`
}

// Vehicle is a tram or a bus.
type Vehicle struct {
	ID    string `json:"id"`
	Line  string `json:"line"`
	Depot string `json:"depot"`
	Model string `json:"model"`
}

// Entry is a line of a depot's journal.
type Entry struct {
	No      int64  `json:"no"`
	Vehicle string `json:"vehicle"`
	Text    string `json:"text"`
}

// Command is an order to a vehicle.
type Command struct {
	No   int64  `json:"no"`
	Verb string `json:"verb"`
	Arg  string `json:"arg"`
}

// State is what a vehicle says about itself.
type State struct {
	Doors   string `json:"doors"`
	Battery int    `json:"battery"`
	Fault   string `json:"fault"`
}

// Telegram is what a vehicle sends.
type Telegram struct {
	Vehicle string  `json:"vehicle"`
	Sec     int64   `json:"sec"`
	Millis  int64   `json:"ms"`
	Seq     int64   `json:"seq"`
	Lat     float64 `json:"lat"`
	Lon     float64 `json:"lon"`
	State   State   `json:"state"`
	Urgent  bool    `json:"urgent"`
}

// Tracker is the port to the storage of positions.
type Tracker interface {
	Record(ctx context.Context, p Position) error
	Last(ctx context.Context, vehicle string) (Position, error)
	Track(ctx context.Context, vehicle string, since time.Time) ([]Position, error)
}

// Journals is the port to the depots' journals.
type Journals interface {
	Append(ctx context.Context, vehicle string, e Entry) error
	Latest(ctx context.Context, vehicle string) (Entry, error)
}

// Commander is the port to the commands.
type Commander interface {
	Send(ctx context.Context, vehicle string, c Command) error
	Pending(ctx context.Context, vehicle string) (Command, error)
	Report(ctx context.Context, vehicle string, s State) error
}
