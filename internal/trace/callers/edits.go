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
	other := false
	visit := func(v *value.Value) {
		v.Walk(func(w *value.Value) {
			other = other || w.Kind == value.Param && w.Site == any(edit) && w.Num != mutation
		})
	}
	for _, a := range c.Args {
		visit(a)
	}
	for _, g := range slices.Concat(c.Guards, c.When) {
		visit(g.Cond)
	}
	return !other && (len(p.Callers[edit]) == 0 || p.isReturned(edit, p.Site(edit)))
}

// given returns the mutation with which others call the methods of an object, of
// another package's type, that is filled here: an edit too.
func (p *Tracer) given(object *ssa.Alloc) *value.Value {
	return &value.Value{Kind: value.Call, Name: kind.Given, Args: []*value.Value{value.StrOf(p.Site(object))}, Site: object}
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
	found := false
	v.Walk(func(w *value.Value) { found = found || w.Kind == value.Param && w.Num == 0 })
	return found
}

// edited notes the mutations that an edit is given where it is called, or handed to a
// function that calls it.
func (p *Tracer) edited(cases []summary.Case) {
	for _, c := range cases {
		if len(c.Args) < 3 {
			continue
		}
		id := p.editOf(c.Args[1])
		for _, a := range c.Args[2:] {
			if mut := kind.Root(a); id != "" && mut != "" && !slices.Contains(p.Edits[id], mut) {
				p.Edits[id] = append(p.Edits[id], mut)
			}
		}
	}
}

// editOf returns the identity of what a function is given, or an object's method; ""
// where neither is an edit.
func (p *Tracer) editOf(v *value.Value) string {
	if object, ok := v.Base().Site.(*ssa.Alloc); ok && v.Base().Kind == value.Struct {
		return p.Site(object)
	}
	return eval.Edited(v)
}
