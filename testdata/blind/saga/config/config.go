// Package config reads the environment.
package config

import (
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"time"
)

// Config is what the commands are told.
type Config struct {
	Project, Instance string
	Listen            string
	Env               string
	HoldFor           time.Duration
	RelayEvery        time.Duration
	BatchSize         int
	LogLevel          slog.Level
}

// FromEnv reads the configuration.
func FromEnv() (Config, error) {
	c := Config{Project: os.Getenv("GCP_PROJECT"), Instance: os.Getenv("BT_INSTANCE"), Listen: def("LISTEN", ":8080"), Env: def("SAGA_ENV", "dev")}
	var err error
	if c.HoldFor, err = duration("HOLD_FOR", 15*time.Minute); err != nil {
		return c, err
	}
	if c.RelayEvery, err = duration("RELAY_EVERY", 2*time.Second); err != nil {
		return c, err
	}
	if c.BatchSize, err = strconv.Atoi(def("BATCH", "200")); err != nil {
		return c, fmt.Errorf("BATCH: %w", err)
	}
	if err = c.LogLevel.UnmarshalText([]byte(def("LOG", "info"))); err != nil {
		return c, fmt.Errorf("LOG: %w", err)
	}
	if c.Project == "" || c.Instance == "" {
		return c, fmt.Errorf("GCP_PROJECT and BT_INSTANCE must be set")
	}
	return c, nil
}

func def(name, v string) string {
	if s := os.Getenv(name); s != "" {
		return s
	}
	return v
}

func duration(name string, v time.Duration) (time.Duration, error) {
	s := os.Getenv(name)
	if s == "" {
		return v, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return d, nil
}
