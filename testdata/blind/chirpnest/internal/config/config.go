// Package config is one nested struct, like config.default.ts was.
package config

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"
)

type Config struct {
	Env      string
	HTTP     HTTP
	Bigtable Bigtable
	Auth     Auth
	Notify   Notify
	Jobs     Jobs
	Limits   Limits
	Schema   Schema
}

type HTTP struct {
	Addr         string
	ReadTimeout  time.Duration
	WriteTimeout time.Duration
	BodyLimit    int64
}

type Bigtable struct {
	Project  string
	Instance string
	Profile  string
}

type Auth struct {
	AccessTTL  time.Duration
	RefreshTTL time.Duration
	Issuer     string
}

type Notify struct {
	InboxTTL  time.Duration
	DigestTTL time.Duration
	PushTTL   time.Duration
	BatchSize int
}

type Jobs struct {
	LeaseTTL    time.Duration
	MaxAttempts int
	Poll        time.Duration
}

type Limits struct {
	Window   time.Duration
	PerUser  int64
	PerIP    int64
	PageSize int
}

// Schema is what migrate applies.
type Schema struct {
	Timeline  time.Duration
	Stories   time.Duration
	Badges    time.Duration
	Revisions int
}

// Default is what runs on a laptop.
func Default() Config {
	return Config{
		Env: "dev",
		HTTP: HTTP{
			Addr:         ":8080",
			ReadTimeout:  5 * time.Second,
			WriteTimeout: 10 * time.Second,
			BodyLimit:    1 << 20,
		},
		Bigtable: Bigtable{Project: "chirpnest-dev", Instance: "local", Profile: "default"},
		Auth: Auth{
			AccessTTL:  30 * time.Minute,
			RefreshTTL: 30 * 24 * time.Hour,
			Issuer:     "chirpnest",
		},
		Notify: Notify{
			InboxTTL:  30 * 24 * time.Hour,
			DigestTTL: 7 * 24 * time.Hour,
			PushTTL:   6 * time.Hour,
			BatchSize: 100,
		},
		Jobs:   Jobs{LeaseTTL: 5 * time.Minute, MaxAttempts: 5, Poll: 2 * time.Second},
		Limits: Limits{Window: time.Hour, PerUser: 1000, PerIP: 5000, PageSize: 50},
	}
}

// FromEnv overrides the defaults.
func FromEnv() (Config, error) {
	c := Default()
	c.Env = str("CHIRP_ENV", c.Env)
	c.HTTP.Addr = str("CHIRP_ADDR", c.HTTP.Addr)
	c.Bigtable.Project = str("CHIRP_PROJECT", c.Bigtable.Project)
	c.Bigtable.Instance = str("CHIRP_INSTANCE", c.Bigtable.Instance)
	var errs []error
	c.Auth.AccessTTL = dur("CHIRP_ACCESS_TTL", c.Auth.AccessTTL, &errs)
	c.Auth.RefreshTTL = dur("CHIRP_REFRESH_TTL", c.Auth.RefreshTTL, &errs)
	c.Notify.PushTTL = dur("CHIRP_PUSH_TTL", c.Notify.PushTTL, &errs)
	c.Jobs.LeaseTTL = dur("CHIRP_LEASE_TTL", c.Jobs.LeaseTTL, &errs)
	c.Limits.PageSize = num("CHIRP_PAGE", c.Limits.PageSize, &errs)
	return c, errors.Join(errs...)
}

func str(key, def string) string {
	if v := os.Getenv(key); v != "" {
		return v
	}
	return def
}

func dur(key string, def time.Duration, errs *[]error) time.Duration {
	v := os.Getenv(key)
	if v == "" {
		return def
	}
	d, err := time.ParseDuration(v)
	if err != nil {
		*errs = append(*errs, fmt.Errorf("%s: %w", key, err))
		return def
	}
	return d
}

func num(key string, def int, errs *[]error) int {
	v := os.Getenv(key)
	if v == "" {
		return def
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		*errs = append(*errs, fmt.Errorf("%s: %w", key, err))
		return def
	}
	return n
}
