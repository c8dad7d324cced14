package main

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/jsontree"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/self"
)

// TestFixes mends everything in copies of the demo and, of the slow tests, of the
// analyzers' cases and of the blind testers' programs. After that the code
// type-checks, each finding that had a fix is gone and no other has come, no
// strict one either, and there is nothing left to mend. It mends what the strict
// rules find, too, and what a person should look at, and the compiler and go vet
// look at the code.
func TestFixes(t *testing.T) {
	corpora := []string{"demo"}
	if slowSuite() {
		corpora = append(corpora, "cases", "blind/policies", "blind/reads", "blind/writes", "blind/idp", "blind/leaderbd")
	}
	for _, name := range corpora {
		t.Run(name, func(t *testing.T) {
			alongside(t)
			c := copyOf(t, name)
			before, strict := c.counts(t), c.counts(t, "-strict")
			c.compare(t, before, c.mend(t))
			after := c.counts(t, "-strict")
			// By file: what a rule that outranks it no longer says of a line,
			// a strict rule may.
			byFile, found := perFile(after), perFile(strict)
			for _, file := range slices.Sorted(maps.Keys(byFile)) {
				if byFile[file] > found[file] {
					t.Errorf("%s: the strict rules found %d, and %d after the fixes", file, found[file], byFile[file])
				}
			}
			c.compare(t, after, c.mend(t, "-strict"))
			c.mend(t, "-unsafe-fixes")
			c.vet(t) // once: the compiler takes longer than ttlvet
		})
	}
}

// TestVetFixes lets go vet, which applies what it is offered without looking,
// mend the corpora.
func TestVetFixes(t *testing.T) {
	slow(t, "mends all corpora again")
	tool, err := exec.LookPath("ttlvet")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"demo", "cases", "blind/policies", "blind/reads", "blind/writes"} {
		t.Run(name, func(t *testing.T) {
			c := copyOf(t, name)
			before := inGo(c.counts(t))
			c.exec(t, nil, "go", "vet", "-vettool="+tool, "-fix", "./...")
			c.vet(t)
			all := 0
			for key, n := range inGo(c.counts(t)) {
				if n.all > before[key].all {
					t.Errorf("%s: %d findings, and %d after the fixes", key, before[key].all, n.all)
				}
				all += n.fixable
			}
			if first := total(before); all*10 > first {
				t.Errorf("of %d findings with a fix, %d have one after the fixes", first, all)
			}
		})
	}
}

// inGo drops what go vet neither sees nor mends: findings in other files, and
// Go's drift from them.
func inGo(counts map[string]count) map[string]count {
	maps.DeleteFunc(counts, func(key string, _ count) bool {
		file, rule, _ := strings.Cut(key, " ")
		return filepath.Ext(file) != ".go" || rule == "ttlschema/drift"
	})
	return counts
}

// perFile adds up the findings of all rules.
func perFile(counts map[string]count) map[string]int {
	out := map[string]int{}
	for key, n := range counts {
		file, _, _ := strings.Cut(key, " ")
		out[file] += n.all
	}
	return out
}

// total returns how many findings have a fix.
func total(counts map[string]count) int {
	n := 0
	for _, c := range counts {
		n += c.fixable
	}
	return n
}

// compare holds what is left to what there was: each finding that had a fix
// is gone, and no other has come.
func (c corpus) compare(t *testing.T, before map[string]count, findings []string) {
	t.Helper()
	left := map[string][]string{}
	for _, f := range findings {
		m := findingLine.FindStringSubmatch(f)
		file, _, _ := strings.Cut(m[1], ":")
		key := file + " " + m[2]
		left[key] = append(left[key], f)
	}
	for _, key := range slices.Sorted(maps.Keys(left)) {
		if strings.HasSuffix(key, " ttlschema/drift") {
			continue // once one source is mended, those that are not differ from it
		}
		if n := before[key]; len(left[key]) > n.all-n.fixable {
			t.Errorf("%s: of %d findings, %d of which had a fix, these are left:\n%s", key,
				n.all, n.fixable, strings.Join(left[key], "\n"))
		}
	}
}

