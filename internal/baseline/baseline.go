// Package baseline keeps the findings that are known and not reported, in a
// file that people can review: sorted YAML with a line for each.
package baseline

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ttlvet/ttlvet/internal/fingerprint"
	"github.com/ttlvet/ttlvet/internal/input"
	"github.com/ttlvet/ttlvet/internal/lazy"
)

// An Entry is a known finding, or several that are about the same.
type Entry struct {
	fingerprint.Key
	Count int // at least 1
}

// A File is the content of a baseline file, sorted by package, declaration
// and rule. No two entries have the same key.
type File struct{ Entries []Entry }

// New returns the baseline of the findings with these keys.
func New(keys []fingerprint.Key) *File {
	count := map[fingerprint.Key]int{}
	for _, k := range keys {
		count[k]++
	}
	f := new(File)
	for k, n := range count {
		f.Entries = append(f.Entries, Entry{k, n})
	}
	f.sort()
	return f
}

func (f *File) sort() {
	slices.SortFunc(f.Entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.In, b.In), cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Table, b.Table), cmp.Compare(a.Family, b.Family))
	})
}

// Len is the number of findings that the file holds.
func (f *File) Len() int {
	n := 0
	for _, e := range f.Entries {
		n += e.Count
	}
	return n
}

const header = `# Findings that ttlvet knows of and does not report. It was written by
# ttlvet -write-baseline; ttlvet -prune-baseline takes out what is fixed,
# and nothing adds to it. Comments are not kept.
`

// Format returns the file's text.
func (f *File) Format() []byte {
	var b strings.Builder
	b.WriteString(header + "version: 1\n")
	if len(f.Entries) == 0 {
		b.WriteString("packages: {}\n")
		return []byte(b.String())
	}
	b.WriteString("packages:\n")
	for i, e := range f.Entries {
		if i == 0 || f.Entries[i-1].Package != e.Package {
			fmt.Fprintf(&b, "  %s:\n", word(e.Package))
		}
		b.WriteString("    - {")
		if e.In != "" {
			fmt.Fprintf(&b, "in: %s, ", word(e.In))
		}
		b.WriteString("rule: " + word(e.Rule))
		if e.Table != "" {
			b.WriteString(", table: " + word(e.Table))
		}
		if e.Family != "" {
			b.WriteString(", family: " + word(e.Family))
		}
		if e.Count > 1 {
			fmt.Fprintf(&b, ", count: %d", e.Count)
		}
		b.WriteString("}\n")
	}
	return []byte(b.String())
}

var (
	bare     = lazy.Regexp(`^[A-Za-z_][A-Za-z0-9_./-]*$`)
	constant = lazy.Regexp(`(?i)^(null|true|false|yes|no|on|off|y|n)$`)
)

// word writes a scalar, quoted where YAML needs it.
func word(s string) string {
	if bare().MatchString(s) && !constant().MatchString(s) {
		return s
	}
	return strconv.Quote(s)
}

// loaded holds the outcome of Load by path and content: every analyzer asks
// for the same file with every package.
var loaded sync.Map // of [sha256.Size]byte to outcome

type outcome struct {
	file *File
	err  error
}

// Load reads and parses a baseline file, or returns what it made of the same
// content before. The error is of type [Errors] when the file is malformed.
func Load(path string) (*File, error) {
	data, err := input.Read(path, input.Baseline)
	if err != nil {
		reason := input.Reason(err)
		if errors.Is(err, os.ErrNotExist) {
			reason = "no such file; ttlvet -write-baseline writes one"
		}
		return nil, fmt.Errorf("baseline %s: %s", display(path), reason)
	}
	name := display(path)
	key := sha256.Sum256(append([]byte(name+"\x00"), data...))
	if o, ok := loaded.Load(key); ok {
		return o.(outcome).file, o.(outcome).err
	}
	file, err := Parse(name, data)
	loaded.Store(key, outcome{file, err})
	return file, err
}

// display returns the path relative to the current directory when the file
// lies below it.
func display(path string) string {
	wd, err := os.Getwd()
	if err != nil || !filepath.IsAbs(path) {
		return path
	}
	rel, err := filepath.Rel(wd, path)
	if err != nil || !filepath.IsLocal(rel) {
		return path
	}
	return rel
}
