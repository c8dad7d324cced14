package main

import (
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

	"github.com/ttlvet/ttlvet/internal/registry"
)

// demo copies the demo to a directory of its own, without its registry.
func demo(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../testdata/demo")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, registry.FileName)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// ttlvet runs the program in a directory.
func ttlvet(t *testing.T, dir string, env []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "ttlvet", args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "NO_COLOR=1", "BIGTABLE_EMULATOR_HOST="), env...)
	var out, errout bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errout
	var exit *exec.ExitError
	if err := cmd.Run(); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return out.String(), errout.String(), code
}

// marked lists what comments in the files of a directory say that is found.
func marked(t *testing.T, dir string, extensions ...string) []string {
	t.Helper()
	mark := regexp.MustCompile(`(?://|#) BAD: (.*)$`)
	var list []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !slices.Contains(extensions, filepath.Ext(name)) {
			return err
		}
		for i, line := range strings.Split(read(t, filepath.Join(dir, name)), "\n") {
			if m := mark.FindStringSubmatch(line); m != nil {
				for _, rule := range strings.Split(m[1], ", ") {
					list = append(list, fmt.Sprintf("%s:%d %s", name, i+1, strings.TrimSpace(rule)))
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return list
}

var anyFinding = regexp.MustCompile(`(?m)^([^\s:]+:\d+):\d+: .* \((ttl[a-z]+/[a-z-]+)\)$`)

func found(out string, extensions ...string) []string {
	var list []string
	for _, m := range anyFinding.FindAllStringSubmatch(out, -1) {
		file, _, _ := strings.Cut(m[1], ":")
		if slices.Contains(extensions, filepath.Ext(file)) {
			list = append(list, m[1]+" "+m[2])
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// TestInitDemo drafts a registry for the demo, under which everything that is
// planted there is found, and nothing else.
func TestInitDemo(t *testing.T) {
	alongside(t)
	dir := demo(t)
	if _, errout, code := ttlvet(t, dir, nil, "init", "-check"); code != exitFindings {
		t.Errorf("-check without a file exits with %d: %s", code, errout)
	}
	if _, errout, code := ttlvet(t, dir, nil, "init"); code != exitClean || !strings.Contains(errout, "wrote ttlvet.yaml") {
		t.Fatalf("init exits with %d: %s", code, errout)
	}
	draft := read(t, filepath.Join(dir, registry.FileName))
	_, part, _ := strings.Cut(draft, "\n  clicks:\n")
	part, _, _ = strings.Cut(part, "\n  sessions:\n")
	if !strings.Contains(read(t, "../../docs/init.md"), "\n  clicks:\n"+part+"\n") {
		t.Errorf("docs/init.md does not show what is drafted:\n%s", part)
	}
	all := []string{".go", ".tf", ".sh", ".yaml"}
	out, errout, code := ttlvet(t, dir, nil, "./...")
	if want, got := marked(t, dir, all...), found(out, all...); code != exitFindings || !slices.Equal(want, got) {
		t.Errorf("with the draft, ttlvet exits with %d and finds\n%s%s", code, difference(want, got), errout)
	}
	if out, errout, code := ttlvet(t, dir, nil, "init", "-check"); code != exitClean {
		t.Errorf("after init, -check exits with %d: %s%s\n%s", code, out, errout, draft)
	}
	if _, errout, code := ttlvet(t, dir, nil, "init"); code != exitFailure || !strings.Contains(errout, "not overwritten") {
		t.Errorf("a second init exits with %d: %s", code, errout)
	}
	if read(t, filepath.Join(dir, registry.FileName)) != draft {
		t.Error("the second init changed the file")
	}
}

// TestInitUpdate takes a family and a table out of a registry that somebody
// keeps, and holds that -update puts them back and leaves every line.
func TestInitUpdate(t *testing.T) {
	alongside(t)
	dir := demo(t)
	const kept = `# ours
version: 1
tables:
  sessions: # users
    families:
        # checked in review
        profile: {strategy: real-timestamps}
  catalog: {families: {latest: {strategy: timestamp-zero}}}

rules:
  strict: false # for now
`
	file := filepath.Join(dir, registry.FileName)
	if err := os.WriteFile(file, []byte(kept), 0o666); err != nil {
		t.Fatal(err)
	}
	out, _, code := ttlvet(t, dir, nil, "init", "-check")
	if code != exitFindings || !strings.Contains(out, "\n+        token: {strategy: one-second-expiration, ttl: 30m}") {
		t.Errorf("-check exits with %d:\n%s", code, out)
	}
	if _, errout, code := ttlvet(t, dir, nil, "init", "-update"); code != exitClean {
		t.Fatalf("-update exits with %d: %s", code, errout)
	}
	updated := read(t, file)
	rest := updated
	for _, line := range strings.Split(strings.TrimSuffix(kept, "\n"), "\n") {
		_, after, ok := strings.Cut(rest, line+"\n")
		if !ok {
			t.Fatalf("the line %q is gone or moved:\n%s", line, updated)
		}
		rest = after
	}
	if strings.Count(updated, "token:") != 1 || !strings.Contains(updated, "\n  \"*-ledger\":") || !strings.Contains(updated, "\nschema:") {
		t.Errorf("what is new is not there once:\n%s", updated)
	}
	if _, errout, code := ttlvet(t, dir, nil, "init", "-update"); code != exitClean || read(t, file) != updated {
		t.Errorf("a second -update exits with %d and changes the file: %s", code, errout)
	}
	// What somebody made a comment is not new.
	off := strings.Replace(updated, "        token: {", "        # token: {", 1)
	if err := os.WriteFile(file, []byte(off), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, errout, code := ttlvet(t, dir, nil, "init", "-update"); code != exitClean || read(t, file) != off || off == updated || !strings.Contains(errout, "0 new family entries") {
		t.Errorf("with a family that is a comment -update exits with %d: %s", code, errout)
	}
	if _, errout, code := ttlvet(t, dir, nil, "init", "-update", "-from", "nosuch.tf"); code != exitFailure || !strings.Contains(errout, "nosuch.tf: no such file") {
		t.Errorf("a source that is not there: %d, %s", code, errout)
	}
}

// TestInventoryDemo prints the inventory of the demo in each form.
func TestInventoryDemo(t *testing.T) {
	alongside(t)
	dir := filepath.Join("..", "..", "testdata", "demo")
	text, errout, code := ttlvet(t, dir, nil, "inventory")
	for _, want := range []string{"family token: one-second-expiration, ttl 30m (ttlvet.yaml:", "infra/main.tf:37", "max age 1s (Terraform) in shop-main", "hides live cells", "ttlgc/age-on-sequence"} {
		if code != exitClean || !strings.Contains(text, want) {
			t.Errorf("the inventory exits with %d and lacks %q:\n%s%s", code, want, text, errout)
		}
	}
	if n := len(regexp.MustCompile(`(?m) \(ttl[a-z]+/[a-z-]+\)$`).FindAllString(text, -1)); n != demoFindings(t) {
		t.Errorf("the inventory has %d findings, not the demo's %d", n, demoFindings(t))
	}
	out, _, _ := ttlvet(t, dir, nil, "inventory", "-json")
	var parsed struct {
		Module string
		Tables []struct {
			Name     string
			Families []struct{ Name, Strategy string }
		}
	}
	if err := json.Unmarshal([]byte(out), &parsed); err != nil || parsed.Module != "example.com/shop" || len(parsed.Tables) != 4 || parsed.Tables[0].Name != "*-ledger" {
		t.Errorf("-json: %v, %+v", err, parsed)
	}
	page, _, _ := ttlvet(t, dir, nil, "inventory", "-html", "-")
	for _, want := range []string{"<!DOCTYPE html>", `id="sessions.token"`, `docs/ttlgc.md#age-on-sequence`, "prefers-color-scheme"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, "src=") || strings.Contains(page, "<link") || strings.Contains(page, "@import") {
		t.Error("the page needs something else")
	}
	if graph, _, _ := ttlvet(t, dir, nil, "inventory", "-dot"); !strings.HasPrefix(graph, "digraph agreement {") {
		t.Errorf("-dot prints %.80q", graph)
	}
}
