package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// exportOf returns the file with a package's export data.
func exportOf(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-export", "-f={{.Export}}", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// TestMemory holds that a second run does not ask the go command where it has
// export data, and says the same, and that another build does ask.
func TestMemory(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the go command that is watched is a script")
	}
	real, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	bin, log := t.TempDir(), filepath.Join(t.TempDir(), "log")
	script := fmt.Sprintf("#!/bin/sh\necho \"$*\" >> '%s'\nexec '%s' \"$@\"\n", log, real)
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-C", "../../testdata/demo", "./...").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	t.Setenv("TTLVET_CACHE", t.TempDir())
	run := func(args ...string) (found string, asked bool) {
		t.Helper()
		if err := os.WriteFile(log, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("ttlvet", append([]string{"-C", "../../testdata/demo"}, args...)...)
		var stdout, stderr strings.Builder
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != exitFindings {
			t.Fatalf("%v: %s", err, stderr.String())
		}
		calls, err := os.ReadFile(log)
		if err != nil || len(calls) == 0 {
			t.Fatalf("the go command is not watched: %v", err)
		}
		return stdout.String(), strings.Contains(string(calls), " -export ")
	}
	first, asked := run("./...")
	if !asked {
		t.Error("export data is found without asking")
	}
	again, asked := run("./...")
	if asked {
		t.Error("the second run asks again")
	}
	if again != first {
		t.Errorf("the second run finds something else:\n%s", difference(strings.Split(first, "\n"), strings.Split(again, "\n")))
	}
	// Where what is remembered is wrong, nothing builds, and the go command is asked.
	files, err := filepath.Glob(filepath.Join(os.Getenv("TTLVET_CACHE"), "exports", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v %v", files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	wrong := regexp.MustCompile("\t.*-d").ReplaceAllString(string(data), "\t"+exportOf(t, "errors"))
	if err := os.WriteFile(files[0], []byte(wrong), 0o666); err != nil {
		t.Fatal(err)
	}
	if again, asked = run("./..."); !asked || again != first {
		t.Errorf("what is remembered is wrong, and asked is %t:\n%s", asked, again)
	}
	if _, asked := run("-tags=other", "./..."); !asked {
		t.Error("a build with other tags is remembered")
	}
	t.Setenv("TTLVET_CACHE", "off")
	if _, asked := run("./..."); !asked {
		t.Error("something is remembered when it must not")
	}
}
