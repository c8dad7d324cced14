// Package config reads the configuration from the environment.
package config

import (
	"os"
	"strconv"
	"strings"
	"time"
)

// ApplicationConfig is immutable once built.
type ApplicationConfig struct {
	project     string
	instance    string
	listen      string
	tenants     []string
	retries     int
	backoff     time.Duration
	quoteTTL    time.Duration
	sweepEvery  time.Duration
	adminPrefix string
}

// GetProject returns the project.
func (c *ApplicationConfig) GetProject() string { return c.project }

// GetInstance returns the instance.
func (c *ApplicationConfig) GetInstance() string { return c.instance }

// GetListen returns the address.
func (c *ApplicationConfig) GetListen() string { return c.listen }

// GetTenants returns the tenants.
func (c *ApplicationConfig) GetTenants() []string { return c.tenants }

// GetRetries returns the number of attempts.
func (c *ApplicationConfig) GetRetries() int { return c.retries }

// GetBackoff returns the pause between attempts.
func (c *ApplicationConfig) GetBackoff() time.Duration { return c.backoff }

// GetQuoteTTL returns the lifetime of quotes from the environment.
func (c *ApplicationConfig) GetQuoteTTL() time.Duration { return c.quoteTTL }

// GetSweepEvery returns the interval of the sweeper.
func (c *ApplicationConfig) GetSweepEvery() time.Duration { return c.sweepEvery }

// GetAdminPrefix returns the path of the admin API.
func (c *ApplicationConfig) GetAdminPrefix() string { return c.adminPrefix }

// ApplicationConfigBuilder builds the configuration.
type ApplicationConfigBuilder struct{ c ApplicationConfig }

// NewApplicationConfigBuilder makes a builder with the defaults.
func NewApplicationConfigBuilder() *ApplicationConfigBuilder {
	return &ApplicationConfigBuilder{c: ApplicationConfig{
		listen: ":8080", retries: 3, backoff: 50 * time.Millisecond, sweepEvery: time.Hour, adminPrefix: "/admin",
	}}
}

// WithProject sets the project.
func (b *ApplicationConfigBuilder) WithProject(p string) *ApplicationConfigBuilder {
	b.c.project = p
	return b
}

// WithInstance sets the instance.
func (b *ApplicationConfigBuilder) WithInstance(i string) *ApplicationConfigBuilder {
	b.c.instance = i
	return b
}

// WithTenants sets the tenants.
func (b *ApplicationConfigBuilder) WithTenants(t []string) *ApplicationConfigBuilder {
	b.c.tenants = append([]string(nil), t...)
	return b
}

// WithQuoteTTL sets the lifetime of quotes.
func (b *ApplicationConfigBuilder) WithQuoteTTL(d time.Duration) *ApplicationConfigBuilder {
	b.c.quoteTTL = d
	return b
}

// FromEnvironment overrides what the environment has.
func (b *ApplicationConfigBuilder) FromEnvironment() *ApplicationConfigBuilder {
	if v := os.Getenv("ASSECURA_LISTEN"); v != "" {
		b.c.listen = v
	}
	if v := os.Getenv("ASSECURA_TENANTS"); v != "" {
		b.c.tenants = strings.Split(v, ",")
	}
	if v, err := strconv.Atoi(os.Getenv("ASSECURA_RETRIES")); err == nil {
		b.c.retries = v
	}
	if v, err := time.ParseDuration(os.Getenv("ASSECURA_QUOTE_TTL")); err == nil {
		b.c.quoteTTL = v
	}
	if v, err := time.ParseDuration(os.Getenv("ASSECURA_SWEEP")); err == nil {
		b.c.sweepEvery = v
	}
	return b
}

// Build returns the configuration.
func (b *ApplicationConfigBuilder) Build() *ApplicationConfig {
	c := b.c
	return &c
}
