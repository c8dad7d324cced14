// Package config reads the service's settings from the environment.
package config

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

// Config is what every binary needs.
type Config struct {
	Project    string
	Instance   string
	Listen     string
	SessionTTL time.Duration
	NoticeLife time.Duration
	MaxRetries int
	Regions    []string
}

// Load reads the environment.
func Load() (*Config, error) {
	c := &Config{
		Project:  os.Getenv("GRID_PROJECT"),
		Instance: os.Getenv("GRID_INSTANCE"),
		Listen:   str("GRID_LISTEN", ":8080"),
		Regions:  []string{"oslo", "bergen", "tromso"},
	}
	var err error
	if c.SessionTTL, err = dur("GRID_SESSION_TTL"); err != nil {
		return nil, err
	}
	if c.NoticeLife, err = dur("GRID_NOTICE_LIFE"); err != nil {
		return nil, err
	}
	if c.MaxRetries, err = num("GRID_RETRIES", 3); err != nil {
		return nil, err
	}
	if c.Project == "" || c.Instance == "" {
		return nil, fmt.Errorf("GRID_PROJECT and GRID_INSTANCE must be set")
	}
	return c, nil
}

func str(name, def string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return def
}

func dur(name string) (time.Duration, error) {
	d, err := time.ParseDuration(os.Getenv(name))
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return d, nil
}

func num(name string, def int) (int, error) {
	v := os.Getenv(name)
	if v == "" {
		return def, nil
	}
	return strconv.Atoi(v)
}
