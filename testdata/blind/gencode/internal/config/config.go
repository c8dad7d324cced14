// Package config reads the services' configuration from the environment.
package config

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Config is shared by all commands.
type Config struct {
	Project  string
	Instance string
	Addr     string
	Hotels   []string
	Timeout  time.Duration
	HoldTTL  time.Duration
	Workers  int
	Debug    bool
}

// FromEnv reads and checks the configuration.
func FromEnv() (*Config, error) {
	c := &Config{
		Project:  os.Getenv("BT_PROJECT"),
		Instance: os.Getenv("BT_INSTANCE"),
		Addr:     withDefault("ADDR", ":8080"),
		Debug:    os.Getenv("DEBUG") == "1",
	}
	for _, h := range strings.Split(os.Getenv("HOTELS"), ",") {
		if h = strings.TrimSpace(h); h != "" {
			c.Hotels = append(c.Hotels, h)
		}
	}
	var errs []error
	var err error
	if c.Timeout, err = duration("TIMEOUT", 3*time.Second); err != nil {
		errs = append(errs, err)
	}
	if c.HoldTTL, err = duration("HOLD_TTL", 15*time.Minute); err != nil {
		errs = append(errs, err)
	}
	if c.Workers, err = number("WORKERS", 4); err != nil {
		errs = append(errs, err)
	}
	if c.Project == "" || c.Instance == "" {
		errs = append(errs, errors.New("BT_PROJECT and BT_INSTANCE are required"))
	}
	return c, errors.Join(errs...)
}

func withDefault(name, def string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return def
}

func duration(name string, def time.Duration) (time.Duration, error) {
	v := os.Getenv(name)
	if v == "" {
		return def, nil
	}
	d, err := time.ParseDuration(v)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return d, nil
}

func number(name string, def int) (int, error) {
	v := os.Getenv(name)
	if v == "" {
		return def, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return n, nil
}
