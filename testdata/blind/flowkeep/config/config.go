// Package config reads the engine's configuration.
package config

import (
	"errors"
	"fmt"
	"os"
	"time"

	"gopkg.in/yaml.v3"
)

// Duration is a time.Duration that YAML can read.
type Duration time.Duration

// UnmarshalYAML implements yaml.Unmarshaler.
func (d *Duration) UnmarshalYAML(n *yaml.Node) error {
	v, err := time.ParseDuration(n.Value)
	if err != nil {
		return fmt.Errorf("line %d: %w", n.Line, err)
	}
	*d = Duration(v)
	return nil
}

// Namespace is a tenant.
type Namespace struct {
	Name      string   `yaml:"name"`
	Retention Duration `yaml:"retention"`
	Workers   int      `yaml:"workers"`
	Queues    []string `yaml:"queues"`
}

// Config is the configuration.
type Config struct {
	Project    string      `yaml:"project"`
	Instance   string      `yaml:"instance"`
	Env        string      `yaml:"env"`
	Listen     string      `yaml:"listen"`
	LeaseTTL   Duration    `yaml:"lease_ttl"`
	Tick       Duration    `yaml:"tick"`
	Namespaces []Namespace `yaml:"namespaces"`
}

// Default is what applies where the file says nothing.
func Default() Config {
	return Config{Env: "dev", Listen: ":8080", LeaseTTL: Duration(45 * time.Second), Tick: Duration(time.Second)}
}

type check struct {
	name string
	ok   func(Config) bool
}

var checks = []check{
	{"project", func(c Config) bool { return c.Project != "" }},
	{"instance", func(c Config) bool { return c.Instance != "" }},
	{"lease_ttl", func(c Config) bool { return c.LeaseTTL > 0 }},
	{"namespaces", func(c Config) bool { return len(c.Namespaces) > 0 }},
}

// Validate checks c.
func (c Config) Validate() error {
	var errs []error
	for _, k := range checks {
		if !k.ok(c) {
			errs = append(errs, fmt.Errorf("config: %s is missing or wrong", k.name))
		}
	}
	return errors.Join(errs...)
}

// Load reads a file over the defaults.
func Load(path string) (Config, error) {
	c := Default()
	b, err := os.ReadFile(path)
	if err != nil {
		return c, err
	}
	if err := yaml.Unmarshal(b, &c); err != nil {
		return c, err
	}
	return c, c.Validate()
}
