package program

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/heap"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// SentOn lists what the package sends on a channel: what is sent on one that
// is made at the same place, or may, and carries the same.
func (p *Channels) SentOn(ch ssa.Value) []Sending {
	from := p.origin(ch)
	plain := kind.IsPlain(kind.Core(ch.Type()).(*types.Chan).Elem())
	var out []Sending
	for _, s := range p.Prog.Sends[kind.ChanKey(ch)] {
		to := p.origin(s.Chan)
		if plain && (from.open() || to.open()) {
			continue // too many channels carry numbers and texts
		}
		if from.meets(to) {
			out = append(out, s)
		}
	}
	return out
}

// Received lists what a receive may get. Of a channel that its function alone uses,
// the n-th receive gets what is sent as the n-th.
func (p *Channels) Received(receive ssa.Instruction, ch ssa.Value) []Sending {
	sent := p.SentOn(ch)
	made, ok := ch.(*ssa.MakeChan)
	if !ok || len(sent) < 2 || made.Parent() != receive.Parent() || p.mayPrecede(receive, receive, made) {
		return sent
	}
	sends := map[ssa.Value]*ssa.Send{}
	before := 0 // receives
	for _, use := range *made.Referrers() {
		switch use := use.(type) {
		case *ssa.Send:
			sends[use.X] = use
		case *ssa.UnOp:
			switch {
			case use == receive || !p.mayPrecede(use, receive, made):
			case !p.Prog.Graphs.Before(use, receive) || p.mayPrecede(use, use, made):
				return sent
			default:
				before++
			}
		case *ssa.DebugRef:
		default:
			return sent
		}
	}
	if len(sends) != len(sent) {
		return sent // one value twice
	}
	return slices.DeleteFunc(slices.Clone(sent), func(s Sending) bool {
		at, surely, perhaps := sends[s.Value], 0, 0 // sent before it
		for _, other := range sends {
			if p.mayPrecede(other, at, made) {
				perhaps++
			}
			if other != at && p.Prog.Graphs.Before(other, at) {
				surely++
			}
			if p.mayPrecede(other, other, made) {
				perhaps += before
			}
		}
		return surely > before || perhaps < before
	})
}

// mayPrecede reports whether an instruction may run before another that uses the same
// channel: each time it is made it is another one.
func (p *Channels) mayPrecede(a, b ssa.Instruction, made *ssa.MakeChan) bool {
	if a.Block() == b.Block() && control.Index(a) < control.Index(b) {
		return true
	}
	return slices.ContainsFunc(a.Block().Succs, func(next *ssa.BasicBlock) bool {
		return next != made.Block() && p.Prog.Graphs.ReachableWithout(made.Block(), next, b.Block())
	})
}

// SentOnly is like SentOn for a channel of which it is known where it comes from:
// what is sent on channels that come from there.
func (p *Channels) SentOnly(ch ssa.Value) []ssa.Value {
	from := p.origin(ch)
	if from.open() {
		return nil
	}
	var out []ssa.Value
	for _, s := range p.Prog.Sends[kind.ChanKey(ch)] {
		if to := p.origin(s.Chan); !to.open() && from.meets(to) {
			out = append(out, s.Value)
		}
	}
	return out
}

// An origin is where a channel is made, by the heap, and the field or variable that it is
// read from: of an object from outside that is all that is known, and of several objects
// that have channels from elsewhere nothing tells which is whose.
type origin struct {
	place   *heap.Place
	in      any
	several bool // it is read from a field that has one of several channels
}

// open reports whether a channel may be any.
func (o origin) open() bool { return o.in == nil && !o.place.Inside() }

// meets reports whether two channels may be one.
func (o origin) meets(other origin) bool {
	if o.several || other.several {
		return o.in != nil && o.in == other.in
	}
	if o.place.Inside() && other.place.Inside() || o.place.Meets(other.place) {
		return o.place.Meets(other.place)
	}
	return o.open() || other.open() || o.in != nil && o.in == other.in
}

func (p *Channels) origin(ch ssa.Value) origin {
	o := origin{place: p.Prog.Heap().Place(ch)}
	if c, ok := ch.(*ssa.ChangeType); ok {
		ch = c.X
	}
	switch v := ch.(type) {
	case *ssa.Field:
		o.in = kind.StructField(v.X.Type(), v.Field)
	case *ssa.UnOp:
		switch addr := v.X.(type) {
		case *ssa.FieldAddr:
			o.in = kind.FieldOf(addr)
		case *ssa.Global:
			o.in = addr
		}
	}
	inside := slices.DeleteFunc(o.place.Objects(), func(o *heap.Object) bool { return o.Outside })
	o.several = o.in != nil && len(inside) > 1
	return o
}
