package buildcache

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/tools/go/packages"

	"github.com/ttlvet/ttlvet/internal/input"
)

// A Memory remembers between runs where the go command has export data. To ask it
// takes as long as all the rest of a run on a small module, since it hashes every
// file of every dependency. Of packages in the standard library and the module
// cache, whose source does not change, what it said is right for as long as the
// files are there, which are named by what is in them.
type Memory struct {
	dir      string // "" where nothing is remembered
	platform string // what is built for, and how
	goroot   string

	keys map[*packages.Package]string
	used []string // files that have answered
}

// kept is how long something is remembered that nobody asks for.
const kept = 30 * 24 * time.Hour

// What is remembered is in files that begin with the header. They are named by a
// hash in hexadecimal and, until they are written, by the word and a number.
const (
	header     = "ttlvet exports 1\n"
	unfinished = "new-"
)

// NewMemory returns what is remembered of a platform: whatever decides, beside
// source and environment, which files and types packages have. Nothing is
// remembered where TTLVET_CACHE is off or the directory that it names, by default
// ttlvet below the user's cache directory, cannot be used, nor of a Go that has no
// version.
func NewMemory(platform, goroot string) *Memory {
	m := &Memory{goroot: goroot, keys: map[*packages.Package]string{}}
	version, err := os.ReadFile(filepath.Join(goroot, "VERSION"))
	if err != nil || HasDriver() {
		return m
	}
	m.platform = strings.Join([]string{platform, goroot, string(version), os.Getenv("GOFLAGS"), os.Getenv("GOCACHE")}, "\x00")
	switch dir := os.Getenv("TTLVET_CACHE"); dir {
	case "off":
	case "":
		if base, err := os.UserCacheDir(); err == nil {
			m.dir = filepath.Join(base, "ttlvet", "exports")
		}
	default:
		m.dir = filepath.Join(dir, "exports")
	}
	return m
}

// Exports is [Exports] of packages and not of what they import. It asks the go
// command only for what it does not remember.
func (m *Memory) Exports(flags []string, list []*packages.Package) (map[string]string, error) {
	paths := PathsOf(list)
	slices.Sort(paths)
	file := m.file(flags, list)
	if exports := remembered(file, paths); exports != nil {
		m.used = append(m.used, file)
		return exports, nil
	}
	exports, err := Exports(flags, false, paths...)
	if err == nil && file != "" {
		remember(file, paths, exports)
	}
	return exports, err
}

// Forget forgets what has been remembered in this run, and reports whether that is
// anything: for who gets errors, which may come from a standard library that was
// changed in its place.
func (m *Memory) Forget() bool {
	for _, file := range m.used {
		_ = os.Remove(file)
	}
	defer func() { m.used = nil }()
	return len(m.used) > 0
}

// PathsOf returns the paths of packages.
func PathsOf(list []*packages.Package) []string {
	paths := make([]string, len(list))
	for i, p := range list {
		paths[i] = p.PkgPath
	}
	return paths
}

