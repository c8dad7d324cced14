package program

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// maxChannel bounds how far it is looked where a channel comes from.
const maxChannel = 8

// SentOn lists what the package sends on a channel: what is sent on one that
// comes from the same field, variable or make, or may, and carries the same.
func (p *Channels) SentOn(ch ssa.Value) []Sending {
	from := p.channel(ch)
	plain := kind.IsPlain(kind.Core(ch.Type()).(*types.Chan).Elem())
	var out []Sending
	for _, s := range p.Prog.Sends[kind.ChanKey(ch)] {
		to := p.channel(s.Chan)
		if plain && (from.open || to.open) {
			continue // too many channels carry numbers and texts
		}
		if from.meets(to) && p.mayBeOne(ch, s.Chan) {
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
			case !always(use, receive) || p.mayPrecede(use, use, made):
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
			if other != at && always(other, at) {
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

// always reports whether an instruction runs before another each time that one runs.
func always(a, b ssa.Instruction) bool {
	if a.Block() == b.Block() {
		return control.Index(a) < control.Index(b)
	}
	return a.Block().Dominates(b.Block())
}

// mayBeOne reports whether two channels may be one: what is made in view is known.
func (p *Channels) mayBeOne(a, b ssa.Value) bool {
	at, to := p.Prog.Heap().Place(a), p.Prog.Heap().Place(b)
	return !at.Inside() || !to.Inside() || at.Meets(to)
}

// SentOnly is like SentOn for a channel of which it is known where it comes from:
// what is sent on channels that come from there.
func (p *Channels) SentOnly(ch ssa.Value) []ssa.Value {
	from := p.channel(ch)
	if from.open {
		return nil
	}
	var out []ssa.Value
	for _, s := range p.Prog.Sends[kind.ChanKey(ch)] {
		if to := p.channel(s.Chan); !to.open && from.meets(to) && p.mayBeOne(ch, s.Chan) {
			out = append(out, s.Value)
		}
	}
	return out
}

// origins are the fields, variables and makes that a channel comes from; open
// where it may come from others.
type origins struct {
	of   []any
	open bool
}

func (o *origins) add(x any) {
	if !slices.Contains(o.of, x) {
		o.of = append(o.of, x)
	}
}

// meets reports whether two channels may be one.
func (o origins) meets(other origins) bool {
	return o.open || other.open || slices.ContainsFunc(o.of, func(x any) bool { return slices.Contains(other.of, x) })
}

func (p *Channels) channel(ch ssa.Value) origins {
	o := &origins{}
	p.cameFrom(ch, o, map[ssa.Value]bool{}, maxChannel)
	return *o
}

// cameFrom adds where a channel comes from.
func (p *Channels) cameFrom(v ssa.Value, o *origins, seen map[ssa.Value]bool, depth int) {
	if depth == 0 {
		o.open = true
		return
	}
	if seen[v] {
		return
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.ChangeType:
		p.cameFrom(v.X, o, seen, depth)
	case *ssa.Phi:
		for _, e := range v.Edges {
			p.cameFrom(e, o, seen, depth-1)
		}
	case *ssa.MakeChan:
		o.add(v)
		p.keptIn(v, o)
	case *ssa.UnOp:
		if v.Op != token.MUL {
			o.open = true
			return
		}
		p.cameFromMemory(v.X, o, seen, depth)
	case *ssa.Field:
		o.add(kind.StructField(v.X.Type(), v.Field))
	case *ssa.FreeVar:
		if b := p.Prog.Binding(v); b != nil {
			p.cameFrom(b, o, seen, depth-1)
			return
		}
		o.open = true
	case *ssa.Parameter:
		p.given(v, o, seen, depth)
	case *ssa.Call:
		p.returnedChannel(v, o, seen, depth)
	default:
		o.open = true
	}
}

// keptIn adds the fields in which a channel is kept where it is made.
func (p *Channels) keptIn(made *ssa.MakeChan, o *origins) {
	uses := *made.Referrers()
	for _, r := range uses {
		if c, ok := r.(*ssa.ChangeType); ok {
			uses = append(uses, *c.Referrers()...)
		}
	}
	for _, r := range uses {
		s, ok := r.(*ssa.Store)
		if !ok {
			continue
		}
		switch addr := s.Addr.(type) {
		case *ssa.FieldAddr:
			o.add(kind.FieldOf(addr))
		case *ssa.Global:
			o.add(addr)
		case *ssa.IndexAddr:
			o.open = true
		}
	}
}

func (p *Channels) cameFromMemory(addr ssa.Value, o *origins, seen map[ssa.Value]bool, depth int) {
	if fa, ok := addr.(*ssa.FieldAddr); ok {
		f := kind.FieldOf(fa)
		o.add(f)
		p.handedTo(f, kind.StructName(fa.X.Type()), o, seen, depth)
		return
	}
	root, path := p.Prog.Address(addr)
	switch root := root.(type) {
	case *ssa.Global:
		o.add(root)
	case *ssa.Alloc:
		if len(path) > 0 || len(p.Prog.Stores[root]) == 0 {
			o.open = true
			return
		}
		for _, s := range p.Prog.Stores[root] {
			p.cameFrom(s.Val, o, seen, depth-1)
		}
	default:
		o.open = true
	}
}

// handedTo adds the channel that constructors of the package are given for a field,
// if it is one for all objects: of several, nothing tells which is whose.
func (p *Channels) handedTo(f *types.Var, name *types.TypeName, o *origins, seen map[ssa.Value]bool, depth int) {
	if f == nil || name == nil || !p.Prog.Owns(name) {
		return
	}
	from := &origins{}
	for _, stored := range p.storedIn(f, name) {
		p.cameFrom(stored, from, seen, depth-1)
	}
	if !from.open && len(from.of) == 1 {
		o.add(from.of[0])
	}
}

// given adds what the calls in view give a parameter.
func (p *Channels) given(v *ssa.Parameter, o *origins, seen map[ssa.Value]bool, depth int) {
	fn := v.Parent()
	calls := p.Prog.Callers[fn]
	if len(calls) == 0 {
		o.open = true
		return
	}
	for _, call := range calls {
		args := call.Common().Args
		i := len(args) - len(fn.Params) + kind.ParamIndex(v)
		if i < 0 || i >= len(args) {
			o.open = true
			continue
		}
		p.cameFrom(args[i], o, seen, depth-1)
	}
}

// returnedChannel adds the channels that a function of the package returns.
func (p *Channels) returnedChannel(v *ssa.Call, o *origins, seen map[ssa.Value]bool, depth int) {
	t, ok := p.Prog.Target(&v.Call)
	if !ok || t.Fn == nil || t.Fn.Signature.Results().Len() != 1 {
		o.open = true
		return
	}
	for _, b := range t.Fn.Blocks {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && len(ret.Results) == 1 {
			p.cameFrom(ret.Results[0], o, seen, depth-1)
		}
	}
}
