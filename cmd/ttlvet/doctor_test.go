package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/internal/doctor"
)

// TestDoctorPage holds what docs/doctor.md shows against what the program prints.
func TestDoctorPage(t *testing.T) {
	alongside(t)
	showsOutput(t, newWorkplace(t), "../../docs/doctor.md", "DoctorPage")
}

// TestDoctorExplains looks for a reason why each function of the demo that shows
// code put right has no finding: a call in it that is checked, or that is said to
// be not known.
func TestDoctorExplains(t *testing.T) {
	const dir = "../../testdata/demo"
	out, errout, code := ttlvet(t, dir, nil, "doctor", "-json")
	if code != exitClean {
		t.Fatalf("doctor exits with %d: %s", code, errout)
	}
	var r doctor.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	reasons := map[string][]string{} // by file and line
	for _, table := range r.Tables {
		for _, f := range table.Families {
			for _, l := range f.Lines {
				reasons[l.Place] = append(reasons[l.Place], l.Verdict)
			}
		}
	}
	for _, gap := range r.Unknown {
		for _, place := range gap.Places {
			reasons[place] = append(reasons[place], gap.Reason)
		}
	}
	twins := 0
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".go" {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, 0)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !strings.HasSuffix(fn.Name.Name, "Fixed") {
				continue
			}
			twins++
			explained := false
			for place, verdicts := range reasons {
				in, line, _ := strings.Cut(place, ":")
				for n := fset.Position(fn.Pos()).Line; n <= fset.Position(fn.End()).Line; n++ {
					for _, v := range verdicts {
						if in != name || line != strconv.Itoa(n) {
							continue
						}
						explained = explained || v != ""
						if strings.HasPrefix(v, "wrong") {
							t.Errorf("%s: %s is put right, and doctor says %q", place, fn.Name.Name, v)
						}
					}
				}
			}
			if !explained {
				t.Errorf("%s: doctor does not say why nothing is found in %s", name, fn.Name.Name)
			}
		}
		return nil
	})
	if err != nil || twins < 15 {
		t.Errorf("%d functions of the demo are put right: %v", twins, err)
	}
}
