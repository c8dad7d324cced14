package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/jsontree"
)

// TestVetJSON holds what go vet -json prints to what ttlvet -json does, fixes
// included. As a vet tool ttlvet reads of other packages only what a package can
// name, and ttlvet by itself all: a name that tracing or a fix asks for and that
// the source does not have would show here.
func TestVetJSON(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join("..", "..", "testdata", "blind", "*", "go.mod"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no modules of blind authors: %v", err)
	}
	names := []string{"demo", "cases"}
	for _, dir := range dirs {
		names = append(names, filepath.Join("blind", filepath.Base(filepath.Dir(dir))))
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			slow(t, "vets all packages of the client")
			dir, err := filepath.Abs(filepath.Join("..", "..", "testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			tool, err := exec.LookPath("ttlvet")
			if err != nil {
				t.Fatal(err)
			}
			want := jsonFindings(t, dir, "ttlvet", "-json", "./...")
			got := jsonFindings(t, dir, "go", "vet", "-json", "-vettool="+tool, "./...")
			if len(want) == 0 {
				t.Error("nothing is found")
			}
			if !slices.Equal(got, want) {
				t.Errorf("go vet and ttlvet differ:\n%s", difference(want, got))
			}
		})
	}
}

// jsonFindings returns the findings that a command prints as JSON, in files of Go
// and each once, in order.
func jsonFindings(t *testing.T, dir, command string, args ...string) (out []string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command, args...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	data, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, stderr.String())
	}
	for d := json.NewDecoder(strings.NewReader(string(data))); ; {
		var tree jsontree.Tree
		if err := d.Decode(&tree); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v: %v", cmd, err)
		}
		for _, byAnalyzer := range tree {
			for analyzer, list := range byAnalyzer {
				for _, f := range list {
					f.Fingerprint, f.Related = "", nil
					text, err := json.Marshal(f)
					if err != nil {
						t.Fatal(err)
					}
					if strings.Contains(f.Posn, ".go:") {
						out = append(out, analyzer+" "+string(text))
					}
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
