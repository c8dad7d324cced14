package script

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/ttlvet/ttlvet/analyzers/internal/evidence"
)

var update = flag.Bool("update", false, "write what is read into the archives")

// TestFiles holds what is read of the files in testdata against what the
// archives say: each has a file and its "want".
func TestFiles(t *testing.T) {
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
			var got strings.Builder
			for _, f := range ar.Files {
				if f.Name == "want" {
					continue
				}
				s := &evidence.Schema{}
				Text(s, f.Name, f.Data)
				got.WriteString(s.Dump())
			}
			last := &ar.Files[len(ar.Files)-1]
			if *update {
				if last.Name != "want" {
					ar.Files = append(ar.Files, txtar.File{Name: "want"})
					last = &ar.Files[len(ar.Files)-1]
				}
				last.Data = []byte(got.String())
				if err := os.WriteFile(name, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if last.Name != "want" || string(last.Data) != got.String() {
				t.Errorf("got:\n%s\nwant:\n%s", got.String(), last.Data)
			}
		})
	}
}

func FuzzText(f *testing.F) {
	names, _ := filepath.Glob("testdata/*.txtar")
	for _, name := range names {
		ar, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range ar.Files {
			f.Add(filepath.Base(file.Name), file.Data)
		}
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		s := &evidence.Schema{}
		Text(s, name, data)
		_ = s.Dump()
	})
}
