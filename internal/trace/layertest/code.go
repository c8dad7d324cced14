package layertest

import (
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
)

// Code is the program that a source makes.
type Code struct {
	Prog     *program.Program
	tb       testing.TB
	comments map[int]string // by line: what stands behind the code
}

// A Fact is what a test says of a function or variable of another package:
// what tracing would have found there.
type Fact struct {
	Of   string // "dep.F", "dep.T.M" or "dep.V"
	Fact analysis.Fact
}

// Load returns the program of a source's last package, to which the facts of
// the others are known.
func Load(tb testing.TB, src string, facts ...Fact) *Code {
	tb.Helper()
	passes := Packages(tb, src)
	pass := passes[len(passes)-1]
	for _, f := range facts {
		pass.ExportObjectFact(object(tb, passes, f.Of), f.Fact)
	}
	code := &Code{Prog: program.New(pass), tb: tb, comments: map[int]string{}}
	for _, file := range pass.Files {
		for _, group := range file.Comments {
			c := group.List[0]
			code.comments[pass.Fset.Position(c.Pos()).Line] = strings.TrimSpace(strings.TrimPrefix(c.Text, "//"))
		}
	}
	return code
}

// object finds a function, method or variable by package and name.
func object(tb testing.TB, passes []*analysis.Pass, name string) types.Object {
	tb.Helper()
	parts := strings.Split(name, ".")
	for _, pass := range passes {
		if pass.Pkg.Name() != parts[0] {
			continue
		}
		obj := pass.Pkg.Scope().Lookup(parts[1])
		if len(parts) == 3 && obj != nil {
			obj, _, _ = types.LookupFieldOrMethod(types.NewPointer(obj.Type()), true, pass.Pkg, parts[2])
		}
		if obj != nil {
			return obj
		}
	}
	tb.Fatalf("the source has no %s", name)
	return nil
}

// Func returns the function of that name: "f"; "T.m" for a method, "f$1" for
// the first literal in f.
func (c *Code) Func(name string) *ssa.Function {
	c.tb.Helper()
	for _, fn := range c.Prog.Funcs {
		if NameOf(fn) == name {
			return fn
		}
	}
	c.tb.Fatalf("the source has no function %s", name)
	return nil
}

// NameOf returns the name of a function as [Code.Func] takes it.
func NameOf(fn *ssa.Function) string {
	return strings.NewReplacer("(", "", ")", "", "*", "").Replace(fn.RelString(fn.Pkg.Pkg))
}

// Call returns the first call in fn of a function or method of that name.
func (c *Code) Call(fn, callee string) ssa.CallInstruction {
	c.tb.Helper()
	for _, call := range c.Prog.Calls[c.Func(fn)] {
		if CalleeOf(call) == callee {
			return call
		}
	}
	c.tb.Fatalf("%s does not call %s", fn, callee)
	return nil
}

// CalleeOf returns the name of the function or method that a call names, or
// "".
func CalleeOf(call ssa.CallInstruction) string {
	common := call.Common()
	switch callee := common.StaticCallee(); {
	case common.IsInvoke():
		return common.Method.Name()
	case callee != nil:
		return kind.Origin(callee).Name()
	}
	return ""
}

// Global returns the package variable of that name.
func (c *Code) Global(name string) *ssa.Global {
	c.tb.Helper()
	g, ok := c.Prog.Pkg.Members[name].(*ssa.Global)
	if !ok {
		c.tb.Fatalf("the source has no variable %s", name)
	}
	return g
}

// A Shown is a value that the source marks by the call show(value).
type Shown struct {
	Call  ssa.CallInstruction
	Value ssa.Value
	Line  int    // in the source
	Want  string // the comment at the end of the line
}

// Shows lists the marked values in source order.
func (c *Code) Shows() []Shown {
	var out []Shown
	for _, fn := range c.Prog.Funcs {
		for _, call := range c.Prog.Calls[fn] {
			if CalleeOf(call) == "show" {
				line := c.Prog.Pass.Fset.Position(call.Pos()).Line
				out = append(out, Shown{call, call.Common().Args[0], line, c.Comment(call)})
			}
		}
	}
	return out
}

// Comment returns what stands behind the code in the line of an instruction.
func (c *Code) Comment(at ssa.Instruction) string {
	return c.comments[c.Prog.Pass.Fset.Position(at.Pos()).Line]
}

// Comments returns what stands behind the code, by line.
func (c *Code) Comments() map[int]string { return c.comments }

// Show returns the only marked value.
func (c *Code) Show() Shown {
	c.tb.Helper()
	shows := c.Shows()
	if len(shows) != 1 {
		c.tb.Fatalf("the source marks %d values", len(shows))
	}
	return shows[0]
}

// Check holds what answer says of each marked value against the comment behind
// it.
func (c *Code) Check(answer func(Shown) string) {
	c.tb.Helper()
	shows := c.Shows()
	if len(shows) == 0 {
		c.tb.Fatal("the source marks no value")
	}
	for _, s := range shows {
		if got := answer(s); got != s.Want {
			c.tb.Errorf("line %d: %s\n got %s\nwant %s", s.Line, s.Value, got, s.Want)
		}
	}
}
