package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestMain makes the test's program stand in for ttlvet where a fault is asked
// for.
func TestMain(m *testing.M) {
	if fault := os.Getenv("SWEEP_FAULT"); fault != "" {
		os.Exit(standIn(fault, os.Args[1:]))
	}
	os.Exit(m.Run())
}

// standIn does what ttlvet must not.
func standIn(fault string, args []string) int {
	const finding = "m.go:3:1: wrong (ttlread/missing-filter)\n"
	fixing := args[0] != "./..."
	switch source, _ := os.ReadFile("m.go"); {
	case fault == "panic":
		panic("out of range")
	case fault == "internal error":
		os.Stderr.WriteString("ttlvet: internal error: package without types\n")
		return 1
	case fault == "exit code":
		os.Stderr.WriteString("ttlvet: no such package\n")
		return 2
	case fault == "clean":
		return 0
	case fault == "parallel":
		return inParallel(args)
	case fault == "left out" && fixing:
		os.Stderr.WriteString("ttlvet: m.go:3:1: the fix of ttlread/missing-filter is left out, because the code would not compile: x\n")
	case fault == "broken fix" && fixing:
		os.WriteFile("m.go", []byte("package m\n\nfunc F() { return 1 }\n"), 0o666)
	case fault == "second fix" && fixing:
		os.WriteFile("m.go", append(source, "// again\n"...), 0o666)
	case fault == "good fix" && fixing:
		os.WriteFile("m.go", []byte("package m\n\nfunc F() {}\n"), 0o666)
		return 0
	}
	os.Stdout.WriteString(finding)
	return 1
}

// inParallel is a ttlvet that finds nothing, and a golangci-lint of its making
// beside which others run.
func inParallel(args []string) int {
	switch args[0] {
	case "build-golangci-lint":
		self, err := os.Executable()
		if err != nil || os.Symlink(self, args[2]) != nil {
			return 2
		}
	case "run":
		if !slices.Contains(args, "--allow-parallel-runners") {
			os.Stderr.WriteString("Error: parallel golangci-lint is running\n")
			return 3
		}
		os.Stdout.WriteString("{}")
	}
	return 0
}

// TestParallel: somebody else's golangci-lint does not disturb the sweep's.
func TestParallel(t *testing.T) {
	t.Setenv("SWEEP_FAULT", "parallel")
	out, code := sweepOwn(t, "package m\n", "golangci")
	if want := "0 findings, 0 fixed, 0 faulty modules"; code != 0 || !strings.Contains(out, want) {
		t.Errorf("exit code %d, want 0 and %q:\n%s", code, want, out)
	}
}

// TestFaults holds that each fault is seen, on a module of one file.
func TestFaults(t *testing.T) {
	for _, test := range []struct {
		fault, want string
		code        int
	}{
		{"panic", "ttlvet breaks down: panic: out of range", 1},
		{"internal error", "internal error: package without types", 1},
		{"exit code", "exit status 2: ttlvet: no such package", 1},
		{"left out", "ttlvet -fix is offered fixes that do not compile", 1},
		{"broken fix", "after ttlvet -fix, this does not compile", 1},
		{"second fix", "a second ttlvet -fix changes m.go", 1},
		{"good fix", "5 findings, 5 fixed, 0 faulty modules", 0},
		{"clean", "0 findings, 0 fixed, 0 faulty modules", 0},
	} {
		t.Run(test.fault, func(t *testing.T) {
			t.Setenv("SWEEP_FAULT", test.fault)
			out, code := sweepOwn(t, "package m\n\nfunc F() { _ = 0 }\n", "ttlvet")
			if code != test.code || !strings.Contains(out, test.want) {
				t.Errorf("exit code %d, want %d and %q:\n%s", code, test.code, test.want, out)
			}
		})
	}
}

