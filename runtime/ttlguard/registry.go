package ttlguard

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ttlvet/ttlvet/runtime/strategy"
)

// WithRegistry declares the tables of a ttlvet.yaml, usually embedded:
//
//	//go:embed ttlvet.yaml
//	var registry []byte
//
//	guard, err := ttlguard.New(ttlguard.WithRegistry(registry, yaml.Unmarshal))
//
// unmarshal is the function of that name of whichever YAML library the program
// has already (go.yaml.in/yaml/v3, gopkg.in/yaml.v3, github.com/goccy/go-yaml), so
// that this package brings none. Of the file's rules, strict and disable count;
// the linter checks the rest of it.
func WithRegistry(data []byte, unmarshal func([]byte, any) error) Option {
	return func(g *Guard) error {
		if unmarshal == nil {
			return errors.New("ttlguard: WithRegistry needs the Unmarshal of a YAML library")
		}
		var f registryFile
		if err := unmarshal(data, &f); err != nil {
			return fmt.Errorf("ttlguard: the registry cannot be read: %w", err)
		}
		return f.declare(g)
	}
}

// A registryFile is what counts of ttlvet.yaml. sigs.k8s.io/yaml goes by the
// tags for JSON.
type registryFile struct {
	Version int `yaml:"version" json:"version"`
	Tables  map[string]struct {
		Families map[string]registryFamily `yaml:"families" json:"families"`
	} `yaml:"tables" json:"tables"`
	Rules struct {
		Strict  bool     `yaml:"strict" json:"strict"`
		Disable []string `yaml:"disable" json:"disable"`
	} `yaml:"rules" json:"rules"`
}

type registryFamily struct {
	Strategy string `yaml:"strategy" json:"strategy"`
	TTL      string `yaml:"ttl" json:"ttl"`
	MaxAge   string `yaml:"max-age" json:"max-age"`
	Versions int    `yaml:"versions" json:"versions"`
}

func (f *registryFile) declare(g *Guard) error {
	if f.Version != 1 {
		return fmt.Errorf("ttlguard: the registry has version %d, not 1", f.Version)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Tables)) {
		var families []strategy.Family
		for _, family := range slices.Sorted(maps.Keys(f.Tables[name].Families)) {
			declared, err := f.Tables[name].Families[family].family(family)
			if err != nil {
				return fmt.Errorf("ttlguard: table %q, family %q: %w", name, family, err)
			}
			families = append(families, declared)
		}
		if err := g.declare(name, families); err != nil {
			return err
		}
	}
	g.strict = g.strict || f.Rules.Strict
	for _, r := range f.Rules.Disable {
		g.disabled[r] = true // also rules that the wire does not show
	}
	return nil
}

// family returns the declaration, with the defaults and the limits that the
// linter has for it.
func (r registryFamily) family(name string) (strategy.Family, error) {
	f := strategy.Family{Name: name, Strategy: strategy.Strategy(r.Strategy), Versions: r.Versions}
	var err error
	if f.TTL, err = duration("ttl", r.TTL); err != nil {
		return f, err
	}
	if f.MaxAge, err = duration("max-age", r.MaxAge); err != nil {
		return f, err
	}
	switch f.Strategy {
	case strategy.OneSecond:
		if f.MaxAge > time.Second {
			return f, fmt.Errorf("max-age %s is more than a second", strategy.FormatDuration(f.MaxAge))
		}
		if f.MaxAge == 0 {
			f.MaxAge = time.Second
		}
	case strategy.Default:
		if f.TTL == 0 {
			return f, errors.New("needs its ttl")
		}
		f.MaxAge = f.TTL
	case strategy.Sequence:
		if f.Versions < 1 {
			return f, errors.New("needs versions, at least 1")
		}
	case strategy.Zero, strategy.Real:
	case "":
		return f, errors.New("has no strategy")
	default:
		return f, fmt.Errorf("unknown strategy %q; it has one of %s", r.Strategy, strategyNames())
	}
	return f, nil
}

func duration(key, s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	d, err := strategy.ParseDuration(s)
	if err != nil {
		return 0, fmt.Errorf("%s %w", key, err)
	}
	return d, nil
}

func strategyNames() string {
	var names []string
	for _, s := range strategy.Strategies() {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}
