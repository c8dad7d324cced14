package registry

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/internal/input"
)

// misnamed are names under which registries are written by mistake.
var misnamed = []string{"ttlvet.yml", ".ttlvet.yaml", ".ttlvet.yml"}

// IsName reports whether a file of that name is a registry, or meant for one.
func IsName(name string) bool { return name == FileName || slices.Contains(misnamed, name) }

// beside returns the registry file in dir, or "": also a link that leads
// nowhere and a file with nearly the right name, which are mistakes that would
// otherwise pass unseen.
func beside(dir string) string {
	if files := allBeside(dir); len(files) > 0 {
		return files[0]
	}
	return ""
}

// allBeside returns the registry file in dir and those of nearly its name.
func allBeside(dir string) []string {
	var files []string
	for _, name := range append([]string{FileName}, misnamed...) {
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); err == nil || text(path) != nil {
			files = append(files, path)
		}
	}
	return files
}

// misplaced returns the registry in a directory of Go files that is the root
// of no module, or "".
func misplaced(dir string) string {
	path := filepath.Join(dir, FileName)
	if _, err := os.Lstat(path); err != nil || exists(dir, "go.mod") || exists(dir, "go.work") {
		return ""
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*.go")); len(files) == 0 {
		return "" // an example, or another program's
	}
	return path
}

// misplacedBelow returns the misplaced registries of the module in root.
func misplacedBelow(root string) []string {
	var files []string
	walk(root, func(dir string) {
		if f := misplaced(dir); f != "" {
			files = append(files, f)
		}
	})
	return files
}

// walk calls visit with the directories of the module in root that the pattern
// ./... looks at.
func walk(root string, visit func(dir string)) {
	filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || !d.IsDir():
			return nil // errors are the go command's to report
		case path == root:
		case strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_"),
			d.Name() == "testdata" || d.Name() == "vendor" || d.Name() == "node_modules",
			exists(path, "go.mod"):
			return fs.SkipDir
		}
		visit(path)
		return nil
	})
}

// misfit says what is wrong with the name, the place or the kind of a file
// that is meant for a registry, "" if nothing is.
func misfit(path string) string {
	dir, name := filepath.Split(path)
	if name != FileName && exists(dir, FileName) {
		return fmt.Sprintf("the registry is %s beside this file, which is not read: remove it", FileName)
	}
	if name != FileName {
		return fmt.Sprintf("the registry's name is %s: rename %s", FileName, name)
	}
	if misplaced(clean(dir)) != "" {
		root := moduleRoot(dir)
		do := "move it to "
		if exists(root, FileName) {
			do = "merge it into "
		}
		return "a registry counts beside go.mod or go.work only: " + do + display(filepath.Join(root, FileName))
	}
	info, err := os.Stat(path)
	if target, lerr := os.Readlink(path); err != nil && lerr == nil {
		return fmt.Sprintf("the registry is a link to %s, which does not exist", target)
	}
	if err == nil && info.IsDir() {
		return "the registry is a directory, not a file"
	}
	path = filepath.Join(clean(dir), name)
	if err := input.Stays(input.Tree(clean(dir)), path); err != nil {
		return "the registry is not read: " + err.Error()
	}
	return ""
}

func exists(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}
