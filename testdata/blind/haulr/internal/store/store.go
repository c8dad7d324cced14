// Package store has one type per Bigtable table.
package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"haulr.dev/backend/internal/clock"
	"haulr.dev/backend/internal/tables"
)

// ErrNotFound is returned for what does not exist, or no longer.
var ErrNotFound = errors.New("store: not found")

// ErrConflict is returned when somebody else was faster.
var ErrConflict = errors.New("store: conflict")

// Stores bundles the stores of the process.
type Stores struct {
	Sessions  *SessionStore
	OTP       *OTPStore
	Flags     *FlagStore
	Rates     *RateLimits
	Inbox     *InboxStore
	Events    *EventStore
	Orders    *OrderBook
	Drivers   *DriverStore
	Settings  *SettingsStore
	Carts     *CartStore
	Idem      *IdemStore
	Quotes    *Quotes
	Devices   *DeviceStore
	Geo       *GeoCache
	Audit     *AuditStore
	AnyMarket string
}

// New opens all the tables.
func New(client *bigtable.Client, region, market string, clk clock.Clock) *Stores {
	if clk == nil {
		clk = clock.System{}
	}
	return &Stores{
		Sessions:  NewSessionStore(client),
		OTP:       NewOTPStore(client.Open(tables.OTP), clk),
		Flags:     NewFlagStore(client),
		Rates:     NewRateLimits(client, region),
		Inbox:     NewInboxStore(client, clk),
		Events:    NewEventStore(client),
		Orders:    NewOrderBook(client),
		Drivers:   NewDriverStore(client),
		Settings:  NewSettingsStore(client),
		Carts:     NewCartStore(client),
		Idem:      NewIdemStore(client),
		Quotes:    NewQuotes(client, market, clk),
		Devices:   NewDeviceStore(client, clk),
		Geo:       NewGeoCache(client, clk),
		Audit:     NewAuditStore(client),
		AnyMarket: market,
	}
}

func key(parts ...string) string { return strings.Join(parts, "#") }

func split(row string) []string { return strings.Split(row, "#") }

func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("store: marshal %T: %v", v, err))
	}
	return b
}

func unmarshal(b []byte, v any) error {
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("store: unmarshal %T: %w", v, err)
	}
	return nil
}

func rfc3339(t time.Time) []byte { return []byte(t.UTC().Format(time.RFC3339Nano)) }

func column(it bigtable.ReadItem) string {
	_, c, _ := strings.Cut(it.Column, ":")
	return c
}
