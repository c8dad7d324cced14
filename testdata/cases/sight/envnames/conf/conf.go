// Package conf holds the names of tables.
package conf

import (
	"context"
	"errors"
	"os"

	"cloud.google.com/go/bigtable"
)

// Config is what the environment says.
type Config struct {
	Sessions string
	Other    string
}

// Load reads the environment.
func Load() Config {
	return Config{Sessions: os.Getenv("SESSIONS"), Other: os.Getenv("OTHER")}
}

// CacheName is the name of a table.
var CacheName = os.Getenv("CACHE")

// HistoryName returns the name of a table.
func HistoryName() string { return os.Getenv("HISTORY") }

// Open opens a table whose name depends.
func Open(ctx context.Context, c *bigtable.Client) (*bigtable.Table, error) {
	name := os.Getenv("TICKETS")
	if name == "" {
		return nil, errors.New("no table")
	}
	return c.Open(name), nil
}

// OpenOther opens another.
func OpenOther(ctx context.Context, c *bigtable.Client) (*bigtable.Table, error) {
	return c.Open(os.Getenv("OTHER")), nil
}