// file returns the file in which it is remembered where the packages have export
// data, or "" where that may change.
func (m *Memory) file(flags []string, list []*packages.Package) string {
	if m.dir == "" {
		return ""
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q\n", m.platform, flags)
	keys := make([]string, len(list))
	for i, p := range list {
		if keys[i] = m.key(p); keys[i] == "" {
			return ""
		}
	}
	slices.Sort(keys)
	fmt.Fprintf(h, "%q\n", keys)
	return filepath.Join(m.dir, hex.EncodeToString(h.Sum(nil)))
}

// key returns what the package is, with all that it imports; "" where its source
// may change.
func (m *Memory) key(p *packages.Package) string {
	key, known := m.keys[p]
	if !known {
		m.keys[p] = ""
		key = m.newKey(p)
		m.keys[p] = key
	}
	return key
}

func (m *Memory) newKey(p *packages.Package) string {
	if p.PkgPath == "unsafe" {
		return "unsafe"
	}
	of := ""
	switch mod := p.Module; {
	case p.ForTest != "" || len(p.Errors) > 0 || len(p.GoFiles) == 0:
		return ""
	case mod == nil && !inside(p.GoFiles[0], m.goroot):
		return ""
	case mod != nil:
		if mod.Main || mod.Replace != nil || !cached(mod) || !inside(p.GoFiles[0], mod.Dir) {
			return ""
		}
		of = mod.Path + "@" + mod.Version
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q\n", p.PkgPath, of)
	for _, file := range slices.Concat(p.GoFiles, p.OtherFiles) { // as tags and platform choose them
		io.WriteString(h, filepath.Base(file)+"\n")
	}
	imports := make([]string, 0, len(p.Imports))
	for path := range p.Imports {
		imports = append(imports, path)
	}
	slices.Sort(imports)
	for _, path := range imports {
		key := m.key(p.Imports[path])
		if key == "" {
			return ""
		}
		fmt.Fprintf(h, "%q %s\n", path, key)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// cached reports whether a module is in the module cache, where nothing changes.
// (One in a vendor directory has no directory.)
func cached(m *packages.Module) bool {
	version, err := module.EscapeVersion(m.Version)
	return err == nil && m.Version != "" && strings.HasSuffix(m.Dir, "@"+version)
}

func inside(file, dir string) bool {
	return dir != "" && strings.HasPrefix(file, dir+string(filepath.Separator))
}

// remembered returns what a file says of the packages of these paths, sorted; nil
// where it does not say it, or export data is not there any more.
func remembered(file string, paths []string) map[string]string {
	data, err := input.Read(file, input.Source)
	text, ours := strings.CutPrefix(string(data), header)
	if err != nil || !ours {
		return nil
	}
	exports := map[string]string{}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) != len(paths) {
		return nil
	}
	for i, line := range lines {
		path, export, ok := strings.Cut(line, "\t")
		if !ok || path != paths[i] {
			return nil
		}
		if export != "" || path != "unsafe" {
			if info, err := os.Stat(export); err != nil || info.Size() == 0 {
				return nil
			}
		}
		exports[path] = export
	}
	if info, err := os.Stat(file); err == nil && time.Since(info.ModTime()) > 24*time.Hour {
		now := time.Now()
		_ = os.Chtimes(file, now, now) // somebody asks for it
	}
	return exports
}

// remember writes what the go command said, where it has all of the packages. What
// cannot be written is not remembered.
func remember(file string, paths []string, exports map[string]string) {
	var b strings.Builder
	b.WriteString(header)
	for _, path := range paths {
		if exports[path] == "" && path != "unsafe" || strings.ContainsAny(exports[path], "\t\n") {
			return
		}
		b.WriteString(path + "\t" + exports[path] + "\n")
	}
	dir := filepath.Dir(file)
	if os.MkdirAll(dir, 0o777) != nil {
		return
	}
	forget(dir)
	out, err := os.CreateTemp(dir, unfinished)
	if err != nil {
		return
	}
	_, err = out.WriteString(b.String())
	if err2 := out.Close(); err != nil || err2 != nil || os.Rename(out.Name(), file) != nil {
		_ = os.Remove(out.Name())
	}
}

// forget removes what nobody has asked for in a while. Of other files, which whoever
// named the directory may keep there, it removes none.
func forget(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		hash, err := hex.DecodeString(e.Name())
		named := err == nil && len(hash) == sha256.Size || strings.HasPrefix(e.Name(), unfinished)
		info, err := e.Info()
		if err != nil || !named || !info.Mode().IsRegular() || time.Since(info.ModTime()) <= kept {
			continue
		}
		file := filepath.Join(dir, e.Name())
		if text, err := input.Beginning(file, len(header)); err == nil && string(text) == header {
			_ = os.Remove(file)
		}
	}
}
