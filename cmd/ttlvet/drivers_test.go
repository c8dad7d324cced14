package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/product"
)

// A corpus is a module that all drivers run on.
type corpus struct {
	dir   string
	known map[string]string // of a copy: what its packages were when they were vetted
}

// A driver is a way to run the analyzers. run returns the findings in the
// corpus as "file:line:col: message".
type driver struct {
	name string
	run  func(*testing.T, corpus) []string
}

// TestDrivers holds the drivers to one another: what ttlvet finds by itself,
// go vet, golangci-lint and gopls find too, and nothing else, on the demo. All
// find what is marked there, and nothing in the corrected twins.
func TestDrivers(t *testing.T) {
	alongside(t)
	dir, err := filepath.Abs("../../testdata/demo")
	if err != nil {
		t.Fatal(err)
	}
	c := corpus{dir: dir}
	// What stands outside Go is for ttlvet alone.
	want := slices.DeleteFunc(standalone(t, c), func(f string) bool { return !strings.Contains(f, ".go:") })
	if got, marked := rulesByLine(t, want), c.marks(t); !slices.Equal(got, marked) {
		t.Errorf("what is found is not what is marked:\n%s", difference(marked, got))
	}
	for _, d := range []driver{{"go vet", goVet}, {"golangci-lint", golangciLintRun}, {"gopls", goplsCheck}} {
		t.Run(d.name, func(t *testing.T) {
			if got := d.run(t, c); !slices.Equal(got, want) {
				t.Errorf("%s and ttlvet differ:\n%s", d.name, difference(want, got))
			}
		})
	}
}

// TestSilencing holds the drivers to one another where findings are silenced,
// well or badly: golangci-lint applies //nolint by itself, too. It runs
// before the tests that run side by side: TestDrivers finds in the go command's
// cache what is vetted here.
func TestSilencing(t *testing.T) {
	slow(t, "vets all packages of the client")
	dir, err := filepath.Abs(filepath.Join("..", "..", "testdata", "cases"))
	if err != nil {
		t.Fatal(err)
	}
	for _, sub := range []string{"silence", "silencebad"} {
		c := corpus{dir: filepath.Join(dir, sub)}
		want := rulesByLine(t, standalone(t, c))
		for _, d := range []driver{{"go vet", goVet}, {"golangci-lint", golangciLintRun}, {"gopls", goplsCheck}} {
			t.Run(sub+" "+d.name, func(t *testing.T) {
				var got []string
				for _, f := range d.run(t, c) {
					// Where golangci-lint would hide what is wrong with a
					// //nolint, it stands at the package clause.
					got = append(got, atPackage.ReplaceAllString(f, "$1:$2:1: "))
				}
				if got = rulesByLine(t, got); !slices.Equal(got, want) {
					t.Errorf("%s and ttlvet differ:\n%s", d.name, difference(want, got))
				}
			})
		}
	}
}

// analyzerPrefix is put before messages by golangci-lint, except where the
// analyzer has the linter's name.
var analyzerPrefix = regexp.MustCompile(`^ttl[a-z]+: `)

var atPackage = regexp.MustCompile(`^(.+?\.go):\d+:\d+: line (\d+): `)

// difference lists what one list has and the other has not.
func difference(want, got []string) string {
	var b strings.Builder
	for _, s := range want {
		if !slices.Contains(got, s) {
			fmt.Fprintf(&b, "-%s\n", s)
		}
	}
	for _, s := range got {
		if !slices.Contains(want, s) {
			fmt.Fprintf(&b, "+%s\n", s)
		}
	}
	return b.String()
}

// marks returns what the comments of the corpus say that is found, as
// "file:line rule".
func (c corpus) marks(t *testing.T) []string {
	t.Helper()
	mark := regexp.MustCompile(`// BAD: (\S+)`)
	var list []string
	for _, file := range c.files(t) {
		for i, line := range strings.Split(read(t, filepath.Join(c.dir, file)), "\n") {
			if m := mark.FindStringSubmatch(line); m != nil {
				list = append(list, fmt.Sprintf("%s:%d %s", file, i+1, m[1]))
			}
		}
	}
	slices.Sort(list)
	return list
}

var findingLine = regexp.MustCompile(`^(.+?\.go:\d+):\d+: .* \((ttl[a-z]+/[a-z-]+)\)$`)

