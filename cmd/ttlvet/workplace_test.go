package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A workplace is a copy of the demo, and a shell that finds what a machine of
// a CI has.
type workplace struct {
	dir string
	env []string
}

// newWorkplace copies the demo. go install of ttlvet there takes this
// package's program; all else is the go command's.
func newWorkplace(t *testing.T) *workplace {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is needed")
	}
	dir, bin, gopath := t.TempDir(), t.TempDir(), t.TempDir()
	source, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(source, "testdata", "demo"))); err != nil {
		t.Fatal(err)
	}
	mod := strings.Replace(read(t, filepath.Join(dir, "go.mod")), "=> ../..", "=> "+source, 1)
	program, err := exec.LookPath("ttlvet")
	if err != nil {
		t.Fatal(err)
	}
	realGo, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	fakeGo := fmt.Sprintf(`#!/bin/bash
case "$*" in
"install github.com/ttlvet/ttlvet/cmd/ttlvet@"*)
	bin=${GOBIN:-$GOPATH/bin}
	mkdir -p "$bin" && exec cp %[2]q "$bin/ttlvet";;
"list -m -f {{.Version}} github.com/ttlvet/ttlvet@"*)
	v=${5#*@}
	echo "${v/latest/v9.9.9}"
	exit;;
esac
exec %[1]q "$@"
`, realGo, program)
	writeFile(t, filepath.Join(dir, "go.mod"), mod, 0o666)
	writeFile(t, filepath.Join(bin, "go"), fakeGo, 0o777)
	return &workplace{dir, append(os.Environ(), "GOPATH="+gopath, "GOMODCACHE="+goEnv(t, "GOMODCACHE"),
		"PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "GOFLAGS=", "GOWORK=off", "NO_COLOR=1",
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")}
}

func writeFile(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// bash runs a script in a directory of the workplace and returns what it
// prints and its exit code.
func (w *workplace) bash(t *testing.T, dir, script string, env ...string) (out string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-e", "-o", "pipefail", "-c", script)
	cmd.Dir = filepath.Join(w.dir, dir)
	cmd.Env = append(slices.Clone(w.env), append(env, "PWD="+cmd.Dir)...)
	data, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(data), cmd.ProcessState.ExitCode()
}
