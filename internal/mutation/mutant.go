// Package mutation breaks correct code, one expression at a time, for the
// test that counts how much of it the analyzers find.
package mutation

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"sort"
	"strings"
)

// A Kind is a way to break code.
type Kind string

// The kinds.
const (
	ToServerTime  Kind = "expiry or number becomes ServerTime"
	ToNow         Kind = "expiry or number becomes Now"
	ZeroToNow     Kind = "timestamp zero becomes Now"
	NoScale       Kind = "sequence number without × 1000"
	WrongUnit     Kind = "UnixMicro becomes Unix"
	Twice         Kind = "Set twice"
	DeleteLast    Kind = "deletion after Set"
	NoFilter      Kind = "live filter removed"
	Inverted      Kind = "range inverted"
	OtherBound    Kind = "bound of another strategy"
	NoLimit       Kind = "LatestN removed"
	AgeToVersions Kind = "age policy becomes versions"
	VersionsToAge Kind = "versions policy becomes age"
)

// Kinds lists the kinds in the order of reports.
var Kinds = []Kind{ToServerTime, ToNow, ZeroToNow, NoScale, WrongUnit, Twice, DeleteLast, NoFilter, Inverted, OtherBound, NoLimit, AgeToVersions, VersionsToAge}

// categories are what a kind of break may be found as.
var categories = map[Kind][]string{
	ToServerTime:  {"server-timestamp", "clock-in-sequence"},
	ToNow:         {"write-time", "clock-in-sequence"},
	ZeroToNow:     {"clock-in-zero"},
	NoScale:       {"unscaled-sequence"},
	WrongUnit:     {"wrong-unit"},
	Twice:         {"same-timestamp"},
	DeleteLast:    {"delete-after-set"},
	NoFilter:      {"missing-filter"},
	Inverted:      {"expired-only", "empty-range", "missing-filter"}, // the start may go to where there is none
	OtherBound:    {"wrong-bound", "stale-bound"},                    // of a clock reading that is kept
	NoLimit:       {"version-limit", "missing-filter", "unfiltered-branch"},
	AgeToVersions: {"no-policy", "versions-with-expiry"},
	VersionsToAge: {"age-on-sequence", "age-on-zero"},
}

// Is reports whether a finding of that category says what is wrong with what
// is broken in that way.
func (k Kind) Is(category string) bool { return slices.Contains(categories[k], category) }

// An Edit replaces what stands between two offsets of a file.
type Edit struct {
	From, To int
	Text     string
}

// A Mutant is a program that is wrong at one place.
type Mutant struct {
	Kind     Kind
	Package  string
	File     string
	Line     int // where it is wrong
	From, To int // the lines of the declaration in which it is
	Edits    []Edit
	Was, Is  string // the text that is replaced, and the text instead
}

func (m *Mutant) String() string {
	return fmt.Sprintf("%s:%d: %s: %s → %s", m.File, m.Line, m.Kind, m.Was, m.Is)
}

// packages that replacements use, under names that no code has.
const (
	timePkg = "time__"
	btPkg   = "bigtable__"
	imports = `; import ` + timePkg + ` "time"; import ` + btPkg + ` "cloud.google.com/go/bigtable"`
)

// Apply returns the text of the file with the mutation. Lines stay where
// they are.
func (m *Mutant) Apply(src string, pkgName int) string {
	edits := append([]Edit{{pkgName, pkgName, imports}}, m.Edits...)
	sort.SliceStable(edits, func(i, j int) bool { return edits[i].From > edits[j].From })
	for _, e := range edits {
		src = src[:e.From] + e.Text + src[e.To:]
	}
	return src
}

// A spot is a declaration in a file, in which mutants are made.
type spot struct {
	fset *token.FileSet
	file *ast.File
	decl ast.Decl
	src  string
	pkg  string
}

func (s *spot) offset(pos token.Pos) int { return s.fset.Position(pos).Offset }

func (s *spot) text(n ast.Node) string { return s.src[s.offset(n.Pos()):s.offset(n.End())] }

// correct reports whether nothing in the declaration is marked as wrong or
// silenced, so that what is found in a mutant is due to the mutation.
func (s *spot) correct() bool {
	from, to := s.decl.Pos(), s.decl.End()
	if d, ok := s.decl.(*ast.FuncDecl); ok && d.Doc != nil {
		from = d.Doc.Pos()
	}
	line := s.fset.Position(to).Line
	for _, g := range s.file.Comments {
		for _, c := range g.List {
			// Directives before the package clause are for the whole file.
			if c.Pos() > s.file.Package && (c.Pos() < from || s.fset.Position(c.Pos()).Line > line) {
				continue
			}
			for _, mark := range []string{"// want", "// BAD", "//ttlvet:ignore", "//nolint"} {
				if strings.Contains(c.Text, mark) {
					return false
				}
			}
		}
	}
	return true
}

func (s *spot) mutant(kind Kind, at ast.Node, was, is string, edits ...Edit) *Mutant {
	return &Mutant{
		Kind: kind, Package: s.pkg, File: s.fset.Position(s.file.FileStart).Filename,
		Line: s.fset.Position(at.Pos()).Line, From: s.fset.Position(s.decl.Pos()).Line, To: s.fset.Position(s.decl.End()).Line,
		Edits: edits, Was: oneLine(was), Is: oneLine(is),
	}
}

// replace makes a mutant in which a node has another text.
func (s *spot) replace(kind Kind, n ast.Node, text string) *Mutant {
	return s.mutant(kind, n, s.text(n), text, Edit{s.offset(n.Pos()), s.offset(n.End()), text})
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
