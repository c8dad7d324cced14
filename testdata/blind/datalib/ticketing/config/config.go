// Package config reads the ticket service's configuration.
package config

import (
	"errors"
	"os"
	"strconv"
	"time"
)

// Config is the ticket service's configuration.
type Config struct {
	Project, Instance, Region string
	Listen                    string
	Grace                     time.Duration
	BatchSize                 int
	Debug                     bool
}

// FromEnv reads the environment.
func FromEnv() (*Config, error) {
	c := &Config{
		Project:   os.Getenv("BIGTABLE_PROJECT"),
		Instance:  os.Getenv("BIGTABLE_INSTANCE"),
		Region:    os.Getenv("REGION"),
		Listen:    or(os.Getenv("LISTEN"), ":8080"),
		Grace:     time.Minute,
		BatchSize: 100,
	}
	if c.Project == "" || c.Instance == "" {
		return nil, errors.New("config: BIGTABLE_PROJECT and BIGTABLE_INSTANCE are needed")
	}
	if v := os.Getenv("GRACE"); v != "" {
		d, err := time.ParseDuration(v)
		if err != nil {
			return nil, err
		}
		c.Grace = d
	}
	if v := os.Getenv("BATCH"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil {
			return nil, err
		}
		c.BatchSize = n
	}
	c.Debug, _ = strconv.ParseBool(os.Getenv("DEBUG"))
	return c, nil
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
