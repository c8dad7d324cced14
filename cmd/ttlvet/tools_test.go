package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/self"
)

var commandBlock = regexp.MustCompile("(?s)<!-- commands -->\n```sh\n(.*?)```\n")

// TestTools runs the commands of docs/ci.md that make ttlvet a tool of the
// module, and go install, with this source as the latest release in a proxy.
func TestTools(t *testing.T) {
	slow(t, "builds ttlvet from a module's zip")
	proxy := releaseProxy(t)
	blocks := commandBlock.FindAllStringSubmatch(read(t, "../../docs/ci.md"), -1)
	if len(blocks) != 2 {
		t.Fatalf("docs/ci.md has %d blocks of commands", len(blocks))
	}
	blocks = append(blocks, []string{"", "go install github.com/ttlvet/ttlvet/cmd/ttlvet@latest\n$GOBIN/ttlvet ./...\n"})
	bin, modcache := t.TempDir(), t.TempDir() // this module must not get into the user's cache
	for _, m := range blocks {
		w := newWorkplace(t)
		out, _ := w.bash(t, "", "go mod edit -dropreplace=github.com/ttlvet/ttlvet")
		// Findings are no reason to stop.
		script := strings.ReplaceAll(m[1], "./...\n", "./... || true\n")
		o, code := w.bash(t, "", script, "GOPROXY="+proxy, "GOSUMDB=off", "GOMODCACHE="+modcache, "GOFLAGS=-modcacherw",
			"GOBIN="+bin, "PATH="+os.Getenv("PATH"))
		out += o
		vets := strings.Count(m[1], "go vet ")
		want := vets*goFindings(t) + (strings.Count(m[1], "./...\n")-vets)*demoFindings(t)
		if n := strings.Count(out, " (ttl"); n != want || code != 0 {
			t.Errorf("%s: %d findings, not %d, exit code %d:\n%s", m[1], n, want, code, out)
		}
	}
}

// runtimeVersion is the release of the runtime module that go.mod names.
const runtimeVersion = "v0.1.0"

// releaseProxy makes a module proxy that has this source as v0.1.0, the runtime
// module, and everything else that this machine has.
func releaseProxy(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	release(t, dir, self.Path, "v0.1.0", "../..")
	release(t, dir, self.RuntimePath, runtimeVersion, "../../runtime")
	return "file://" + filepath.ToSlash(dir) + ",file://" + filepath.ToSlash(filepath.Join(goEnv(t, "GOMODCACHE"), "cache", "download"))
}

// release puts a version of a module into a proxy's directory.
func release(t *testing.T, proxy, path, version, source string) {
	t.Helper()
	at := filepath.Join(proxy, filepath.FromSlash(path), "@v")
	writeFile(t, filepath.Join(at, "list"), version+"\n", 0o666)
	writeFile(t, filepath.Join(at, version+".info"), `{"Version":"`+version+`"}`, 0o666)
	writeFile(t, filepath.Join(at, version+".mod"), read(t, filepath.Join(source, "go.mod")), 0o666)
	f, err := os.Create(filepath.Join(at, version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	if err := zip.CreateFromDir(f, module.Version{Path: path, Version: version}, source); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
