package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const releaseConfig = "../../.goreleaser.yaml"

// TestReleaseConfig checks that a release has what the pages promise: six platforms,
// checksums, a list of what is linked, an image and a formula.
func TestReleaseConfig(t *testing.T) {
	var config struct {
		Builds []struct {
			Main         string
			Goos, Goarch []string
		}
		Checksum struct {
			NameTemplate string `yaml:"name_template"`
		}
		Sboms   []struct{ Artifacts string }
		Dockers []struct{ Dockerfile string } `yaml:"dockers_v2"`
		Casks   []any                         `yaml:"homebrew_casks"`
		Git     struct {
			IgnoreTags []string `yaml:"ignore_tags"`
		}
		Archives []struct{ Files []string }
	}
	parseYAML(t, read(t, releaseConfig), &config)
	if len(config.Builds) != 1 || len(config.Builds[0].Goos)*len(config.Builds[0].Goarch) != 6 {
		t.Fatalf("builds are %+v", config.Builds)
	}
	if config.Checksum.NameTemplate == "" || len(config.Sboms) != 1 || len(config.Casks) != 1 || len(config.Dockers) != 1 || len(config.Archives) != 1 {
		t.Errorf("something is missing: %+v", config)
	}
	files := append(config.Archives[0].Files, config.Builds[0].Main, config.Dockers[0].Dockerfile)
	for _, name := range files {
		if !exists(filepath.Join("../..", name)) {
			t.Errorf("there is no %s", name)
		}
	}
}

// TestRelease runs .ci/release in a repository of its own, with a go command that only
// says how it is called: what is tagged and pushed, in which order, and what is refused.
func TestRelease(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is needed")
	}
	dir, bin := t.TempDir(), t.TempDir()
	writeFile(t, filepath.Join(bin, "go"), "#!/bin/sh\necho go \"$1 $2\"\n", 0o777)
	for name, text := range map[string]string{
		".ci/release":     read(t, "../../.ci/release"),
		"go.mod":          "module github.com/ttlvet/ttlvet\n\nrequire (\n\tgithub.com/ttlvet/ttlvet/runtime v0.1.0\n)\n",
		"CHANGELOG.md":    "# Changes\n\n## v0.2.0\n\n- two\n\n## v0.1.0\n\n- one\n",
		"runtime/file.go": "package runtime\n",
	} {
		writeFile(t, filepath.Join(dir, name), text, 0o777)
	}
	w := &workplace{dir, append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")}
	run := func(script, want string) {
		t.Helper()
		if out, _ := w.bash(t, "", "{ "+script+"; } || true"); strings.TrimSpace(out) != want {
			t.Errorf("%s prints\n%s\nnot\n%s", script, out, want)
		}
	}
	const tags = "git -C ../origin for-each-ref --format '%(refname:short)' refs/tags"
	// A place of its own beside the repository.
	origin := filepath.Join(filepath.Dir(dir), "origin")
	run("git init -q --bare "+origin+" && git init -q -b main . && git add -A && git commit -q -m one && git remote add origin "+origin, "")
	goreleaser := regexp.MustCompile(`(?m)^goreleaser=(.*)$`).FindStringSubmatch(read(t, "../../.ci/release"))[1]

	run(".ci/release 0.1.0", "release: usage: .ci/release [-n] v0.2.0")
	run(".ci/release v0.3.0", "release: CHANGELOG.md has no section v0.3.0")
	run("echo >>go.mod; .ci/release v0.1.0; git checkout -q go.mod", "release: there are changes that are not committed")
	run(tags, "")
	run(".ci/release v0.1.0", "go mod tidy\ngo run "+goreleaser)
	run(tags, "runtime/v0.1.0\nv0.1.0")
	run(".ci/release v0.1.0", "release: v0.1.0 is released already")

	// A release of the command alone, which changes nothing in runtime.
	run("echo two >two && git add two && git commit -q -m two && .ci/release v0.2.0", "go mod tidy\ngo run "+goreleaser)
	run(tags, "runtime/v0.1.0\nv0.1.0\nv0.2.0")
	run("git -C ../origin log --format=%s main", "two\none")

	// One that would require a runtime that it does not have.
	run("echo >>runtime/file.go && sed -i.bak 's/v0.2.0/v0.3.0/' CHANGELOG.md && rm CHANGELOG.md.bak && git commit -q -a -m three && .ci/release v0.3.0",
		"release: runtime has changed since v0.1.0: name its next version in go.mod, go.work and runtimeVersion of the tests")
	run("sed -i.bak 's/v0.1.0/v0.1.1/' go.mod && rm go.mod.bak && git commit -q -a -m four && .ci/release -n v0.3.0", "go run "+goreleaser)
	run("git tag", "runtime/v0.1.0\nruntime/v0.1.1\nv0.1.0\nv0.2.0\nv0.3.0")
	run(tags, "runtime/v0.1.0\nv0.1.0\nv0.2.0")
}

