package unit

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/analyzers"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/early"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// importing returns a unit that imports one package, which has that export data.
func importing(t *testing.T, file, data string) *unit {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	def := "go object linux amd64 go1.999 X:none\nbuild id \"x\"\n\n$$B\n" + data + "\n$$\n"
	return &unit{
		ID: "m", Compiler: "gc", Dir: dir, ImportPath: "m",
		GoFiles:     []string{write("m.go", "package m\n\nimport \"x\"\n\nvar _ = x.Y\n")},
		ImportMap:   map[string]string{"x": "x"},
		PackageFile: map[string]string{"x": write(file, fmt.Sprintf("!<arch>\n%-16s%-12d%-6d%-6d%-8o%-10d`\n%s", "__.PKGDEF", 0, 0, 0, 0o644, len(def), def))},
		VetxOutput:  filepath.Join(dir, "out"), Stdout: filepath.Join(dir, "stdout"),
	}
}

// Export data of a newer Go than this program was built with is an error that says
// so, also where type errors are left to the compiler.
func TestNewerGo(t *testing.T) {
	for _, succeed := range []bool{false, true} {
		u := importing(t, "x.a", "u\xff\x00\x00\x00 a version that nobody knows")
		u.SucceedOnTypecheckFailure = succeed
		err := u.analyze(analyzers.New(&analyzers.Options{}))
		if err == nil || !strings.Contains(err.Error(), "reinstall") {
			t.Errorf("%v", err)
		}
	}
}

// So is damaged export data, before the library's reader believes what it says of its
// size: here 2^32 elements, which no machine has the memory for.
func TestDamagedExportData(t *testing.T) {
	for _, succeed := range []bool{false, true} {
		u := importing(t, strings.Repeat("0", 64)+"-d", "u\x02\x00\x00\x00\x00\x00\x00\x00"+strings.Repeat("\xff", 100))
		u.SucceedOnTypecheckFailure = succeed
		const want = "is damaged: go clean -cache removes it"
		if err := u.readable(); err == nil || !strings.Contains(err.Error(), want) {
			t.Fatalf("the library reads it: %v", err)
		}
		if err := u.analyze(analyzers.New(&analyzers.Options{})); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v", err)
		}
	}
}

// Facts that are there and cannot be read are an error in every mode, a file without a
// byte too: with no facts of what it imports a package has no findings.
func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for facts, want := range map[string]bool{early.NoFacts: true, "": false, early.NoFacts[:40]: false, strings.Repeat("\x00", 52): false, "\x7f" + early.NoFacts: false} {
		u := &unit{
			ID: "m", Compiler: "gc", Dir: dir, ImportPath: "m", GoFiles: []string{write("m.go", "package m\n")},
			PackageVetx: map[string]string{"x": write("x.vetx", facts)},
			VetxOutput:  filepath.Join(dir, "out"), Stdout: filepath.Join(dir, "stdout"),
		}
		err := u.analyze(analyzers.New(&analyzers.Options{}))
		if (err == nil) != want || err != nil && !strings.HasPrefix(err.Error(), "the facts of x are damaged") {
			t.Errorf("%q: %v", facts, err)
		}
		if facts != "" {
			continue
		}
		if err := u.readable(); err == nil || !strings.HasPrefix(err.Error(), "the facts of x are damaged") {
			t.Errorf("the library reads them: %v", err)
		}
	}
	if data, err := os.ReadFile(filepath.Join(dir, "out")); err != nil || len(data) == 0 {
		t.Errorf("the unit's own facts: %d bytes, %v", len(data), err)
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

// FuzzFacts: whatever a file of facts holds, reading it ends, with facts or with an
// error.
func FuzzFacts(f *testing.F) {
	list := analyzers.New(&analyzers.Options{})
	fs, err := newFacts(new(unit), list)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(early.NoFacts))
	out := filepath.Join(f.TempDir(), "out")
	own := &facts{unit: &unit{VetxOutput: out, ImportPath: "x"}, own: []record{{PkgPath: "x", Fact: new(summary.Package)}}}
	if err := own.write(); err != nil {
		f.Fatal(err)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(out, data, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := fs.read("x", out); err == nil && len(data) == 0 {
			t.Error("a file without a byte has facts")
		}
	})
}
