package unit

import (
	"archive/zip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/early"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/glance"
	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/module"
)

// A unit is what is read of a unit's configuration: see Config of package
// golang.org/x/tools/go/analysis/unitchecker.
type unit struct {
	ID            string
	Compiler      string
	Dir           string
	ImportPath    string
	GoVersion     string
	GoFiles       []string
	NonGoFiles    []string
	IgnoredFiles  []string
	ModulePath    string
	ModuleVersion string
	Module        *analysis.Module  // nil before Go 1.27
	ImportMap     map[string]string // from paths in imports to those of packages
	PackageFile   map[string]string // export data, by package path
	PackageVetx   map[string]string // facts, by package path
	VetxOnly      bool
	VetxOutput    string
	Stdout        string
	FixArchive    string

	SucceedOnTypecheckFailure bool
}

func readUnit(name string) (*unit, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	u := new(unit)
	return u, json.Unmarshal(data, u)
}

// reaches reports whether the unit must be analysed: whether a package that
// it imports is Bigtable's client or has facts, as every package has that
// reaches the client, or values are followed through it, or one of its files
// does not parse, so that its imports are not known. Nearly all units of a
// build are dependencies that do not, and not even parsing them is what makes
// ttlvet cheap as a vet tool.
func (u *unit) reaches() bool {
	path, _, _ := strings.Cut(u.ImportPath, " ") // without " [p.test]"
	if btapi.IsClient(path) {
		return false
	}
	for _, imp := range u.ImportMap {
		if imp, _, _ := strings.Cut(imp, " "); btapi.IsRoot(imp) {
			return true
		}
	}
	for _, file := range u.PackageVetx {
		if info, err := os.Stat(file); err == nil && info.Size() != int64(len(early.NoFacts)) {
			return true
		}
	}
	return module.Followed(u.Dir) || !u.VetxOnly && slices.ContainsFunc(u.GoFiles, func(file string) bool {
		seen := glance.At(file)
		return seen.Directive || seen.Err != nil
	})
}

// last reports whether nothing that is analysed imports the unit: whether it is a
// package with its tests, which its external tests alone import, and there are
// none of these.
func (u *unit) last() bool {
	known, tests := map[string]bool{}, false
	for _, file := range slices.Concat(u.GoFiles, u.IgnoredFiles) {
		known[filepath.Base(file)] = true
		tests = tests || strings.HasSuffix(file, "_test.go")
	}
	if !tests || u.VetxOnly {
		return false
	}
	entries, err := os.ReadDir(u.Dir)
	return err == nil && !slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return strings.HasSuffix(e.Name(), "_test.go") && !known[e.Name()]
	})
}

// answerEmpty writes what the go command expects of a unit without facts
// and findings.
func (u *unit) answerEmpty(asJSON bool) error {
	if err := os.WriteFile(u.VetxOutput, []byte(early.NoFacts), 0o666); err != nil || u.VetxOnly {
		return err
	}
	if u.FixArchive != "" {
		f, err := os.Create(u.FixArchive)
		if err != nil {
			return err
		}
		zw := zip.NewWriter(f)
		zw.SetComment(u.ID)
		if err := zw.Close(); err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	var out []byte
	if asJSON {
		out = []byte("{}\n")
	}
	return u.print(out)
}

// print prints what the go command shows.
func (u *unit) print(out []byte) error {
	if u.Stdout == "" {
		_, err := os.Stdout.Write(out)
		return err
	}
	return os.WriteFile(u.Stdout, out, 0o666)
}
