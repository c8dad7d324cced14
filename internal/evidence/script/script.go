// Package script reads the policies that commands set: those of cbt and of
// gcloud, in shell scripts, Makefiles, Dockerfiles, and the YAML files of
// compose, of CI services and of Kubernetes.
//
// Scripts are followed without running anything: variables, arrays, loops
// over words, functions, conditions both ways. What a program would print,
// what the environment holds and what a parameter is, is not known.
package script

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/lazy"
)

// Reader reads scripts.
var Reader = &evidence.Reader{Name: "script", Claims: claims, Found: found, Read: read}

// A carrier finds the shell text in a file.
type carrier func(r *source)

// carriers by what files are called.
func carrierOf(path string, head []byte) carrier {
	name := strings.ToLower(filepath.Base(path))
	switch ext := filepath.Ext(name); {
	case ext == ".sh" || ext == ".bash" || ext == ".ksh":
		return plain
	case name == "makefile" || name == "gnumakefile" || ext == ".mk" || ext == ".make":
		return makefile
	case name == "dockerfile" || strings.HasPrefix(name, "dockerfile.") || ext == ".dockerfile" || name == "containerfile":
		return dockerfile
	case ext == ".yml" || ext == ".yaml":
		return yamlFile
	case ext == "" && shebang().Match(head):
		return plain
	}
	return nil
}

var shebang = lazy.Regexp(`^#!.*\b(sh|bash|dash|ksh|zsh)\b`)

func claims(path string, head []byte) bool {
	return carrierOf(path, head) != nil && !evidence.Binary(head)
}

// mentions matches files that may hold a command that creates or changes
// families.
var mentions = lazy.Regexp(`\b(createtable|createfamily|setgcpolicy)\b|\bbigtable\b[^\n]*\btables\b`)

func found(_ string, data []byte) bool { return mentions().Match(data) }

// A source is a file with commands.
type source struct {
	schema *evidence.Schema
	path   string
	text   string
	replay *replay
	// emulator reports whether the file sets an emulator's address for all
	// of its commands.
	emulator bool
}

// A position maps a place in a piece of shell text to the file's.
type position func(line, column int) (int, int)

func read(in *evidence.Input) *evidence.Schema {
	all := &evidence.Schema{}
	for _, path := range in.Paths {
		s := &evidence.Schema{}
		if data, ok := all.ReadFile(path); ok {
			Text(s, path, data)
		}
		all.Add(s)
	}
	return all
}

// Text reads the content of a file into s.
func Text(s *evidence.Schema, path string, data []byte) {
	head := data[:min(len(data), 4096)]
	if evidence.Binary(head) {
		s.Fail(evidence.At(path, 1, 1), "is no text")
		return
	}
	c := carrierOf(path, head)
	if c == nil {
		c = plain
	}
	r := &source{schema: s, path: path, text: string(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")))}
	r.replay = &replay{schema: s, file: path, data: data}
	c(r)
	r.replay.finish()
	// The same place is seen once for each turn and arm that leads there.
	s.Notes = unique(s.Notes)
	s.Faults = uniqueFaults(s.Faults)
}

func unique(notes []*evidence.Note) []*evidence.Note {
	seen := map[string]bool{}
	var out []*evidence.Note
	for _, n := range notes {
		if key := n.Place.String() + n.Message; !seen[key] {
			seen[key] = true
			out = append(out, n)
		}
	}
	return out
}

func uniqueFaults(faults []*evidence.Fault) []*evidence.Fault {
	seen := map[string]bool{}
	var out []*evidence.Fault
	for _, n := range faults {
		if key := n.Place.String() + n.Message; !seen[key] {
			seen[key] = true
			out = append(out, n)
		}
	}
	return out
}

func plain(r *source) {
	r.replay.lines = true
	r.shell(r.text, func(l, c int) (int, int) { return l, c }, r.newShell(), true)
}

func (r *source) newShell() *shell {
	s := newShell(r.replay.command)
	// A file of containers gives them their environment elsewhere.
	s.emulator = r.emulator
	return s
}

// templates are the expressions of CI services inside shell text.
var templates = lazy.Regexp(`\$\{\{.*?\}\}|\$\[\[.*?\]\]|\{\{.*?\}\}|<<\s*[a-z]+\.[\w.-]+\s*>>`)

// shell follows a piece of shell text. strict reports whether it must be
// one: a script that cannot be parsed is broken, other text may be no shell.
func (r *source) shell(text string, at position, sh *shell, strict bool) {
	if !mentions().MatchString(text) && !strict {
		return
	}
	// A script of zsh, or text with expressions of other languages.
	text = templates().ReplaceAllString(text, unknown)
	file, err := parse(text)
	var perr syntax.ParseError
	var lerr syntax.LangError
	switch {
	case errors.As(err, &perr):
		l, c := at(int(perr.Pos.Line()), int(perr.Pos.Col()))
		r.schema.Fail(evidence.At(r.path, l, c), "is no shell script: %s", perr.Text)
	case errors.As(err, &lerr):
		l, c := at(int(lerr.Pos.Line()), int(lerr.Pos.Col()))
		r.schema.Fail(evidence.At(r.path, l, c), "is no script of bash: %s", lerr.Feature)
	case err != nil:
		r.schema.Fail(evidence.At(r.path, 1, 1), "is no shell script: %v", err)
	}
	if err != nil {
		// What stands before the mistake counts no less.
		if file == nil {
			return
		}
	}
	r.replay.place = func(c command) evidence.Place {
		l, col := at(int(c.pos.Line()), int(c.pos.Col()))
		p := evidence.At(r.path, l, col)
		el, ec := at(int(c.end.Line()), int(c.end.Col()))
		p.End = evidence.At(r.path, el, ec).Position
		return p
	}
	sh.stmts(file.Stmts)
	if sh.steps > maxSteps {
		l, c := at(1, 1)
		r.schema.Note(evidence.At(r.path, l, c), "has more than %d steps, and is not followed to its end", maxSteps)
	}
}
