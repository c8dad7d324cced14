package eval

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/way"
	"github.com/ttlvet/ttlvet/internal/value"
)

// What a loop receives was sent to the object whose loop it is: its handler and its
// table are those of the object that the sender names, whose callers say which.

// FromSender returns values of a function that has received something from a
// mailbox as the sender sees them.
func (p *Settler) FromSender(vs []*value.Value, at ssa.Instruction) []*value.Value {
	for _, r := range p.Way.Received {
		replace := p.sender(r)
		if replace == nil {
			continue
		}
		for i, g := range p.Way.Guards {
			p.Way.Guards[i].Cond = g.Cond.Rewrite(replace)
		}
		for i, g := range p.Way.When {
			p.Way.When[i].Cond = g.Cond.Rewrite(replace)
		}
		out := make([]*value.Value, len(vs))
		for i, v := range vs {
			if out[i] = v.Rewrite(replace); out[i] != v {
				out[i] = p.Force(p.Settle(out[i], at), 4)
			}
		}
		vs = out
	}
	return vs
}

// sender returns what puts the object to which something was sent in the place of
// the one from which it is received: a parameter of the loop's function. In the function
// that makes the object, it puts what the object has in the place of what it is made of.
// It is nil where that is not known.
func (p *Settler) sender(r way.Receipt) func(*value.Value) *value.Value {
	from, to := p.p.Chans.Mailbox(r.Chan), p.p.Chans.Mailbox(r.Sent.Chan)
	if from == nil || to == nil {
		return nil
	}
	loops, sends := p.Way.Eval(from, nil).Base(), p.Way.Eval(to, nil)
	if sends.Base().Kind == value.Unknown || loops.String() == sends.String() && loops.Site == sends.Base().Site {
		return nil
	}
	type param struct {
		of  any
		num int64
	}
	sees := map[param]*value.Value{}
	switch loops.Kind {
	case value.Param:
		sees[param{loops.Site, loops.Num}] = sends
	case value.Struct:
		for _, key := range loops.Keys {
			name := loops.Name + "." + key
			if of := value.FieldOf(loops, name, value.NoClass).Base(); of.Kind == value.Param {
				sees[param{of.Site, of.Num}] = value.FieldOf(sends, name, of.Class)
			}
		}
	}
	if len(sees) == 0 {
		return nil
	}
	return func(v *value.Value) *value.Value {
		if v.Kind != value.Param {
			return nil
		}
		return sees[param{v.Site, v.Num}]
	}
}
