// Package config reads what a process needs from its environment.
package config

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"
)

// Config is shared by all commands.
type Config struct {
	Project   string
	Instance  string
	Addr      string
	Tenant    string
	Workers   int
	Grace     time.Duration
	CacheTTL  time.Duration
	TablePref string
}

// FromEnv reads the environment.
func FromEnv() (Config, error) {
	c := Config{
		Project:   os.Getenv("BT_PROJECT"),
		Instance:  os.Getenv("BT_INSTANCE"),
		Addr:      or("ADDR", ":8080"),
		Tenant:    or("TENANT", "main"),
		TablePref: os.Getenv("TABLE_PREFIX"),
	}
	var errs []error
	var err error
	if c.Workers, err = strconv.Atoi(or("WORKERS", "4")); err != nil {
		errs = append(errs, fmt.Errorf("WORKERS: %w", err))
	}
	if c.Grace, err = time.ParseDuration(or("GRACE", "10s")); err != nil {
		errs = append(errs, fmt.Errorf("GRACE: %w", err))
	}
	if c.CacheTTL, err = time.ParseDuration(or("CACHE_TTL", "15s")); err != nil {
		errs = append(errs, fmt.Errorf("CACHE_TTL: %w", err))
	}
	if c.Project == "" || c.Instance == "" {
		errs = append(errs, errors.New("BT_PROJECT and BT_INSTANCE must be set"))
	}
	return c, errors.Join(errs...)
}

func or(name, def string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return def
}
