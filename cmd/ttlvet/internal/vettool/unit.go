package vettool

import (
	"archive/zip"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/analyzers"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/glance"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/toolchain"
)

// A unit is what is read of a unit's configuration.
type unit struct {
	ID          string
	Dir         string
	ImportPath  string
	GoFiles     []string
	ImportMap   map[string]string
	PackageFile map[string]string
	PackageVetx map[string]string
	VetxOnly    bool
	VetxOutput  string
	Stdout      string
	FixArchive  string
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
	if analyzers.IsClient(path) {
		return false
	}
	for _, imp := range u.ImportMap {
		if imp, _, _ := strings.Cut(imp, " "); analyzers.ReachesByItself(imp) {
			return true
		}
	}
	for _, file := range u.PackageVetx {
		if info, err := os.Stat(file); err == nil && info.Size() > 0 {
			return true
		}
	}
	return analyzers.Followed(u.Dir) || !u.VetxOnly && slices.ContainsFunc(u.GoFiles, func(file string) bool {
		seen := glance.At(file)
		return seen.Directive || seen.Err != nil
	})
}

// answerEmpty writes what the go command expects of a unit without facts
// and findings.
func (u *unit) answerEmpty(asJSON bool) error {
	if err := os.WriteFile(u.VetxOutput, nil, 0o666); err != nil || u.VetxOnly {
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
	if u.Stdout == "" {
		_, err := os.Stdout.Write(out)
		return err
	}
	return os.WriteFile(u.Stdout, out, 0o666)
}

// readable returns an error when the export data of what the unit imports
// cannot be read. The library panics then. All were written by one compiler: one
// tells, and a small one soonest.
func (u *unit) readable() error {
	smallest, size := "", int64(0)
	for _, path := range slices.Sorted(maps.Keys(u.PackageFile)) {
		info, err := os.Stat(u.PackageFile[path])
		if err == nil && (smallest == "" || info.Size() < size) {
			smallest, size = u.PackageFile[path], info.Size()
		}
	}
	if smallest == "" {
		return nil
	}
	return toolchain.Readable(smallest)
}
