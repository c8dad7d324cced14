// Package schema reads garbage collection policies wherever they are written
// outside Go, and holds them against the registry.
package schema

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/evidence/describe"
	"github.com/ttlvet/ttlvet/internal/evidence/manifest"
	"github.com/ttlvet/ttlvet/internal/evidence/script"
	"github.com/ttlvet/ttlvet/internal/evidence/terraform"
	"github.com/ttlvet/ttlvet/internal/input"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// readers are the kinds of sources. A new one takes a row.
var readers = []*evidence.Reader{
	describe.Reader,
	terraform.Reader,
	manifest.Reader,
	script.Reader,
}

// Read reads files that are named. One that no reader knows is an error.
func Read(paths, varFiles []string) *evidence.Schema {
	s := &evidence.Schema{}
	byReader := map[*evidence.Reader][]string{}
	seen := map[string]bool{}
	for _, p := range paths {
		if seen[p] {
			continue
		}
		seen[p] = true
		head, err := evidence.Head(p)
		if err != nil {
			s.Unreadable(p, err)
			continue
		}
		known := false
		for _, r := range readers {
			if r.Claims(p, head) {
				known = true
				byReader[r] = append(byReader[r], p)
			}
		}
		switch {
		case known:
		case strings.HasPrefix(string(head), "PK\x03\x04"):
			s.Fail(evidence.At(p, 1, 1), "is an archive; of a Terraform plan, give ttlvet what terraform show -json prints")
		case evidence.Binary(head):
			s.Fail(evidence.At(p, 1, 1), "is no text")
		default:
			s.Fail(evidence.At(p, 1, 1), "is of no kind that ttlvet reads: Terraform, plans and states in JSON, scripts with cbt or gcloud, Makefiles, Dockerfiles, YAML, or what gcloud bigtable tables describe prints")
		}
	}
	for _, r := range readers {
		if len(byReader[r]) > 0 {
			s.Add(r.Read(&evidence.Input{Paths: byReader[r], VarFiles: varFiles}))
		}
	}
	nameless(s)
	tidy(s)
	return s
}

// nameless notes the statements that count for nothing because the name of
// their table or family is not known, where no other note says why.
func nameless(s *evidence.Schema) {
	noted := map[string]bool{}
	for _, n := range s.Notes {
		noted[n.Place.Short()] = true
	}
	for _, t := range s.Settings {
		what := ""
		switch {
		case t.Table == "*":
			what = "table"
		case t.Family == "*":
			what = "column family"
		}
		if at := t.Place.Short(); what != "" && !noted[at] {
			noted[at] = true
			s.Note(t.Place, "the name of the %s is not known", what)
		}
	}
}

// tidy sorts what was read, and drops what two readers say alike.
func tidy(s *evidence.Schema) {
	less := func(a, b evidence.Place) bool {
		if a.File != b.File {
			return a.File < b.File
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Column < b.Column
	}
	sort.SliceStable(s.Settings, func(i, j int) bool { return less(s.Settings[i].Place, s.Settings[j].Place) })
	for _, notes := range []*[]*evidence.Note{&s.Notes, &s.Errors} {
		sort.SliceStable(*notes, func(i, j int) bool { return less((*notes)[i].Place, (*notes)[j].Place) })
		*notes = slices.CompactFunc(*notes, func(a, b *evidence.Note) bool { return a.Place == b.Place && a.Message == b.Message })
	}
	slices.Sort(s.Files)
	s.Files = slices.Compact(s.Files)
}

// skipped are directories in which nobody writes what is applied.
var skipped = map[string]bool{".git": true, ".terraform": true, "node_modules": true, "vendor": true, "testdata": true, ".venv": true, "third_party": true}

// maxSeen bounds how many files and directories one look for sources meets, maxFound
// how many files it may find.
const (
	maxSeen  = 200_000
	maxFound = 10_000
)

// A TooMany is the error of a directory or a pattern that stands for more than is
// looked at.
type TooMany string

func (pattern TooMany) Error() string {
	return fmt.Sprintf("%s: matches more than the %d files that are read, or the %d that are looked at", string(pattern), maxFound, maxSeen)
}

// Find lists the files at and below a directory that say something of
// Bigtable's policies. Directories of other Go modules are left out. The error is a
// [TooMany], beside what was found first.
func Find(root string) (out []string, err error) {
	n := 0
	filepath.WalkDir(root, func(p string, d fs.DirEntry, werr error) error {
		if werr != nil {
			return nil
		}
		if n++; n > maxSeen || len(out) > maxFound {
			err = TooMany(root)
			return filepath.SkipAll
		}
		if d.IsDir() {
			if p != root && (skipped[d.Name()] || fileExists(filepath.Join(p, "go.mod"))) {
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || strings.HasSuffix(p, ".go") || registry.IsName(d.Name()) {
			return nil
		}
		if speaks(p) {
			out = append(out, p)
		}
		return nil
	})
	return out, err
}

// speaks reports whether a file says something of Bigtable's policies.
func speaks(p string) bool {
	var data []byte
	for _, r := range readers {
		if data == nil {
			head, err := evidence.Head(p)
			if err != nil || evidence.Binary(head) {
				return false
			}
			if !r.Claims(p, head) {
				continue
			}
			// Reading says of a larger one that it is too large.
			if data, err = input.Beginning(p, input.Source); err != nil {
				return false
			}
		}
		if r.Claims(p, data[:min(len(data), 4096)]) && (r.Found == nil || r.Found(p, data)) {
			return true
		}
	}
	return false
}

func fileExists(p string) bool {
	_, err := os.Stat(p)
	return err == nil
}
