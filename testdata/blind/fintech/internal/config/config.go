// Package config has the settings of both binaries. Every struct has a
// Default function; the environment overrides it.
package config

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

// Config is everything.
type Config struct {
	Bigtable  Bigtable
	HTTP      HTTP
	OneTime   OneTime
	RateLimit RateLimit
	Quotes    Quotes
	Ledger    Ledger
	Webhooks  Webhooks
}

// Bigtable says where the data is.
type Bigtable struct {
	Project  string
	Instance string
	Retries  int
	Backoff  time.Duration
}

// HTTP configures the server.
type HTTP struct {
	Addr    string
	Timeout time.Duration
}

// OneTime configures one-time tokens.
type OneTime struct {
	TTL         time.Duration
	MaxAttempts int
}

// RateLimit configures the limiter.
type RateLimit struct {
	Window time.Duration
	Limit  int
}

// Quotes configures exchange rates and risk scores.
type Quotes struct {
	Hold    time.Duration
	Refresh time.Duration
}

// Ledger configures the books.
type Ledger struct {
	Region string
	Batch  int
}

// Webhooks configures deliveries.
type Webhooks struct {
	Attempts int
	Timeout  time.Duration
}

// Default is what production runs with unless told otherwise.
func Default() Config {
	return Config{
		Bigtable:  Bigtable{Project: "payments-dev", Instance: "main", Retries: 3, Backoff: 50 * time.Millisecond},
		HTTP:      HTTP{Addr: ":8080", Timeout: 10 * time.Second},
		OneTime:   OneTime{TTL: 10 * time.Minute, MaxAttempts: 5},
		RateLimit: RateLimit{Window: time.Minute, Limit: 600},
		Quotes:    Quotes{Hold: 15 * time.Minute, Refresh: time.Minute},
		Ledger:    Ledger{Region: "eu", Batch: 100},
		Webhooks:  Webhooks{Attempts: 8, Timeout: 5 * time.Second},
	}
}

// FromEnv overrides the defaults.
func FromEnv() (Config, error) {
	c := Default()
	str("BT_PROJECT", &c.Bigtable.Project)
	str("BT_INSTANCE", &c.Bigtable.Instance)
	str("HTTP_ADDR", &c.HTTP.Addr)
	str("LEDGER_REGION", &c.Ledger.Region)
	for _, v := range []struct {
		name string
		dst  *time.Duration
	}{
		{"HTTP_TIMEOUT", &c.HTTP.Timeout},
		{"OTP_TTL", &c.OneTime.TTL},
		{"RATE_WINDOW", &c.RateLimit.Window},
		{"QUOTE_HOLD", &c.Quotes.Hold},
	} {
		if s := os.Getenv(v.name); s != "" {
			d, err := time.ParseDuration(s)
			if err != nil {
				return c, fmt.Errorf("%s: %w", v.name, err)
			}
			*v.dst = d
		}
	}
	if s := os.Getenv("OTP_ATTEMPTS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			return c, fmt.Errorf("OTP_ATTEMPTS: %w", err)
		}
		c.OneTime.MaxAttempts = n
	}
	return c, nil
}

func str(name string, dst *string) {
	if s := os.Getenv(name); s != "" {
		*dst = s
	}
}
