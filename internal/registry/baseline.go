package registry

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/ttlvet/ttlvet/internal/baseline"
	"github.com/ttlvet/ttlvet/internal/input"
)

// baseline reads the path of the baseline, which is relative to the
// registry's directory.
func (p *fileParser) baseline(e entry) {
	s, ok := p.scalar(e)
	switch {
	case !ok:
	case s == "":
		p.errorAt(e.value, "baseline is empty: name a file, or leave it out")
	default:
		p.file.Baseline = under(filepath.Dir(p.file.Path), s)
		p.file.baselineAt = p.pos(e.value)
	}
}

// Baselines returns the paths of the baselines that registry files name.
// Files that cannot be used name none.
func Baselines(files []string) []string {
	var paths []string
	for _, file := range files {
		if f, err := Load(file); err == nil && f.Baseline != "" {
			paths = append(paths, f.Baseline)
		}
	}
	return paths
}

// NameBaseline returns the text of a registry file that names no baseline with the
// line that names one, behind its version. It is nil where that cannot be done.
func NameBaseline(name string, text []byte, baseline string) []byte {
	end := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		end = "\r\n"
	}
	var out []byte
	for line := range bytes.Lines(text) {
		out = append(out, line...)
		if bytes.HasPrefix(line, []byte("version:")) {
			if !bytes.HasSuffix(line, []byte("\n")) {
				out = append(out, end...)
			}
			out = append(out, "baseline: "+strconv.Quote(baseline)+end...)
		}
	}
	if f, err := Parse(name, out); err != nil || f.Baseline == "" {
		return nil
	}
	return out
}

// LoadBaseline reads the baseline that the registry names, which must be in the
// registry's repository.
func (f *File) LoadBaseline() (*baseline.File, error) {
	if err := input.Belongs(filepath.Dir(f.Path), f.Baseline); err != nil {
		return nil, fmt.Errorf("baseline %s: %w", display(f.Baseline), err)
	}
	return baseline.Load(f.Baseline)
}

// CheckBaseline returns what is wrong with the baseline that the registry
// names, or nil.
func (f *File) CheckBaseline() error {
	if f.Baseline == "" {
		return nil
	}
	_, err := f.LoadBaseline()
	var malformed baseline.Errors
	if err == nil || errors.As(err, &malformed) {
		return err
	}
	pos := f.baselineAt
	pos.File = display(pos.File)
	return Errors{{pos, err.Error()}}
}

// Modules returns the root directories of the modules that a run started in
// dir is about: that of dir first, and those that its workspace uses.
func Modules(dir string) []string {
	var roots []string
	if root := moduleRoot(dir); root != "" {
		roots = append(roots, root)
	}
	if name := workFile(dir); name != "" {
		if work, err := parseWork(name); err == nil {
			for _, use := range work.Use {
				roots = append(roots, under(filepath.Dir(name), use.Path))
			}
		}
	}
	return roots
}
