package registry

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/modfile"

	"github.com/ttlvet/ttlvet/internal/input"
)

// Find returns the registry file that governs the packages of dir: the one
// beside the nearest go.mod at or above it, or else the one beside the go.work
// above that which uses the module. It returns "" if there is none; a registry
// beside the go.mod of an outer module does not reach into an inner one.
//
// A file that can only be meant for a registry but is none, because of its name
// or its place, is returned like one: [Load] says what is wrong with it.
func Find(dir string) string {
	root := moduleRoot(dir)
	if root == "" {
		return ""
	}
	for d := clean(dir); d != root && strings.HasPrefix(d, root); d = filepath.Dir(d) {
		if f := misplaced(d); f != "" {
			return f
		}
	}
	if f := beside(root); f != "" {
		return f
	}
	if name := workFile(root); name != "" {
		if work, err := parseWork(name); err == nil && uses(name, work, root) {
			return beside(filepath.Dir(name))
		}
	}
	return ""
}

// Above returns the nearest registry file at or above dir, for what is no Go
// module, or "".
func Above(dir string) string { return upward(dir, FileName) }

// Readable returns, sorted, every registry file that a run started in dir
// can come to read: that of the module itself, those of its workspace and of
// the modules that this uses, and those of modules replaced by local
// directories, with the files that are meant for one but are none.
// Registries of other dependencies lie in the module cache, where nothing
// changes.
func Readable(dir string) []string {
	mains := mainModules(dir)
	replaced := map[string]bool{}
	found := map[string]bool{}
	add := func(files []string) {
		for _, f := range files {
			found[f] = true
		}
	}
	if name := workFile(dir); name != "" {
		if work, err := parseWork(name); err == nil {
			base := filepath.Dir(name)
			add(allBeside(base))
			addLocal(replaced, base, work.Replace)
		}
	}
	for root := range mains {
		// A go.mod that cannot be parsed is the go command's to report.
		if mod, err := parseMod(filepath.Join(root, "go.mod")); err == nil {
			addLocal(replaced, root, mod.Replace)
		}
	}
	for root := range replaced {
		add(allBeside(root))
	}
	for root := range mains {
		add(allBeside(root))
		add(misplacedBelow(root))
	}
	return slices.Sorted(maps.Keys(found))
}

// Between returns, sorted, the roots of the modules of the workspace of dir that lie
// below dir, where dir itself lies in none: for the go command, patterns such as
// ./... match nothing there. It is nil elsewhere.
func Between(dir string) []string {
	name := workFile(dir)
	if name == "" {
		return nil
	}
	work, err := parseWork(name)
	if err != nil {
		return nil
	}
	root, dir := moduleRoot(dir), clean(dir)
	var below []string
	for _, use := range work.Use {
		switch u := under(filepath.Dir(name), use.Path); {
		case u == root:
			return nil
		case strings.HasPrefix(u, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator)):
			below = append(below, u)
		}
	}
	slices.Sort(below)
	return slices.Compact(below)
}

// mainModules returns the roots of the module of dir and of those that its
// workspace uses.
func mainModules(dir string) map[string]bool {
	mains := map[string]bool{}
	if root := moduleRoot(dir); root != "" {
		mains[root] = true
	}
	if name := workFile(dir); name != "" {
		if work, err := parseWork(name); err == nil {
			for _, use := range work.Use {
				mains[under(filepath.Dir(name), use.Path)] = true
			}
		}
	}
	return mains
}

// Requires reports whether a main module of a run started in dir is the module
// of that path or requires it.
func Requires(dir, path string) bool {
	for root := range mainModules(dir) {
		mod, err := parseMod(filepath.Join(root, "go.mod"))
		if err == nil && (mod.Module != nil && mod.Module.Mod.Path == path ||
			slices.ContainsFunc(mod.Require, func(r *modfile.Require) bool { return r.Mod.Path == path })) {
			return true
		}
	}
	return false
}

// uses reports whether the workspace in the file of that name uses the module
// in root.
func uses(name string, work *modfile.WorkFile, root string) bool {
	return slices.ContainsFunc(work.Use, func(u *modfile.Use) bool {
		return under(filepath.Dir(name), u.Path) == root
	})
}

// Hash returns a hash of the files' paths and contents. A file that cannot
// be read counts as itself, so that the hash changes when it can be again.
// The baselines that the files name count too.
func Hash(paths []string) string {
	paths = append(paths[:len(paths):len(paths)], Baselines(paths)...)
	h := sha256.New()
	for _, path := range paths {
		var sum [sha256.Size]byte // of what is no file; a pipe would never end
		if data, err := input.Read(path, input.Plan); err == nil {
			sum = sha256.Sum256(data)
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
	if msg := misfit(path); msg != "" {
		return nil, Errors{{Position{display(path), 1, 1}, msg}}
	}
	data, err := text(path), error(nil)
	if data == nil {
		data, err = input.Read(path, input.Registry)
	}
	if err != nil {
		return nil, Errors{{Position{display(path), 1, 1}, "the registry cannot be read: " + input.Reason(err)}}
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	key := sha256.Sum256(append([]byte(path+"\x00"), data...))
	o, ok := loaded.Load(key)
	if !ok {
		file, err := Parse(path, data)
		o, _ = loaded.LoadOrStore(key, outcome{file, shown(err)})
	}
	file, err := o.(outcome).file, o.(outcome).err
	if err == nil {
		// Packages come and go without the registry's changing.
		if errs := file.packageless(); errs != nil {
			return nil, shown(errs)
		}
	}
	return file, err
}

// shown returns err with the paths that messages show.
func shown(err error) error {
	var errs Errors
	if errors.As(err, &errs) {
		for _, e := range errs {
			e.Pos.File = display(e.Pos.File)
		}
	}
	return err
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

// None reports whether a run started in dir reads no registry file, in modules
// that do not require ttlvet's runtime package either, with which Go code
// declares tables.
func None(dir string) bool {
	return InModule(dir) && len(Readable(dir)) == 0 && !Requires(dir, "github.com/ttlvet/ttlvet")
}

// HasSchema reports whether the registry of the module in the directory root
// names sources outside Go.
func HasSchema(root string) bool {
	path := Find(root)
	if path == "" {
		return false
	}
	f, err := Load(path)
	return err == nil && len(f.Schema) > 0
}

// Workspace returns the go.work file that the go command would use in dir, "" for
// none.
func Workspace(dir string) string { return workFile(dir) }

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
	for dir = clean(dir); ; {
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

// clean returns dir as an absolute path.
func clean(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return filepath.Clean(dir)
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
