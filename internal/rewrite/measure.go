package rewrite

import (
	"cmp"
	"fmt"
	"go/ast"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/ttlvet/ttlvet/analyzers"
	"github.com/ttlvet/ttlvet/internal/place"
	"github.com/ttlvet/ttlvet/internal/sources"
)

// A Finding is what the analyzers say of a line, whatever the wording.
type Finding struct {
	Package string
	Rule    string // "ttlwrite/server-timestamp"
	Line           // of a program whose lines move: in the declaration
}

// A Report is a finding with its wording.
type Report struct {
	Finding
	Message string
	decl    string // in which it stands
	at      []Line // where it stands, and from where the value is reached
}

// A Module is a program with what is found in it as it is.
type Module struct {
	Name     string
	Dir      string
	Program  *sources.Program
	lines    map[Finding]Report // by line
	declared map[Finding]Report // by declaration
}

// Load loads and analyses the packages of a directory that the patterns match:
// without patterns, those of its module, or of the modules of its workspace.
func Load(dir string, patterns ...string) (*Module, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if len(patterns) == 0 {
		mods, err := filepath.Glob(filepath.Join(dir, "*", "go.mod"))
		if err != nil {
			return nil, err
		}
		for _, mod := range mods {
			patterns = append(patterns, "./"+filepath.Base(filepath.Dir(mod))+"/...")
		}
		if mods == nil {
			patterns = []string{"./..."}
		}
	}
	p, err := sources.Load(dir, false, patterns...)
	if err != nil {
		return nil, err
	}
	m := &Module{Name: filepath.Base(dir), Dir: dir, Program: p}
	if m.lines, m.declared, err = m.find(p.Packages); err != nil {
		return nil, err
	}
	return m, nil
}

// Findings returns how many findings there are.
func (m *Module) Findings() int { return len(m.lines) }

// A Change is what a transformation does to the findings of a module.
type Change struct {
	Concerned int      // findings that stand where a value is carried, or depend on one
	Appeared  []Report // that were not there
	Lost      []Report
	Moved     []Report // to where the same fault may stand as well
}

// Measure analyses the module rewritten.
func (m *Module) Measure(t *Transformation, only ...string) (*Change, error) {
	r, err := t.Apply(m.Program, only...)
	if err != nil {
		return nil, err
	}
	pkgs, err := m.Program.Edit(r.Texts)
	if err != nil {
		return nil, fmt.Errorf("%s of %s does not build: %w", t.Name, m.Name, err)
	}
	lines, declared, err := m.find(pkgs)
	if err != nil {
		return nil, err
	}
	before, after := m.lines, lines
	if t.Moves {
		before, after = m.declared, declared
	}
	anew := map[string]bool{}
	for _, q := range pkgs {
		anew[q.PkgPath] = true
	}
	c := &Change{}
	for f, report := range before {
		_, still := after[f]
		lost := !still && anew[f.Package]
		if lost {
			c.Lost = append(c.Lost, report)
		}
		if lost || t.whole != nil || slices.ContainsFunc(report.at, func(l Line) bool { return r.Lines[l] }) {
			c.Concerned++
		}
	}
	for f, report := range after {
		if _, was := before[f]; !was {
			c.Appeared = append(c.Appeared, report)
		}
	}
	c.findMoved(m, r)
	for _, list := range [][]Report{c.Appeared, c.Lost, c.Moved} {
		slices.SortFunc(list, func(a, b Report) int {
			return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line.Line, b.Line.Line), cmp.Compare(a.Rule, b.Rule))
		})
	}
	return c, nil
}

// findMoved takes apart what was lost at one line of a call and appeared at
// another, and what the rules say of one read: they blame the filter where it is
// made, or the read that uses it.
func (c *Change) findMoved(m *Module, r *Rewriting) {
	c.Lost = slices.DeleteFunc(c.Lost, func(was Report) bool {
		i := slices.IndexFunc(c.Appeared, func(is Report) bool {
			if is.Rule != was.Rule || is.File != was.File {
				return false
			}
			return is.decl == was.decl && strings.HasPrefix(is.Rule, "ttlread/") && r.Lines[is.at[0]] ||
				slices.ContainsFunc(r.Spans, func(s Span) bool {
					return m.rel(s.File) == is.File && min(is.Line.Line, was.Line.Line) >= s.From && max(is.Line.Line, was.Line.Line) <= s.To
				})
		})
		if i < 0 {
			return false
		}
		c.Moved = append(c.Moved, c.Appeared[i])
		c.Appeared = slices.Delete(c.Appeared, i, i+1)
		return true
	})
}

// find runs the suite, and returns the findings by line and by declaration.
func (m *Module) find(pkgs []*packages.Package) (lines, declared map[Finding]Report, err error) {
	graph, err := checker.Analyze(analyzers.Suite(), pkgs, nil)
	if err != nil {
		return nil, nil, err
	}
	lines, declared = map[Finding]Report{}, map[Finding]Report{}
	for _, act := range graph.Roots {
		if act.Err != nil {
			return nil, nil, fmt.Errorf("%s: %w", act, act.Err)
		}
		for _, d := range act.Diagnostics {
			pos := m.Program.Fset.Position(d.Pos)
			f := Finding{act.Package.PkgPath, act.Analyzer.Name + "/" + d.Category, Line{m.rel(pos.Filename), pos.Line}}
			at := []Line{{pos.Filename, pos.Line}}
			if file, line, ok := place.Reached(d.Message); ok {
				file = cmp.Or(file, filepath.Base(pos.Filename))
				at = append(at, Line{filepath.Join(m.Dir, filepath.FromSlash(file)), line}, Line{filepath.Join(filepath.Dir(pos.Filename), file), line})
			}
			report, moving := Report{f, d.Message, "", at}, f
			for _, file := range act.Package.Syntax {
				for _, decl := range file.Decls {
					if decl.Pos() <= d.Pos && d.Pos <= decl.End() {
						report.decl = declName(decl)
						moving.Line = Line{report.decl, pos.Line - m.Program.Fset.Position(decl.Pos()).Line}
					}
				}
			}
			lines[f], declared[moving] = report, report
		}
	}
	return lines, declared, nil
}

func (m *Module) rel(name string) string {
	if rel, err := filepath.Rel(m.Dir, name); err == nil {
		return filepath.ToSlash(rel)
	}
	return name
}

func (r Report) String() string {
	return fmt.Sprintf("%s:%d %s: %s", r.File, r.Line.Line, r.Rule, r.Message)
}

// declName names a declaration, in whatever file it stands: a function by its
// receiver and name, others by what they declare.
func declName(decl ast.Decl) string {
	name := ""
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Recv != nil && len(decl.Recv.List) > 0 {
			ast.Inspect(decl.Recv.List[0].Type, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && name == "" {
					name = id.Name + "."
				}
				return true
			})
		}
		name += decl.Name.Name
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				name += spec.Name.Name + " "
			case *ast.ValueSpec:
				for _, id := range spec.Names {
					name += id.Name + " "
				}
			}
		}
	}
	return name
}