// mend runs ttlvet -fix with the flags, and returns the findings that are left.
func (c corpus) mend(t *testing.T, flags ...string) []string {
	t.Helper()
	fix := slices.Concat([]string{"ttlvet", "-fix"}, flags, []string{"./..."})
	out, errout := c.exec(t, nil, fix...)
	if strings.Contains(string(errout), "would not compile") {
		t.Errorf("%s leaves out fixes:\n%s", fix, errout)
	}
	fix[1] = "-diff"
	if diff, _ := c.exec(t, nil, fix...); len(diff) > 0 {
		t.Errorf("a second %s changes\n%s", fix, diff)
	}
	return c.findings(t, out, plainLine)
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
	c := corpus{dir: dir, known: map[string]string{}}
	c.changed(t) // the source is known
	if strings.Contains(read(t, filepath.Join(dir, "go.mod")), "\nreplace "+self.RuntimePath+" ") {
		c.exec(t, nil, "go", "mod", "edit", "-replace="+self.RuntimePath+"="+filepath.Join(root, "runtime"))
	}
	return c
}

// vet builds what has changed since the last call, what imports it, and the
// tests of both, and vets that.
func (c corpus) vet(t *testing.T) {
	t.Helper()
	changed := c.changed(t)
	if len(changed) == 0 {
		return
	}
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"vet"}, changed...)...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "PWD="+c.dir, "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
}

// changed returns the packages that are not what they were at the last call,
// or in the source, and those that import them, directly or not.
func (c corpus) changed(t *testing.T) []string {
	t.Helper()
	module := modfile.ModulePath([]byte(read(t, filepath.Join(c.dir, "go.mod"))))
	importers, sums := map[string][]string{}, map[string]string{}
	for _, file := range c.files(t) {
		text := read(t, filepath.Join(c.dir, file))
		pkg := path.Dir(file)
		sums[pkg] += text + "\x00"
		parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range parsed.Imports {
			if name, err := strconv.Unquote(i.Path.Value); err == nil && (name == module || strings.HasPrefix(name, module+"/")) {
				in := path.Clean(strings.TrimPrefix(strings.TrimPrefix(name, module), "/")) // "." for the root
				importers[in] = append(importers[in], pkg)
			}
		}
	}
	var list []string
	seen := map[string]bool{}
	var add func(string)
	add = func(pkg string) {
		if !seen[pkg] {
			seen[pkg] = true
			list = append(list, "./"+pkg)
			for _, i := range importers[pkg] {
				add(i)
			}
		}
	}
	for pkg, sum := range sums {
		if c.known[pkg] != sum {
			c.known[pkg] = sum
			add(pkg)
		}
	}
	slices.Sort(list)
	return list
}

// A count is how many findings there are, and how many with a fix that -fix
// makes.
type count struct{ all, fixable int }

// counts returns the findings by file and rule.
func (c corpus) counts(t *testing.T, flags ...string) map[string]count {
	t.Helper()
	out, _ := c.exec(t, nil, slices.Concat([]string{"ttlvet", "-json"}, flags, []string{"./..."})...)
	var tree jsontree.Tree
	if err := json.Unmarshal(out, &tree); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	counts := map[string]count{}
	for _, byAnalyzer := range tree {
		for analyzer, list := range byAnalyzer {
			for _, d := range list {
				path := d.Posn[:strings.LastIndexByte(d.Posn, ':')]
				path = path[:strings.LastIndexByte(path, ':')]
				file, err := filepath.Rel(c.dir, path)
				if err != nil {
					t.Fatal(err)
				}
				key := filepath.ToSlash(file) + " " + analyzer + "/" + d.Category
				n := counts[key]
				n.all++
				if len(d.SuggestedFixes) > 0 && !strings.Contains(read(t, path), "DO NOT EDIT.\n") {
					n.fixable++
				}
				counts[key] = n
			}
		}
	}
	return counts
}
