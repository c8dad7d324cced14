package wants

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/token"
	"os"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"golang.org/x/tools/go/analysis/checker"
)

// An edit replaces what stands between two offsets of a file.
type edit struct {
	start, end int
	text       string
}

// Fixes holds what the files are when all fixes of each package are applied at
// once, as go vet -fix does, to the golden files beside them. Generated files
// stay as they are. Two fixes that edit the same place in different ways are an
// error.
func Fixes(t Testing, actions []*checker.Action) {
	t.Helper()
	for _, act := range actions {
		byFile, generated := map[string][]edit{}, map[*token.File]bool{}
		for _, f := range act.Package.Syntax {
			generated[act.Package.Fset.File(f.FileStart)] = ast.IsGenerated(f)
		}
		for _, d := range act.Diagnostics {
			for _, fix := range d.SuggestedFixes {
				for _, e := range fix.TextEdits {
					file := act.Package.Fset.File(e.Pos)
					if generated[file] {
						continue
					}
					end := e.End
					if !end.IsValid() {
						end = e.Pos
					}
					byFile[file.Name()] = append(byFile[file.Name()], edit{file.Offset(e.Pos), file.Offset(end), string(e.NewText)})
				}
			}
		}
		for name, edits := range byFile {
			compare(t, name, edits)
		}
	}
}

func compare(t Testing, name string, edits []edit) {
	t.Helper()
	src, err := os.ReadFile(name)
	if err != nil {
		t.Errorf("%v", err)
		return
	}
	want, err := os.ReadFile(name + ".golden")
	if err != nil {
		t.Errorf("%v", err)
		return
	}
	slices.SortStableFunc(edits, func(a, b edit) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return a.end - b.end
	})
	var out strings.Builder
	at := 0
	for _, e := range slices.Compact(edits) {
		if e.start < at {
			t.Errorf("%s: two fixes edit what stands at offset %d", name, e.start)
			return
		}
		out.Write(src[at:e.start])
		out.WriteString(e.text)
		at = e.end
	}
	out.Write(src[at:])
	got, err := format.Source([]byte(out.String()))
	if err != nil {
		t.Errorf("%s: after the fixes: %v", name, err)
		return
	}
	if want, err = format.Source(want); err != nil {
		t.Errorf("%s.golden: %v", name, err)
		return
	}
	if !bytes.Equal(bytes.TrimSpace(got), bytes.TrimSpace(want)) {
		t.Errorf("%s", diff.Diff(name+".golden", want, name+" with its fixes", got))
	}
}
