// Package changes asks git for the lines that a branch adds or changes.
package changes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// A Set is what has changed in the working tree of a repository since a
// revision.
type Set struct {
	root  string
	files map[string][]span // by path in the repository, with slashes; nil for a file that is new
}

// A span is lines that were added or changed, from its first to before its
// end. An empty one stands for a deletion before its first line.
type span struct{ from, to int }

// Since returns what has changed in the repository of dir, committed or not,
// since the branch at hand left rev: since the merge base of both. Files that
// git does not track and does not ignore count as new.
func Since(dir, rev string) (*Set, error) {
	if strings.HasPrefix(rev, "-") {
		return nil, fmt.Errorf("%q is not a revision", rev)
	}
	if _, err := git(dir, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}"); err != nil {
		return nil, unknownRevision(rev, err)
	}
	up, err := git(dir, "rev-parse", "--show-cdup")
	if err != nil {
		return nil, err
	}
	// Not --show-toplevel, which resolves symbolic links.
	s := &Set{root: filepath.Join(dir, strings.TrimSpace(string(up))), files: map[string][]span{}}
	base, err := git(dir, "merge-base", rev, "HEAD")
	if err != nil {
		return nil, fmt.Errorf("git finds no common ancestor of %s and HEAD: a shallow clone lacks it, and git fetch --unshallow gets it", rev)
	}
	diff, err := git(s.root, "-c", "core.quotePath=true", "diff", "--unified=0", "--find-renames", "--no-color", "--no-ext-diff",
		"--no-textconv", "--no-relative", "--ignore-submodules", "--src-prefix=a/", "--dst-prefix=b/", strings.TrimSpace(string(base)), "--")
	if err != nil {
		return nil, err
	}
	if err := s.read(diff); err != nil {
		return nil, err
	}
	untracked, err := git(s.root, "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(string(untracked), "\x00") {
		if name != "" {
			s.files[name] = nil
		}
	}
	return s, nil
}

// Commit returns the short name of the newest commit of the repository of dir, "" where
// there is none.
func Commit(dir string) string {
	out, err := git(dir, "rev-parse", "--short", "--verify", "--quiet", "HEAD")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

func unknownRevision(rev string, err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return fmt.Errorf("git knows no revision %q: fetch it first", rev)
	}
	return err
}

// git runs git in a directory.
func git(dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(context.Background(), "git", args...)
	cmd.Dir = dir
	var out, errout bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errout
	err := cmd.Run()
	if text := strings.TrimSpace(errout.String()); err != nil && text != "" {
		err = fmt.Errorf("git: %s (%w)", strings.ReplaceAll(text, "\n", " "), err)
	}
	return out.Bytes(), err
}

// read reads a diff without context.
func (s *Set) read(diff []byte) error {
	files, _, err := gitdiff.Parse(bytes.NewReader(diff))
	if err != nil {
		return fmt.Errorf("git's diff: %w", err)
	}
	for _, f := range files {
		if f.IsDelete {
			continue
		}
		spans := []span{} // not nil: the file is known
		for _, t := range f.TextFragments {
			from := int(t.NewPosition)
			if t.NewLines == 0 {
				from++ // git names the line before
			}
			spans = append(spans, span{from, from + int(t.NewLines)})
		}
		s.files[f.NewName] = spans
	}
	return nil
}

// Touches reports whether one of the lines from first to last of a file was
// added or changed, or a line between them was deleted.
func (s *Set) Touches(file string, first, last int) bool {
	rel, err := filepath.Rel(s.root, file)
	if err != nil {
		return false
	}
	spans, changed := s.files[filepath.ToSlash(rel)]
	if !changed {
		return false
	}
	if spans == nil {
		return true
	}
	for _, p := range spans {
		switch {
		case p.from < p.to && p.from <= last && first < p.to,
			p.from == p.to && first < p.from && p.from <= last:
			return true
		}
	}
	return false
}

// Has reports whether the file has changed at all.
func (s *Set) Has(file string) bool {
	rel, err := filepath.Rel(s.root, file)
	if err != nil {
		return false
	}
	_, changed := s.files[filepath.ToSlash(rel)]
	return changed
}
