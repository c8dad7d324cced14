package referee

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/ttlvet/ttlvet/internal/referee/record"
)

// modulePath is below ttlvet's, so that what records may import the recorder.
const modulePath = "github.com/ttlvet/ttlvet/programs"

const registry = `version: 1
tables:
  sessions:
    families:
      token:   {strategy: one-second-expiration, ttl: 30m}
      profile: {strategy: real-timestamps}
  active:
    families:
      mark: {strategy: one-second-expiration, ttl: 30m}
  archive:
    families:
      mark: {strategy: real-timestamps}
  clicks:
    families:
      event: {strategy: default-expiration, ttl: 720h}
  "*-ledger":
    families:
      entry: {strategy: sequential-numbers, versions: 3}
  catalog:
    families:
      latest: {strategy: timestamp-zero}
`

// perPackage is how many programs share a package, and the helpers in it.
const perPackage = 20

// A Batch is programs on disk: one module for the analyzers, one that runs.
type Batch struct {
	Programs []*Program
	Dir      string // of the one that is analysed
	run      string
}

// NewBatch writes programs into a directory. root is ttlvet's own.
func NewBatch(dir, root string, programs []*Program) (*Batch, error) {
	b := &Batch{Programs: programs, Dir: filepath.Join(dir, "analysed"), run: filepath.Join(dir, "run")}
	groups := map[string][]*Program{}
	var order []string
	count := map[string]int{}
	for _, p := range programs {
		n := count[p.Subject.Name]
		count[p.Subject.Name]++
		pkg := fmt.Sprintf("%s%d", p.Subject.Name, n/perPackage)
		if groups[pkg] == nil {
			order = append(order, pkg)
		}
		groups[pkg] = append(groups[pkg], p)
	}
	var list strings.Builder
	imports := ""
	for _, pkg := range order {
		imports += fmt.Sprintf("\t%q\n", modulePath+"/"+pkg)
		for _, p := range groups[pkg] {
			fmt.Fprintf(&list, "\t\t{%q, %s.%s},\n", p.Name(), pkg, strings.ToUpper(p.Name()[:1])+p.Name()[1:])
		}
	}
	mod, sum, err := modules(root)
	if err != nil {
		return nil, err
	}
	files := map[string]string{"go.mod": mod, "go.sum": sum, "ttlvet.yaml": registry}
	for _, records := range []bool{false, true} {
		to := b.Dir
		if records {
			to = b.run
			files["main.go"] = "package main\n\nimport (\n\t\"github.com/ttlvet/ttlvet/internal/referee/record\"\n\n" + imports + ")\n\nfunc main() {\n\trecord.Main([]record.Program{\n" + list.String() + "\t})\n}\n"
		}
		for _, pkg := range order {
			files[pkg+"/dep/dep.go"] = depSource(groups[pkg][0].Subject, records)
			files[pkg+"/support.go"] = support(pkg, groups[pkg][0].Subject, records)
			for _, p := range groups[pkg] {
				files[pkg+"/"+p.Name()+".go"] = p.Source(pkg, records)
			}
			if records {
				files[pkg+"/exports.go"] = exports(pkg, groups[pkg])
			}
		}
		for name, text := range files {
			path := filepath.Join(to, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				return nil, err
			}
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				return nil, err
			}
		}
	}
	return b, nil
}

// exports gives the module's command the programs of a package.
func exports(pkg string, programs []*Program) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nvar (\n", pkg)
	for _, p := range programs {
		fmt.Fprintf(&b, "\tP%s = %s\n", p.Name()[1:], p.Name())
	}
	return b.String() + ")\n"
}

// modules returns the go.mod and go.sum of a module that has what ttlvet has.
func modules(root string) (mod, sum string, err error) {
	data, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", "", err
	}
	for line := range strings.Lines(string(data)) {
		switch {
		case strings.HasPrefix(line, "module "):
			line = "module " + modulePath + "\n"
		case strings.HasPrefix(line, "tool "):
			line = ""
		}
		mod += line
	}
	mod += fmt.Sprintf("\nrequire github.com/ttlvet/ttlvet v0.0.0\nreplace github.com/ttlvet/ttlvet => %s\nreplace github.com/ttlvet/ttlvet/runtime => %s\n", root, filepath.Join(root, "runtime"))
	if !strings.Contains(mod, "github.com/ttlvet/ttlvet/runtime v") {
		mod += "require github.com/ttlvet/ttlvet/runtime v0.0.0\n"
	}
	for _, name := range []string{"go.sum", "runtime/go.sum", "go.work.sum"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil && !os.IsNotExist(err) {
			return "", "", err
		}
		sum += string(data)
	}
	return mod, sum, nil
}

// Execute runs the programs and returns their requests.
func (b *Batch) Execute() ([]*record.Request, error) {
	bin := filepath.Join(b.run, "run.exe")
	for _, args := range [][]string{{"go", "build", "-mod=mod", "-gcflags=" + modulePath + "/...=-N -l", "-o", bin, "."}, {bin}} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = b.run
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOPROXY=off")
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", args[0], err, errs.String())
		}
		if args[0] == bin {
			var list []*record.Request
			return list, json.Unmarshal(out.Bytes(), &list)
		}
	}
	return nil, nil
}
