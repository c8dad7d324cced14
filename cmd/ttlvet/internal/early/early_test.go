package early

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/module"
)

// TestMain is a vet tool where a test has the go command start one.
func TestMain(m *testing.M) {
	if asked := os.Getenv(askedFile); asked != "" {
		os.Exit(vetTool(os.Args[1:], asked))
	}
	os.Exit(m.Run())
}

// tree writes files below a new directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// Only what is certain is foreign: never a package that is followed.
func TestForeign(t *testing.T) {
	root := tree(t, map[string]string{
		"app/go.mod":                                         "module example.com/app\n",
		"app/vendor/example.com/x/x.go":                      "package x\n",
		"cache/example.com/a@v1.2.0/go.mod":                  "module example.com/a\n",
		"cache/example.com/b@v1.2.0/go.mod":                  "module example.com/b\n\nrequire cloud.google.com/go/bigtable v1.40.0\n",
		"cache/example.com/c@v1.2.0/go.mod":                  "module example.com/c\n\nrequire github.com/ttlvet/ttlvet v1.0.0\n",
		"std/go.mod":                                         "module std\n\ngo 1.26\n",
		"std/vendor/golang.org/x/text/x.go":                  "package x\n",
		"none/x.go":                                          "package none\n",
		"cache/example.com/nomod@v0.0.0+incompatible/x/x.go": "package x\n",
	})
	for dir, want := range map[string]bool{
		"app": false, "app/schema": false, "app/vendor/example.com/x": false,
		"cache/example.com/a@v1.2.0": true, "cache/example.com/a@v1.2.0/sub/sub": true,
		"cache/example.com/b@v1.2.0/sub": false, "cache/example.com/c@v1.2.0": false,
		"std/fmt": true, "std/vendor/golang.org/x/text": true, "none": false, "cache/example.com/nomod@v0.0.0+incompatible/x": false,
	} {
		got := Foreign(filepath.Join(root, dir))
		if got != want {
			t.Errorf("Foreign(%s) = %t", dir, got)
		}
		if got && module.Followed(filepath.Join(root, dir)) {
			t.Errorf("%s is foreign and followed", dir)
		}
	}
	if Foreign("") || Foreign("relative") {
		t.Error("a relative directory is foreign")
	}
}

// Every package by which code reaches Bigtable has a mark in its path.
func TestMarks(t *testing.T) {
	for _, path := range btapi.Roots() {
		if !marked(path) {
			t.Errorf("%s has none of %q", path, marks)
		}
	}
}

// A unit is answered where it is certain that nobody wants its facts.
func TestAnswered(t *testing.T) {
	root := tree(t, map[string]string{
		"std/go.mod": "module std\n", "std/fmt/fmt.go": "package fmt\n", "app/go.mod": "module example.com/app\n",
		"none": NoFacts, "facts": "facts", "lost": "",
	})
	in := func(name string) string { return filepath.Join(root, name) }
	standard := unit{
		Compiler: "gc", Dir: in("std/fmt"), ImportPath: "fmt", VetxOnly: true, VetxOutput: in("out"),
		ImportMap: map[string]string{"os": "os"}, PackageVetx: map[string]string{"os": in("none")},
	}
	with := func(change func(*unit)) unit {
		u := standard
		change(&u)
		return u
	}
	for name, test := range map[string]struct {
		unit unit
		want bool
	}{
		"a dependency":           {standard, true},
		"to be reported on":      {with(func(u *unit) { u.VetxOnly = false }), false},
		"imports the client":     {with(func(u *unit) { u.ImportMap = map[string]string{"b": "cloud.google.com/go/bigtable"} }), false},
		"is the client":          {with(func(u *unit) { u.ImportPath = "cloud.google.com/go/bigtable" }), false},
		"imports what has facts": {with(func(u *unit) { u.PackageVetx = map[string]string{"os": in("facts")} }), false},
		"facts that are missing": {with(func(u *unit) { u.PackageVetx = map[string]string{"os": in("nowhere")} }), false},
		"facts that were lost":   {with(func(u *unit) { u.PackageVetx = map[string]string{"os": in("lost")} }), false},
		"imports nothing":        {with(func(u *unit) { u.PackageVetx = nil }), true},
		"another compiler's":     {with(func(u *unit) { u.PackageVetx = nil; u.Compiler = "gccgo" }), false},
		"the module's own":       {with(func(u *unit) { u.Dir = in("app") }), false},
	} {
		os.Remove(in("out"))
		data, err := json.MarshalIndent(test.unit, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		config := in("vet.cfg")
		if err := os.WriteFile(config, data, 0o666); err != nil {
			t.Fatal(err)
		}
		got := answered(config, true)
		_, err = os.Stat(in("out"))
		if got != test.want || (err == nil) != test.want {
			t.Errorf("%s: answered %t, file %v", name, got, err)
		}
	}
	if answered(in("none.cfg"), true) || answered(in("facts"), true) {
		t.Error("a configuration that cannot be read is answered")
	}
	// With other flags the library may analyse what imports it.
	config := in("fixing.cfg")
	standard.PackageVetx = nil
	data, err := json.MarshalIndent(standard, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, data, 0o666); err != nil {
		t.Fatal(err)
	}
	if answered(config, false) {
		t.Error("what imports nothing is answered, whatever is asked")
	}
}

// The go command's arguments, with flags and without. The value of a flag stands
// behind an equals sign.
func TestConfiguration(t *testing.T) {
	for args, want := range map[string]string{
		"vet.cfg": "vet.cfg", "-json vet.cfg": "vet.cfg", "-flags": "", "-V=full": "", "./...": "", "": "",
		"-enable=ttlread vet.cfg": "vet.cfg", "-json -strict vet.cfg": "vet.cfg", "-json -disable ttlgc vet.cfg": "", "-json": "",
		"vet.cfg -json": "", "vet.cfg x": "", "a.cfg b.cfg": "",
	} {
		if got := configuration(strings.Fields(args)); got != want {
			t.Errorf("configuration(%s) = %q, want %q", args, got, want)
		}
	}
}

// What is certain of a configuration is what package encoding/json reads, and all
// that the go command writes is.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"fmt", `C:\\go\\src`, "a b", "ä", "<x>", "\n\t", `"`, `\`, `",`, "\t\"VetxOnly\": true"} {
		f.Add(seed, seed, true)
		f.Add("/go/src/fmt", seed, false)
	}
	f.Fuzz(func(t *testing.T, dir, path string, only bool) {
		want := unit{
			Compiler: dir, Dir: dir, ImportPath: path, VetxOnly: only, VetxOutput: dir + path,
			ImportMap: map[string]string{path: dir, "os": "os"}, PackageVetx: map[string]string{"os": dir, "io": path},
		}
		data, err := json.MarshalIndent(want, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &want); err != nil { // as JSON can hold it
			t.Fatal(err)
		}
		got, ok := parse(string(data))
		if ok && !reflect.DeepEqual(got, want) {
			t.Errorf("%s is\n%+v\nand not\n%+v", data, got, want)
		}
		if plain := regexp.MustCompile(`^[\w/.\\@ -]+$`).MatchString; !ok && plain(dir) && plain(path) {
			t.Errorf("%s is not certain", data)
		}
	})
}

// Of what is not written as the go command writes it, nothing is certain.
func TestParseOther(t *testing.T) {
	for _, config := range []string{"", "{}", `{"Dir": "/x", "ImportPath": "x", "VetxOnly": true}`, "\t\"Dir\": \"/x\"", "not JSON"} {
		if _, ok := parse(config); ok {
			t.Errorf("%q is certain", config)
		}
	}
}
