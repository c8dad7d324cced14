package main

import (
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/self"
	"github.com/ttlvet/ttlvet/internal/btapi"
)

// TestRuntimeModule adds the runtime package to modules without the client,
// with the client that it names, and with an older and a newer one: what is
// selected afterwards is what the client alone would have brought.
func TestRuntimeModule(t *testing.T) {
	slow(t, "resolves modules without a cache")
	alongside(t)
	if goEnv(t, "GOPROXY") == "off" {
		t.Skip("fetches modules")
	}
	proxy := releaseProxy(t) + "," + goEnv(t, "GOPROXY")
	modcache := t.TempDir() // this module must not get into the user's cache
	run := func(dir string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = dir
		cmd.Env = append(cmd.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod -modcacherw", "GOPROXY="+proxy, "GOMODCACHE="+modcache, "GONOSUMDB="+self.Path+"/*")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, stderrOf(err))
		}
		return string(out)
	}
	const client = "cloud.google.com/go/bigtable"
	named := client + "@" + requirement(t, "../../runtime/go.mod", client)
	// selected are the versions in a module with the requirements, "go" among
	// them. Like go get, but nothing is fetched except go.mod files.
	selected := func(requirements ...string) map[string]string {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "go.mod"), "module example.com/consumer\n\ngo 1.24.0\n", 0o666)
		for _, r := range requirements {
			run(dir, "mod", "edit", "-require="+r)
		}
		versions := map[string]string{}
		for line := range strings.Lines(run(dir, "list", "-m", "all")) {
			path, version, _ := strings.Cut(strings.TrimSpace(line), " ")
			versions[path] = version
		}
		versions["go"] = parseMod(t, filepath.Join(dir, "go.mod")).Go.Version
		return versions
	}
	alone := selected(named)
	for _, consumer := range []struct {
		name       string
		has, needs []string // what it has, and what the client needs beside
	}{
		{"empty", nil, []string{named}},
		{"the same client", []string{named}, nil},
		{"an older client", []string{client + "@v1.38.0"}, []string{named}},
		{"a newer client", []string{client + "@v1.58.0"}, nil},
	} {
		t.Run(consumer.name, func(t *testing.T) {
			want := selected(slices.Concat(consumer.has, consumer.needs)...)
			got := selected(slices.Concat(consumer.has, []string{self.RuntimePath + "@" + runtimeVersion})...)
			if got[self.RuntimePath] != runtimeVersion || len(got) < 50 {
				t.Fatalf("selected are %v", got)
			}
			for path, version := range got {
				// What go.mod files name that is not needed after all is pruned,
				// so that a module may be in one list only.
				if w, ok := want[path]; ok && version != w || !ok && version != alone[path] && path != self.RuntimePath {
					t.Errorf("%s is %s, with the client alone %s", path, version, w)
				}
			}
		})
	}
}

// TestModules: what is released has no directives for which go install
// path@version refuses a module, the workspace has the release of the runtime
// module that go.mod names, and test modules stand outside of it.
func TestModules(t *testing.T) {
	for _, name := range []string{"../../go.mod", "../../runtime/go.mod"} {
		if mod := parseMod(t, name); len(mod.Replace) > 0 || len(mod.Exclude) > 0 {
			t.Errorf("%s has directives to replace or exclude", name)
		}
	}
	work, err := modfile.ParseWork("go.work", []byte(read(t, "../../go.work")), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(work.Replace) != 1 || work.Replace[0].Old.Path != self.RuntimePath {
		t.Fatal("go.work does not replace one release of the runtime module")
	}
	replaced := work.Replace[0].Old.Version
	for _, r := range parseMod(t, "../../go.mod").Require {
		if r.Mod.Path == self.RuntimePath && r.Mod.Version != replaced {
			t.Errorf("go.mod requires %s, go.work replaces %s", r.Mod, replaced)
		}
	}
	if replaced != runtimeVersion {
		t.Errorf("tests release %s, go.work replaces %s", runtimeVersion, replaced)
	}
	err = filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		dir, name := filepath.Split(path)
		workspace := exists(filepath.Join(dir, "go.work")) || strings.HasPrefix(filepath.ToSlash(dir), "../../testdata/") && exists(filepath.Join(dir, "..", "go.work"))
		if name == "go.mod" && filepath.Clean(dir) != "../../runtime" && !workspace {
			t.Errorf("%s has no go.work", dir)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func parseMod(t *testing.T, name string) *modfile.File {
	t.Helper()
	mod, err := modfile.Parse(name, []byte(read(t, name)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return mod
}

// requirement returns the version of a module that a go.mod requires.
func requirement(t *testing.T, gomod, path string) string {
	t.Helper()
	for _, r := range parseMod(t, gomod).Require {
		if r.Mod.Path == path {
			return r.Mod.Version
		}
	}
	t.Fatalf("%s does not require %s", gomod, path)
	return ""
}

func stderrOf(err error) string {
	if exit, ok := err.(*exec.ExitError); ok {
		return string(exit.Stderr)
	}
	return fmt.Sprint(err)
}

// TestClientReleases checks that the client's releases that the program says it knows
// are those that CI tests.
func TestClientReleases(t *testing.T) {
	if mod := read(t, "../../go.mod"); !strings.Contains(mod, "\t"+btapi.Module+" "+btapi.Oldest+"\n") {
		t.Errorf("go.mod does not require %s %s", btapi.Module, btapi.Oldest)
	}
	if ci := read(t, "../../.ci/run"); !strings.Contains(ci, "\nnewest_client="+btapi.Module+"@"+btapi.Newest+"\n") {
		t.Errorf(".ci/run does not test %s %s", btapi.Module, btapi.Newest)
	}
	if page := read(t, "../../docs/versions.md"); !strings.Contains(page, btapi.Oldest+" and "+btapi.Newest) {
		t.Error("docs/versions.md names other releases of the client")
	}
}
