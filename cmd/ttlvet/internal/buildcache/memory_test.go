package buildcache

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/packages"
)

// goroot returns where the standard library is.
func goroot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out[:len(out)-1])
}

func load(t *testing.T, patterns ...string) []*packages.Package {
	t.Helper()
	list, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule,
	}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestMemory holds that the go command is asked once for packages that do not
// change, and again when their export data is gone, or they are others.
func TestMemory(t *testing.T) {
	t.Setenv("GOCACHE", t.TempDir())
	t.Setenv("TTLVET_CACHE", t.TempDir())
	root := goroot(t)
	list := load(t, "unicode/utf8", "cmp", "unsafe", "unicode") // which import nothing
	paths := PathsOf(list)
	if out, err := exec.Command("go", append([]string{"build"}, paths...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	first, err := NewMemory("here", root).Exports(nil, list)
	if err != nil || len(first) != len(list) || first["cmp"] == "" {
		t.Fatalf("%v %v", first, err)
	}
	t.Setenv("PATH", t.TempDir()) // without a go command
	again, err := NewMemory("here", root).Exports(nil, list)
	if err != nil || !maps.Equal(again, first) {
		t.Errorf("%v is not %v: %v", again, first, err)
	}
	asks := func(what string, platform string, flags []string, list []*packages.Package) {
		t.Helper()
		if exports, err := NewMemory(platform, root).Exports(flags, list); err == nil {
			t.Errorf("of %s it is remembered that %v", what, exports)
		}
	}
	asks("another platform", "there", nil, list)
	asks("other flags", "here", []string{"-tags=x"}, list)
	asks("fewer packages", "here", nil, list[:2])
	for what, change := range map[string]func(*packages.Package){
		"other files":      func(p *packages.Package) { p.GoFiles = append(p.GoFiles, p.GoFiles[0]+"_x.go") },
		"other imports":    func(p *packages.Package) { p.Imports = map[string]*packages.Package{"unsafe": list[2]} },
		"another version":  func(p *packages.Package) { p.Module = &packages.Module{Path: "m", Version: "v1.0.0", Dir: "/m@v1.0.0"} },
		"a broken package": func(p *packages.Package) { p.Errors = []packages.Error{{Msg: "broken"}} },
	} {
		changed := *list[0]
		change(&changed)
		asks(what, "here", nil, append([]*packages.Package{&changed}, list[1:]...))
	}
	t.Run("off", func(t *testing.T) {
		t.Setenv("TTLVET_CACHE", "off")
		asks("nothing", "here", nil, list)
	})
	if m := NewMemory("here", root); m.Forget() {
		t.Error("what nobody asked is forgotten")
	} else if _, err := m.Exports(nil, list); err != nil || !m.Forget() {
		t.Errorf("it is not remembered: %v", err)
	}
	asks("what was forgotten", "here", nil, list)
	remember(NewMemory("here", root).file(nil, list), sorted(paths), first)
	if err := os.Remove(first["cmp"]); err != nil {
		t.Fatal(err)
	}
	asks("export data that is gone", "here", nil, list)
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

// TestMutable holds that nothing is remembered of packages whose source may change.
func TestMutable(t *testing.T) {
	t.Setenv("TTLVET_CACHE", t.TempDir())
	m := NewMemory("here", goroot(t))
	std := load(t, "errors")[0]
	in := func(dir string, mod *packages.Module, imports ...*packages.Package) *packages.Package {
		p := &packages.Package{PkgPath: "m/p", GoFiles: []string{filepath.Join(dir, "p", "p.go")}, Module: mod, Imports: map[string]*packages.Package{}}
		for _, imp := range imports {
			p.Imports[imp.PkgPath] = imp
		}
		return p
	}
	stable := in("/mod/m@v1.0.0", &packages.Module{Path: "m", Version: "v1.0.0", Dir: "/mod/m@v1.0.0"}, std)
	if m.file(nil, []*packages.Package{stable, std}) == "" {
		t.Error("a package of the module cache may change")
	}
	main := in("/src/m", &packages.Module{Path: "m", Main: true, Dir: "/src/m"})
	for what, p := range map[string]*packages.Package{
		"of the main module": main,
		"behind replace":     in("/src/m", &packages.Module{Path: "m", Version: "v1.0.0", Dir: "/src/m", Replace: &packages.Module{Path: "../m"}}),
		"of a vendor tree":   in("/src/m/vendor/m", &packages.Module{Path: "m", Version: "v1.0.0"}),
		"of a workspace":     in("/src/m", &packages.Module{Path: "m", Dir: "/src/m"}),
		"of GOPATH":          in("/gopath/src/m", nil),
		"above such a one":   in("/mod/n@v1.0.0", &packages.Module{Path: "n", Version: "v1.0.0", Dir: "/mod/n@v1.0.0"}, main),
		"of a test":          {PkgPath: "errors", GoFiles: std.GoFiles, ForTest: "errors"},
	} {
		if file := m.file(nil, []*packages.Package{std, p}); file != "" {
			t.Errorf("a package %s does not change", what)
		}
	}
	if NewMemory("here", t.TempDir()).file(nil, []*packages.Package{std}) != "" {
		t.Error("a Go without version does not change")
	}
}

// TestForget holds that what nobody asks for goes, and what somebody does stays.
func TestForget(t *testing.T) {
	dir := t.TempDir()
	export := filepath.Join(dir, "x.a")
	if err := os.WriteFile(export, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	at := func(name string) string {
		return filepath.Join(dir, "exports", fmt.Sprintf("%x", sha256.Sum256([]byte(name))))
	}
	remember(at("old"), []string{"x"}, map[string]string{"x": export})
	remember(at("asked"), []string{"x"}, map[string]string{"x": export})
	long := time.Now().Add(-2 * kept)
	for _, name := range []string{"old", "asked"} {
		if err := os.Chtimes(at(name), long, long); err != nil {
			t.Fatal(err)
		}
	}
	if remembered(at("asked"), []string{"x"}) == nil {
		t.Fatal("nothing is remembered")
	}
	remember(at("new"), []string{"x"}, map[string]string{"x": export})
	if remembered(at("old"), []string{"x"}) != nil || remembered(at("asked"), []string{"x"}) == nil || remembered(at("new"), []string{"x"}) == nil {
		t.Error("the wrong one is forgotten")
	}
	// Damaged, it is asked for anew.
	for _, text := range []string{"", "x", "x\t" + export, header + "y\t" + export, header + "x\t" + export + "\nz\t" + export, header + "x\t"} {
		if err := os.WriteFile(at("new"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := remembered(at("new"), []string{"x"}); got != nil {
			t.Errorf("%q says %v", text, got)
		}
	}
	// What the go command does not have everything of is not remembered.
	remember(at("part"), []string{"x", "y"}, map[string]string{"x": export})
	if _, err := os.Stat(at("part")); err == nil {
		t.Error("a part is remembered")
	}
}

// TestForgetOthers holds that files of others stay, whatever they are called.
func TestForgetOthers(t *testing.T) {
	dir := t.TempDir()
	hash := strings.Repeat("ab", sha256.Size)
	texts := map[string]string{
		"precious": "mine", "precious.txt": header, // not by its name
		hash: "mine", "new-": "mine", "new-year": "", // not by their content
		"new-123": header, "cd" + hash[2:]: header + "x\tx.a\n", // ttlvet's
	}
	long := time.Now().Add(-2 * kept)
	for name, text := range texts {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, long, long); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "ef"+hash[2:]), 0o777); err != nil {
		t.Fatal(err)
	}
	forget(dir)
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != len(texts)-2+1 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// FuzzRemembered: whatever a file holds, reading it ends, and what it says is of the
// packages that are asked for.
func FuzzRemembered(f *testing.F) {
	dir := f.TempDir()
	file, export := filepath.Join(dir, "file"), filepath.Join(dir, "x.a")
	if err := os.WriteFile(export, []byte("x"), 0o666); err != nil {
		f.Fatal(err)
	}
	f.Add(header + "unsafe\t\nx\t" + export + "\n")
	f.Add(header + "x\t" + export + "\nx\t\n")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		exports := remembered(file, []string{"unsafe", "x"})
		if exports == nil {
			return
		}
		if _, err := os.Stat(exports["x"]); err != nil || len(exports) != 2 {
			t.Errorf("%q says %v", text, exports)
		}
	})
}
