// Package config reads the environment.
package config

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Config is what every service needs.
type Config struct {
	Project    string
	Instance   string
	Listen     string
	Region     string
	Journal    string
	Workers    int
	BatchSize  int
	BatchEvery time.Duration
	HoldFor    time.Duration
	Topics     []string
	Debug      bool
}

// Load reads the environment and fills in defaults.
func Load() (*Config, error) {
	c := &Config{
		Project:  os.Getenv("SKYLARK_PROJECT"),
		Instance: os.Getenv("SKYLARK_INSTANCE"),
		Listen:   str("SKYLARK_LISTEN", ":8080"),
		Region:   str("SKYLARK_REGION", "eu"),
		Journal:  os.Getenv("SKYLARK_JOURNAL"),
		Topics:   strings.Split(str("SKYLARK_TOPICS", "telemetry,alerts"), ","),
		Debug:    os.Getenv("SKYLARK_DEBUG") != "",
	}
	var errs []error
	num := func(name string, def int) int {
		n, err := strconv.Atoi(str(name, strconv.Itoa(def)))
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
		return n
	}
	dur := func(name string, def time.Duration) time.Duration {
		d, err := time.ParseDuration(str(name, def.String()))
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
		return d
	}
	c.Workers = num("SKYLARK_WORKERS", 8)
	c.BatchSize = num("SKYLARK_BATCH", 200)
	c.BatchEvery = dur("SKYLARK_BATCH_EVERY", 250*time.Millisecond)
	c.HoldFor = dur("SKYLARK_HOLD", 15*time.Minute)
	if c.Project == "" {
		errs = append(errs, errors.New("SKYLARK_PROJECT is empty"))
	}
	if c.Instance == "" {
		errs = append(errs, errors.New("SKYLARK_INSTANCE is empty"))
	}
	return c, errors.Join(errs...)
}

func str(name, def string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return def
}
