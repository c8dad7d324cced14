package schema

import (
	"path/filepath"
	"strings"
	"sync"

	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// A loadedSchema is what a registry's sources said, and the hash of the
// files that they are.
type loadedSchema struct {
	schema *evidence.Schema
	hash   string
}

// loaded holds them by the registry's path and patterns: editors ask with
// every package.
var loaded sync.Map

// Load reads the sources that a registry file names.
func Load(file *registry.File) *evidence.Schema {
	if file == nil || len(file.Schema) == 0 {
		return &evidence.Schema{}
	}
	key := file.Path + "\x00" + strings.Join(file.Schema, "\x00")
	paths, err := Expand(filepath.Dir(file.Path), file.Schema)
	if l, ok := loaded.Load(key); ok && err == nil {
		l := l.(loadedSchema)
		if registry.Hash(append(paths, l.schema.Files...)) == l.hash {
			return l.schema
		}
	}
	s := Read(paths, nil)
	if err != nil {
		for _, line := range strings.Split(err.Error(), "\n") {
			s.Fail(evidence.Place{Position: file.SchemaPos}, "schema: %s", line)
		}
	}
	loaded.Store(key, loadedSchema{s, registry.Hash(append(paths, s.Files...))})
	return s
}

// Files lists the files that decide what the sources of a registry say, and
// the directories' listings that its patterns match.
func Files(file *registry.File) []string {
	if file == nil || len(file.Schema) == 0 {
		return nil
	}
	paths, _ := Expand(filepath.Dir(file.Path), file.Schema)
	return append(paths, Load(file).Files...)
}

// OneSecond lists the settings from which a family's strategy is inferred:
// policies of at most a second, of families to which no source gives
// another policy.
func OneSecond(s *evidence.Schema) []*evidence.Setting {
	other := map[[2]string]bool{}
	for _, t := range s.Settings {
		if t.Policy != nil && !t.Policy.OneSecond() {
			other[[2]string{t.Table, t.Family}] = true
		}
	}
	var out []*evidence.Setting
	seen := map[[2]string]bool{}
	for _, t := range s.Settings {
		key := [2]string{t.Table, t.Family}
		if t.Policy == nil || !t.Policy.OneSecond() || t.Aggregate || t.Family == "" || strings.Contains(t.Family, "*") || t.Table == "*" || other[key] || seen[key] {
			continue
		}
		seen[key] = true
		out = append(out, t)
	}
	return out
}
