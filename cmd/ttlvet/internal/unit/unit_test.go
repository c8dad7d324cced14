package unit

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/analyzers"
)

// Export data of a newer Go than this program was built with is an error that says
// so, also where type errors are left to the compiler.
func TestNewerGo(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	def := "go object linux amd64 go1.999 X:none\nbuild id \"x\"\n\n$$B\nu\xff\x00\x00\x00 a version that nobody knows\n$$\n"
	for _, succeed := range []bool{false, true} {
		u := &unit{
			ID: "m", Compiler: "gc", Dir: dir, ImportPath: "m",
			GoFiles:     []string{write("m.go", "package m\n\nimport \"x\"\n\nvar _ = x.Y\n")},
			ImportMap:   map[string]string{"x": "x"},
			PackageFile: map[string]string{"x": write("x.a", fmt.Sprintf("!<arch>\n%-16s%-12d%-6d%-6d%-8o%-10d`\n%s", "__.PKGDEF", 0, 0, 0, 0o644, len(def), def))},
			VetxOutput:  filepath.Join(dir, "out"), Stdout: filepath.Join(dir, "stdout"),
			SucceedOnTypecheckFailure: succeed,
		}
		err := u.analyze(analyzers.New(&analyzers.Options{}))
		if err == nil || !strings.Contains(err.Error(), "reinstall") {
			t.Errorf("%v", err)
		}
	}
}

// Nobody needs the facts of a package with its tests, but its external tests.
func TestLast(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"m.go", "m_test.go", "windows_test.go"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	at := func(names ...string) (out []string) {
		for _, name := range names {
			out = append(out, filepath.Join(dir, name))
		}
		return out
	}
	u := &unit{Dir: dir, GoFiles: at("m.go")}
	if u.last() {
		t.Error("a package without its tests is the last")
	}
	u = &unit{Dir: dir, GoFiles: at("m.go", "m_test.go"), IgnoredFiles: at("windows_test.go")}
	if !u.last() {
		t.Error("a package with its tests is not the last")
	}
	if err := os.WriteFile(filepath.Join(dir, "external_test.go"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if u.last() {
		t.Error("a package with external tests is the last")
	}
}
