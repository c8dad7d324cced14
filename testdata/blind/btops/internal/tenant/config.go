// Package tenant knows the operators whose riders we serve: which tables each
// of them has, and how to read and write those.
package tenant

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"sort"
	"strings"
	"time"
)

// Config is the file that the service and the tools read.
type Config struct {
	Env      string            `json:"env"`
	Tenants  []Tenant          `json:"tenants"`
	Patterns map[string]string `json:"patterns"` // kind -> "{env}-{tenant}-ledger"
	Limits   Limits            `json:"limits"`
}

// Tenant is one operator.
type Tenant struct {
	ID       string            `json:"id"`
	Name     string            `json:"name"`
	Tables   map[string]string `json:"tables,omitempty"` // overrides of Patterns
	PassDays int               `json:"passDays,omitempty"`
	Paused   bool              `json:"paused,omitempty"`
}

// Limits bound what one request may do.
type Limits struct {
	MaxLegs    int           `json:"maxLegs"`
	MaxEntries int           `json:"maxEntries"`
	HoldFor    time.Duration `json:"holdFor"`
}

// Load reads and checks a file.
func Load(file string) (*Config, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return Parse(b)
}

// Parse reads and checks a configuration.
func Parse(b []byte) (*Config, error) {
	c := &Config{Env: "dev", Limits: Limits{MaxLegs: 200, MaxEntries: 1000, HoldFor: 2 * time.Minute}}
	if err := json.Unmarshal(b, c); err != nil {
		return nil, err
	}
	if c.Patterns == nil {
		c.Patterns = map[string]string{
			"ledger": "{env}-{tenant}-ledger",
			"passes": "{tenant}-passes",
		}
	}
	for kind, p := range c.Patterns {
		if !strings.Contains(p, "{tenant}") {
			return nil, fmt.Errorf("pattern of %s tables %q does not name the tenant", kind, p)
		}
	}
	seen := map[string]bool{}
	for _, t := range c.Tenants {
		if t.ID == "" {
			return nil, errors.New("tenant without id")
		}
		if seen[t.ID] {
			return nil, fmt.Errorf("tenant %s twice", t.ID)
		}
		seen[t.ID] = true
		for kind, name := range t.Tables {
			if ok, _ := path.Match("*-"+kind, name); !ok {
				return nil, fmt.Errorf("tenant %s: table %q is no %s table", t.ID, name, kind)
			}
		}
	}
	return c, nil
}

// Get finds a tenant.
func (c *Config) Get(id string) (Tenant, bool) {
	for _, t := range c.Tenants {
		if t.ID == id {
			return t, true
		}
	}
	return Tenant{}, false
}

// IDs lists the tenants that are not paused.
func (c *Config) IDs() []string {
	var ids []string
	for _, t := range c.Tenants {
		if !t.Paused {
			ids = append(ids, t.ID)
		}
	}
	sort.Strings(ids)
	return ids
}

// TableName is the name of a tenant's table of one kind.
func (c *Config) TableName(t Tenant, kind string) string {
	if name := t.Tables[kind]; name != "" {
		return name
	}
	r := strings.NewReplacer("{env}", c.Env, "{tenant}", t.ID)
	return r.Replace(c.Patterns[kind])
}

// LedgerName is the usual name of a tenant's ledger.
func LedgerName(env, id string) string { return env + "-" + id + "-ledger" }

// PassesName is the usual name of a tenant's passes.
func PassesName(id string) string { return fmt.Sprintf("%s-passes", id) }
