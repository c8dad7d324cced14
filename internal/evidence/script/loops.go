package script

import (
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

func (s *shell) forClause(c *syntax.ForClause) {
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		s.forget(c)
		s.stmts(c.Do)
		return
	}
	items := s.fields(iter.Items...)
	if len(iter.Items) == 0 && !iter.InPos.IsValid() {
		items = environ{s, nil}.Get("@").List
	}
	s.turns(len(items), func(i int) {
		s.vars[iter.Name.Value] = expand.Variable{Set: true, Kind: expand.String, Str: items[i]}
		s.stmts(c.Do)
	})
}

// turns follows the turns of a loop.
func (s *shell) turns(n int, turn func(i int)) {
	if n > 1 {
		s.number++
		s.loops = append(s.loops, s.number)
		defer func() { s.loops = s.loops[:len(s.loops)-1] }()
	}
	for i := 0; i < n && s.steps < maxSteps; i++ {
		turn(i)
	}
}

func (s *shell) whileClause(c *syntax.WhileClause, st *syntax.Stmt) {
	if names, lines := s.readLoop(c, st); names != nil {
		s.turns(len(lines), func(i int) {
			for j, f := range expand.ReadFields(&expand.Config{Env: environ{s, nil}}, lines[i], len(names), true) {
				s.vars[names[j]] = expand.Variable{Set: true, Kind: expand.String, Str: f}
			}
			s.stmts(c.Do)
		})
		return
	}
	s.forget(c)
	s.stmts(c.Cond)
	s.arms(func() bool { s.stmts(c.Do); return false }, func() bool { return false })
}

// readLoop returns the variables and the lines of a loop over a here
// document: while read -r table family; do … done <<EOF.
func (s *shell) readLoop(c *syntax.WhileClause, st *syntax.Stmt) (names, lines []string) {
	if len(c.Cond) != 1 {
		return nil, nil
	}
	call, ok := c.Cond[0].Cmd.(*syntax.CallExpr)
	if !ok {
		return nil, nil
	}
	args := s.fields(call.Args...)
	if len(args) == 0 || args[0] != "read" {
		return nil, nil
	}
	for _, a := range args[1:] {
		if !strings.HasPrefix(a, "-") {
			names = append(names, a)
		}
	}
	for _, r := range st.Redirs {
		if r.Hdoc == nil || len(names) == 0 {
			continue
		}
		for line := range strings.Lines(s.literal(r.Hdoc)) {
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
		return names, lines
	}
	return nil, nil
}

// forget makes unknown what a loop assigns.
func (s *shell) forget(n syntax.Node) {
	lost := expand.Variable{Set: true, Kind: expand.String, Str: unknown}
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil {
				s.vars[n.Name.Value] = lost
			}
		case *syntax.CStyleLoop:
			syntax.Walk(n, func(n syntax.Node) bool {
				if l, ok := n.(*syntax.Lit); ok && syntax.ValidName(l.Value) {
					s.vars[l.Value] = lost
				}
				return true
			})
		}
		return true
	})
}
