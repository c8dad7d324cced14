package schema

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/internal/input"
)

// Expand lists the files that patterns match below a directory: as
// filepath.Glob does, with ** for any number of directories. A directory
// stands for what Find finds in it. A pattern that matches nothing, or more than is
// looked at, is an error.
func Expand(base string, patterns []string) (paths []string, err error) {
	var bad []string
	have := map[string]bool{}
	for _, pattern := range patterns {
		full := filepath.FromSlash(pattern)
		if !filepath.IsAbs(full) {
			full = filepath.Join(base, full)
		}
		var found []string
		info, err := os.Stat(full)
		switch {
		case err == nil && info.IsDir():
			found, err = Find(full)
			if len(found) == 0 && err == nil {
				bad = append(bad, fmt.Sprintf("%s: nothing below it speaks of Bigtable's policies", pattern))
				continue
			}
		case err == nil:
			found = []string{full}
		default:
			found, err = match(full)
		}
		switch {
		case err != nil && len(found) > 0 || err == TooMany(full):
			bad = append(bad, TooMany(pattern).Error())
		case len(found) == 0:
			msg := pattern + ": no such file"
			if _, err := path.Match(filepath.ToSlash(pattern), ""); err != nil {
				msg += ", and a malformed pattern"
			}
			bad = append(bad, msg)
		}
		for _, f := range found {
			// Links that lead nowhere are for Read to complain of.
			if info, err := os.Stat(f); (err != nil || !info.IsDir()) && !have[f] {
				have[f] = true
				paths = append(paths, f)
			}
		}
	}
	if bad != nil {
		err = fmt.Errorf("%s", strings.Join(bad, "\n"))
	}
	return paths, err
}

// match lists, sorted, what a pattern matches. The error is a [TooMany], beside what
// was found first.
func match(pattern string) ([]string, error) {
	volume := filepath.VolumeName(pattern)
	elems := strings.Split(filepath.ToSlash(pattern[len(volume):]), "/")
	m := &matcher{}
	m.expand(volume+string(filepath.Separator), elems[1:])
	slices.Sort(m.found)
	m.found = slices.Compact(m.found)
	if m.seen > maxSeen || len(m.found) > maxFound {
		return m.found[:min(len(m.found), maxFound)], TooMany(pattern)
	}
	return m.found, nil
}

type matcher struct {
	found []string
	seen  int
}

// expand finds what the elements of a pattern match in a directory.
func (m *matcher) expand(dir string, elems []string) {
	if len(elems) == 0 {
		if _, err := os.Lstat(dir); err == nil {
			m.found = append(m.found, dir)
		}
		return
	}
	elem, rest := elems[0], elems[1:]
	deep := elem == "**"
	if !deep && !strings.ContainsAny(elem, `*?[\`) {
		m.expand(filepath.Join(dir, elem), rest)
		return
	}
	if deep {
		if len(rest) == 0 {
			return // directories
		}
		m.expand(dir, rest)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if m.seen++; m.seen > maxSeen || len(m.found) > maxFound {
			return
		}
		name := filepath.Join(dir, e.Name())
		if deep {
			if e.IsDir() && !skipped[e.Name()] {
				m.expand(name, elems)
			}
		} else if ok, _ := path.Match(elem, e.Name()); ok {
			m.expand(name, rest)
		}
	}
}

// inside drops the files of a registry in dir that lie outside of its repository, and
// those to which a link leads out. Each is a line of the error.
func inside(dir string, paths []string) (kept []string, err error) {
	var bad []string
	for _, p := range paths {
		rel, rerr := filepath.Rel(dir, p)
		if rerr != nil {
			rel = p
		}
		if err := input.Belongs(dir, p); err != nil {
			bad = append(bad, fmt.Sprintf("%s: %v; name it with -from", filepath.ToSlash(rel), err))
		} else {
			kept = append(kept, p)
		}
	}
	if bad != nil {
		err = fmt.Errorf("%s", strings.Join(bad, "\n"))
	}
	return kept, err
}
