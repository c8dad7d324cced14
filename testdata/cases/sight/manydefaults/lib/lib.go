// Package lib loads configurations from the environment, in more combinations than are
// followed.
package lib

import (
	"os"
	"time"

	"cloud.google.com/go/bigtable"
)

type Config struct {
	A, B, C, D, E, Family string
	TTL                   TTL
	At                    bigtable.Timestamp
}

// TTL has the lifetimes of families.
type TTL struct{ Ticket, Click time.Duration }

func text(name, or string) string {
	if v, ok := os.LookupEnv(name); ok && v != "" {
		return v
	}
	return or
}

func duration(name string, or time.Duration) time.Duration {
	d, err := time.ParseDuration(os.Getenv(name))
	if err != nil {
		return or
	}
	return d
}

// Load has defaults for all.
func Load() (*Config, error) {
	return &Config{
		A: text("A", "a"), B: text("B", "b"), C: text("C", "c"), D: text("D", "d"), E: text("E", "e"),
		Family: text("FAMILY", "ticket"),
		TTL:    TTL{Ticket: duration("TICKET", 15*time.Minute), Click: duration("CLICK", time.Hour)},
	}, nil
}

// Chosen sets two fields together.
func Chosen() Config {
	c := Config{A: text("A", "a"), B: text("B", "b"), C: text("C", "c"), D: text("D", "d"), E: text("E", "e")}
	c.Family, c.At = "token", bigtable.Time(time.Now().Add(time.Hour))
	if _, ok := os.LookupEnv("PROFILE"); ok {
		c.Family, c.At = "profile", bigtable.Now()
	}
	return c
}

// Mixed sets the family alone.
func Mixed() Config {
	c := Config{A: text("A", "a"), B: text("B", "b"), C: text("C", "c"), D: text("D", "d"), E: text("E", "e")}
	c.Family, c.At = "token", bigtable.Now()
	if _, ok := os.LookupEnv("PROFILE"); ok {
		c.Family = "profile"
	}
	return c
}

// For has what it is given unless the environment has more.
func For(ttl time.Duration) Config {
	return Config{
		A: text("A", "a"), B: text("B", "b"), C: text("C", "c"), D: text("D", "d"), E: text("E", "e"),
		TTL: TTL{Ticket: duration("TICKET", ttl)},
	}
}
