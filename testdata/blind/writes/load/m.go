package load

import (
	"encoding/json"
	"os"
	"time"

	"cloud.google.com/go/bigtable"
)

type config struct {
	TTL     time.Duration `json:"ttl"`
	Expires time.Time     `json:"expires"`
}

func load(path string, v any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}

func Use(m *bigtable.Mutation) error {
	var cfg config
	if err := load("config.json", &cfg); err != nil {
		return err
	}
	m.Set("token", "a", bigtable.Time(cfg.Expires), nil)             // silent
	m.Set("token", "b", bigtable.Time(time.Now().Add(cfg.TTL)), nil) // silent
	return nil
}
