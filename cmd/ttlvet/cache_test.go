package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// goToolCache is an implementation of GOCACHEPROG with a server.
const goToolCache = "github.com/bradfitz/go-tool-cache/cmd/%s@v0.0.0-20260722201841-0bb331e19f64"

var sharedCacheBlock = regexp.MustCompile("(?s)<!-- shared cache -->\n```sh\n(.*?)```\n")

// TestSharedCache has two machines, played by two empty caches, vet the demo
// with a GOCACHEPROG that shares a server: the second must analyse nothing and
// report the same. It logs what each took, which docs/ci.md shows.
func TestSharedCache(t *testing.T) {
	slow(t, "compiles everything anew")
	m := sharedCacheBlock.FindStringSubmatch(read(t, "../../docs/ci.md"))
	if m == nil {
		t.Fatal("docs/ci.md does not show how")
	}
	w := newWorkplace(t)
	bin := t.TempDir()
	for _, program := range []string{"go-cacher", "go-cacher-server"} {
		cmd := exec.CommandContext(t.Context(), "go", "install", fmt.Sprintf(goToolCache, program))
		cmd.Dir, cmd.Env = bin, append(os.Environ(), "GOBIN="+bin, "GOWORK=off", "GOFLAGS=")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	address := serve(t, func(address string) *exec.Cmd {
		return exec.CommandContext(t.Context(), filepath.Join(bin, "go-cacher-server"), "-cache-dir", t.TempDir(), "-listen", address)
	})

	// The tool says which units it is run on.
	program, err := exec.LookPath("ttlvet")
	if err != nil {
		t.Fatal(err)
	}
	units := filepath.Join(bin, "units")
	writeFile(t, filepath.Join(bin, "ttlvet"), fmt.Sprintf(`#!/bin/sh
case "$*" in *.cfg) echo "$*" >>%q;; esac
exec %q "$@"
`, units, program), 0o777)

	home := filepath.Join(bin, "home")
	var printed [2]string
	for machine := range printed {
		if err := os.RemoveAll(home); err != nil {
			t.Fatal(err)
		}
		writeFile(t, units, "", 0o666)
		cmd := exec.CommandContext(t.Context(), "bash", "-e", "-c", m[1])
		cmd.Dir = w.dir
		cmd.Env = append(w.env, "HOME="+home, "GOCACHE="+filepath.Join(home, "go-build"), "CACHE_SERVER=http://"+address,
			"PWD="+w.dir, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
		out, _ := cmd.CombinedOutput()
		state := cmd.ProcessState
		n := strings.Count(read(t, units), "\n")
		t.Logf("machine %d: %.1f CPU s, %d units vetted", machine+1, (state.UserTime() + state.SystemTime()).Seconds(), n)
		lines := strings.SplitAfter(string(out), "\n")
		slices.Sort(lines) // packages are vetted side by side
		for _, line := range lines {
			if strings.Contains(line, " (ttl") {
				printed[machine] += line
			} else if strings.Contains(line, "closing") {
				t.Log(strings.TrimSpace(line))
			}
		}
		if strings.Count(printed[machine], "\n") != goFindings(t) || (n == 0) != (machine == 1) {
			t.Errorf("machine %d vets %d units and prints\n%s", machine+1, n, out)
		}
	}
	if printed[0] != printed[1] {
		t.Errorf("the machines differ:\n%s\n%s", printed[0], printed[1])
	}
}

// serve starts a server at a free address, which it returns.
func serve(t *testing.T, command func(address string) *exec.Cmd) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	cmd := command(address)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Wait() }) // the test's context has ended it
	eventually(t, "the server comes up", func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return address
}
