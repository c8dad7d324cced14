// Package config reads the services' settings from a file and the environment.
package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"
)

// Duration is a time.Duration that JSON has as "15m".
type Duration time.Duration

// UnmarshalJSON reads "15m".
func (d *Duration) UnmarshalJSON(b []byte) error {
	s, err := strconv.Unquote(string(b))
	if err != nil {
		return err
	}
	v, err := time.ParseDuration(s)
	*d = Duration(v)
	return err
}

// Config are the settings.
type Config struct {
	Project    string   `json:"project"`
	Instance   string   `json:"instance"`
	Listen     string   `json:"listen"`
	Tenant     string   `json:"tenant"`
	LeaseTable string   `json:"lease_table"`
	BeatTTL    Duration `json:"beat_ttl"`
	LeaseTTL   Duration `json:"lease_ttl"`
	Workers    int      `json:"workers"`
	BatchSize  int      `json:"batch_size"`
	Debug      bool     `json:"debug"`
}

// Default is what holds where the file says nothing.
func Default() *Config {
	return &Config{
		Listen:     ":8080",
		Tenant:     "main",
		LeaseTable: "leases",
		BeatTTL:    Duration(15 * time.Minute),
		LeaseTTL:   Duration(2 * time.Minute),
		Workers:    8,
		BatchSize:  200,
	}
}

// Load reads the file, if one is named, and the environment.
func Load(path string) (*Config, error) {
	c := Default()
	if path != "" {
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("config: %w", err)
		}
		if err := json.Unmarshal(b, c); err != nil {
			return nil, fmt.Errorf("config: %s: %w", path, err)
		}
	}
	overlay(&c.Project, "FLEET_PROJECT")
	overlay(&c.Instance, "FLEET_INSTANCE")
	overlay(&c.Listen, "FLEET_LISTEN")
	overlay(&c.Tenant, "FLEET_TENANT")
	overlay(&c.LeaseTable, "FLEET_LEASE_TABLE")
	return c, c.check()
}

func overlay(p *string, name string) {
	if v, ok := os.LookupEnv(name); ok {
		*p = v
	}
}

func (c *Config) check() error {
	var errs []error
	if c.Project == "" {
		errs = append(errs, errors.New("config: no project"))
	}
	if c.Instance == "" {
		errs = append(errs, errors.New("config: no instance"))
	}
	if c.Workers < 1 || c.Workers > 256 {
		errs = append(errs, fmt.Errorf("config: workers is %d", c.Workers))
	}
	if c.BatchSize < 1 {
		c.BatchSize = 1
	}
	return errors.Join(errs...)
}

// RollupTable is the tenant's rollup table.
func (c *Config) RollupTable() string { return c.Tenant + "-rollup" }
