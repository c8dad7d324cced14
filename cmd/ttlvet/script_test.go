package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(remembering{m}, map[string]func(){"ttlvet": main})
}

// remembering keeps what the ttlvet of tests remembers apart from what the user's
// does.
type remembering struct{ *testing.M }

func (m remembering) Run() int {
	dir, err := os.MkdirTemp("", "ttlvet-cache")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	os.Setenv("TTLVET_CACHE", dir)
	return m.M.Run()
}

// TestScript runs the scripts in testdata/script. Each is a module, or
// several, with the Bigtable client of testdata/stub at $STUB.
func TestScript(t *testing.T) {
	runScripts(t, "testdata/script", "off")
}

// TestSlowScript runs the scripts that call the go command over and over.
func TestSlowScript(t *testing.T) {
	slow(t, "vets and builds many times")
	runScripts(t, "testdata/slow", "off")
}

// TestBuildScript runs the scripts that build other programs.
func TestBuildScript(t *testing.T) {
	slow(t, "builds gopls and golangci-lint")
	runScripts(t, "testdata/build", goEnv(t, "GOPROXY"))
}

// slowSuite reports whether tests run that take minutes.
func slowSuite() bool { return os.Getenv("TTLVET_SLOW") != "" }

// slow skips a test for which only the slow suite waits, since it does what
// takes long.
func slow(t *testing.T, does string) {
	t.Helper()
	if !slowSuite() {
		t.Skip(does + ": set TTLVET_SLOW=1")
	}
}

// alongside lets a test run beside others, which makes use of all processors:
// what it waits for is mostly one process after another. Tests that write pages
// that others read run by themselves.
func alongside(t *testing.T) {
	if !*update {
		t.Parallel()
	}
}

// goEnv returns a variable of the go command.
func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// runScripts runs the scripts in a directory.
func runScripts(t *testing.T, dir, proxy string) {
	t.Helper()
	env := map[string]string{}
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
		env[name] = goEnv(t, name)
	}
	source, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: dir,
		Setup: func(e *testscript.Env) error {
			for name, value := range env {
				e.Setenv(name, value)
			}
			e.Setenv("GOPROXY", proxy)
			stub := filepath.Join(e.WorkDir, ".stub")
			e.Setenv("STUB", stub)
			e.Setenv("SOURCE", source)
			e.Setenv("GOTOOLCHAIN", "local")
			e.Setenv("GOFLAGS", "")
			e.Setenv("GOWORK", "")
			e.Setenv("NO_COLOR", "")
			e.Setenv("TTLVET_CACHE", os.Getenv("TTLVET_CACHE"))
			return copyStub(stub)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"vettool":  vetToolPath,
			"sub":      substitute,
			"same":     same,
			"exitcode": exitCode,
			"compiled": compiled,

			"sarif":           checkSARIF,
			"unfingerprinted": removeFingerprints,
			"sarifapply":      applySARIF,
			"crlf":            crlf,
			"huge":            huge,
			"repeat":          repeat,
			"binary":          binary,
		},
	})
}

// copyStub writes the stub as a module to dir. In the source tree it has no
// go.mod, with which it would not be part of this module's zip.
func copyStub(dir string) error {
	if err := os.CopyFS(dir, os.DirFS("testdata/stub")); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module cloud.google.com/go/bigtable\n\ngo 1.25\n"), 0o666)
}

// vetToolPath sets $VETTOOL to the program's path.
func vetToolPath(ts *testscript.TestScript, neg bool, args []string) {
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if path := filepath.Join(dir, "ttlvet"); exists(path) {
			ts.Setenv("VETTOOL", path)
			return
		}
		if path := filepath.Join(dir, "ttlvet.exe"); exists(path) {
			ts.Setenv("VETTOOL", path)
			return
		}
	}
	ts.Fatalf("no ttlvet in PATH")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// substitute replaces a text in a file: sub FILE OLD NEW.
func substitute(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: sub file old new")
	}
	name := ts.MkAbs(args[0])
	data, err := os.ReadFile(name)
	ts.Check(err)
	if !strings.Contains(string(data), args[1]) {
		ts.Fatalf("%s holds no %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(name, []byte(strings.ReplaceAll(string(data), args[1], args[2])), 0o666))
}

// crlf copies a file with the line ends of Windows: crlf FROM TO.
func crlf(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: crlf from to")
	}
	data := strings.ReplaceAll(ts.ReadFile(args[0]), "\n", "\r\n")
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(data), 0o666))
}

// huge writes a script of seventeen megabytes: huge FILE.
func huge(ts *testscript.TestScript, neg bool, args []string) {
	text := "cbt createtable sessions families=token:maxage=1s\n" + strings.Repeat("# and so on\n", 17<<20/12)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o666))
}

// repeat writes a file of so many equal lines: repeat LINE TIMES FILE.
func repeat(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(strings.Repeat(args[0]+"\n", n)), 0o666))
}

// binary writes a file that is no text: binary FILE.
func binary(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte("cbt createtable\x00\x01"), 0o666))
}

// exitCode runs a program that must exit with the code: exitcode CODE PROGRAM
// ARG...
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if fmt.Sprint(code) != args[0] {
		ts.Fatalf("the exit code is %d, not %s", code, args[0])
	}
}

// compiled fails unless a build cache holds compiled packages.
func compiled(ts *testscript.TestScript, neg bool, args []string) {
	found := false
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || found {
			return err
		}
		data, err := os.ReadFile(path)
		found = bytes.HasPrefix(data, []byte("!<arch>\n"))
		return err
	}))
	if found == neg {
		ts.Fatalf("compiled packages in %s: %v", args[0], found)
	}
}

// same fails unless two files, of which one may be stdout, are the same.
func same(ts *testscript.TestScript, neg bool, args []string) {
	a := ts.ReadFile(args[0])
	b := ts.ReadFile(args[1])
	if (a == b) == neg {
		ts.Fatalf("%s and %s compare wrongly:\n%s", args[0], args[1], fmt.Sprintf("%s\n---\n%s", a, b))
	}
}

var fingerprintLine = regexp.MustCompile(`(?m)^\s*"fingerprint": "[0-9a-f]{32}",\n`)

// removeFingerprints takes from a JSON tree what go vet does not write:
// unfingerprinted FILE.
func removeFingerprints(ts *testscript.TestScript, neg bool, args []string) {
	data := ts.ReadFile(args[0])
	if !fingerprintLine.MatchString(data) {
		ts.Fatalf("%s has no fingerprints", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(fingerprintLine.ReplaceAllString(data, "")), 0o666))
}
