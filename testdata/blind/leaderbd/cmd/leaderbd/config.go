package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"studio.example/leaderbd/internal/kit"
)

// Config comes from the environment.
type Config struct {
	Project  string
	Instance string
	Env      string
	Listen   string
	Regions  []string
	Hold     time.Duration
	Bots     int
	Timeout  time.Duration
}

// source finds values.
type source func(string) kit.Option[string]

func fromEnv(name string) kit.Option[string] {
	if v, ok := os.LookupEnv(name); ok {
		return kit.Some(v)
	}
	return kit.None[string]()
}

// field fills one value of a Config.
type field struct {
	name string
	set  func(*Config, string) error
}

func text(f func(*Config) *string) func(*Config, string) error {
	return func(c *Config, v string) error { *f(c) = v; return nil }
}

func parsed[T any](f func(*Config) *T, parse func(string) (T, error)) func(*Config, string) error {
	return func(c *Config, v string) error {
		x, err := parse(v)
		*f(c) = x
		return err
	}
}

var fields = []field{
	{"LB_PROJECT", text(func(c *Config) *string { return &c.Project })},
	{"LB_INSTANCE", text(func(c *Config) *string { return &c.Instance })},
	{"LB_ENV", text(func(c *Config) *string { return &c.Env })},
	{"LB_LISTEN", text(func(c *Config) *string { return &c.Listen })},
	{"LB_REGIONS", parsed(func(c *Config) *[]string { return &c.Regions }, func(v string) ([]string, error) { return strings.Split(v, ","), nil })},
	{"LB_HOLD", parsed(func(c *Config) *time.Duration { return &c.Hold }, time.ParseDuration)},
	{"LB_TIMEOUT", parsed(func(c *Config) *time.Duration { return &c.Timeout }, time.ParseDuration)},
	{"LB_BOTS", parsed(func(c *Config) *int { return &c.Bots }, strconv.Atoi)},
}

// load reads a Config.
func load(src source) (Config, error) {
	c := Config{Env: "dev", Listen: ":8080", Regions: []string{"eu"}, Timeout: 5 * time.Second, Bots: 8}
	var errs []error
	for _, f := range fields {
		v, ok := src(f.name).Get()
		if !ok {
			continue
		}
		if err := f.set(&c, v); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", f.name, err))
		}
	}
	if cmp.Or(c.Project, c.Instance) == "" {
		errs = append(errs, errors.New("LB_PROJECT and LB_INSTANCE must be set"))
	}
	return c, errors.Join(errs...)
}
