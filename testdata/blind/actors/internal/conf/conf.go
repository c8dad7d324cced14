// Package conf reads the configuration from the environment.
package conf

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"
)

// Config is everything a process can be told.
type Config struct {
	Project, Instance string
	Listen            string
	FlushEvery        time.Duration
	FlushSize         int
	Workers           int
	GuestTTL          time.Duration
	Season            int
	Grace             time.Duration
}

// FromEnv reads the configuration.
func FromEnv() (Config, error) {
	c := Config{
		Project:  os.Getenv("ARENA_PROJECT"),
		Instance: os.Getenv("ARENA_INSTANCE"),
		Listen:   str("ARENA_LISTEN", ":8080"),
	}
	var errs []error
	if c.Project == "" || c.Instance == "" {
		errs = append(errs, errors.New("ARENA_PROJECT and ARENA_INSTANCE are needed"))
	}
	c.FlushEvery = dur("ARENA_FLUSH_EVERY", 250*time.Millisecond, &errs)
	c.GuestTTL = dur("ARENA_GUEST_TTL", 10*time.Minute, &errs)
	c.Grace = dur("ARENA_GRACE", 20*time.Second, &errs)
	c.FlushSize = num("ARENA_FLUSH_SIZE", 200, &errs)
	c.Workers = num("ARENA_WORKERS", 8, &errs)
	c.Season = num("ARENA_SEASON", 1, &errs)
	return c, errors.Join(errs...)
}

func str(name, def string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return def
}

func dur(name string, def time.Duration, errs *[]error) time.Duration {
	v := os.Getenv(name)
	if v == "" {
		return def
	}
	d, err := time.ParseDuration(v)
	if err != nil {
		*errs = append(*errs, fmt.Errorf("%s: %w", name, err))
		return def
	}
	return d
}

func num(name string, def int, errs *[]error) int {
	v := os.Getenv(name)
	if v == "" {
		return def
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		*errs = append(*errs, fmt.Errorf("%s: %w", name, err))
		return def
	}
	return n
}
