// Package agreement puts together all that is known of tables and column
// families: the registry, what Go code does, and what schemas outside Go say.
package agreement

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/ttlvet/ttlvet/internal/code"
	"github.com/ttlvet/ttlvet/internal/declare"
	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/evidence/describe"
	"github.com/ttlvet/ttlvet/internal/input"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/rule"
	"github.com/ttlvet/ttlvet/internal/schema"
)

// Sources say where schemas are read from.
type Sources struct {
	From     []string // files, directories and patterns, relative to Dir
	VarFiles []string // files of Terraform variables
	// Live are the tables of instances, as the service describes them in
	// JSON.
	Live [][]byte
	// Search reports whether sources are looked for where none are named:
	// in From, by the registry.
	Search bool
	Dir    string // the directory of the command
}

// An Agreement is what is known.
type Agreement struct {
	Root   string         // the module's directory
	Base   string         // what places are relative to, "" for the module
	File   *registry.File // the registry file, nil if there is none
	Model  *registry.Model
	Schema *evidence.Schema
	Code   *evidence.Code
	Own    []*evidence.Call // those of packages for which the registry file holds
	Found  bool             // the sources were found, not named
}

// New puts together what is known of the module in whose directory, or in
// one below it, the command runs. results are those of package code. The
// error is of the registry, or of a source that is named and not there.
func New(root string, from Sources, results []any) (*Agreement, error) {
	a := &Agreement{Root: root, Model: &registry.Model{}, Schema: &evidence.Schema{}, Code: &evidence.Code{}}
	path := registry.Find(root)
	if path != "" {
		var err error
		if a.File, err = registry.Load(path); err != nil {
			return nil, err
		}
	}
	if err := a.read(from); err != nil {
		return nil, err
	}
	decl := &declare.Result{Model: a.Model, File: a.File, Path: filepath.Join(root, registry.FileName)}
	if a.File != nil {
		a.merge(&registry.Model{Tables: a.File.Tables})
	}
	for _, r := range results {
		r, ok := r.(*code.Result)
		if !ok {
			continue
		}
		a.Code.Add(r.Code)
		if r.Declared != nil && (r.Declared.Path == path || r.Declared.Path == "") {
			a.merge(r.Declared.Model)
			a.Own = append(a.Own, r.Code.Calls...)
		}
	}
	decl.AddSchema(a.Schema)
	return a, nil
}

// Module returns the module's path, "" where it has none.
func (a *Agreement) Module() string {
	data, _ := os.ReadFile(filepath.Join(a.Root, "go.mod"))
	return modfile.ModulePath(data)
}

func (a *Agreement) read(from Sources) error {
	var vars []string
	for _, v := range from.VarFiles {
		if !filepath.IsAbs(v) {
			v = filepath.Join(from.Dir, v)
		}
		vars = append(vars, v)
	}
	switch {
	case len(from.From) > 0:
		paths, err := schema.Expand(from.Dir, from.From)
		if err != nil {
			return err
		}
		a.Schema.Add(schema.Read(paths, vars))
	case a.File != nil && len(a.File.Schema) > 0:
		a.Schema.Add(schema.LoadWith(a.File, vars))
	case from.Search:
		a.Found = true
		paths, err := a.search()
		a.Schema.Add(schema.Read(paths, vars))
		if err != nil {
			a.Schema.Note(evidence.At(a.Root, 1, 1), "%v; name those that count with -from", err)
		}
		// Scripts that set up an emulator count only where they are named.
		a.Schema.Settings = slices.DeleteFunc(a.Schema.Settings, func(s *evidence.Setting) bool { return s.Test })
	}
	for _, data := range from.Live {
		if err := describe.Text(a.Schema, "", data); err != nil {
			return err
		}
	}
	return nil
}

// search lists the sources below the module's directory, below those of the modules that
// share its registry, and below the root of its repository. The error is beside what was
// found.
func (a *Agreement) search() (paths []string, err error) {
	roots := []string{a.Root}
	if a.File != nil && filepath.Dir(a.File.Path) != a.Root {
		for _, m := range registry.Modules(a.Root) {
			if registry.Find(m) == a.File.Path {
				roots = append(roots, m)
			}
		}
	}
	if top := input.Repository(a.Root); top != "" {
		roots = append(roots, top)
	}
	slices.Sort(roots)
	for _, root := range slices.Compact(roots) {
		more, err2 := schema.Find(root)
		paths, err = append(paths, more...), cmp.Or(err, err2)
	}
	slices.Sort(paths)
	return slices.Compact(paths), err
}

// merge adds the declarations of one package.
func (a *Agreement) merge(m *registry.Model) {
	for _, t := range m.Tables {
		var have *registry.Table
		for _, h := range a.Model.Tables {
			if h.Pattern == t.Pattern {
				have = h
			}
		}
		if have == nil {
			c := *t
			c.Families = slices.Clone(t.Families)
			a.Model.Tables = append(a.Model.Tables, &c)
			continue
		}
		for _, name := range t.Names {
			if !slices.Contains(have.Names, name) {
				have.Names = append(have.Names[:len(have.Names):len(have.Names)], name)
			}
		}
		for _, f := range t.Families {
			if have.Family(f.Name) == nil {
				have.Families = append(have.Families, f)
			}
		}
	}
}

// Findings holds the sources, and what was sampled of the cells, against the
// registry and against each other, by the rules that are on and without what
// comments silence.
func (a *Agreement) Findings(on func(rule.Rule) bool, samples []*schema.Sample) []*schema.Finding {
	j := &schema.Judge{Model: a.Model, Schema: a.Schema, Code: a.Code, Base: a.Root}
	found := append(j.Findings(), schema.Stored(a.Model, samples)...)
	return schema.Silence(found, a.Schema.Files, on)
}

// Broken lists what is broken in the sources, one to a line as
// "file:line:col: message", or returns nil.
func (a *Agreement) Broken() error {
	var lines []string
	for _, e := range a.Schema.Errors {
		lines = append(lines, e.Place.String()+": "+e.Message)
	}
	if lines == nil {
		return nil
	}
	return errors.New(strings.Join(lines, "\n"))
}

// Unregistered lists, sorted, the tables that sources name and the registry
// does not have.
func (a *Agreement) Unregistered() []string {
	var out []string
	for _, s := range a.Schema.Settings {
		if strings.Contains(s.Table, "*") || s.Test {
			continue
		}
		if t, _ := a.Model.Table(registry.Ref{Name: s.Table}); t == nil && !slices.Contains(out, s.Table) {
			out = append(out, s.Table)
		}
	}
	slices.Sort(out)
	return out
}

// Rel writes a path relative to the module, or to the base.
func (a *Agreement) Rel(path string) string {
	if !filepath.IsAbs(path) {
		return path
	}
	if rel, err := filepath.Rel(cmp.Or(a.Base, a.Root), path); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}

// Where writes a place without its column, relative like paths.
func (a *Agreement) Where(p evidence.Place) string {
	p.File = a.Rel(p.File)
	return p.Short()
}
