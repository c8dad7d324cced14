// Package config reads the service's configuration from the environment.
package config

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Config is what parceld and the operators' commands share.
type Config struct {
	Project     string
	Instance    string
	AppProfile  string
	Listen      string
	Regions     []string
	ManifestTbl string
	SessionTTL  time.Duration
	QuoteTTL    time.Duration
	LeaseTTL    time.Duration
	Workers     int
	LogLevel    string
	ReadOnly    bool
}

// ErrMissing says that a variable is not set.
var ErrMissing = errors.New("missing")

// FromEnv reads a Config.
func FromEnv() (*Config, error) {
	c := &Config{
		Listen:      str("PARCEL_LISTEN", ":8080"),
		AppProfile:  str("PARCEL_APP_PROFILE", "default"),
		ManifestTbl: str("PARCEL_MANIFEST_TABLE", "manifests"),
		LogLevel:    str("PARCEL_LOG_LEVEL", "info"),
		Regions:     strings.Split(str("PARCEL_REGIONS", "eu,na"), ","),
	}
	var err error
	if c.Project, err = must("PARCEL_PROJECT"); err != nil {
		return nil, err
	}
	if c.Instance, err = must("PARCEL_INSTANCE"); err != nil {
		return nil, err
	}
	if c.SessionTTL, err = dur("PARCEL_SESSION_TTL", 12*time.Hour); err != nil {
		return nil, err
	}
	if c.QuoteTTL, err = dur("PARCEL_QUOTE_TTL", 30*time.Minute); err != nil {
		return nil, err
	}
	if c.LeaseTTL, err = dur("PARCEL_LEASE_TTL", 15*time.Minute); err != nil {
		return nil, err
	}
	if c.Workers, err = num("PARCEL_WORKERS", 4); err != nil {
		return nil, err
	}
	c.ReadOnly = os.Getenv("PARCEL_READ_ONLY") == "1"
	return c, c.validate()
}

func (c *Config) validate() error {
	if c.Workers < 1 || c.Workers > 256 {
		return fmt.Errorf("config: PARCEL_WORKERS=%d is out of range", c.Workers)
	}
	for _, r := range c.Regions {
		if r == "" {
			return errors.New("config: empty region")
		}
	}
	if c.SessionTTL <= 0 || c.QuoteTTL <= 0 || c.LeaseTTL <= 0 {
		return errors.New("config: lifetimes have to be positive")
	}
	return nil
}

func str(name, def string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return def
}

func must(name string) (string, error) {
	v := os.Getenv(name)
	if v == "" {
		return "", fmt.Errorf("config: %s: %w", name, ErrMissing)
	}
	return v, nil
}

func dur(name string, def time.Duration) (time.Duration, error) {
	v := os.Getenv(name)
	if v == "" {
		return def, nil
	}
	d, err := time.ParseDuration(v)
	if err != nil {
		return 0, fmt.Errorf("config: %s: %w", name, err)
	}
	return d, nil
}

func num(name string, def int) (int, error) {
	v := os.Getenv(name)
	if v == "" {
		return def, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		return 0, fmt.Errorf("config: %s: %w", name, err)
	}
	return n, nil
}