// TestSkipped: a module that does not build is skipped with a note, and then
// nothing was swept.
func TestSkipped(t *testing.T) {
	t.Setenv("SWEEP_FAULT", "clean")
	out, code := sweepOwn(t, "package m\n\nvar x int = \"\"\n", "ttlvet")
	if code != 2 || !strings.Contains(out, "does not build by itself: ") || !strings.Contains(out, "everything was skipped") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

// TestReplaced: a module that is replaced by a directory beside it is found
// from the copy.
func TestReplaced(t *testing.T) {
	t.Setenv("SWEEP_FAULT", "clean")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, sub := range []string{"m", "dep"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "dep", "go.mod"), "module example.com/dep\n\ngo 1.25\n")
	write(t, filepath.Join(dir, "dep", "dep.go"), "package dep\n")
	write(t, filepath.Join(dir, "m", "go.mod"), "module example.com/m\n\ngo 1.25\n\nrequire example.com/dep v1.0.0\n\nreplace example.com/dep => ../dep\n")
	write(t, filepath.Join(dir, "m", "m.go"), "package m\n\nimport _ \"example.com/dep\"\n")
	var out bytes.Buffer
	if code := run([]string{"-ttlvet", program, "-drivers=ttlvet", "-dir", filepath.Join(dir, "m")}, &out, &out); code != 0 {
		t.Errorf("exit code %d:\n%s", code, &out)
	}
}

// TestDifference: what is missing and what is too much is listed.
func TestDifference(t *testing.T) {
	if got, want := difference([]string{"a", "b"}, []string{"b", "c"}), "-a\n+c"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestInvented: of a file's strings, those are families that may name one.
func TestInvented(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.go")
	write(t, file, "package m\n\nimport _ \"fmt\"\n\nconst a, b = `cf-1`, \"not one\"\n\nvar c = []string{\"x\", \"cf-1\", \"\"}\n")
	got := invented(words([]string{file}), "timestamp-zero")
	want := "version: 1\ntables:\n  \"*\":\n    families:\n      \"cf-1\": {strategy: timestamp-zero}\n      \"x\": {strategy: timestamp-zero}\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestUsage: mistakes on the command line are said.
func TestUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"no driver \"bazel\"":       {"-ttlvet=x", "-drivers=ttlvet,bazel"},
		"no module of the list":     {"-run=nosuch"},
		"packages are for -dir":     {"./..."},
		"error parsing regexp":      {"-run=("},
		"flag provided but not def": {"-nosuch"},
	} {
		var out bytes.Buffer
		if code := run(args, &out, &out); code != 2 || !strings.Contains(out.String(), want) {
			t.Errorf("%q: exit code %d, want 2 and %q:\n%s", args, code, want, &out)
		}
	}
}

// TestModules: the list is what it is said to be.
func TestModules(t *testing.T) {
	with, seen := 0, map[string]bool{}
	for _, m := range modules {
		if m.bigtable {
			with++
		}
		if seen[m.String()] || m.path != std && m.version == "" {
			t.Errorf("%s stands twice, or has no version", m)
		}
		seen[m.String()] = true
	}
	if without := len(modules) - with; len(modules) < 20 || without < len(modules)/2 {
		t.Errorf("of %d modules, %d do not use Bigtable", len(modules), without)
	}
}

// TestSweep sweeps the list. Some of it may be skipped where the module proxy
// withholds it.
func TestSweep(t *testing.T) {
	if os.Getenv("TTLVET_SLOW") == "" {
		t.Skip("compiles dozens of modules: set TTLVET_SLOW=1")
	}
	var out bytes.Buffer
	both := io.MultiWriter(&out, t.Output()) // with -v, as it goes
	code := run(nil, both, both)
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	if n := strings.Count("\n"+out.String(), "\nok "); n < 20 {
		t.Errorf("%d modules were swept, not 20", n)
	}
}

// sweepOwn sweeps a module of one file with the test's program as ttlvet.
func sweepOwn(t *testing.T, source, drivers string) (string, int) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/m\n\ngo 1.25\n")
	write(t, filepath.Join(dir, "m.go"), source)
	var out bytes.Buffer
	code := run([]string{"-ttlvet", program, "-drivers", drivers, "-dir", dir}, &out, &out)
	return out.String(), code
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
