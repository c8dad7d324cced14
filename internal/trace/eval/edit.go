package eval

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// An edit is a function literal that whoever calls it gives a mutation to change: an
// option of a write. Which mutation that is, and to which table it goes, is not known
// where the edit is made. So an edit has an identity, like a mutation, and what it
// does is done to a mutation of that identity: those that it is given are found where
// it is called.

// itsMutation is the key under which an edit carries the mutation that it is given.
const itsMutation = "its mutation"

// GivenTo returns the mutation that an edit is given; nil of other functions.
func (p *Evaluator) GivenTo(fn *ssa.Function) *value.Value {
	if _, ok := kind.EditOf(fn); !ok {
		return nil
	}
	return &value.Value{Kind: value.Call, Name: kind.Given, Args: []*value.Value{value.StrOf(p.Prog.Sites.Site(fn))}, Site: fn}
}

// Edited returns the identity of the mutation that a function is given which is an
// edit, "" of others.
func Edited(f *value.Value) string {
	f = f.Function()
	i := slices.Index(f.Keys, itsMutation)
	if !f.Captures() || i < 0 {
		return ""
	}
	return kind.Root(f.Args[i])
}
