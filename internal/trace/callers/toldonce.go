package callers

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// toldOnce returns events without the writes that are told twice, or do not happen. A function
// that has an object for itself calls a method that sets something of it, and others that write
// what was set. The call that supplies it tells, and, if it is known what the object has by
// then, only if that still is what is written.
func (p *Tracer) toldOnce(all []*event.Event) []*event.Event {
	type place struct {
		object    ssa.Value
		op, where string
	}
	sets, runs := map[place][]*event.Event{}, map[place][]*event.Event{}
	for _, e := range all {
		object := receiver(e)
		if object == nil || !event.Fills(e.Op) {
			continue
		}
		at := place{object, e.Op, e.Where}
		if stores(e) {
			sets[at] = append(sets[at], e)
		} else {
			runs[at] = append(runs[at], e)
		}
	}
	for at, sets := range sets {
		set, run := saidBy(sets), saidBy(runs[at])
		less := func(r said) bool { return slices.ContainsFunc(set, func(s said) bool { return !r.knows(s) }) }
		if len(run) == 0 || !p.objects.InView(at.object) {
			continue
		}
		precedes := p.Prog.Graphs.MayPrecede
		if !slices.ContainsFunc(run, less) {
			for _, e := range sets {
				e.Cases = slices.DeleteFunc(slices.Clone(e.Cases), func(c summary.Case) bool {
					return !saidIn(e, c).amongst(run, func(r said) bool { return precedes(e.Instr, r.at) })
				})
			}
		}
		for _, e := range runs[at] {
			e.Cases = slices.DeleteFunc(slices.Clone(e.Cases), func(c summary.Case) bool {
				return saidIn(e, c).amongst(set, func(s said) bool { return precedes(s.at, e.Instr) })
			})
		}
	}
	return slices.DeleteFunc(all, func(e *event.Event) bool { return len(e.Cases) == 0 && receiver(e) != nil })
}

// stores reports whether what an event's call supplies comes to the client by way of a field.
func stores(e *event.Event) bool {
	return e.ViaField || e.Link.Effect != nil && e.Link.Effect.Stores
}

// receiver returns the object whose method a call runs, if the function has made it; nil of
// others.
func receiver(e *event.Event) ssa.Value {
	t := e.Target
	if t.Fn == nil && t.Obj == nil || t.Recv != nil || len(t.Args) == 0 || t.Signature().Recv() == nil {
		return nil
	}
	switch v := t.Args[0].(type) {
	case *ssa.Alloc, *ssa.Call:
		return v
	}
	return nil
}

// A said is what is known of each argument in a case, whichever mutation it is of; "" of one
// that is not known.
type said struct {
	at   ssa.Instruction
	args []string
}

func saidIn(e *event.Event, c summary.Case) said {
	out := said{e.Instr, make([]string, len(c.Args))}
	for i, a := range c.Args {
		if a.Known() && kind.Root(a) == "" {
			out.args[i] = a.String()
		}
	}
	return out
}

func saidBy(events []*event.Event) (out []said) {
	for _, e := range events {
		for _, c := range e.Cases {
			out = append(out, saidIn(e, c))
		}
	}
	return out
}

// knows reports whether each argument is known that is known in another case.
func (s said) knows(other said) bool {
	for i, o := range other.args {
		if o != "" && (i >= len(s.args) || s.args[i] == "") {
			return false
		}
	}
	return true
}

// amongst reports whether one of some cases, those that count, says all of it.
func (s said) amongst(others []said, counts func(said) bool) bool {
	return slices.ContainsFunc(others, func(o said) bool {
		for i, a := range s.args {
			if a != "" && (i >= len(o.args) || o.args[i] != a) {
				return false
			}
		}
		return counts(o)
	})
}
