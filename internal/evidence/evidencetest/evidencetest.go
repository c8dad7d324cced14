// Package evidencetest tests what reads sources of policies by archives of
// files, each of which has what is wanted of them in a file "want".
package evidencetest

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/ttlvet/ttlvet/internal/evidence"
)

var update = flag.Bool("update", false, "write what is read into the archives")

// want is the name of the file with what is wanted.
const want = "want"

// Run holds what read makes of the files of each archive in testdata against
// what the archive wants, which -update writes. paths are the files, in the
// archive's order, below a directory of their own, whose name read's text may
// hold.
func Run(t *testing.T, read func(t *testing.T, dir string, paths []string) string) {
	t.Helper()
	for _, name := range archives(t) {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			ar := parse(t, name)
			dir := t.TempDir()
			got := read(t, dir, Extract(t, dir, ar.Files...))
			got = strings.ReplaceAll(got, dir+string(filepath.Separator), "")
			got = strings.ReplaceAll(got, dir, "DIR")
			i := slices.IndexFunc(ar.Files, func(f txtar.File) bool { return f.Name == want })
			switch {
			case *update:
				ar.Files = slices.DeleteFunc(ar.Files, func(f txtar.File) bool { return f.Name == want })
				ar.Files = append(ar.Files, txtar.File{Name: want, Data: []byte(got)})
				if err := os.WriteFile(name, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
			case i < 0:
				t.Errorf("%s says not what is wanted; got:\n%s", name, got)
			case string(ar.Files[i].Data) != got:
				t.Errorf("got:\n%s\nwant:\n%s", got, ar.Files[i].Data)
			}
		})
	}
}

// Extract writes files below a directory and returns their paths, without
// that of what is wanted.
func Extract(t testing.TB, dir string, files ...txtar.File) (paths []string) {
	t.Helper()
	for _, f := range files {
		if f.Name == want {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// Read reads those of the files that a reader claims, and writes what they say
// for [Run].
func Read(t *testing.T, r *evidence.Reader, in *evidence.Input) string {
	t.Helper()
	var claimed []string
	for _, p := range in.Paths {
		head, err := evidence.Head(p)
		if err != nil {
			t.Fatal(err)
		}
		if r.Claims(p, head) {
			claimed = append(claimed, p)
		}
	}
	return r.Read(&evidence.Input{Paths: claimed, VarFiles: in.VarFiles}).Dump()
}

// Files returns the files of all archives in testdata whose names end in
// suffix, as seeds for fuzzing.
func Files(t testing.TB, suffix string) (files []txtar.File) {
	t.Helper()
	for _, name := range archives(t) {
		for _, f := range parse(t, name).Files {
			if f.Name != want && strings.HasSuffix(f.Name, suffix) {
				files = append(files, f)
			}
		}
	}
	return files
}

func archives(t testing.TB) []string {
	t.Helper()
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no archives in testdata", err)
	}
	return names
}

func parse(t testing.TB, name string) *txtar.Archive {
	t.Helper()
	ar, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return ar
}
