package event

import (
	"slices"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// condArgs is the number of arguments of a conditional mutation, the mutation
// itself with them. What is written in its branches comes before it, once it
// is known.
const condArgs = 4

// CondWritten is the place of what is written in the branches of a conditional
// mutation among its arguments.
const CondWritten = condArgs - 1

// findWritten adds to conditional mutations the families that their branches
// write: other packages do not see the writes.
func (p *Tracer) findWritten(events []*Event) {
	families := map[string][]string{} // by the mutation
	for _, e := range events {
		if !IsWrite(e.Op) {
			continue
		}
		for _, c := range e.Cases {
			family, ok := c.Args[1].IsStr()
			if id := kind.Root(c.Args[0]); ok && id != "" && !slices.Contains(families[id], family) {
				families[id] = append(families[id], family)
			}
		}
	}
	add := func(cases []summary.Case) {
		for i, c := range cases {
			if len(c.Args) != condArgs {
				continue
			}
			list := value.ListOf()
			for _, branch := range c.Args[1:3] {
				for id := kind.Root(branch); id != ""; id = p.Prog.Sites.Parent[id] {
					for _, family := range families[id] {
						list.Args = append(list.Args, value.StrOf(family))
					}
				}
			}
			cases[i].Args = slices.Insert(slices.Clone(c.Args), CondWritten, list)
		}
	}
	for _, e := range events {
		if e.Op == btapi.NewCondMutation {
			add(e.Cases)
			add(e.Link.Open)
		}
	}
}

// Written returns the families that the branches of a conditional mutation
// write, as far as its own function tells.
func Written(c summary.Case) []string {
	if len(c.Args) <= condArgs {
		return nil
	}
	var out []string
	for _, f := range c.Args[CondWritten].Base().Args {
		if family, ok := f.IsStr(); ok {
			out = append(out, family)
		}
	}
	return out
}
