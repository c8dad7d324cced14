// Package load reads a configuration: nothing where a call fails.
package load

import (
	"encoding/json"
	"os"
	"time"
)

// Config is what is configured.
type Config struct{ TTL time.Duration }

// Load reads it. What it returns beside the error of a call is not used.
func Load(path string) (Config, error) {
	cfg := Config{TTL: 30 * time.Minute}
	b, err := os.ReadFile(path)
	if err != nil {
		return Config{}, err
	}
	if err := json.Unmarshal(b, &cfg); err != nil {
		return Config{}, err
	}
	return cfg, nil
}

// Forgotten returns a lifetime that is over, unless the call fails.
func Forgotten(path string) (Config, error) {
	if err := os.Remove(path); err != nil {
		return Config{TTL: time.Hour}, err
	}
	return Config{TTL: -time.Minute}, nil
}
