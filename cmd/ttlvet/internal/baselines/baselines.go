// Package baselines uses baselines, writes them and keeps them small.
package baselines

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/analyze"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/atomicfile"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/finding"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/load"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/shown"
	"github.com/ttlvet/ttlvet/internal/baseline"
	"github.com/ttlvet/ttlvet/internal/fingerprint"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// A Use is how a run uses baselines.
type Use struct {
	File  string // the file to use, "" for those that registries name
	New   string // the file to write, "" for none
	Prune bool   // whether what is gone from the code is taken out
}

// Open tells the analyzers which baseline to use.
func (b Use) Open(j *analyze.Job) error {
	switch {
	case b.New != "":
		j.Options.NoBaseline = true
	case b.File != "":
		path, err := filepath.Abs(b.File)
		if err != nil {
			return err
		}
		if _, err := baseline.Load(path); err != nil {
			var malformed baseline.Errors
			if errors.As(err, &malformed) {
				return load.BuildErrors(strings.Split(err.Error(), "\n"))
			}
			return err
		}
		j.Options.Baseline = path
	case b.Prune && len(registry.Baselines(registry.Readable(j.Dir))) == 0:
		return errors.New("-prune-baseline: no baseline is named, neither by -baseline nor in " + registry.FileName)
	}
	return nil
}

// Write writes the findings to the new baseline.
func (b Use) Write(j *analyze.Job, findings []*finding.Finding) error {
	var keys []fingerprint.Key
	for _, f := range findings {
		keys = append(keys, f.Fingerprint.Key)
	}
	if err := atomicfile.Write(b.New, baseline.New(keys).Format()); err != nil {
		return err
	}
	fmt.Fprintf(j.Stderr, "ttlvet: wrote %s to %s\n", shown.Plural(len(findings), "finding"), b.New)
	path, err := filepath.Abs(b.New)
	if err == nil && !slices.Contains(registry.Baselines(registry.Readable(j.Dir)), path) {
		registries := registry.Readable(j.Dir)
		for _, root := range registry.Modules(j.Dir) {
			registries = append(registries, filepath.Join(root, registry.FileName)) // where there is none yet
		}
		for _, name := range registries {
			if rel, ok := shown.Below(filepath.Dir(name), path); ok {
				fmt.Fprintf(j.Stderr, "ttlvet: every driver leaves them out with \"baseline: %s\" in %s\n", rel, j.Load.Shown.Path(name))
				break
			}
		}
	}
	return nil
}

// Close says what in the baselines is gone from the code, or takes it
// out of them.
func (b Use) Close(j *analyze.Job) error {
	paths := registry.Baselines(registry.Readable(j.Dir))
	slices.Sort(paths)
	paths = slices.Compact(paths) // modules may share one
	if b.File != "" {
		paths = []string{j.Options.Baseline}
	}
	for _, path := range paths {
		file, err := baseline.Load(path)
		if err != nil {
			return err
		}
		sees := func(k fingerprint.Key) bool { return j.Load.Tests && j.Judged.Saw(j.Dir, k) }
		n := file.Stale(j.Judged.Used, sees)
		switch {
		case n == 0:
		case !b.Prune:
			flag := ""
			if b.File != "" {
				flag = "-baseline " + b.File + " "
			}
			fmt.Fprintf(j.Stderr, "ttlvet: %s of %s no longer in the code: ttlvet %s-prune-baseline ./... takes %s out\n",
				shown.Plural(n, "finding"), j.Load.Shown.Path(path)+isAre(n), flag, itThem(n))
		default:
			if err := atomicfile.Write(path, file.Prune(j.Judged.Used, sees).Format()); err != nil {
				return err
			}
			fmt.Fprintf(j.Stderr, "ttlvet: took %s out of %s\n", shown.Plural(n, "finding"), j.Load.Shown.Path(path))
		}
	}
	return nil
}

func isAre(n int) string {
	if n == 1 {
		return " is"
	}
	return " are"
}

func itThem(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}
