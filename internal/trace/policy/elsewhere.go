package policy

import (
	"go/ast"
	"slices"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// Left reports whether an event is the creation of a family by a function of
// another package that also sets policies of what it creates, in whatever
// branch: the call may leave that to another.
func Left(e *event.Event) bool {
	if e.Link.Effect == nil {
		return false
	}
	const family = 3
	names := func(c summary.Case) string {
		if len(c.Args) <= family {
			return ""
		}
		return c.Args[family].String()
	}
	s := e.Imported(e.Target.Obj)
	return s != nil && slices.ContainsFunc(s.Effects, func(other summary.Effect) bool {
		return slices.ContainsFunc(other.Cases, func(c summary.Case) bool {
			sets := slices.ContainsFunc(policiesOf(other.Op, c.Args), func(u PolicyUse) bool { return u.Policy != nil && !u.Created })
			return sets && slices.ContainsFunc(e.Link.Effect.Cases, func(d summary.Case) bool { return names(c) != "" && names(c) == names(d) })
		})
	})
}

// Returned lists the policies of the configuration with which a case of an
// event creates a table as they are whoever asks for it, where a function of
// another package returns it: what is wrong with them is wrong there.
func Returned(e *event.Event, c summary.Case) []PolicyUse {
	if e.Op != btapi.CreateTableFromConf || len(c.Args) < 3 {
		return nil
	}
	call, ok := c.Args[2].Expr.(*ast.CallExpr)
	if !ok {
		return nil
	}
	maker := e.Runs(call)
	if maker == nil || !maker.Exported() {
		return nil
	}
	s := e.Imported(maker)
	if s == nil {
		return nil
	}
	var out []PolicyUse
	for _, r := range s.Results.Cases() {
		for _, v := range r.Values {
			out = append(out, judgedThere(v)...)
		}
	}
	return out
}
