// Package config reads the service's configuration from the environment.
package config

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

// Config is everything that differs between environments.
type Config struct {
	Project     string
	Instance    string
	Listen      string
	Environment string
	Issuer      string

	SessionTTL    time.Duration
	AccessTTL     time.Duration
	JanitorEvery  time.Duration
	RotateEvery   time.Duration
	MaxFailures   int
	WriteAttempts int
	Tenants       []string
}

// Load reads the configuration.
func Load() (Config, error) {
	c := Config{
		Project:     env("IDP_PROJECT", "local"),
		Instance:    env("IDP_INSTANCE", "idp"),
		Listen:      env("IDP_LISTEN", ":8080"),
		Environment: env("IDP_ENV", "dev"),
		Issuer:      env("IDP_ISSUER", "https://localhost:8080"),
	}
	var err error
	if c.SessionTTL, err = duration("IDP_SESSION_TTL", 12*time.Hour); err != nil {
		return c, err
	}
	if c.AccessTTL, err = duration("IDP_ACCESS_TTL", 15*time.Minute); err != nil {
		return c, err
	}
	if c.JanitorEvery, err = duration("IDP_JANITOR_EVERY", 10*time.Minute); err != nil {
		return c, err
	}
	if c.RotateEvery, err = duration("IDP_ROTATE_EVERY", 24*time.Hour); err != nil {
		return c, err
	}
	if c.MaxFailures, err = integer("IDP_MAX_FAILURES", 5); err != nil {
		return c, err
	}
	if c.WriteAttempts, err = integer("IDP_WRITE_ATTEMPTS", 4); err != nil {
		return c, err
	}
	return c, c.Validate()
}

func (c Config) Validate() error {
	if c.SessionTTL <= 0 || c.AccessTTL <= 0 {
		return fmt.Errorf("config: lifetimes must be positive")
	}
	if c.WriteAttempts < 1 {
		return fmt.Errorf("config: at least one attempt")
	}
	return nil
}

func env(key, def string) string {
	if v, ok := os.LookupEnv(key); ok {
		return v
	}
	return def
}

func duration(key string, def time.Duration) (time.Duration, error) {
	v := os.Getenv(key)
	if v == "" {
		return def, nil
	}
	d, err := time.ParseDuration(v)
	if err != nil {
		return 0, fmt.Errorf("config: %s: %w", key, err)
	}
	return d, nil
}

func integer(key string, def int) (int, error) {
	v := os.Getenv(key)
	if v == "" {
		return def, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		return 0, fmt.Errorf("config: %s: %w", key, err)
	}
	return n, nil
}
