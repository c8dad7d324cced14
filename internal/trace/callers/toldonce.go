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
// what was set. If it is known what the object has by then, the call that supplies it tells, and only
// if it still is what is written.
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
		var set, run []summary.Case
		for _, e := range sets {
			set = append(set, e.Cases...)
		}
		for _, e := range runs[at] {
			run = append(run, e.Cases...)
		}
		unknown := func(c summary.Case) bool { return !knowsAsMuch(c, set) }
		if len(run) == 0 || slices.ContainsFunc(run, unknown) || !p.objects.InView(at.object) {
			continue
		}
		for _, e := range sets {
			e.Cases = slices.DeleteFunc(slices.Clone(e.Cases), func(c summary.Case) bool { return !saysAnyOf(c, run) })
		}
		for _, e := range runs[at] {
			e.Cases = slices.DeleteFunc(slices.Clone(e.Cases), func(c summary.Case) bool {
				return saysAnyOf(c, set)
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

// knowsAsMuch reports whether what is known of an argument in any of some cases is known in
// another case.
func knowsAsMuch(c summary.Case, of []summary.Case) bool {
	for i, a := range c.Args {
		if !a.Known() && slices.ContainsFunc(of, func(o summary.Case) bool { return i < len(o.Args) && o.Args[i].Known() }) {
			return false
		}
	}
	return true
}

// saysAnyOf reports whether all that is known in a case is the same in one of others,
// whichever mutation or row it is of.
func saysAnyOf(c summary.Case, others []summary.Case) bool {
	return slices.ContainsFunc(others, func(o summary.Case) bool {
		for i, a := range c.Args {
			if a.Known() && kind.Root(a) == "" && (i >= len(o.Args) || o.Args[i].String() != a.String()) {
				return false
			}
		}
		return true
	})
}
