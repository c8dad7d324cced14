package rewrite_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/ttlvet/ttlvet/internal/rewrite"
	"github.com/ttlvet/ttlvet/internal/sources"
)

var update = flag.Bool("update", false, "write what the transformations make of a file, or what they do to findings")

// write puts a file below a directory.
func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// module loads a package of testdata, in a module that requires what ttlvet does.
func module(t *testing.T, pkg string) (dir string, p *sources.Program) {
	t.Helper()
	dir = t.TempDir()
	var mod strings.Builder
	for line := range strings.Lines(read(t, "../../go.mod")) {
		if strings.HasPrefix(line, "module ") {
			line = "module example.com/rewritten\n"
		}
		if !strings.HasPrefix(line, "tool ") {
			mod.WriteString(line)
		}
	}
	write(t, filepath.Join(dir, "go.mod"), mod.String())
	write(t, filepath.Join(dir, "go.sum"), read(t, "../../go.sum"))
	write(t, filepath.Join(dir, pkg, pkg+".go"), read(t, filepath.Join("testdata", pkg, pkg+".go")))
	p, err := sources.Load(dir, false, "./"+pkg)
	if err != nil {
		t.Fatal(err)
	}
	return dir, p
}

// TestTexts shows what each transformation makes of the timestamps of a file, and
// holds that it builds and that lines stay.
func TestTexts(t *testing.T) {
	dir, p := module(t, "small")
	var got txtar.Archive
	for _, tr := range rewrite.All {
		r, err := tr.Apply(p, "timestamp")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Edit(r.Texts); err != nil {
			t.Errorf("%s: %v", tr.Name, err)
		}
		small := filepath.Join(dir, "small", "small.go")
		if was, is := read(t, small), r.Texts[small]; is == was {
			t.Errorf("%s changes nothing", tr.Name)
		} else if !tr.Moves && strings.Count(is, "\n") != strings.Count(was, "\n") {
			t.Errorf("%s adds lines:\n%s", tr.Name, is)
		}
		var names []string
		for name := range r.Texts {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			rel, err := filepath.Rel(dir, name)
			if err != nil {
				t.Fatal(err)
			}
			text := r.Texts[name]
			if name == small && !tr.Moves {
				text = changed(read(t, small), text)
			}
			got.Files = append(got.Files, txtar.File{Name: tr.Name + ": " + filepath.ToSlash(rel), Data: []byte(text)})
		}
	}
	const golden = "testdata/texts.txtar"
	if *update {
		write(t, golden, string(txtar.Format(&got)))
	}
	if want := read(t, golden); want != string(txtar.Format(&got)) {
		old := map[string]string{}
		for _, f := range txtar.Parse([]byte(want)).Files {
			old[f.Name] = string(f.Data)
		}
		for _, f := range got.Files {
			if old[f.Name] != string(f.Data) {
				t.Errorf("%s is now:\n%s", f.Name, f.Data)
			}
		}
		t.Errorf("the transformations make something else of the file than %s: -update writes it", golden)
	}
}

// changed returns the lines that are not what they were.
func changed(was, is string) string {
	var out strings.Builder
	old := strings.SplitAfter(was, "\n")
	for i, line := range strings.SplitAfter(is, "\n") {
		if i >= len(old) || line != old[i] {
			out.WriteString(line)
		}
	}
	return out.String()
}

// TestSame runs a program and what each transformation makes of it against the
// emulator: they print the same.
func TestSame(t *testing.T) {
	dir, p := module(t, "program")
	list, imports := "{\"plain\", plain.Run},\n", "plain \"example.com/rewritten/program\"\n"
	names := []string{"plain"}
	for i, tr := range rewrite.All {
		r, err := tr.Apply(p)
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("v%02d", i)
		for file, text := range r.Texts {
			rel, err := filepath.Rel(dir, file)
			if err != nil {
				t.Fatal(err)
			}
			if text != "" {
				write(t, filepath.Join(dir, strings.Replace(filepath.ToSlash(rel), "program/", name+"/", 1)), text)
			}
		}
		names = append(names, tr.Name)
		list += fmt.Sprintf("{%q, %s.Run},\n", name, name)
		imports += fmt.Sprintf("%s \"example.com/rewritten/%s\"\n", name, name)
	}
	write(t, filepath.Join(dir, "main.go"), strings.NewReplacer("IMPORTS", imports, "PROGRAMS", list).Replace(read(t, "testdata/main.go.txt")))
	cmd := exec.CommandContext(t.Context(), "go", "run", "-mod=mod", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOPROXY=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files := txtar.Parse(out).Files
	if len(files) != len(names) || len(files[0].Data) < 500 {
		t.Fatalf("%d programs of %d print:\n%s", len(files), len(names), out)
	}
	for i, f := range files {
		if string(f.Data) != string(files[0].Data) {
			t.Errorf("%s prints\n%s\ninstead of\n%s", names[i], f.Data, files[0].Data)
		}
	}
}
