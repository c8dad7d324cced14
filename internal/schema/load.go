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
	paths, mistakes := named(file)
	if l, ok := loaded.Load(key); ok && mistakes == nil {
		l := l.(loadedSchema)
		if registry.Hash(append(paths, l.schema.Files...)) == l.hash {
			return l.schema
		}
	}
	s := read(file, nil)
	loaded.Store(key, loadedSchema{s, registry.Hash(append(paths, s.Files...))})
	return s
}

// LoadWith is [Load] with files of Terraform variables.
func LoadWith(file *registry.File, varFiles []string) *evidence.Schema {
	if len(varFiles) == 0 {
		return Load(file)
	}
	return read(file, varFiles)
}

func read(file *registry.File, varFiles []string) *evidence.Schema {
	paths, mistakes := named(file)
	s := Read(paths, varFiles)
	for _, m := range mistakes {
		s.Fail(evidence.Place{Position: m.Pos}, "schema: %s", m.Msg)
	}
	return s
}

// named lists the files that a registry file names, and what is wrong with its
// patterns, each where it stands.
func named(file *registry.File) (paths []string, mistakes registry.Errors) {
	dir := filepath.Dir(file.Path)
	have := map[string]bool{}
	for i, pattern := range file.Schema {
		found, err := Expand(dir, []string{pattern})
		found, err2 := inside(dir, found)
		for _, err := range []error{err, err2} {
			if err == nil {
				continue
			}
			for line := range strings.SplitSeq(err.Error(), "\n") {
				mistakes = append(mistakes, &registry.ParseError{Pos: file.SchemaAt[i], Msg: line})
			}
		}
		for _, p := range found {
			if !have[p] {
				have[p] = true
				paths = append(paths, p)
			}
		}
	}
	return paths, mistakes
}

// Files lists the files that decide what the sources of a registry say, and
// the directories' listings that its patterns match.
func Files(file *registry.File) []string {
	if file == nil || len(file.Schema) == 0 {
		return nil
	}
	paths, _ := named(file)
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
