package registry

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// tree writes files below a new directory, which it returns.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

const minimal = "version: 1\n"

func TestFind(t *testing.T) {
	root := tree(t, map[string]string{
		"go.mod":         "module a\n",
		"ttlvet.yaml":    minimal,
		"pkg/x.go":       "package pkg\n",
		"inner/go.mod":   "module b\n",
		"inner/pkg/x.go": "package pkg\n",
	})
	for dir, want := range map[string]string{
		".":         filepath.Join(root, FileName),
		"pkg":       filepath.Join(root, FileName),
		"inner":     "",
		"inner/pkg": "",
	} {
		if got := Find(filepath.Join(root, dir)); got != want {
			t.Errorf("Find(%s) = %q, want %q", dir, got, want)
		}
	}
}

// TestFindInWorkspace: the registry beside go.work serves the modules in use
// that have none.
func TestFindInWorkspace(t *testing.T) {
	root := tree(t, map[string]string{
		"go.work":         "go 1.26\nuse (\n\t./a\n\t./b\n)\n",
		"ttlvet.yaml":     minimal,
		"a/go.mod":        "module a\n",
		"a/pkg/x.go":      "package pkg\n",
		"b/go.mod":        "module b\n",
		"b/ttlvet.yaml":   minimal,
		"unused/go.mod":   "module unused\n",
		"b/pkg/x.go":      "package pkg\n",
		"a/nested/go.mod": "module nested\n",
	})
	check := func(want map[string]string) {
		t.Helper()
		for dir, want := range want {
			if want != "" {
				want = filepath.Join(root, want)
			}
			if got := Find(filepath.Join(root, dir)); got != want {
				t.Errorf("Find(%s) = %q, want %q", dir, got, want)
			}
		}
	}
	t.Setenv("GOWORK", "")
	check(map[string]string{"a": "ttlvet.yaml", "a/pkg": "ttlvet.yaml", "b/pkg": "b/ttlvet.yaml", "unused": "", "a/nested": ""})
	if got := Readable(filepath.Join(root, "a")); len(got) != 2 {
		t.Errorf("readable are %q", got)
	}
	t.Setenv("GOWORK", "off")
	check(map[string]string{"a": "", "b": "b/ttlvet.yaml"})
}

// TestMisplaced: what can only be meant for a registry is found, and refused.
func TestMisplaced(t *testing.T) {
	root := tree(t, map[string]string{
		"go.mod":                   "module a\n",
		"x.go":                     "package a\n",
		"pkg/x.go":                 "package pkg\n",
		"pkg/ttlvet.yaml":          minimal,
		"docs/ttlvet.yaml":         minimal,
		"testdata/x.go":            "package x\n",
		"testdata/ttlvet.yaml":     minimal,
		"inner/go.mod":             "module b\n",
		"inner/ttlvet.yml":         minimal,
		"inner/pkg/.ttlvet.yaml":   minimal, // not beside a go.mod: anybody's
		"node_modules/ttlvet.yaml": minimal,
	})
	t.Setenv("GOWORK", "off")
	misplaced := filepath.Join(root, "pkg", FileName)
	if got := Readable(root); !reflect.DeepEqual(got, []string{misplaced}) {
		t.Errorf("Readable is %q", got)
	}
	if got := Find(filepath.Join(root, "pkg")); got != misplaced {
		t.Errorf("Find is %q", got)
	}
	for _, name := range []string{misplaced, filepath.Join(root, "inner", "ttlvet.yml")} {
		if _, err := Load(name); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if _, err := Load(filepath.Join(root, "docs", FileName)); err != nil {
		t.Error(err)
	}
}

func TestPackageless(t *testing.T) {
	root := tree(t, map[string]string{
		"go.mod":        "module a.org/m\ngo 1.26\nrequire (\n\ta.org/m/api v1.0.0\n\tlib.org/x v1.0.0\n)\n",
		"x.go":          "package m\n",
		"store.v2/x.go": "package store\n",
		"sub/go.mod":    "module a.org/m/sub\n",
	})
	t.Setenv("GOWORK", "off")
	for handle, want := range map[string]string{
		"a.org/m.Table":              "",
		"a.org/m.T.tbl":              "",
		"a.org/m/store.v2.T.tbl":     "",
		"a.org/m/store.v3.T.tbl":     `did you mean "a.org/m/store.v2"?`,
		"a.org/m/stores.T.tbl":       "names package a.org/m/stores, which the module does not have",
		"a.org/m/sub/pkg.T.tbl":      "", // another module's
		"a.org/m/api/pkg.T.tbl":      "", // a requirement's
		"lib.org/x/pkg.T.tbl":        "",
		"a.org/mm/pkg.T.tbl":         "is of another module, which go.mod does not require",
		"other.org/pkg.T":            "is of another module, which go.mod does not require",
		"a.org/m/cmd/server.main":    "names package a.org/m/cmd/server",
		"a.org/m/cmd/server.Var.tbl": "names package a.org/m/cmd/server,",
	} {
		path := filepath.Join(root, FileName)
		text := "version: 1\ntables:\n  t: {handles: [" + handle + "], families: {f: {strategy: timestamp-zero}}}\n"
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		switch _, err := Load(path); {
		case want == "" && err != nil:
			t.Errorf("%s: %v", handle, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), ":3:17: ") || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: error %v, want %s", handle, err, want)
		}
	}
}

