// Package platform is what every team uses: configuration, metrics, retries, tickers.
package platform

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Config is read from a JSON file; the environment wins.
type Config struct {
	Project   string            `json:"project"`
	Instance  string            `json:"instance"`
	Listen    string            `json:"listen"`
	Markets   []string          `json:"markets"`
	Retry     RetryConfig       `json:"retry"`
	Jobs      map[string]string `json:"jobs"` // name → interval
	LogLevel  string            `json:"log_level"`
	UsageDays int               `json:"usage_days"`
}

// RetryConfig is for the decorators around writes.
type RetryConfig struct {
	Attempts int      `json:"attempts"`
	Backoff  Duration `json:"backoff"`
}

// Duration is a time.Duration that JSON can hold as "5s".
type Duration time.Duration

// UnmarshalJSON reads "5s" or a number of seconds.
func (d *Duration) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err == nil {
		v, err := time.ParseDuration(s)
		if err != nil {
			return err
		}
		*d = Duration(v)
		return nil
	}
	var n int64
	if err := json.Unmarshal(b, &n); err != nil {
		return fmt.Errorf("duration %s: neither string nor number", b)
	}
	*d = Duration(time.Duration(n) * time.Second)
	return nil
}

// Load reads path and the environment.
func Load(path string) (*Config, error) {
	c := &Config{Listen: ":8080", Markets: []string{"de"}, LogLevel: "info", UsageDays: 35}
	if path != "" {
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(b, c); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if v := os.Getenv("SUBS_PROJECT"); v != "" {
		c.Project = v
	}
	if v := os.Getenv("SUBS_INSTANCE"); v != "" {
		c.Instance = v
	}
	if v := os.Getenv("SUBS_MARKETS"); v != "" {
		c.Markets = strings.Split(v, ",")
	}
	if v := os.Getenv("SUBS_RETRY_ATTEMPTS"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil {
			return nil, fmt.Errorf("SUBS_RETRY_ATTEMPTS: %w", err)
		}
		c.Retry.Attempts = n
	}
	if c.Retry.Attempts == 0 {
		c.Retry.Attempts = 3
	}
	if c.Retry.Backoff == 0 {
		c.Retry.Backoff = Duration(50 * time.Millisecond)
	}
	return c, c.check()
}

func (c *Config) check() error {
	var errs []error
	if c.Project == "" {
		errs = append(errs, errors.New("no project"))
	}
	if c.Instance == "" {
		errs = append(errs, errors.New("no instance"))
	}
	if len(c.Markets) == 0 {
		errs = append(errs, errors.New("no market"))
	}
	return errors.Join(errs...)
}

// Interval is the interval of a job, or def.
func (c *Config) Interval(job string, def time.Duration) time.Duration {
	s, ok := c.Jobs[job]
	if !ok {
		return def
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		return def
	}
	return d
}
