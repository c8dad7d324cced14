package script

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/pattern"
	"mvdan.cc/sh/v3/syntax"
)

// unknown stands in values for a part that is not known: a parameter, what a
// command prints. No name, number or separator has this character.
const unknown = "\uE000"

// A command is a call of a program, as a script makes it.
type command struct {
	args []string
	// pos is where the arguments are written: the outermost call of a
	// function that hands its own arguments on.
	pos, end syntax.Pos
	// call is the outermost call of a function that hands on any argument, nil
	// where the call itself does not.
	call *syntax.CallExpr
	// branches are the arms of conditions in which the call stands, loops
	// the loops of several turns, both from the outermost.
	branches, loops []int
	emulator        bool // an emulator's address is set
	// swallowed is a condition that the shell took for a command.
	swallowed string
}

// A shell follows a script without running anything. Where a condition is
// not known it goes both ways.
type shell struct {
	run      func(command)
	vars     map[string]expand.Variable
	funcs    map[string]*syntax.Stmt
	handed   map[string]bool // variables that hold arguments of a function
	params   []string        // nil: those of the script, which are not known
	calls    []*syntax.CallExpr
	branches []int
	loops    []int
	number   int // of arms and loops
	steps    int
	written  int // bytes that words have stood for
	emulator bool
}

// maxSteps bounds how many statements and assignments of one script are followed.
const maxSteps = 5000

// maxCalls bounds how deep functions are followed.
const maxCalls = 16

func newShell(run func(command)) *shell {
	return &shell{run: run, vars: map[string]expand.Variable{}, funcs: map[string]*syntax.Stmt{}, handed: map[string]bool{}}
}

// Get, of expand.Environ, returns a variable. One that is not set is not
// known, unless the word that is expanded has a default for it.
func (e environ) Get(name string) expand.Variable {
	s := e.shell
	known := func(v string) expand.Variable { return expand.Variable{Set: true, Kind: expand.String, Str: v} }
	switch {
	case name == "IFS" || name == noArgument:
		return expand.Variable{}
	case name == "@" || name == "*":
		if s.params == nil {
			return expand.Variable{Set: true, Kind: expand.Indexed, List: []string{unknown}}
		}
		return expand.Variable{Set: true, Kind: expand.Indexed, List: s.params}
	case len(name) == 1 && name >= "1" && name <= "9":
		if i := int(name[0] - '1'); s.params != nil && i < len(s.params) {
			return known(s.params[i])
		} else if s.params != nil || e.defaulted[name] {
			return expand.Variable{}
		}
		return known(unknown)
	}
	if v, ok := s.vars[name]; ok {
		return v
	}
	if name == "BIGTABLE_EMULATOR_HOST" {
		return expand.Variable{} // what is meant for the emulator is not what is meant
	}
	if e.defaulted[name] {
		return expand.Variable{}
	}
	return known(unknown)
}

// Set, of expand.WriteEnviron, is for ${name:=default}.
func (e environ) Set(name string, v expand.Variable) error {
	v.Set = true
	e.shell.vars[name] = short(v)
	return nil
}

// Each, of expand.Environ, lists the variables.
func (e environ) Each(func(string, expand.Variable) bool) {}

// An environ is the variables as one word sees them.
type environ struct {
	shell     *shell
	defaulted map[string]bool
}

func (s *shell) assign(a *syntax.Assign) {
	if a.Name == nil || a.Naked && a.Value == nil && a.Array == nil {
		return
	}
	s.steps++
	name := a.Name.Value
	s.handed[name] = len(s.calls) > 0 && a.Value != nil && s.handsOn(a.Value)
	v := expand.Variable{Set: true, Kind: expand.String}
	switch {
	case a.Index != nil:
		v.Str = unknown
	case a.Array != nil:
		v.Kind = expand.Indexed
		for _, el := range a.Array.Elems {
			if el.Index != nil || el.Value == nil {
				v = expand.Variable{Set: true, Kind: expand.String, Str: unknown}
				break
			}
			v.List = append(v.List, s.fields(el.Value)...)
			if len(v.List) > maxFields {
				break
			}
		}
		if old, ok := s.vars[name]; a.Append && ok && v.Kind == expand.Indexed {
			if old.Kind == expand.Indexed {
				v.List = append(slices.Clone(old.List), v.List...)
			} else if old.Kind == expand.String {
				v.List = append([]string{old.Str}, v.List...)
			}
		}
	default:
		v.Str = s.literal(a.Value)
		if old, ok := s.vars[name]; a.Append && ok {
			v.Str = old.String() + v.Str
		}
	}
	if name == "BIGTABLE_EMULATOR_HOST" && v.Str != "" {
		s.emulator = true
	}
	s.vars[name] = short(v)
}

