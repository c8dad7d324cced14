package main

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what commands print into the pages that show it")

const readmeFile = "../../README.md"

// TestReadmeOutput runs the first command of the README and holds what it
// prints against what the README shows.
func TestReadmeOutput(t *testing.T) {
	alongside(t)
	readme := read(t, readmeFile)
	const begin, end = "```console\n$ ", "```\n<!-- end of output -->"
	head, rest, ok := strings.Cut(readme, begin)
	block, tail, ok2 := strings.Cut(rest, end)
	command, shown, ok3 := strings.Cut(block, "\n")
	if !ok || !ok2 || !ok3 {
		t.Fatalf("the README has no place for output, between %q and %q", begin, end)
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
		if err := os.WriteFile(readmeFile, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the README does not show what %s prints: run go test ./cmd/ttlvet -run Readme -update\n%s", command, printed)
	}
}

// TestReadmeCommands checks that the command by which the README says the
// tests run is the one that CI runs.
func TestReadmeCommands(t *testing.T) {
	readme, ci := read(t, readmeFile), read(t, "../../.ci/run")
	for _, command := range []string{
		"go run ./cmd/ttlvet -C testdata/demo ./...",
		"go test ./... ./runtime/...",
		"TTLVET_SLOW=1 go test -timeout=60m ./cmd/... ./internal/sweep ./internal/filter/... ./internal/mutation ./internal/referee ./internal/rewrite ./runtime/ttl ./runtime/ttlguard",
	} {
		if !strings.Contains(readme, "\n"+command+"\n") {
			t.Errorf("the README lacks %q", command)
		}
		if !strings.Contains(ci, "\nstep "+command) {
			t.Errorf(".ci/run does not run %q", command)
		}
	}
}

// TestReadmeLinks checks that files to which the README links are there.
func TestReadmeLinks(t *testing.T) {
	for part := range strings.SplitSeq(read(t, readmeFile), "](") {
		link, _, _ := strings.Cut(part, ")")
		file, _, _ := strings.Cut(link, "#")
		if strings.Contains(link, "://") || strings.ContainsAny(link, " \n") || file == "" {
			continue
		}
		if _, err := os.Stat(filepath.Join("..", "..", file)); err != nil {
			t.Error(err)
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
