// Package evidence is the model of what is known of column families without
// a registry: the garbage collection policies that are set, by whichever
// source, the writes and the reads.
package evidence

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/ttlvet/ttlvet/internal/filter"
	"github.com/ttlvet/ttlvet/internal/gcpolicy"
	"github.com/ttlvet/ttlvet/internal/plain"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// A Kind is a kind of source.
type Kind uint8

// The kinds, from the one that is trusted most.
const (
	Live      Kind = iota // an instance, or what was saved of one
	Plan                  // a Terraform plan
	State                 // a Terraform state
	Terraform             // a configuration
	Manifest              // a Kubernetes manifest
	Go                    // Go code
	Script                // a command in a script
)

func (k Kind) String() string {
	return [...]string{"live", "plan", "state", "Terraform", "manifest", "Go", "script"}[k]
}

// A Place is where something stands.
type Place struct {
	registry.Position
	// End is where it ends, in the same file; the zero Position when only
	// its beginning is known.
	End registry.Position
	// Address names it where there are no lines to speak of: a resource in
	// a plan, a table of an instance.
	Address string
}

// String writes the place as "file:line:col", or by its address.
func (p Place) String() string {
	switch {
	case p.Address != "" && p.File == "":
		return p.Address
	case p.Address != "" && p.Line == 0:
		return p.File + ": " + p.Address
	}
	return p.Position.String()
}

