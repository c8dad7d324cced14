package input

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Repository returns the root of the repository that holds a directory, "" if there
// is none.
func Repository(dir string) string {
	for {
		// A worktree has a file of that name.
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// Root returns the root of what belongs together with an absolute directory: its
// repository, or else its workspace or its module; "" of a directory alone.
func Root(dir string) string {
	if root := Repository(dir); root != "" {
		return root
	}
	for _, name := range []string{"go.work", "go.mod"} {
		for d := dir; ; d = filepath.Dir(d) {
			if _, err := os.Lstat(filepath.Join(d, name)); err == nil {
				return d
			}
			if d == filepath.Dir(d) {
				break
			}
		}
	}
	return ""
}

// Tree is [Root], and the directory itself where it is alone.
func Tree(dir string) string { return cmp.Or(Root(dir), dir) }

// An Escape is the error of a link that leads out of the tree in which it stands.
type Escape struct {
	Target string // the path of what it leads to
	Tree   string // the tree's root
}

func (e *Escape) Error() string {
	return fmt.Sprintf("it is a link to %s, which lies outside of %s", e.Target, e.Tree)
}

// Stays returns an [*Escape] if a link on the way to a file, whose path is absolute,
// leads out of the tree with that root. A path that is written so that it lies
// outside was named by somebody; it must stay in the tree that it names.
func Stays(tree, path string) error {
	if !Within(tree, path) {
		tree = Tree(filepath.Dir(path))
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil // reading it says what is wrong
	}
	root, err := filepath.EvalSymlinks(tree)
	if err != nil || !Within(root, target) {
		return &Escape{target, tree}
	}
	return nil
}

// Within reports whether a path is that of a directory or lies below it, as it is
// written.
func Within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

var errOutside = errors.New("it lies outside of the repository")

// Belongs returns an error if a file that somebody named in a file of a directory lies
// outside of the repository that holds the directory, where there is one, or if a link
// leads out.
func Belongs(dir, path string) error {
	if root := Repository(dir); root != "" && !Within(root, path) {
		return errOutside
	}
	return Stays(Tree(dir), path)
}
