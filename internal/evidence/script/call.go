package script

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/ttlvet/ttlvet/internal/input"
)

// A truth is what is known of a condition.
type truth uint8

const (
	perhaps truth = iota
	yes
	no
)

// condition follows the commands of a condition and says what they decide.
func (s *shell) condition(list []*syntax.Stmt) truth {
	if len(list) == 1 {
		if t, ok := s.test(list[0]); ok {
			return t
		}
	}
	s.stmts(list)
	return perhaps
}

// test evaluates a statement that is a test. ok is false if it is none.
func (s *shell) test(st *syntax.Stmt) (t truth, ok bool) {
	var args []string
	switch c := st.Cmd.(type) {
	case *syntax.CallExpr:
		if len(c.Args) == 0 {
			return perhaps, false
		}
		args = s.fields(c.Args...)
		if len(args) == 0 {
			return perhaps, false
		}
		switch {
		case args[0] == "[" && args[len(args)-1] == "]":
			args = args[1 : len(args)-1]
		case args[0] == "test":
			args = args[1:]
		default:
			return perhaps, false
		}
	case *syntax.TestClause:
		switch x := c.X.(type) {
		case *syntax.BinaryTest:
			a, aok := x.X.(*syntax.Word)
			b, bok := x.Y.(*syntax.Word)
			if !aok || !bok {
				return perhaps, true
			}
			if text := s.literal(b); strings.ContainsAny(text, `*?[\`) {
				return perhaps, true // a pattern
			}
			args = []string{s.literal(a), x.Op.String(), s.literal(b)}
		case *syntax.UnaryTest:
			if a, ok := x.X.(*syntax.Word); ok {
				args = []string{x.Op.String(), s.literal(a)}
			}
		}
	default:
		return perhaps, false
	}
	t = decide(args)
	if st.Negated && t != perhaps {
		t = yes + no - t
	}
	return t, true
}

// decide evaluates the operators of test whose operands are known.
func decide(args []string) truth {
	for _, a := range args {
		if strings.Contains(a, unknown) {
			return perhaps
		}
	}
	is := func(b bool) truth {
		if b {
			return yes
		}
		return no
	}
	switch {
	case len(args) == 3 && (args[1] == "=" || args[1] == "=="):
		return is(args[0] == args[2])
	case len(args) == 3 && args[1] == "!=":
		return is(args[0] != args[2])
	case len(args) == 2 && args[0] == "-z":
		return is(args[1] == "")
	case len(args) == 2 && args[0] == "-n":
		return is(args[1] != "")
	}
	return perhaps
}

// matches holds a word against a pattern of a case.
func matches(expr, word string, err error) (ok, known bool) {
	if err != nil || strings.Contains(expr, unknown) {
		return false, false
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return false, false
	}
	return re.MatchString(word), true
}

func (s *shell) binary(c *syntax.BinaryCmd) (left bool) {
	if c.Op == syntax.AndStmt || c.Op == syntax.OrStmt {
		if t, ok := s.test(c.X); ok {
			if t == yes && c.Op == syntax.OrStmt || t == no && c.Op == syntax.AndStmt {
				return false
			}
			if t != perhaps {
				return s.stmt(c.Y)
			}
			return s.arms(func() bool { return s.stmt(c.Y) }, func() bool { return false })
		}
		if text := swallowed(c.Y); text != "" {
			old := s.run
			s.run = func(cmd command) {
				cmd.swallowed = c.Op.String() + " " + text
				old(cmd)
			}
			defer func() { s.run = old }()
			return s.stmt(c.X)
		}
	}
	if s.stmt(c.X) {
		return c.Op != syntax.OrStmt
	}
	if c.Op == syntax.OrStmt {
		// What is done when the first fails.
		return s.arms(func() bool { return s.stmt(c.Y) }, func() bool { return false })
	}
	return s.stmt(c.Y)
}

// swallowed returns a condition of a policy that stands where the shell
// takes it for an assignment: cbt … maxage=1d || maxversions=2.
func swallowed(st *syntax.Stmt) string {
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) > 0 || len(call.Assigns) != 1 {
		return ""
	}
	a := call.Assigns[0]
	if a.Name == nil || a.Value == nil || a.Name.Value != "maxage" && a.Name.Value != "maxversions" {
		return ""
	}
	return a.Name.Value + "=" + a.Value.Lit()
}

// runners are programs that run the program that is named among their
// arguments.
var runners = []string{"sudo", "env", "exec", "command", "time", "nohup", "timeout", "nice", "xargs", "retry", "docker", "docker-compose", "podman", "kubectl", "wait-for-it.sh", "wait-for-it", "dockerize", "run"}

// call follows a call of a function, a builtin or a program.
func (s *shell) call(c *syntax.CallExpr, st *syntax.Stmt) (left bool) {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			s.assign(a)
		}
		return false
	}
	args := s.fields(c.Args...)
	if len(args) == 0 {
		return false
	}
	emulator := s.emulator
	for _, a := range c.Assigns {
		if a.Name != nil && a.Name.Value == "BIGTABLE_EMULATOR_HOST" {
			s.emulator = true
		}
	}
	defer func() { s.emulator = emulator || s.emulator && len(c.Assigns) == 0 }()
	if body := s.funcs[args[0]]; body != nil && len(s.calls) < maxCalls {
		s.enter(c, body, args[1:])
		return false
	}
	switch args[0] {
	case "exit", "return":
		return true
	case "set":
		if i := slices.Index(args, "--"); i >= 0 {
			s.params = args[i+1:]
		}
		return false
	case "shift":
		if len(s.params) > 0 {
			s.params = s.params[1:]
		}
		return false
	case "unset":
		for _, name := range args[1:] {
			delete(s.vars, name)
		}
		return false
	case "read":
		for _, name := range args[1:] {
			s.vars[name] = expand.Variable{Set: true, Kind: expand.String, Str: unknown}
		}
		return false
	case "export", "readonly", "local", "declare", "typeset":
		for _, a := range args[1:] {
			if name, val, ok := strings.Cut(a, "="); ok && syntax.ValidName(name) {
				s.vars[name] = expand.Variable{Set: true, Kind: expand.String, Str: val}
				s.emulator = s.emulator || name == "BIGTABLE_EMULATOR_HOST"
			}
		}
		return false
	case "alias":
		for _, a := range args[1:] {
			if name, text, ok := strings.Cut(a, "="); ok {
				if f, err := parse(text + ` "$@"`); err == nil && len(f.Stmts) == 1 {
					s.funcs[name] = f.Stmts[0]
				}
			}
		}
		return false
	case "eval":
		s.text(c, strings.Join(args[1:], " "), nil)
		return false
	}
	s.program(c, st, args)
	return false
}

// enter follows the body of a function with its arguments.
func (s *shell) enter(c *syntax.CallExpr, body *syntax.Stmt, params []string) {
	saved := s.params
	s.params = append([]string{}, params...)
	s.calls = append(s.calls, c)
	s.stmt(body)
	s.calls = s.calls[:len(s.calls)-1]
	s.params = saved
}

// text follows a script that is an argument.
func (s *shell) text(c *syntax.CallExpr, text string, params []string) {
	f, err := parse(text)
	if err != nil || len(s.calls) >= maxCalls {
		return
	}
	saved := s.params
	if params != nil {
		s.params = params
	}
	// What stands in the text has no position of its own.
	s.calls = append(s.calls, c)
	s.stmts(forwarding(f.Stmts))
	s.calls = s.calls[:len(s.calls)-1]
	s.params = saved
}

// forwarding marks statements as ones whose place is that of their call.
func forwarding(list []*syntax.Stmt) []*syntax.Stmt {
	for _, st := range list {
		syntax.Walk(st, func(n syntax.Node) bool {
			if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
				c.Args = append(c.Args, &syntax.Word{Parts: []syntax.WordPart{&syntax.ParamExp{Short: true, Param: &syntax.Lit{Value: noArgument}}}})
			}
			return true
		})
	}
	return list
}

// noArgument is the name of a variable that is empty.
const noArgument = "__ttlvet_none"

// program notes the call of a program, or follows the script that it runs.
func (s *shell) program(c *syntax.CallExpr, st *syntax.Stmt, args []string) {
	if slices.Contains(runners, base(args[0])) {
		for i, a := range args[1:] {
			if b := base(a); b == "cbt" || b == "gcloud" || isShell(b) && slices.Contains(args[i+1:], "-c") {
				args = args[i+1:]
				break
			}
		}
	}
	for len(args) > 1 && strings.Contains(args[0], "=") { // env A=b cbt
		s.emulator = s.emulator || strings.HasPrefix(args[0], "BIGTABLE_EMULATOR_HOST=")
		args = args[1:]
	}
	switch b := base(args[0]); {
	case isShell(b):
		for i := 1; i+1 < len(args); i++ {
			if strings.HasPrefix(args[i], "-") && strings.HasSuffix(args[i], "c") {
				s.text(c, args[i+1], args[min(i+3, len(args)):])
				return
			}
		}
		for _, r := range st.Redirs {
			if r.Hdoc != nil {
				s.text(c, s.literal(r.Hdoc), nil)
			}
		}
	case b == "cbt" || b == "gcloud":
		at := s.place(c, s.forwards)
		var call *syntax.CallExpr
		if outer := s.place(c, func(c *syntax.CallExpr) bool { return s.handsOn(c.Args...) }); outer != c {
			call = outer
		}
		s.run(command{args: args, pos: at.Pos(), end: at.End(), call: call, emulator: s.emulator,
			branches: slices.Clone(s.branches), loops: slices.Clone(s.loops)})
	}
}

func isShell(b string) bool {
	return b == "sh" || b == "bash" || b == "dash" || b == "zsh" || b == "ash" || b == "ksh"
}

// place returns the call at which what a call hands on is written.
func (s *shell) place(c *syntax.CallExpr, handsOn func(*syntax.CallExpr) bool) *syntax.CallExpr {
	for i := len(s.calls) - 1; i >= 0 && handsOn(c); i-- {
		c = s.calls[i]
	}
	return c
}

// forwards reports whether a call hands on arguments of its function that say
// what is to be done: what follows the names of the table and of the family whose
// policy is set.
func (s *shell) forwards(c *syntax.CallExpr) bool {
	first := 0
	for i, w := range c.Args {
		switch w.Lit() {
		case "setgcpolicy":
			first = i + 3
		case "createtable", "createfamily":
			first = i + 2
		case "tables":
			first = i + 3 // tables create NAME
		}
	}
	return foreign(c) || s.handsOn(c.Args[min(first, len(c.Args)):]...)
}

// handsOn reports whether words have arguments of the function in which they
// stand, by number or by a variable's name.
func (s *shell) handsOn(words ...*syntax.Word) bool {
	found := false
	for _, w := range words {
		syntax.Walk(w, func(n syntax.Node) bool {
			if p, ok := n.(*syntax.ParamExp); ok && p.Param != nil {
				v := p.Param.Value
				found = found || v == "@" || v == "*" || len(v) == 1 && v >= "1" && v <= "9" || s.handed[v]
			}
			return true
		})
	}
	return found
}

// foreign reports whether a call stands in a text that is an argument.
func foreign(c *syntax.CallExpr) bool {
	if len(c.Args) == 0 {
		return false
	}
	parts := c.Args[len(c.Args)-1].Parts
	p, ok := parts[0].(*syntax.ParamExp)
	return ok && p.Param.Value == noArgument
}

// maxScript bounds, in bytes, what is parsed as one script: a word takes a hundred
// times its length.
const maxScript = 1 << 20

func parse(text string) (*syntax.File, error) {
	if len(text) > maxScript {
		return nil, input.TooLarge(maxScript)
	}
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
}