func TestReadable(t *testing.T) {
	root := tree(t, map[string]string{
		"ws/go.work":           "go 1.26\nuse (\n\t./a\n\t./b\n)\nreplace x.org/r => ../r\n",
		"ws/a/go.mod":          "module a\nreplace x.org/s v1.0.0 => ../../s\nreplace x.org/t => x.org/u v1.0.0\n",
		"ws/a/ttlvet.yaml":     minimal,
		"ws/a/pkg/x.go":        "package pkg\n",
		"ws/b/go.mod":          "module b\n",
		"ws/b/ttlvet.yaml":     minimal,
		"ws/other/go.mod":      "module other\n",
		"ws/other/ttlvet.yaml": minimal,
		"r/ttlvet.yaml":        minimal,
		"s/ttlvet.yaml":        minimal,
		"u/ttlvet.yaml":        minimal,
	})
	readable := func(dir string) []string {
		var names []string
		for _, f := range Readable(filepath.Join(root, dir)) {
			rel, err := filepath.Rel(root, f)
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, filepath.ToSlash(rel))
		}
		return names
	}
	check := func(dir string, want ...string) {
		t.Helper()
		if got := readable(dir); !reflect.DeepEqual(got, want) {
			t.Errorf("Readable(%s) = %q, want %q", dir, got, want)
		}
	}
	t.Setenv("GOWORK", "")
	check("ws/a/pkg", "r/ttlvet.yaml", "s/ttlvet.yaml", "ws/a/ttlvet.yaml", "ws/b/ttlvet.yaml")
	check("ws", "r/ttlvet.yaml", "s/ttlvet.yaml", "ws/a/ttlvet.yaml", "ws/b/ttlvet.yaml")
	t.Setenv("GOWORK", "off")
	check("ws/a/pkg", "s/ttlvet.yaml", "ws/a/ttlvet.yaml")
	check("ws")
	t.Setenv("GOWORK", filepath.Join(root, "ws/go.work"))
	check("u", "r/ttlvet.yaml", "s/ttlvet.yaml", "ws/a/ttlvet.yaml", "ws/b/ttlvet.yaml")
}

// TestPlaces: what an editor watches covers registries that come to be, and
// changes with every one that is written.
func TestPlaces(t *testing.T) {
	root := tree(t, map[string]string{
		"repo/.git/x":            "",
		"repo/app/go.mod":        "module app\n",
		"repo/app/pkg/x.go":      "package pkg\n",
		"repo/tools/lint/go.mod": "module lint\n",
	})
	t.Setenv("GOWORK", "off")
	dir := filepath.Join(root, "repo")
	for _, name := range []string{"app/ttlvet.yaml", "app/ttlvet.yml", "tools/lint/ttlvet.yaml"} {
		if !slices.Contains(Places(dir), filepath.Join(dir, filepath.FromSlash(name))) {
			t.Errorf("%s is no place", name)
		}
	}
	if places := Places(filepath.Join(dir, "app", "pkg")); len(places) != 4 {
		t.Errorf("in a package the places are %q", places)
	}
	path := filepath.Join(dir, "app", FileName)
	seen := map[string]bool{Stamp(Places(dir)): true}
	for _, text := range []string{minimal, minimal + "# more\n"} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		stamp := Stamp(Places(dir))
		if seen[stamp] {
			t.Error("the stamp does not change")
		}
		seen[stamp] = true
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if !seen[Stamp(Places(dir))] {
		t.Error("the stamp does not come back when the registry is gone")
	}
}

func TestHash(t *testing.T) {
	root := tree(t, map[string]string{"a": "one", "b": "two"})
	a, b := filepath.Join(root, "a"), filepath.Join(root, "b")
	first := Hash([]string{a, b})
	if Hash([]string{a, b}) != first {
		t.Error("the hash varies")
	}
	if Hash([]string{a}) == first || Hash([]string{b, a}) == first {
		t.Error("the hash does not depend on the paths")
	}
	if err := os.WriteFile(b, []byte("three"), 0o666); err != nil {
		t.Fatal(err)
	}
	if Hash([]string{a, b}) == first {
		t.Error("the hash does not depend on the contents")
	}
}

func TestLoad(t *testing.T) {
	root := tree(t, map[string]string{"sub/ttlvet.yaml": "version: 2\n"})
	path := filepath.Join(root, "sub", FileName)

	position := func(err error) string {
		var errs Errors
		if !errors.As(err, &errs) || len(errs) != 1 {
			t.Fatalf("error is %v", err)
		}
		return errs[0].Pos.String()
	}
	t.Chdir(root)
	_, err := Load(path)
	if got, want := position(err), filepath.Join("sub", FileName)+":1:10"; got != want {
		t.Errorf("below the current directory the error stands at %s, want %s", got, want)
	}
	if err := os.WriteFile(path, []byte(minimal), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := Load(path)
	if err != nil || f.Path != path {
		t.Fatalf("after the mend: %+v, %v", f, err)
	}
	if again, _ := Load(path); again != f {
		t.Error("the same content is parsed again")
	}
	t.Chdir(t.TempDir())
	_, err = Load(filepath.Join(root, "none"))
	if got, want := position(err), filepath.Join(root, "none")+":1:1"; got != want {
		t.Errorf("elsewhere the error stands at %s, want %s", got, want)
	}
}