// TestReleaseSnapshot has goreleaser check its configuration and build a snapshot of
// this platform, with its archive, checksum and list of what is linked.
func TestReleaseSnapshot(t *testing.T) {
	slow(t, "builds goreleaser and a release")
	w := newClone(t)
	config := read(t, releaseConfig)
	for key, value := range map[string]string{"goos": goEnv(t, "GOOS"), "goarch": goEnv(t, "GOARCH")} {
		config = regexp.MustCompile(`(?m)^    `+key+`: \[.*\]$`).ReplaceAllString(config, "    "+key+": ["+value+"]")
	}
	writeFile(t, filepath.Join(w.dir, "..", "one.yaml"), config, 0o666)
	module := regexp.MustCompile(`(?m)^goreleaser=(.*)$`).FindStringSubmatch(read(t, "../../.ci/release"))[1]
	out, code := w.bash(t, "", "go run "+module+" check && git tag v0.0.1 && go run "+module+" release --clean --snapshot --skip=docker -f ../one.yaml")
	if code != 0 {
		t.Fatal(out)
	}
	out, code = w.bash(t, "dist", "tar xzf ttlvet_*.tar.gz && ./ttlvet version && sha256sum -c --quiet checksums.txt && cat homebrew/Casks/ttlvet.rb")
	for _, want := range []string{"ttlvet ", "  Go:     " + goEnv(t, "GOVERSION") + " " + goEnv(t, "GOOS"), `depends_on formula: [`} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	boms, err := filepath.Glob(filepath.Join(w.dir, "dist", "*.cyclonedx.json"))
	if err != nil || len(boms) != 1 {
		t.Fatalf("%d lists of what is linked, %v", len(boms), err)
	}
	var bom struct{ Components []struct{ Name string } }
	if err := json.Unmarshal([]byte(read(t, boms[0])), &bom); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range bom.Components {
		names = append(names, c.Name)
	}
	if !slices.Contains(names, "golang.org/x/tools") {
		t.Errorf("of golang.org/x/tools nothing is said: %q", names)
	}
}

// TestInstall runs the README's commands for a clone, with GOBIN and without.
func TestInstall(t *testing.T) {
	slow(t, "builds ttlvet in a clone")
	_, block, _ := strings.Cut(read(t, readmeFile), "Install from a clone:\n\n```sh\n")
	block, _, _ = strings.Cut(block, "```\n")
	fetch, install, ok := strings.Cut(block, "cd ttlvet\n")
	if !ok || !strings.HasPrefix(fetch, "git clone https://github.com/ttlvet/ttlvet\n") {
		t.Fatalf("the README's commands for a clone are %q", block)
	}
	w := newClone(t)
	gopath, gobin := t.TempDir(), t.TempDir()
	for _, c := range []struct{ env, program string }{
		{"GOBIN=", filepath.Join(gopath, "bin", "ttlvet")},
		{"GOBIN=" + gobin, filepath.Join(gobin, "ttlvet")},
	} {
		out, code := w.bash(t, "", install+c.program+" version && "+c.program+" -C testdata/demo ./...",
			c.env, "GOPATH="+gopath, "GOMODCACHE="+goEnv(t, "GOMODCACHE"))
		if n := strings.Count(out, " (ttl"); n != demoFindings(t) || code != exitFindings || !strings.HasPrefix(out, "ttlvet ") {
			t.Errorf("with %s: %d findings, exit code %d:\n%s", c.env, n, code, out)
		}
	}
}

// newClone returns a place in which this repository's newest commit is cloned.
func newClone(t *testing.T) *workplace {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is needed")
	}
	if !exists("../../.git") {
		t.Skip("no repository to clone")
	}
	w := &workplace{t.TempDir(), append(os.Environ(), "GOFLAGS=", "GOWORK=", "NO_COLOR=1")}
	if out, code := w.bash(t, "", `git clone -q "$SOURCE" ttlvet`, "SOURCE="+abs(t, "../..")); code != 0 {
		t.Fatal(out)
	}
	w.dir = filepath.Join(w.dir, "ttlvet")
	return w
}

func abs(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestIssueForms checks that the forms for issues are complete.
func TestIssueForms(t *testing.T) {
	forms, err := filepath.Glob("../../.github/ISSUE_TEMPLATE/*.yml")
	if err != nil || len(forms) < 4 {
		t.Fatalf("%q, %v", forms, err)
	}
	for _, name := range forms {
		if filepath.Base(name) == "config.yml" {
			continue
		}
		var form struct {
			Name, Description string
			Body              []struct {
				ID         string
				Attributes struct{ Label string }
			}
		}
		parseYAML(t, read(t, name), &form)
		seen := map[string]bool{}
		for _, b := range form.Body {
			if b.ID == "" || b.Attributes.Label == "" || seen[b.ID] {
				t.Errorf("%s: %+v has no name of its own", name, b)
			}
			seen[b.ID] = true
		}
		if form.Name == "" || form.Description == "" || !seen["version"] {
			t.Errorf("%s: %+v", name, form)
		}
	}
}
