// Package config reads the configuration.
package config

import (
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// Config is the configuration.
type Config struct {
	Project   string        `json:"project"`
	Instance  string        `json:"instance"`
	Listen    string        `json:"listen"`
	SlowCall  time.Duration `json:"-"`
	SlowMs    int64         `json:"slowMs"`
	Merchants []string      `json:"merchants"`
	Prefix    string        `json:"prefix"`
}

// Provider provides the configuration.
type Provider interface {
	Get() (Config, error)
}

// FileProvider reads a file.
type FileProvider struct{ Path string }

// Get implements Provider.
func (p FileProvider) Get() (Config, error) {
	var c Config
	data, err := os.ReadFile(p.Path)
	if err != nil {
		return c, fmt.Errorf("config: %w", err)
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return c, fmt.Errorf("config %s: %w", p.Path, err)
	}
	c.SlowCall = time.Duration(c.SlowMs) * time.Millisecond
	if c.SlowCall == 0 {
		c.SlowCall = 200 * time.Millisecond
	}
	return c, nil
}

// EnvProvider reads the environment.
type EnvProvider struct{}

// Get implements Provider.
func (EnvProvider) Get() (Config, error) {
	c := Config{
		Project:  os.Getenv("ORDERHUB_PROJECT"),
		Instance: os.Getenv("ORDERHUB_INSTANCE"),
		Listen:   os.Getenv("ORDERHUB_LISTEN"),
		Prefix:   os.Getenv("ORDERHUB_PREFIX"),
		SlowCall: 200 * time.Millisecond,
	}
	if c.Project == "" || c.Instance == "" {
		return c, fmt.Errorf("config: ORDERHUB_PROJECT and ORDERHUB_INSTANCE must be set")
	}
	return c, nil
}
