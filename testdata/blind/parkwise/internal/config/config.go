// Package config reads the configuration from the environment.
package config

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"
)

// Config is everything a binary needs.
type Config struct {
	Addr     string
	Project  string
	Instance string
	Region   string
	LogLevel string

	Auth     Auth
	Holds    Holds
	Charging Charging
	Limits   Limits
}

// Auth configures codes and sessions.
type Auth struct {
	OTPLifetime     time.Duration
	SessionLifetime time.Duration
	MaxAttempts     int
}

// Holds configures reservations.
type Holds struct {
	Lifetime time.Duration
	Grace    time.Duration
}

// Charging configures telemetry.
type Charging struct {
	Retention time.Duration
	BatchSize int
}

// Limits configures rate limits.
type Limits struct {
	PerMinute int64
}

type env struct{ errs []error }

func (e *env) str(name, def string) string {
	if v, ok := os.LookupEnv(name); ok && v != "" {
		return v
	}
	return def
}

func (e *env) dur(name string, def time.Duration) time.Duration {
	v := os.Getenv(name)
	if v == "" {
		return def
	}
	d, err := time.ParseDuration(v)
	if err != nil {
		e.errs = append(e.errs, fmt.Errorf("%s: %w", name, err))
		return def
	}
	return d
}

func (e *env) num(name string, def int) int {
	v := os.Getenv(name)
	if v == "" {
		return def
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		e.errs = append(e.errs, fmt.Errorf("%s: %w", name, err))
		return def
	}
	return n
}

// FromEnv reads the configuration.
func FromEnv() (Config, error) {
	var e env
	c := Config{
		Addr:     e.str("PARKWISE_ADDR", ":8080"),
		Project:  e.str("PARKWISE_PROJECT", "parkwise-dev"),
		Instance: e.str("PARKWISE_INSTANCE", "main"),
		Region:   e.str("PARKWISE_REGION", "eu1"),
		LogLevel: e.str("PARKWISE_LOG_LEVEL", "info"),
		Auth: Auth{
			OTPLifetime:     e.dur("PARKWISE_OTP_LIFETIME", 5*time.Minute),
			SessionLifetime: e.dur("PARKWISE_SESSION_LIFETIME", 12*time.Hour),
			MaxAttempts:     e.num("PARKWISE_OTP_ATTEMPTS", 5),
		},
		Holds: Holds{
			Lifetime: e.dur("PARKWISE_HOLD_LIFETIME", 15*time.Minute),
			Grace:    e.dur("PARKWISE_HOLD_GRACE", 2*time.Minute),
		},
		Charging: Charging{
			Retention: e.dur("PARKWISE_TELEMETRY_RETENTION", 7*24*time.Hour),
			BatchSize: e.num("PARKWISE_TELEMETRY_BATCH", 500),
		},
		Limits: Limits{PerMinute: int64(e.num("PARKWISE_RATE_PER_MINUTE", 120))},
	}
	if c.Charging.BatchSize <= 0 {
		e.errs = append(e.errs, errors.New("PARKWISE_TELEMETRY_BATCH: must be positive"))
	}
	return c, errors.Join(e.errs...)
}
