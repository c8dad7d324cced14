package memory

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A Binding judges the guards of a callee with the arguments of one call, on one
// path. The cases of a callee have most of their conditions in common, each of
// which is judged once: see [summary.Share].
type Binding struct {
	path   *Reader
	bind   func(*value.Value) *value.Value
	call   ssa.Instruction
	judged map[*value.Value]condition
}

// A condition is what a call makes of one.
type condition struct {
	value      *value.Value
	is, known  bool // what it comes to
	parametric bool // it depends on what callers supply
}

// Binding returns the binding of a call, whose arguments bind puts in the place of
// parameters.
func (p *Reader) Binding(bind func(*value.Value) *value.Value, call ssa.Instruction) *Binding {
	return &Binding{p, bind, call, map[*value.Value]condition{}}
}

func (b *Binding) judge(cond *value.Value) condition {
	c, ok := b.judged[cond]
	if !ok {
		c.value = b.path.settle.Settle(cond.Subst(b.bind), b.call)
		c.is, c.known = instant.Decide(c.value)
		c.parametric = c.value.HasParams() || c.value.AwaitsOthers()
		b.judged[cond] = c
	}
	return c
}

// Value returns a condition of the callee with the arguments of the call in the place of
// parameters.
func (b *Binding) Value(cond *value.Value) *value.Value { return b.judge(cond).value }

// Guards puts the arguments of the call in the place of parameters in guards. It
// reports false when one is then known not to hold.
func (b *Binding) Guards(guards []summary.Guard) (open []summary.Guard, ok bool) {
	for _, g := range guards {
		switch c := b.judge(g.Cond); {
		case c.known && c.is != g.Want:
			return nil, false
		case !c.known && c.parametric:
			open = append(open, summary.Guard{Cond: c.value, Want: g.Want})
		}
	}
	return open, true
}

// Tells reports whether the call knows something of what the guards of its callee
// ask, and whether it hands on what its own callers may know.
func (b *Binding) Tells(guards []summary.Guard) (knows, handsOn bool) {
	for _, g := range guards {
		c := b.judge(g.Cond)
		knows, handsOn = knows || c.known, handsOn || c.parametric
	}
	return knows || len(guards) == 0, handsOn
}

// Uncertain reports whether one of the guards of the callee hangs, at the call, on
// what an option does of which it is known that it is given, and not what it
// sets.
func (b *Binding) Uncertain(guards []summary.Guard) bool {
	for _, g := range guards {
		c := b.judge(g.Cond)
		if c.known || c.parametric {
			continue
		}
		if c.value.Has(func(w *value.Value) bool {
			return w.Is(value.Optioned) || w.Is(value.Given) || w.Kind == value.Unknown && (w.Name == value.SetSometimes || w.Name == value.SetPerhaps)
		}) {
			return true
		}
	}
	return false
}

// BindGuards is [Binding.Guards] for guards that have nothing in common with
// others.
func (p *Reader) BindGuards(guards []summary.Guard, bind func(*value.Value) *value.Value, call ssa.Instruction) (open []summary.Guard, ok bool) {
	return p.Binding(bind, call).Guards(guards)
}