// stmts follows statements and reports whether they leave the script or the
// function.
func (s *shell) stmts(list []*syntax.Stmt) (left bool) {
	for _, st := range list {
		if s.stmt(st) {
			return true
		}
	}
	return false
}

func (s *shell) stmt(st *syntax.Stmt) (left bool) {
	if s.steps++; s.steps > maxSteps || st == nil || st.Cmd == nil {
		return s.steps > maxSteps
	}
	switch c := st.Cmd.(type) {
	case *syntax.CallExpr:
		return s.call(c, st)
	case *syntax.DeclClause:
		for _, a := range c.Args {
			s.assign(a)
		}
	case *syntax.Block:
		return s.stmts(c.Stmts)
	case *syntax.Subshell:
		saved := s.clone()
		s.stmts(c.Stmts)
		s.vars = saved
	case *syntax.TimeClause:
		return s.stmt(c.Stmt)
	case *syntax.FuncDecl:
		if c.Name != nil {
			s.funcs[c.Name.Value] = c.Body
		}
	case *syntax.BinaryCmd:
		return s.binary(c)
	case *syntax.IfClause:
		return s.ifClause(c)
	case *syntax.CaseClause:
		s.caseClause(c)
	case *syntax.ForClause:
		s.forClause(c)
	case *syntax.WhileClause:
		s.whileClause(c, st)
	}
	return false
}

func (s *shell) clone() map[string]expand.Variable {
	c := make(map[string]expand.Variable, len(s.vars))
	for k, v := range s.vars {
		c[k] = v
	}
	return c
}

// arms follows alternatives, one of which is taken. Variables on which they
// do not agree are not known afterwards.
func (s *shell) arms(arms ...func() bool) (left bool) {
	before := s.clone()
	var after map[string]expand.Variable
	left = true
	for _, arm := range arms {
		s.vars = make(map[string]expand.Variable, len(before))
		for k, v := range before {
			s.vars[k] = v
		}
		s.number++
		s.branches = append(s.branches, s.number)
		gone := arm()
		s.branches = s.branches[:len(s.branches)-1]
		if gone {
			continue
		}
		left = false
		if after == nil {
			after = s.vars
			continue
		}
		for k, v := range s.vars {
			if !same(v, after[k]) {
				after[k] = either(v, after[k])
			}
		}
		for k := range after {
			if _, ok := s.vars[k]; !ok {
				after[k] = expand.Variable{Set: true, Kind: expand.String, Str: unknown}
			}
		}
	}
	if after == nil {
		after = before
	}
	s.vars = after
	return left
}

// either is a variable that is one of two. A command in an array may have
// more flags.
func either(a, b expand.Variable) expand.Variable {
	if len(a.List) > len(b.List) {
		a, b = b, a
	}
	if a.Kind == expand.Indexed && b.Kind == expand.Indexed && len(a.List) > 0 && slices.Equal(a.List, b.List[:len(a.List)]) {
		a.List = append(slices.Clone(a.List), unknown)
		return a
	}
	return expand.Variable{Set: true, Kind: expand.String, Str: unknown}
}

func same(a, b expand.Variable) bool {
	return a.Kind == b.Kind && a.Set == b.Set && a.Str == b.Str && slices.Equal(a.List, b.List)
}

func (s *shell) ifClause(c *syntax.IfClause) bool {
	if len(c.Cond) == 0 { // else
		return s.stmts(c.Then)
	}
	truth := s.condition(c.Cond)
	otherwise := func() bool { return c.Else != nil && s.ifClause(c.Else) }
	switch truth {
	case yes:
		return s.stmts(c.Then)
	case no:
		return otherwise()
	}
	return s.arms(func() bool { return s.stmts(c.Then) }, otherwise)
}

func (s *shell) caseClause(c *syntax.CaseClause) {
	word := s.literal(c.Word)
	if !strings.Contains(word, unknown) {
		for _, item := range c.Items {
			for _, p := range item.Patterns {
				expr, err := pattern.Regexp(s.literal(p), pattern.EntireString)
				if ok, known := matches(expr, word, err); known && ok {
					s.stmts(item.Stmts)
					return
				} else if !known {
					goto both
				}
			}
		}
		return
	}
both:
	arms := []func() bool{func() bool { return false }}
	for _, item := range c.Items {
		arms = append(arms, func() bool { return s.stmts(item.Stmts) })
	}
	s.arms(arms...)
}

// base returns the name of a program without its directory.
func base(arg string) string { return path.Base(arg) }
