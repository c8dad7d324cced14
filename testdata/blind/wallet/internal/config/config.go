// Package config is the platform's configuration: defaults in code, a YAML
// file over them, the environment over both.
package config

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"gopkg.in/yaml.v3"
)

// Config is everything that can be set.
type Config struct {
	Bigtable Bigtable `yaml:"bigtable"`
	Tables   Tables   `yaml:"tables"`
	Session  Session  `yaml:"session"`
	Payment  Payment  `yaml:"payment"`
	Ledger   Ledger   `yaml:"ledger"`
	Risk     Risk     `yaml:"risk"`
	Webhook  Webhook  `yaml:"webhook"`
}

// Bigtable says where the data is.
type Bigtable struct {
	Project  string `yaml:"project"`
	Instance string `yaml:"instance"`
	Attempts int    `yaml:"attempts"`
}

// Tables names tables that differ between environments.
type Tables struct {
	Payments string `yaml:"payments"`
	Audit    string `yaml:"audit"`
}

// Session configures internal/session.
type Session struct {
	TTL      time.Duration `yaml:"ttl"`
	MaxItems int           `yaml:"maxItems"`
}

// Payment configures internal/payment.
type Payment struct {
	IdempotencyTTL time.Duration `yaml:"idempotencyTTL"`
	Workers        int           `yaml:"workers"`
}

// Ledger configures internal/ledger.
type Ledger struct {
	Region  string        `yaml:"region"`
	HoldTTL time.Duration `yaml:"holdTTL"`
	Batch   int           `yaml:"batch"`
}

// Risk configures internal/risk.
type Risk struct {
	Window    time.Duration `yaml:"window"`
	Threshold int64         `yaml:"threshold"`
}

// Webhook configures internal/webhook.
type Webhook struct {
	Retention time.Duration `yaml:"retention"`
	Endpoint  string        `yaml:"endpoint"`
}

// Default is the configuration of a developer's machine.
func Default() Config {
	return Config{
		Bigtable: Bigtable{Project: "wallet-dev", Instance: "dev", Attempts: 3},
		Tables:   Tables{Payments: "payments", Audit: "audit"},
		Session:  Session{TTL: 30 * time.Minute, MaxItems: 50},
		Payment:  Payment{IdempotencyTTL: 24 * time.Hour, Workers: 8},
		Ledger:   Ledger{Region: "eu", HoldTTL: 15 * time.Minute, Batch: 500},
		Risk:     Risk{Window: time.Hour, Threshold: 10},
		Webhook:  Webhook{Retention: 72 * time.Hour, Endpoint: "http://localhost:8089"},
	}
}

// Params is what New needs.
type Params struct {
	// Path of the YAML file; optional.
	Path string
	// Getenv replaces os.Getenv in tests.
	Getenv func(string) string
}

// Result is what New provides.
type Result struct {
	Config Config
}

// New reads the configuration.
func New(p Params) (Result, error) {
	cfg := Default()
	if p.Path != "" {
		b, err := os.ReadFile(p.Path)
		if err != nil {
			return Result{}, fmt.Errorf("read config: %w", err)
		}
		if err := yaml.Unmarshal(b, &cfg); err != nil {
			return Result{}, fmt.Errorf("decode config %q: %w", p.Path, err)
		}
	}
	getenv := p.Getenv
	if getenv == nil {
		getenv = os.Getenv
	}
	if err := applyEnv(&cfg, getenv); err != nil {
		return Result{}, err
	}
	return Result{Config: cfg}, cfg.Validate()
}

func applyEnv(cfg *Config, getenv func(string) string) error {
	strs := []struct {
		key string
		dst *string
	}{
		{"WALLET_PROJECT", &cfg.Bigtable.Project},
		{"WALLET_INSTANCE", &cfg.Bigtable.Instance},
		{"WALLET_TABLE_PAYMENTS", &cfg.Tables.Payments},
		{"WALLET_TABLE_AUDIT", &cfg.Tables.Audit},
		{"WALLET_REGION", &cfg.Ledger.Region},
		{"WALLET_WEBHOOK_ENDPOINT", &cfg.Webhook.Endpoint},
	}
	for _, s := range strs {
		if v := getenv(s.key); v != "" {
			*s.dst = v
		}
	}
	durations := []struct {
		key string
		dst *time.Duration
	}{
		{"WALLET_SESSION_TTL", &cfg.Session.TTL},
		{"WALLET_IDEMPOTENCY_TTL", &cfg.Payment.IdempotencyTTL},
		{"WALLET_HOLD_TTL", &cfg.Ledger.HoldTTL},
		{"WALLET_RISK_WINDOW", &cfg.Risk.Window},
	}
	for _, d := range durations {
		v := getenv(d.key)
		if v == "" {
			continue
		}
		parsed, err := time.ParseDuration(v)
		if err != nil {
			return fmt.Errorf("%s: %w", d.key, err)
		}
		*d.dst = parsed
	}
	if v := getenv("WALLET_BATCH"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil {
			return fmt.Errorf("WALLET_BATCH: %w", err)
		}
		cfg.Ledger.Batch = n
	}
	return nil
}

// Validate reports what cannot work.
func (c Config) Validate() error {
	var errs []error
	if c.Bigtable.Project == "" || c.Bigtable.Instance == "" {
		errs = append(errs, errors.New("bigtable: project and instance are required"))
	}
	if c.Session.TTL <= 0 {
		errs = append(errs, errors.New("session: ttl must be positive"))
	}
	if c.Ledger.Batch <= 0 || c.Ledger.Batch > 10_000 {
		errs = append(errs, fmt.Errorf("ledger: batch %d out of range", c.Ledger.Batch))
	}
	return errors.Join(errs...)
}
