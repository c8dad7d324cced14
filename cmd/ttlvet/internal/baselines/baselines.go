// Package baselines uses baselines, writes them and keeps them small.
package baselines

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
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
	None  bool   // whether what baselines know is reported, too
	// Ask is where somebody answers questions, nil where nobody is.
	Ask io.Reader
}

// Check returns an error for uses that exclude each other.
func (b Use) Check() error {
	if b.None && (b.File != "" || b.New != "" || b.Prune) {
		return errors.New("-no-baseline reports what baselines know, and goes with none of -baseline, -write-baseline and -prune-baseline")
	}
	return nil
}

// Needs reports whether the baselines that registries name are read.
func (b Use) Needs() bool { return !b.None && b.New == "" && b.File == "" }

// Open tells the analyzers which baseline to use.
func (b Use) Open(j *analyze.Job) error {
	switch {
	case b.New != "" || b.None:
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
	if err != nil || slices.Contains(registry.Baselines(registry.Readable(j.Dir)), path) {
		return nil
	}
	registries := registry.Readable(j.Dir)
	for _, root := range registry.Modules(j.Dir) {
		registries = append(registries, filepath.Join(root, registry.FileName)) // where there is none yet
	}
	for _, name := range registries {
		if rel, ok := shown.Below(filepath.Dir(name), path); ok {
			fmt.Fprintf(j.Stderr, "ttlvet: every driver leaves them out with \"baseline: %s\" in %s\n", rel, j.Load.Shown.Path(name))
			return b.offer(j, name, rel)
		}
	}
	// Between the modules of a workspace, each of whose registries may name it.
	for _, name := range registry.Readable(j.Dir) {
		if rel, err := filepath.Rel(filepath.Dir(name), path); err == nil {
			fmt.Fprintf(j.Stderr, "ttlvet: every driver leaves them out with \"baseline: %s\" in %s\n", filepath.ToSlash(rel), j.Load.Shown.Path(name))
		}
	}
	return nil
}

// offer adds the baseline's name to a registry file that names none, if whoever sits
// at the terminal wants it.
func (b Use) offer(j *analyze.Job, name, rel string) error {
	file, err := registry.Load(name)
	if err != nil || file.Baseline != "" || b.Ask == nil {
		return nil // there is none, or it is for people to decide
	}
	fmt.Fprint(j.Stderr, "Add this line now? [y/N] ")
	answer, _ := bufio.NewReader(b.Ask).ReadString('\n')
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
		return nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	named := registry.NameBaseline(name, text, rel)
	if named == nil {
		return fmt.Errorf("%s: the line cannot be added, for the file does not begin as usual: add it by hand", j.Load.Shown.Path(name))
	}
	return atomicfile.Write(name, named)
}

// Close says what in the baselines is gone from the code, or takes it
// out of them.
func (b Use) Close(j *analyze.Job) error {
	if b.None {
		return nil
	}
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
