// Package config loads the settings of Beacon's programs.
package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"example.com/beacon/internal/layout"
)

// Settings is what the file and the environment say.
type Settings struct {
	Project  string   `json:"project"`
	Instance string   `json:"instance"`
	Listen   string   `json:"listen"`
	Prefix   string   `json:"tablePrefix"`
	Tenants  []string `json:"tenants"`
	Workers  int      `json:"workers"`

	Plans map[string]Plan `json:"plans"`
	Extra Extra           `json:"extra"`

	Layout Layout `json:"-"`
}

// Layout is how tables are laid out. It is not read from files: a changed family
// needs a migration, not a setting.
type Layout struct {
	Audit    layout.Audit
	Metrics  layout.Metrics
	Sessions layout.Sessions
	State    layout.State
}

// Plan is what a tenant pays for.
type Plan struct {
	RetentionDays int `json:"retentionDays"`
	Seats         int `json:"seats"`
	RPS           int `json:"rps"`
}

// Extra is the customer's own table, filled by their connector.
type Extra struct {
	Table  string   `json:"table"`
	Family string   `json:"family"`
	TTL    Duration `json:"ttl"`
}

// Duration is a time.Duration that JSON writes as a string.
type Duration time.Duration

// UnmarshalJSON reads "1h30m" and also "30d".
func (d *Duration) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil {
			return fmt.Errorf("duration %q: %w", s, err)
		}
		*d = Duration(time.Duration(n) * 24 * time.Hour)
		return nil
	}
	v, err := time.ParseDuration(s)
	if err != nil {
		return err
	}
	*d = Duration(v)
	return nil
}

// Default is what runs on a laptop.
func Default() *Settings {
	return &Settings{
		Project:  "beacon-dev",
		Instance: "local",
		Listen:   ":8080",
		Prefix:   "dev",
		Workers:  4,
		Layout:   DefaultLayout(),
	}
}

// DefaultLayout is the layout of all editions.
func DefaultLayout() Layout {
	return Layout{
		Audit:    layout.DefaultAudit(),
		Metrics:  layout.Metrics{}.WithDefaults(),
		Sessions: layout.DefaultSessions(),
		State:    layout.StateLayout,
	}
}

// Load reads the file, then the environment.
func Load(path string) (*Settings, error) {
	s := Default()
	b, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	default:
		if err := json.Unmarshal(b, s); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	s.env()
	return s, s.check()
}

func (s *Settings) env() {
	set := func(name string, to *string) {
		if v, ok := os.LookupEnv("BEACON_" + name); ok {
			*to = v
		}
	}
	set("PROJECT", &s.Project)
	set("INSTANCE", &s.Instance)
	set("LISTEN", &s.Listen)
	set("TABLE_PREFIX", &s.Prefix)
	if v := os.Getenv("BEACON_TENANTS"); v != "" {
		s.Tenants = strings.Split(v, ",")
	}
	if n, err := strconv.Atoi(os.Getenv("BEACON_WORKERS")); err == nil {
		s.Workers = n
	}
}

func (s *Settings) check() error {
	if s.Project == "" || s.Instance == "" {
		return errors.New("project and instance must be set")
	}
	for _, t := range s.Tenants {
		if err := layout.For(s.Prefix, t).Valid(); err != nil {
			return err
		}
	}
	if s.Workers < 1 {
		return fmt.Errorf("workers is %d", s.Workers)
	}
	return nil
}

// Plan is the plan by name, or the smallest one.
func (s *Settings) Plan(name string) Plan {
	if p, ok := s.Plans[name]; ok {
		return p
	}
	return Plan{RetentionDays: 90, Seats: 5, RPS: 20}
}
