package main

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFixes mends everything in copies of the demo and of the analyzers'
// cases. After that the code compiles, each finding that had a fix is gone and
// no other has come, and mending it again changes nothing. Then it mends what
// the strict rules find.
func TestFixes(t *testing.T) {
	for _, name := range []string{"demo", "cases"} {
		t.Run(name, func(t *testing.T) {
			c := copyOf(t, name)
			before := c.counts(t)
			out := c.mend(t)
			after := c.counts(t)
			for _, key := range slices.Sorted(maps.Keys(after)) {
				if want := before[key].all - before[key].fixable; after[key].all > want {
					t.Errorf("%s: %d findings are left of %d, %d of which had a fix:\n%s", key,
						after[key].all, before[key].all, before[key].fixable, linesOf(string(out), key))
				}
			}
			// With the strict rules' fixes others may come: a policy that is
			// right by now may be one that deletes older data.
			c.mend(t, "-strict")
		})
	}
}

// mend runs ttlvet -fix with the flags, twice, and vets what it makes.
func (c corpus) mend(t *testing.T, flags ...string) (out []byte) {
	t.Helper()
	args := slices.Concat([]string{"ttlvet", "-fix"}, flags, []string{"./..."})
	out, errout := c.exec(t, nil, args...)
	if len(errout) > 0 {
		t.Errorf("%s leaves out fixes:\n%s", args, errout)
	}
	c.vet(t)
	once := c.contents(t)
	c.exec(t, nil, args...)
	for name, text := range c.contents(t) {
		if text != once[name] {
			t.Errorf("a second %s changes %s", args, name)
		}
	}
	return out
}

// linesOf returns the lines with findings in a file of a rule, which key joins.
func linesOf(out, key string) string {
	file, rule, _ := strings.Cut(key, " ")
	var b strings.Builder
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, file+":") && strings.HasSuffix(line, "("+rule+")\n") {
			b.WriteString("\t" + line)
		}
	}
	return b.String()
}

// copyOf copies a corpus into a directory of its own.
func copyOf(t *testing.T, name string) corpus {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "testdata", name))); err != nil {
		t.Fatal(err)
	}
	c := corpus{dir}
	if strings.Contains(read(t, filepath.Join(dir, "go.mod")), "\nreplace "+modulePath+" ") {
		c.exec(t, nil, "go", "mod", "edit", "-replace="+modulePath+"="+root)
	}
	return c
}

// vet builds everything, tests too, and vets it.
func (c corpus) vet(t *testing.T) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "vet", "./...")
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "PWD="+c.dir, "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
}

// A count is how many findings there are, and how many with a fix that -fix
// makes.
type count struct{ all, fixable int }

// counts returns the findings by file and rule.
func (c corpus) counts(t *testing.T) map[string]count {
	t.Helper()
	out, _ := c.exec(t, nil, "ttlvet", "-json", "./...")
	var tree map[string]map[string][]jsonDiagnostic
	if err := json.Unmarshal(out, &tree); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	counts := map[string]count{}
	for _, byAnalyzer := range tree {
		for analyzer, list := range byAnalyzer {
			for _, d := range list {
				path, _, _ := strings.Cut(d.Posn, ".go:")
				file, err := filepath.Rel(c.dir, path+".go")
				if err != nil {
					t.Fatal(err)
				}
				key := filepath.ToSlash(file) + " " + analyzer + "/" + d.Category
				n := counts[key]
				n.all++
				if len(d.SuggestedFixes) > 0 && !strings.Contains(read(t, path+".go"), "DO NOT EDIT.\n") {
					n.fixable++
				}
				counts[key] = n
			}
		}
	}
	return counts
}

// contents returns the Go files by name.
func (c corpus) contents(t *testing.T) map[string]string {
	t.Helper()
	contents := map[string]string{}
	for _, name := range c.files(t) {
		contents[name] = read(t, filepath.Join(c.dir, name))
	}
	return contents
}
