// Package config reads the process environment.
package config

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"time"
)

// Config is everything the binaries take from outside.
type Config struct {
	Project, Instance string
	Listen            string
	Batch             int
	TenantRetention   map[string]time.Duration
	CacheTTL          time.Duration
}

func str(key, def string) string {
	if v, ok := os.LookupEnv(key); ok {
		return v
	}
	return def
}

// Load reads the configuration.
func Load() (*Config, error) {
	c := &Config{
		Project:         str("LUMEN_PROJECT", ""),
		Instance:        str("LUMEN_INSTANCE", ""),
		Listen:          str("LUMEN_LISTEN", ":8088"),
		TenantRetention: map[string]time.Duration{},
	}
	var errs []error
	var err error
	if c.Batch, err = strconv.Atoi(str("LUMEN_BATCH", "500")); err != nil {
		errs = append(errs, err)
	}
	if c.CacheTTL, err = time.ParseDuration(str("LUMEN_CACHE_TTL", "5m")); err != nil {
		errs = append(errs, err)
	}
	for _, part := range strings.Split(os.Getenv("LUMEN_TENANT_RETENTION"), ",") {
		if name, val, ok := strings.Cut(strings.TrimSpace(part), "="); ok {
			d, err := time.ParseDuration(val)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			c.TenantRetention[name] = d
		}
	}
	if c.Project == "" || c.Instance == "" {
		errs = append(errs, errors.New("LUMEN_PROJECT and LUMEN_INSTANCE are required"))
	}
	return c, errors.Join(errs...)
}
