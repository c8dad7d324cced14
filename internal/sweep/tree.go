package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// A tree is a writable copy of a module.
type tree struct {
	module
	dir   string
	files map[string][]byte // Go files as they were copied, by path in dir
	owned []string          // files of the packages, as absolute paths
}

// copied copies a module into dir. The error is a note why it cannot be swept.
func copied(m module, dir string) (*tree, error) {
	t := &tree{module: m, dir: dir, files: map[string][]byte{}}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	source := m.path
	switch {
	case m.path == std:
		// Its packages are analysed from an empty module.
		return t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module sweep.invalid\n\ngo 1.26\n"), 0o666)
	case !m.local:
		out, err := execute(dir, nil, "go", "mod", "download", "-json", m.String())
		var answer struct{ Dir, Error string }
		if json.Unmarshal(out.stdout, &answer) != nil {
			return nil, errors.Join(fmt.Errorf("go mod download: %s", firstLine(out.stderr)), err)
		}
		if answer.Error != "" {
			return nil, fmt.Errorf("not to be had: %s", firstLine([]byte(answer.Error)))
		}
		source = answer.Dir
	}
	if err := t.copy(source); err != nil {
		return nil, err
	}
	if m.local {
		if err := t.anchor(source); err != nil {
			return nil, err
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		if _, err := execute(dir, nil, "go", "mod", "init", m.path); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// copy copies files without their modes: the module cache is read-only. A
// vendor directory stays behind, for it overrules the module cache.
func (t *tree) copy(source string) error {
	return filepath.WalkDir(source, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(source, name)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if rel == "vendor" || d.Name() == ".git" {
				return fs.SkipDir
			}
			return os.MkdirAll(filepath.Join(t.dir, rel), 0o777)
		}
		// A registry of the module's own makes way for the invented one.
		if !d.Type().IsRegular() || rel == "ttlvet.yaml" {
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if filepath.Ext(name) == ".go" {
			t.files[rel] = data
		}
		return os.WriteFile(filepath.Join(t.dir, rel), data, 0o666)
	})
}

// anchor makes the copied go.mod name directories absolutely.
func (t *tree) anchor(source string) error {
	name := filepath.Join(t.dir, "go.mod")
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	f, err := modfile.Parse(name, data, nil)
	if err != nil {
		return err
	}
	for _, r := range slices.Clone(f.Replace) {
		if !modfile.IsDirectoryPath(r.New.Path) || filepath.IsAbs(r.New.Path) {
			continue
		}
		dir, err := filepath.Abs(filepath.Join(source, r.New.Path))
		if err != nil {
			return err
		}
		if err := f.AddReplace(r.Old.Path, r.Old.Version, dir, ""); err != nil {
			return err
		}
	}
	f.Cleanup()
	if data, err = f.Format(); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o666)
}

// build reports as an error why the packages, with their tests, do not build.
func (t *tree) build() error {
	// Of vet's analyzers, this one needs nothing. Before it, vet type-checks.
	out, err := execute(t.dir, nil, slices.Concat([]string{"go", "vet", "-buildtag"}, t.packages)...)
	if err != nil {
		return errors.New(strings.TrimSpace(string(out.stderr)))
	}
	return nil
}

// list finds the files of the packages.
func (t *tree) list() error {
	const files = `{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}
{{end}}{{range .CgoFiles}}{{$d}}/{{.}}
{{end}}{{range .TestGoFiles}}{{$d}}/{{.}}
{{end}}{{range .XTestGoFiles}}{{$d}}/{{.}}
{{end}}`
	out, err := execute(t.dir, nil, slices.Concat([]string{"go", "list", "-f", files}, t.packages)...)
	t.owned = strings.Fields(string(out.stdout))
	return err
}

// changed returns which Go files are not as they were copied.
func (t *tree) changed() (list []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(t.files)) {
		data, err := os.ReadFile(filepath.Join(t.dir, name))
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(data, t.files[name]) {
			list = append(list, name)
		}
	}
	return list, nil
}

// restore makes the Go files as they were copied.
func (t *tree) restore() error {
	list, err := t.changed()
	for _, name := range list {
		if err := os.WriteFile(filepath.Join(t.dir, name), t.files[name], 0o666); err != nil {
			return err
		}
	}
	return err
}

// snapshot returns the content of the Go files.
func (t *tree) snapshot() (map[string]string, error) {
	now := map[string]string{}
	for name := range t.files {
		data, err := os.ReadFile(filepath.Join(t.dir, name))
		if err != nil {
			return nil, err
		}
		now[name] = string(data)
	}
	return now, nil
}

func firstLine(text []byte) string {
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "go: downloading") && !strings.HasPrefix(line, "#") {
			return line
		}
	}
	return ""
}
