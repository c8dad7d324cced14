//go:build unix

package main

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"
)

//go:embed template
var templateFiles embed.FS

var templates = template.Must(template.ParseFS(templateFiles, "template/*.tmpl"))

// A module is a generated one, with the requirements of ttlvet itself: the
// real client and all that it depends on.
type module struct {
	dir string
	err error // the first
}

// A file is what templates are filled in with.
type file struct {
	Package, Path, Table string
	N                    int
	Imports              []string // paths below the module
	Names                []name   // of those that are used
	Extra                []string // imported for nothing
	Stores               []file
	External             bool
}

type name struct {
	Field, Package string
	N              int
}

// newModule writes what every module has.
func newModule(dir string) *module {
	m := &module{dir: dir}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		m.err = fmt.Errorf("run this in the root of ttlvet: %v", err)
		return m
	}
	_, requirements, _ := strings.Cut(string(mod), "\n")
	// A module of ttlvet's own is in no proxy until it is released.
	requirements = regexp.MustCompile(`(?m)^.*github\.com/ttlvet/.*\n`).ReplaceAllString(requirements, "")
	m.write("go.mod", []byte("module example.com/service\n"+requirements))
	sum, err := os.ReadFile("go.sum")
	if err != nil {
		m.err = err
		return m
	}
	m.write("go.sum", sum)
	m.write("ttlvet.yaml", []byte(`version: 1
tables:
  "*":
    families:
      token: {strategy: one-second-expiration, ttl: 30m}
      profile: {strategy: real-timestamps}
      event: {strategy: default-expiration, ttl: 30d}
      entry: {strategy: sequential-numbers, versions: 1}
`))
	return m
}

func (m *module) write(name string, data []byte) {
	if m.err != nil {
		return
	}
	path := filepath.Join(m.dir, name)
	if m.err = os.MkdirAll(filepath.Dir(path), 0o777); m.err == nil {
		m.err = os.WriteFile(path, data, 0o666)
	}
}

// fill writes a file made from a template.
func (m *module) fill(name, template string, f file) {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, template+".go.tmpl", f); err != nil && m.err == nil {
		m.err = err
	}
	m.write(name, b.Bytes())
}

// store writes the store of that number, with its test.
func (m *module) store(n int) file {
	f := file{Package: fmt.Sprintf("s%03d", n), Table: fmt.Sprintf("table-%d", n), N: n}
	dir := "store/" + f.Package + "/"
	m.fill(dir+"store.go", "store", f)
	m.fill(dir+"store_test.go", "store_test", f)
	return f
}

// few writes a module of packages of which few reach Bigtable. The others
// import each the one before.
func few(dir string, packages, reaching int) error {
	m := newModule(dir)
	for i := range packages {
		f := file{Package: fmt.Sprintf("p%03d", i), N: i}
		if i > reaching {
			f.Imports = []string{fmt.Sprintf("p%03d", i-1)}
		}
		text := "service"
		if i < reaching {
			text = "session"
		}
		m.fill(f.Package+"/"+f.Package+".go", text, f)
		m.fill(f.Package+"/"+f.Package+"_test.go", "empty_test", f)
	}
	return m.err
}

// most writes a service of 133 packages, of which 121 reach Bigtable: stores,
// handlers that use several of them and what creates the tables. extra are
// packages of the dependencies' modules, which the handlers import too.
func most(dir string, extra []string) error {
	m := newModule(dir)
	m.fill("bt/bt.go", "bt", file{})
	var stores []file
	for n := range 40 {
		stores = append(stores, m.store(n))
	}
	for n := range 70 {
		f := file{Package: fmt.Sprintf("h%03d", n)}
		for i := range 1 + n%4 {
			f.Stores = append(f.Stores, stores[(n*7+i*11)%len(stores)])
		}
		from := n * len(extra) / 70
		f.Extra = extra[from : (n+1)*len(extra)/70]
		m.fill("handler/"+f.Package+"/handler.go", "handler", f)
	}
	for n := range 10 {
		m.fill(fmt.Sprintf("admin/a%d/create.go", n), "admin", file{Package: fmt.Sprintf("a%d", n), Stores: stores[n*4 : n*4+4]})
	}
	for n := range 12 {
		f := file{Package: fmt.Sprintf("p%03d", n), N: n}
		m.fill("plain/"+f.Package+"/plain.go", "plain", f)
	}
	return m.err
}

// repository writes a module of that many packages, of which 300 reach
// Bigtable. The others stand in teams of a hundred: a package imports up to
// four others of its team, so that they lie dozens deep, and the first ones of
// up to four other teams. All have tests, and each fourth one has tests in a
// package of their own.
func repository(dir string, packages int) error {
	const reaching = 300
	m := newModule(dir)
	m.fill("bt/bt.go", "bt", file{})
	var stores []file
	for n := range reaching / 3 {
		stores = append(stores, m.store(n))
	}
	for n := range reaching - len(stores) - 1 {
		f := file{Package: fmt.Sprintf("h%03d", n), Stores: []file{stores[n%len(stores)], stores[(n*7+1)%len(stores)]}}
		m.fill("handler/"+f.Package+"/handler.go", "handler", f)
	}
	for n := range packages - reaching {
		m.member(n)
	}
	return m.err
}

// member writes the plain package of that number.
func (m *module) member(n int) {
	const team = 100
	plain := func(n int) file {
		pkg := fmt.Sprintf("p%05d", n)
		return file{Package: pkg, Path: fmt.Sprintf("plain/t%03d/%s", n/team, pkg), N: n}
	}
	f := plain(n)
	first := n - n%team
	var use []int
	for _, to := range []int{n - 1 - n%3, n - 5, n - 17, n - 40} {
		if to >= first {
			use = append(use, to)
		}
	}
	for _, other := range []int{1, 2, 5, 20} {
		// The first ones of all teams are a tree.
		if to := n / team / (other + 1) * team; to < first && (n != first || other == 1) {
			use = append(use, to)
		}
	}
	slices.Sort(use)
	for i, to := range slices.Compact(use) {
		used := plain(to)
		f.Imports = append(f.Imports, used.Path)
		f.Names = append(f.Names, name{fmt.Sprintf("Set%d", i), used.Package, to})
	}
	m.fill(f.Path+"/"+f.Package+".go", "plain", f)
	m.fill(f.Path+"/in_test.go", "plain_test", f)
	if n%4 == 0 {
		f.External = true
		m.fill(f.Path+"/out_test.go", "plain_test", f)
	}
}

// large writes a module with a package of about that many lines.
func large(dir string, lines int) error {
	m := newModule(dir)
	m.fill("bt/bt.go", "bt", file{})
	text, err := templateFiles.ReadFile("template/store.go.tmpl")
	if err != nil {
		return err
	}
	for n := range lines / bytes.Count(text, []byte("\n")) {
		m.fill(fmt.Sprintf("large/store%d.go", n), "store", file{Package: "large", Table: fmt.Sprintf("table-%d", n), N: n})
	}
	return m.err
}
