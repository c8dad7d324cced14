package load

import (
	"bytes"
	"errors"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/shown"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/toolchain"
)

// fromTheFuture returns a package's export data as a newer compiler would
// write it.
func fromTheFuture(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-export", "-f", "{{.Export}}", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	version := append([]byte(" "), runtime.Version()...)
	const mark = "\n$$B\nu"
	i := bytes.Index(data, []byte(mark))
	if i < 0 || !bytes.Contains(data[:300], version) {
		t.Skip("this compiler writes another format")
	}
	data[i+len(mark)] = 99
	future := append([]byte(" go1.99.1"), bytes.Repeat([]byte(" "), max(0, len(version)-len(" go1.99.1")))...)
	data = bytes.Replace(data, version, future[:len(version)], 1)
	file := filepath.Join(t.TempDir(), "export")
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestReadable(t *testing.T) {
	err := toolchain.Readable(fromTheFuture(t, "errors"))
	if err == nil || !strings.HasPrefix(err.Error(), "built with "+runtime.Version()+", the go command is go1.99") ||
		!strings.Contains(err.Error(), "reinstall with go install") || strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
	garbage := filepath.Join(t.TempDir(), "garbage")
	if err := os.WriteFile(garbage, []byte("!<arch>\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := toolchain.Readable(garbage); err == nil || strings.Contains(err.Error(), "reinstall") {
		t.Error(err)
	}
}

// TestUnreadableExports holds that source takes the place of export data that
// cannot be read.
func TestUnreadableExports(t *testing.T) {
	c := &Config{}
	list, err := list(c, false, []string{"errors"})
	if err != nil {
		t.Fatal(err)
	}
	d := newDependencies(c, token.NewFileSet())
	d.isUnit = func(*packages.Package) bool { return false }
	file := fromTheFuture(t, "errors")
	d.findExports = func(_ bool, list []*packages.Package) (map[string]string, error) {
		exports := map[string]string{}
		for _, p := range list {
			exports[p.PkgPath] = file
		}
		return exports, nil
	}
	if _, err := d.prepare(list); err != nil {
		t.Fatal(err)
	}
	pkg, err := d.importPackage(list[0])
	if err != nil || pkg.Scope().Lookup("Is") == nil || !d.unreadable {
		t.Errorf("%v, %v", pkg, err)
	}
}

// TestNewerLanguage holds that a package is type-checked whose go.mod wants a
// newer language than ttlvet's, and that ttlvet says so when that fails.
func TestNewerLanguage(t *testing.T) {
	for source, want := range map[string]string{
		"//go:build go1.99\n\npackage p\n\nvar X = 1\n": "",
		"package p\n\nvar X = new(nope)\n":              "p.go:3:13: undefined: nope",
	} {
		file := filepath.Join(t.TempDir(), "p.go")
		if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
			t.Fatal(err)
		}
		p := &packages.Package{ID: "p", Name: "p", PkgPath: "p", GoFiles: []string{file}, Module: &packages.Module{GoVersion: "1.99"}}
		g := &Graph{config: &Config{Shown: shown.Dir(filepath.Dir(file))}}
		_, err := load(g, []*packages.Package{p})
		if want == "" && err != nil {
			t.Error(err)
		}
		var lines BuildErrors
		if want != "" && (!errors.As(err, &lines) || lines[1] != want) {
			t.Errorf("%v", err)
		}
	}
	real := toolchain.GoVersion
	defer func() { toolchain.GoVersion = real }()
	toolchain.GoVersion = func() string { return "go1.99.1" }
	file := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(file, []byte("package p\n\nfunc (int) m[T any]() {}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	g := &Graph{config: &Config{Shown: shown.Dir(filepath.Dir(file))}}
	_, err := load(g, []*packages.Package{{ID: "p", Name: "p", PkgPath: "p", GoFiles: []string{file}}})
	const want = ", the go command is go1.99.1: reinstall with go install github.com/ttlvet/ttlvet/cmd/ttlvet@latest (p.go:3:"
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
}
