// Package conf decodes the platform's YAML configuration. Every value has a
// default in code, so that an empty file is a working configuration.
package conf

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"gopkg.in/yaml.v3"

	"example.com/lakehouse/internal/schema"
)

// Config is the whole file.
type Config struct {
	Project  string   `yaml:"project"`
	Instance string   `yaml:"instance"`
	Clicks   Clicks   `yaml:"clickstream"`
	Dedup    Dedup    `yaml:"dedup"`
	Features Features `yaml:"features"`
	Sched    Sched    `yaml:"scheduler"`
	Quality  Quality  `yaml:"quality"`
	Staging  Staging  `yaml:"staging"`
}

// Clicks configures the click pipelines.
type Clicks struct {
	Workers   int           `yaml:"workers"`
	Batch     int           `yaml:"batch"`
	Retention time.Duration `yaml:"retention"`
	BotLife   time.Duration `yaml:"bot_life"`
	Session   time.Duration `yaml:"session"`
}

// Dedup configures the duplicate filter.
type Dedup struct {
	Window time.Duration `yaml:"window"`
	Strict bool          `yaml:"strict"`
}

// Features configures the feature store.
type Features struct {
	OnlineTTL   time.Duration            `yaml:"online_ttl"`
	StatsWindow time.Duration            `yaml:"stats_window"`
	PerGroup    map[string]time.Duration `yaml:"per_group"`
}

// Sched configures the scheduler.
type Sched struct {
	Lease   time.Duration `yaml:"lease"`
	Tick    time.Duration `yaml:"tick"`
	KeepRun int           `yaml:"keep_runs"`
}

// Quality configures the checker.
type Quality struct {
	SampleTTL time.Duration `yaml:"sample_ttl"`
	MaxBad    float64       `yaml:"max_bad"`
}

// Staging configures staging areas.
type Staging struct {
	PartTTL time.Duration `yaml:"part_ttl"`
	Sources []string      `yaml:"sources"`
}

// Default is the configuration of an empty file.
func Default() Config {
	return Config{
		Instance: "lake",
		Clicks:   Clicks{Workers: 8, Batch: schema.MaxBulkMutation, Retention: schema.ClickRetention, BotLife: 24 * time.Hour, Session: schema.SessionTTL},
		Dedup:    Dedup{Window: schema.SeenTTL},
		Features: Features{OnlineTTL: schema.OnlineTTL, StatsWindow: schema.StatsRetention},
		Sched:    Sched{Lease: schema.LeaseTTL, Tick: 10 * time.Second, KeepRun: schema.RunKeep},
		Quality:  Quality{SampleTTL: schema.SampleTTL, MaxBad: 0.01},
		Staging:  Staging{PartTTL: schema.PartTTL, Sources: []string{"crm", "web", "app"}},
	}
}

// Load reads path over the defaults; a missing file is no error.
func Load(path string) (Config, error) {
	c := Default()
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, fmt.Errorf("conf: %w", err)
	}
	if err := yaml.Unmarshal(b, &c); err != nil {
		return c, fmt.Errorf("conf: %s: %w", path, err)
	}
	return c, c.check()
}

func (c Config) check() error {
	var errs []error
	if c.Clicks.Workers < 1 {
		errs = append(errs, errors.New("clickstream.workers must be positive"))
	}
	if c.Features.OnlineTTL < time.Minute {
		errs = append(errs, errors.New("features.online_ttl is below a minute"))
	}
	if c.Sched.Lease < 10*time.Second {
		errs = append(errs, errors.New("scheduler.lease is below ten seconds"))
	}
	return errors.Join(errs...)
}
