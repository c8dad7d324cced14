package callers

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// What an edit does is known at the call that makes it, and to what at the call that
// hands it to a function which runs it.

// editOnly reports whether a case hangs on nothing that an edit is given but its
// mutation, and it is the call that makes the edit, and no call of it in view, that
// says what the case is: nobody calls it, or the function that makes it returns it.
func (p *Tracer) editOnly(c summary.Case, edit *ssa.Function, mutation int64) bool {
	other := func(w *value.Value) bool { return w.Kind == value.Param && w.Site == any(edit) && w.Num != mutation }
	return !c.Has(other) && !slices.ContainsFunc(c.When, func(g summary.Guard) bool { return g.Cond.Has(other) }) && (len(p.Prog.Callers[edit]) == 0 || p.isReturned(edit, p.Prog.Sites.Site(edit)))
}

// ofMutation reports whether an operation is done to a mutation.
func ofMutation(op string) bool { return strings.HasPrefix(op, "bigtable.Mutation.") }

// changes reports whether a function changes the mutation with which it is called and
// it is the call that hands it over at which that is judged: not where an edit is
// made, nor where an object is filled or its constructor called.
func changes(does *effect, runs program.Target) bool {
	if !ofMutation(does.Op) || runs.Fn != nil && runs.Fn.Parent() != nil {
		return false
	}
	method := runs.Recv == nil && (runs.Fn != nil && runs.Fn.Signature.Recv() != nil || runs.Obj != nil && runs.Obj.Signature().Recv() != nil)
	return slices.ContainsFunc(does.Cases, func(c summary.Case) bool {
		return c.Args[0].Base().Kind == value.Param && !(method && slices.ContainsFunc(c.Args[1:], ofObject))
	})
}

// ofObject reports whether a value of a method hangs on its receiver.
func ofObject(v *value.Value) bool {
	return v.Has(func(w *value.Value) bool { return w.Kind == value.Param && w.Num == 0 })
}

// edited notes the mutations that an edit is given where it is called, or handed to a
// function that calls it.
func (p *Tracer) edited(cases []summary.Case) {
	for _, c := range cases {
		if len(c.Args) < 3 {
			continue
		}
		id := eval.Edited(c.Args[1])
		for _, a := range c.Args[2:] {
			if mut := kind.Root(a); id != "" && mut != "" && !slices.Contains(p.Edits[id], mut) {
				p.Edits[id] = append(p.Edits[id], mut)
			}
		}
	}
}