// rulesByLine shortens findings to "file:line rule".
func rulesByLine(t *testing.T, findings []string) []string {
	t.Helper()
	var list []string
	for _, f := range findings {
		m := findingLine.FindStringSubmatch(f)
		if m == nil {
			t.Fatalf("%q is no finding", f)
		}
		list = append(list, m[1]+" "+m[2])
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// files returns the names of the Go files.
func (c corpus) files(t *testing.T) []string {
	t.Helper()
	var list []string
	err := fs.WalkDir(os.DirFS(c.dir), ".", func(name string, _ fs.DirEntry, err error) error {
		if filepath.Ext(name) == ".go" {
			list = append(list, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// exec runs a program in the corpus. That it finds something is no failure.
func (c corpus) exec(t *testing.T, env []string, args ...string) (stdout, stderr []byte) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "PWD="+c.dir, "GOFLAGS=", "GOWORK=off", "NO_COLOR=1")
	cmd.Env = append(cmd.Env, env...)
	var out, errout bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errout
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		t.Fatalf("%s: %v\n%s%s", args, err, &out, &errout)
	}
	return out.Bytes(), errout.Bytes()
}

// findings reads those lines that match the pattern. Its first group is the
// file, its second the line and column, its third the message.
func (c corpus) findings(t *testing.T, out []byte, pattern string) []string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	var list []string
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		if m := re.FindStringSubmatch(lines.Text()); m != nil {
			list = append(list, c.finding(t, m[1], m[2], m[3]))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (c corpus) finding(t *testing.T, file, place, message string) string {
	t.Helper()
	if filepath.IsAbs(file) {
		rel, err := filepath.Rel(c.dir, file)
		if err != nil {
			t.Fatal(err)
		}
		file = rel
	}
	return fmt.Sprintf("%s:%s: %s", filepath.ToSlash(filepath.Clean(file)), place, message)
}

// plainLine is a finding as ttlvet and go vet print it. Of related places,
// which go vet prints too, the text is indented.
const plainLine = `^(.+?\.go):(\d+:\d+): (\S.*)$`

func standalone(t *testing.T, c corpus) []string {
	out, _ := c.exec(t, nil, "ttlvet", "./...")
	return c.findings(t, out, plainLine)
}

func goVet(t *testing.T, c corpus) []string {
	tool, err := exec.LookPath("ttlvet")
	if err != nil {
		t.Fatal(err)
	}
	_, errout := c.exec(t, nil, "go", "vet", "-vettool="+tool, "./...")
	return c.findings(t, errout, plainLine)
}

// built builds a program with ttlvet in it, which takes minutes.
func built(t *testing.T, p product.Product) string {
	t.Helper()
	slow(t, "builds another program")
	source, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), p.Name)
	var out bytes.Buffer
	if code := buildProduct(p, []string{"-source", source, "-o", file}, &out, &out); code != exitClean {
		t.Fatal(out.String())
	}
	return file
}

func golangciLintRun(t *testing.T, c corpus) []string {
	program := built(t, product.GolangciLint)
	config, err := filepath.Abs("../../testdata/demo/.golangci.yml")
	if err != nil {
		t.Fatal(err)
	}
	out, errout := c.exec(t, []string{"GOLANGCI_LINT_CACHE=" + t.TempDir()},
		program, "run", "--config="+config, "--path-mode=abs", "--output.json.path=stdout", "--show-stats=false", "--allow-parallel-runners", "./...")
	var report struct {
		Issues []struct {
			Text string
			Pos  struct {
				Filename     string
				Line, Column int
			}
		}
	}
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatalf("%v\n%s%s", err, out, errout)
	}
	var list []string
	for _, i := range report.Issues {
		message := analyzerPrefix.ReplaceAllString(i.Text, "")
		list = append(list, c.finding(t, i.Pos.Filename, fmt.Sprintf("%d:%d", i.Pos.Line, i.Pos.Column), message))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// goplsCheck asks for what an editor shows, with the findings of gopls' own
// analyzers left out.
func goplsCheck(t *testing.T, c corpus) []string {
	program := built(t, product.Gopls)
	args := append([]string{program, "check"}, c.files(t)...)
	out, _ := c.exec(t, []string{"GOPLSCACHE=" + t.TempDir()}, args...)
	return c.findings(t, out, `^(.+?\.go):(\d+:\d+)(?:-\d+(?::\d+)?)?: (.* \(ttl[a-z]+/[a-z-]+\))$`)
}
