package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// tools are the programs that run.
type tools struct {
	ttlvet, golangci, config, gopls string
	drivers                         []driver // those to hold against ttlvet
}

// A driver is a way to run the analyzers. run returns the findings as
// "file:line:col: message".
type driver struct {
	name string
	run  func(*tree) ([]string, error)
}

// output is what a program printed.
type output struct{ stdout, stderr []byte }

// execute runs a program, in modules mode whatever the caller's workspace is.
// The error is that of exec.Cmd.Run.
func execute(dir string, env []string, args ...string) (output, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PWD="+dir, "GOFLAGS=-mod=mod", "GOWORK=off", "NO_COLOR=1", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	cmd.Env = append(cmd.Env, env...)
	var out, errout bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errout
	err := cmd.Run()
	return output{out.Bytes(), errout.Bytes()}, err
}

// broken is what a program prints that fails in a way that is never right.
var broken = regexp.MustCompile(`(?m)^panic: .*|^fatal error: .*|^goroutine \d+ \[.*|.*internal error.*|.*\(panicked\).*`)

// sound returns an error where a program could not do its work. That it finds
// something, for which it may exit with 1, is no failure.
func sound(name string, out output, err error) error {
	for _, text := range [][]byte{out.stderr, out.stdout} {
		if m := broken.FindIndex(text); m != nil {
			return fmt.Errorf("%s breaks down: %s", name, excerpt(text[m[0]:]))
		}
	}
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		return fmt.Errorf("%s fails: %v: %s", name, err, excerpt(out.stderr))
	}
	return nil
}

// excerpt returns the first lines of a text.
func excerpt(text []byte) string {
	lines := strings.SplitN(strings.TrimSpace(string(text)), "\n", 13)
	return strings.Join(lines[:min(12, len(lines))], "\n")
}

// plain is a finding as ttlvet and go vet print it. Of related places, which
// go vet prints too, the text is indented.
var plain = regexp.MustCompile(`^(.+?):(\d+:\d+): (\S.* \(ttl[a-z]+/[a-z-]+\))$`)

// plainFindings reads findings in Go files.
func (t *tree) plainFindings(text []byte, pattern *regexp.Regexp) []string {
	var list []string
	for line := range strings.Lines(string(text)) {
		if m := pattern.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil && strings.HasSuffix(m[1], ".go") {
			list = append(list, t.finding(m[1], m[2], m[3]))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (t *tree) finding(file, place, message string) string {
	if filepath.IsAbs(file) {
		if rel, err := filepath.Rel(t.dir, file); err == nil {
			file = rel
		}
	}
	return fmt.Sprintf("%s:%s: %s", filepath.ToSlash(filepath.Clean(file)), place, message)
}

// standalone runs ttlvet with flags.
func (t *tools) standalone(tr *tree, args ...string) ([]string, output, error) {
	out, err := execute(tr.dir, nil, slices.Concat([]string{t.ttlvet}, args, tr.packages)...)
	name := strings.Join(append([]string{"ttlvet"}, args...), " ")
	return tr.plainFindings(out.stdout, plain), out, sound(name, out, err)
}

func (t *tools) goVet(tr *tree) ([]string, error) {
	out, err := execute(tr.dir, nil, slices.Concat([]string{"go", "vet", "-vettool=" + t.ttlvet}, tr.packages)...)
	if bytes.HasPrefix(out.stderr, []byte("vet: ")) || bytes.Contains(out.stderr, []byte("\nvet: ")) {
		return nil, fmt.Errorf("go vet fails: %s", excerpt(out.stderr))
	}
	return tr.plainFindings(out.stderr, plain), sound("go vet", out, err)
}

const golangciConfig = `version: "2"
linters:
  default: none
  enable: [ttlvet]
  settings:
    custom:
      ttlvet: {type: module}
  exclusions:
    generated: disable
issues:
  max-issues-per-linter: 0
  max-same-issues: 0
  uniq-by-line: false
`

// analyzerPrefix is put before messages by golangci-lint, except where the
// analyzer has the linter's name.
var analyzerPrefix = regexp.MustCompile(`^ttl[a-z]+: `)

func (t *tools) golangciLint(tr *tree) ([]string, error) {
	out, err := execute(tr.dir, []string{"GOLANGCI_LINT_CACHE=" + tr.dir + ".golangci"},
		slices.Concat([]string{t.golangci, "run", "--config=" + t.config, "--path-mode=abs", "--output.json.path=stdout", "--show-stats=false", "--allow-parallel-runners"}, tr.packages)...)
	if err := sound("golangci-lint", out, err); err != nil {
		return nil, err
	}
	var report struct {
		Issues []struct {
			Text string
			Pos  struct {
				Filename     string
				Line, Column int
			}
		}
	}
	if err := json.Unmarshal(out.stdout, &report); err != nil {
		return nil, fmt.Errorf("golangci-lint prints no report: %v: %s", err, excerpt(out.stderr))
	}
	var list []string
	for _, i := range report.Issues {
		list = append(list, tr.finding(i.Pos.Filename, fmt.Sprintf("%d:%d", i.Pos.Line, i.Pos.Column), analyzerPrefix.ReplaceAllString(i.Text, "")))
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// goplsFinding leaves out what gopls' own analyzers find.
var goplsFinding = regexp.MustCompile(`^(.+?\.go):(\d+:\d+)(?:-\d+(?::\d+)?)?: (.* \(ttl[a-z]+/[a-z-]+\))$`)

func (t *tools) goplsCheck(tr *tree) ([]string, error) {
	out, err := execute(tr.dir, []string{"GOPLSCACHE=" + tr.dir + ".gopls"}, slices.Concat([]string{t.gopls, "check"}, tr.owned)...)
	return tr.plainFindings(out.stdout, goplsFinding), sound("gopls", out, err)
}
