// Package conf holds configuration. It does not import the client.
package conf

import "time"

// A Config says how sessions are kept.
type Config struct {
	Family string
	TTL    time.Duration
	Live   bool
}

// Default is what nothing else is said of.
func Default() Config { return Config{Family: "token", TTL: 30 * time.Minute} }

// An Option changes a configuration.
type Option func(*Config)

// WithFamily chooses the family.
func WithFamily(name string) Option { return func(c *Config) { c.Family = name } }

// New makes a configuration.
func New(opts ...Option) *Config {
	c := Default()
	for _, o := range opts {
		o(&c)
	}
	return &c
}

// SetFamily changes the family.
func (c *Config) SetFamily(name string) *Config {
	c.Family = name
	return c
}

// Lifetime returns the lifetime, a default where none is set.
func (c *Config) Lifetime() time.Duration {
	if c.TTL == 0 {
		return time.Hour
	}
	return c.TTL
}
