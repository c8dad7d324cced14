package callers

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A package variable that one function assigns and another reads brings the
// parameters of the first into the cases of the second: a client that an Init
// function makes for the context that it is given. Whoever calls the second
// supplies nothing of those.

// ofOneRun returns a case, of an event in fn, that hangs on the parameters of
// several functions as what it is to the callers of one: of which client a table
// is does not matter, and what others than fn were given is not known.
func ofOneRun(op string, c summary.Case, fn *ssa.Function) summary.Case {
	if _, mixed := owners(op, c); !mixed {
		return c
	}
	c = c.With(kind.OfAnyClient)
	if _, mixed := owners(op, c); !mixed {
		return c
	}
	own := kind.Outermost(fn)
	found := false // whether fn's own occur
	forget := func(leaf *value.Value) *value.Value {
		f, ok := leaf.Site.(*ssa.Function)
		if leaf.Kind != value.Param {
			return nil
		}
		if ok && kind.Outermost(f) == own {
			found = true
			return nil
		}
		u := value.UnknownFor("a parameter of another function")
		u.Class = leaf.Class
		return u
	}
	if of := c.With(func(a *value.Value) *value.Value { return a.Subst(forget) }); found {
		return of
	}
	return c
}
