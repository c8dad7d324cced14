package main

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

var update = flag.Bool("update", false, "write what commands print into the pages that show it")

const (
	readmeFile = "../../README.md"
	demoFile   = "../../docs/demo.md"
)

// TestReadmeOutput runs ttlvet on the demo, as the README says, and holds what it
// prints against the page of the demo and the one finding in the README.
func TestReadmeOutput(t *testing.T) {
	alongside(t)
	page := read(t, demoFile)
	const begin, end = "```console\n$ ", "```\n<!-- end of output -->"
	head, rest, ok := strings.Cut(page, begin)
	block, tail, ok2 := strings.Cut(rest, end)
	command, shown, ok3 := strings.Cut(block, "\n")
	if !ok || !ok2 || !ok3 {
		t.Fatalf("%s has no place for output, between %q and %q", demoFile, begin, end)
	}
	args := strings.Fields(command)
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); !errors.As(err, &exit) || !strings.HasSuffix(stderr.String(), "exit status 1\n") {
		t.Fatalf("%s: %v\n%s", command, err, &stderr)
	}
	printed := stdout.String() + "exit status 1\n"
	switch {
	case shown == printed:
	case *update:
		text := head + begin + command + "\n" + printed + end + tail
		if err := os.WriteFile(demoFile, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s does not show what %s prints: run go test ./cmd/ttlvet -run Readme -update\n%s", demoFile, command, printed)
	}
	checkPicture(t, printed)
}

// checkPicture checks the README's picture of one finding: its message, in lines of a
// page, is one of those that are printed, and the code below it is at its place.
func checkPicture(t *testing.T, printed string) {
	t.Helper()
	_, picture, _ := strings.Cut(read(t, readmeFile), "<!-- finding: ")
	_, picture, _ = strings.Cut(picture, "```text\n")
	picture, _, ok := strings.Cut(picture, "```\n")
	message, code, ok2 := cutLast(strings.TrimSpace(picture), "\n")
	message, code = strings.Join(strings.Fields(message), " "), strings.TrimSpace(code)
	place := strings.SplitN(message, ":", 3)
	if !ok || !ok2 || len(place) < 3 || !strings.Contains("\n"+printed, "\n"+message+"\n") {
		t.Fatalf("the README's finding is none that is printed: %s", message)
	}
	line, err := strconv.Atoi(place[1])
	lines := strings.Split(read(t, filepath.Join("../../testdata/demo", place[0])), "\n")
	if err != nil || line > len(lines) || !strings.HasPrefix(strings.TrimSpace(lines[line-1]), code) || code == "" {
		t.Errorf("%s:%d is not the README's %q", place[0], line, code)
	}
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// TestReadmeLength: who sees the project for the first time reads to the end.
func TestReadmeLength(t *testing.T) {
	if n := strings.Count(read(t, readmeFile), "\n"); n > 150 {
		t.Errorf("the README has %d lines, more than 150", n)
	}
}

// TestReadmeCommands checks that the commands by which the pages say that tests run
// are those that CI runs.
func TestReadmeCommands(t *testing.T) {
	readme, contributing, ci := read(t, readmeFile), read(t, contributingFile), read(t, "../../.ci/run")
	for i, command := range []string{
		"go run ./cmd/ttlvet -C testdata/demo ./...",
		"go test ./... ./runtime/...",
		"TTLVET_SLOW=1 go test -timeout=60m ./cmd/... ./docs ./internal/sweep ./internal/filter/... ./internal/growth ./internal/mutation ./internal/referee ./internal/rewrite ./runtime/ttl ./runtime/ttlguard",
	} {
		if i < 2 && !strings.Contains(readme, "\n"+command+"\n") {
			t.Errorf("the README lacks %q", command)
		}
		if !strings.Contains(contributing, "\n"+command+"\n") {
			t.Errorf("%s lacks %q", contributingFile, command)
		}
		if !strings.Contains(ci, "\nstep "+command) {
			t.Errorf(".ci/run does not run %q", command)
		}
	}
}

// TestReadmeLinks checks that the files and sections to which the pages at the root
// and those of docs link are there.
func TestReadmeLinks(t *testing.T) {
	var pages []string
	for _, pattern := range []string{"../../*.md", "../../docs/*.md", "../../docs/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	for _, page := range pages {
		for part := range strings.SplitSeq(read(t, page), "](") {
			link, _, _ := strings.Cut(part, ")")
			file, section, _ := strings.Cut(link, "#")
			if strings.Contains(link, "://") || strings.ContainsAny(link, " \n") || link == "" {
				continue
			}
			target := page
			if file != "" {
				target = filepath.Join(filepath.Dir(page), file)
			}
			if info, err := os.Stat(target); err != nil {
				t.Errorf("%s: %v", page, err)
			} else if section != "" && !info.IsDir() && !hasSection(read(t, target), section) {
				t.Errorf("%s: %s has no section %q", page, target, section)
			}
		}
	}
}

// hasSection reports whether a page has the heading to which a link with that anchor
// leads.
func hasSection(page, anchor string) bool {
	for line := range strings.Lines(page) {
		heading := strings.TrimLeft(line, "#")
		if heading == line {
			continue
		}
		id := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(heading))
		if id == anchor {
			return true
		}
	}
	return false
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