// Short is the place without its column.
func (p Place) Short() string {
	if p.Address != "" && p.Line == 0 {
		return p.String()
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// SeenFrom is the place without its column, as it is seen from another file.
func (p Place) SeenFrom(file string) string {
	if rel, err := filepath.Rel(filepath.Dir(file), p.File); err == nil {
		p.File = filepath.ToSlash(rel)
	}
	return p.Short()
}

// A Setting is what one statement of a source says of a family, or of a
// table.
type Setting struct {
	Kind Kind
	// Project and Instance are "" where the source does not say.
	Project, Instance string
	// Variant names what else tells environments apart, such as a file of
	// variables or a module's address.
	Variant string
	// Table is the table's ID, in which each '*' stands for a part that is
	// not known; "*" when nothing is.
	Table string
	// Handles are the fields, variables and functions that its name came
	// through in Go code.
	Handles []string
	// Family is the column family, "" when the statement is about the table
	// alone, and with '*' like Table.
	Family string
	// Created reports whether the statement creates the family or table.
	Created bool
	// Policy is the policy that the statement gives the family: nil when it
	// says nothing of one, of kind Unknown when it cannot be evaluated.
	Policy *gcpolicy.Policy
	// Aggregate reports whether the family aggregates: its timestamps are
	// not the writers' to choose.
	Aggregate bool
	// Relaxes reports whether the service is told to ignore its warnings.
	Relaxes bool
	// Test reports whether the statement is for an emulator.
	Test  bool
	Place Place
	// Call is the call of a module or of a function of a script that says for
	// which table or family a statement in it is; nil for none.
	Call *Place
	// Written is where the policy can be written anew, or for the first time;
	// nil where it is no text of its own.
	Written *Written
}

// Known reports whether table and family are known by name.
func (s *Setting) Known() bool {
	return s.Table != "" && !strings.Contains(s.Table, "*") && s.Family != "" && !strings.Contains(s.Family, "*")
}

// States reports whether the statement says something of the policy that
// could be evaluated.
func (s *Setting) States() bool { return s.Policy != nil && s.Policy.Exact() }

// SameEnvironment reports whether two settings are for the same instance, as
// far as they say. certain reports whether both say it all.
func (s *Setting) SameEnvironment(t *Setting) (same, certain bool) {
	agree := func(a, b string) bool { return a == b || a == "" || b == "" }
	same = agree(s.Project, t.Project) && agree(s.Instance, t.Instance) && (s.Variant == t.Variant || s.Kind != t.Kind)
	certain = s.Instance != "" && s.Instance == t.Instance && s.Project == t.Project
	return same, certain
}

// A Note is a place that could not be evaluated or was left out, and why. A
// Fault is one that does not do what is written.
type Note struct {
	Place   Place
	Message string
}

// A Fault is a statement that does not do what it seems to say.
type Fault struct {
	Place         Place
	Table, Family string
	Message       string
	Mend          *Mend // nil where what was meant is not certain
}

// A Schema is what sources say.
type Schema struct {
	Settings []*Setting
	Faults   []*Fault
	Notes    []*Note // what is not known
	Errors   []*Note // what is broken
	Files    []string

	size, parts int // of the files: bytes, and what parsers make something of
}

// Add adds what another source says.
func (s *Schema) Add(t *Schema) {
	s.Settings = append(s.Settings, t.Settings...)
	s.Faults = append(s.Faults, t.Faults...)
	s.Notes = append(s.Notes, t.Notes...)
	s.Errors = append(s.Errors, t.Errors...)
	s.Files = append(s.Files, t.Files...)
}

// Note records what could not be evaluated.
func (s *Schema) Note(p Place, format string, args ...any) {
	s.Notes = append(s.Notes, &Note{p, plain.String(fmt.Sprintf(format, args...))})
}

// Fail records what is broken.
func (s *Schema) Fail(p Place, format string, args ...any) {
	s.Errors = append(s.Errors, &Note{p, plain.String(fmt.Sprintf(format, args...))})
}

// Fault records what does not do what is written.
func (s *Schema) Fault(p Place, table, family, format string, args ...any) *Fault {
	f := &Fault{Place: p, Table: table, Family: family, Message: plain.String(fmt.Sprintf(format, args...))}
	s.Faults = append(s.Faults, f)
	return f
}

// At returns the place of a line and column of a file.
func At(file string, line, column int) Place {
	return Place{Position: registry.Position{File: file, Line: line, Column: column}}
}

// TableID returns the ID of a table, of which the full name
// projects/P/instances/I/tables/T may stand for it.
func TableID(name string) string {
	if i := strings.LastIndex(name, "/tables/"); i >= 0 {
		return name[i+len("/tables/"):]
	}
	return name
}

// Environment returns the project and the instance of the full name of a
// table or instance, "" for what it does not say.
func Environment(name string) (project, instance string) {
	parts := strings.Split(name, "/")
	for i := 0; i+1 < len(parts); i += 2 {
		switch parts[i] {
		case "projects":
			project = parts[i+1]
		case "instances":
			instance = parts[i+1]
		}
	}
	return project, instance
}

// A WriteKind says what the timestamps of a write are.
type WriteKind string

// The kinds of writes.
const (
	UnknownWrite WriteKind = "unknown"
	Future       WriteKind = "expiry"       // the moment of expiry: the clock plus something
	Clock        WriteKind = "write time"   // the clock, or the server's
	Shifted      WriteKind = "shifted time" // the clock minus something
	ZeroWrite    WriteKind = "zero"
	Number       WriteKind = "number"     // a number times 1000, from no clock
	Moved        WriteKind = "moved time" // the clock plus something that may be negative
	Sloppy       WriteKind = "no valid time"
	ServerSet    WriteKind = "read-modify-write"
)

// A Write is a write in Go code.
type Write struct {
	Table    registry.Ref
	Family   string // "" when not known
	Kind     WriteKind
	Lifetime time.Duration // of Future and Shifted, where known: the distance from the clock
	Text     string        // the timestamp in words
	Place    Place
	Reason   string // why Kind is unknown
	Open     bool   // callers in other packages supply the timestamp
}

// A Read is a read in Go code.
type Read struct {
	Table    registry.Ref
	Families []string     // those that are used; nil for all that it lets through
	Keys     bool         // no cells are used
	Known    bool         // whether the filter is known
	Tree     *filter.Tree // the filter; nil for none
	Text     string       // the filter in Go's syntax
	Checked  bool         // the program compares the cells' timestamps itself
	Place    Place
	Reason   string // why the filter is not known
}

// Code is what Go code does.
type Code struct {
	Settings []*Setting
	Writes   []*Write
	Reads    []*Read
	Calls    []*Call
}

// Add adds what another package does.
func (c *Code) Add(d *Code) {
	c.Settings = append(c.Settings, d.Settings...)
	c.Writes = append(c.Writes, d.Writes...)
	c.Reads = append(c.Reads, d.Reads...)
	c.Calls = append(c.Calls, d.Calls...)
}
