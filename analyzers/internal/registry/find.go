package registry

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"

	"golang.org/x/mod/modfile"
)

// Find returns the registry file that governs the packages of dir: the one
// beside the nearest go.mod at or above it. It returns "" if there is none;
// a registry beside the go.mod of an outer module does not reach into an
// inner one.
func Find(dir string) string {
	if root := moduleRoot(dir); root != "" {
		return beside(root)
	}
	return ""
}

// Readable returns, sorted, every registry file that a run started in dir
// can come to read: that of the module itself, those of the modules that its
// workspace uses, and those of modules replaced by local directories.
// Registries of other dependencies lie in the module cache, where nothing
// changes.
func Readable(dir string) []string {
	mains := map[string]bool{}
	replaced := map[string]bool{}
	if root := moduleRoot(dir); root != "" {
		mains[root] = true
	}
	if name := workFile(dir); name != "" {
		if work, err := parseWork(name); err == nil {
			base := filepath.Dir(name)
			for _, use := range work.Use {
				mains[under(base, use.Path)] = true
			}
			addLocal(replaced, base, work.Replace)
		}
	}
	for root := range mains {
		// A go.mod that cannot be parsed is the go command's to report.
		if mod, err := parseMod(filepath.Join(root, "go.mod")); err == nil {
			addLocal(replaced, root, mod.Replace)
		}
	}
	var files []string
	for root := range replaced {
		mains[root] = true
	}
	for root := range mains {
		if f := beside(root); f != "" {
			files = append(files, f)
		}
	}
	sort.Strings(files)
	return files
}

// Hash returns a hash of the files' paths and contents. A file that cannot
// be read counts as itself, so that the hash changes when it can be again.
// The baselines that the files name count too.
func Hash(paths []string) string {
	paths = append(paths[:len(paths):len(paths)], Baselines(paths)...)
	h := sha256.New()
	for _, path := range paths {
		data, err := os.ReadFile(path)
		sum := sha256.Sum256(data)
		if err != nil {
			sum = [sha256.Size]byte{}
		}
		// The path's end and the content's length must be unmistakable.
		io.WriteString(h, path+"\x00")
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// loaded holds the outcome of Load by path and content: drivers that live
// long, such as editors, ask for the same file with every package.
var loaded sync.Map // of [sha256.Size]byte to outcome

type outcome struct {
	file *File
	err  error
}

// Load reads and parses a registry file, or returns what it made of the same
// content before. Positions bear the file's absolute path, because drivers
// run analyzers in different directories; those of a parse error bear the
// path relative to the current directory when the file lies below it.
func Load(path string) (*File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		var perr *os.PathError
		if errors.As(err, &perr) {
			err = perr.Err
		}
		return nil, Errors{{Position{display(path), 1, 1}, "the registry cannot be read: " + err.Error()}}
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	key := sha256.Sum256(append([]byte(path+"\x00"), data...))
	if o, ok := loaded.Load(key); ok {
		return o.(outcome).file, o.(outcome).err
	}
	file, err := Parse(path, data)
	var errs Errors
	if errors.As(err, &errs) {
		for _, e := range errs {
			e.Pos.File = display(e.Pos.File)
		}
	}
	loaded.Store(key, outcome{file, err})
	return file, err
}

// display returns the path as messages show it.
func display(path string) string {
	wd, err := os.Getwd()
	if err != nil {
		return path
	}
	abs := path
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(wd, abs)
	}
	rel, err := filepath.Rel(wd, abs)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return abs
	}
	return rel
}

// moduleRoot returns the nearest directory at or above dir with a go.mod.
func moduleRoot(dir string) string {
	if f := upward(dir, "go.mod"); f != "" {
		return filepath.Dir(f)
	}
	return ""
}

// InModule reports whether dir lies in a module or a workspace.
func InModule(dir string) bool { return moduleRoot(dir) != "" || workFile(dir) != "" }

// workFile returns the go.work file that the go command would use in dir.
func workFile(dir string) string {
	switch env := os.Getenv("GOWORK"); env {
	case "":
		return upward(dir, "go.work")
	case "off":
		return ""
	default:
		return env
	}
}

// upward returns the path of the nearest file of that name at or above dir.
func upward(dir, name string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// beside returns the registry file in dir, or "".
func beside(dir string) string {
	path := filepath.Join(dir, FileName)
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return path
	}
	return ""
}

// under returns path, which may be relative to base.
func under(base, path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

// addLocal adds the directories that replace modules.
func addLocal(dirs map[string]bool, base string, replaces []*modfile.Replace) {
	for _, r := range replaces {
		if r.New.Version == "" {
			dirs[under(base, r.New.Path)] = true
		}
	}
}

func parseMod(name string) (*modfile.File, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(name, data, nil)
}

func parseWork(name string) (*modfile.WorkFile, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return modfile.ParseWork(name, data, nil)
}
