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
	c = withoutClients(c)
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
	if of := substituted(c, forget); found {
		return of
	}
	return c
}

// withoutClients returns a case with the clients that open its tables unknown.
func withoutClients(c summary.Case) summary.Case {
	return rewritten(c, kind.OfAnyClient)
}

// substituted returns a case with leaves of its arguments replaced.
func substituted(c summary.Case, by func(*value.Value) *value.Value) summary.Case {
	return rewritten(c, func(a *value.Value) *value.Value { return a.Subst(by) })
}

func rewritten(c summary.Case, by func(*value.Value) *value.Value) summary.Case {
	args := make([]*value.Value, len(c.Args))
	for i, a := range c.Args {
		args[i] = by(a)
	}
	c.Args = args
	return c
}
