package terraform

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/ttlvet/ttlvet/analyzers/internal/evidence"
)

var update = flag.Bool("update", false, "write what is read into the archives")

// extract writes the files of an archive below dir and returns those that
// the reader claims.
func extract(t *testing.T, ar *txtar.Archive, dir string) (paths []string) {
	for _, f := range ar.Files {
		if f.Name == "want" {
			continue
		}
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
		if claims(path, f.Data) {
			paths = append(paths, path)
		}
	}
	return paths
}

// TestConfigurations holds what is read of the configurations in testdata
// against what the archives want. Files whose name begins with "vars" are
// given by name.
func TestConfigurations(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			in := &evidence.Input{Paths: extract(t, ar, dir)}
			for _, f := range ar.Files {
				if strings.HasPrefix(f.Name, "vars") {
					in.VarFiles = append(in.VarFiles, filepath.Join(dir, f.Name))
				}
			}
			got := strings.ReplaceAll(read(in).Dump(), dir, "DIR")
			i := slices.IndexFunc(ar.Files, func(f txtar.File) bool { return f.Name == "want" })
			switch {
			case *update:
				ar.Files = slices.DeleteFunc(ar.Files, func(f txtar.File) bool { return f.Name == "want" })
				ar.Files = append(ar.Files, txtar.File{Name: "want", Data: []byte(got)})
				if err := os.WriteFile(name, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
			case i < 0 || string(ar.Files[i].Data) != got:
				t.Errorf("got:\n%s", got)
			}
		})
	}
}

func FuzzShow(f *testing.F) {
	names, _ := filepath.Glob("testdata/*.txtar")
	for _, name := range names {
		ar, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range ar.Files {
			if strings.HasSuffix(file.Name, ".json") {
				f.Add(file.Data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &evidence.Schema{}
		show(s, "plan.json", data)
		_ = s.Dump()
	})
}

func FuzzConfiguration(f *testing.F) {
	names, _ := filepath.Glob("testdata/*.txtar")
	for _, name := range names {
		ar, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range ar.Files {
			if strings.HasSuffix(file.Name, ".tf") {
				f.Add(file.Data)
			}
		}
	}
	path := filepath.Join(f.TempDir(), "main.tf")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		_ = read(&evidence.Input{Paths: []string{path}}).Dump()
	})
}
