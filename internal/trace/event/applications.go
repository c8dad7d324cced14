package event

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Applies reports whether a call of the client applies mutations to a table.
func Applies(op string) bool {
	return op == btapi.Apply || op == btapi.ApplyBulk || op == btapi.ApplyReadModifyWrite
}

// An application is a call that applies a mutation to a table.
type application struct {
	call ssa.CallInstruction
	args []ssa.Value
	fake bool // to a test's fake
}

// WriteArgs is the number of a write's own arguments, receiver first, and the least
// of what fills. What follows is the table to which its function applies the mutation, so that
// the two are never of different rows of a table of tables.
const WriteArgs = 5

// Column is the place of the column among the arguments of what fills.
const Column = 2

// OwnArgs returns a call's own arguments.
func OwnArgs(op string, args []*value.Value) []*value.Value {
	if Fills(op) && len(args) > WriteArgs {
		return args[:WriteArgs]
	}
	return args
}

// GivenTable returns the function that is given the table to which a write is applied;
// nil where what it is given has it: what the package puts there tells more than calls
// that hand on an object.
func GivenTable(op string, c summary.Case) *ssa.Function {
	if !Fills(op) || len(c.Args) <= WriteArgs {
		return nil
	}
	table := c.Args[WriteArgs].Base()
	fn, ok := table.Site.(*ssa.Function)
	if table.Kind != value.Param || !ok || table.Num == 0 && fn.Signature.Recv() != nil {
		return nil
	}
	return fn
}

// applicationOf returns the one call beside a write that applies its mutation,
// or nil.
func (p *Tracer) applicationOf(t program.Target) *application {
	if !Fills(t.API) || t.Recv != nil || len(t.Args) == 0 {
		return nil
	}
	return p.appliedAt(t.Args[0])
}

// appliedAt returns the one call that applies a mutation, by itself or in bulk, or nil.
func (p *Tracer) appliedAt(mut ssa.Value) *application {
	found, ok := p.applications[mut]
	if ok || mut.Referrers() == nil {
		return found
	}
	several := false
	for _, held := range p.heldLater(mut) {
		for _, r := range *held.Referrers() {
			call, ok := r.(ssa.CallInstruction)
			if !ok {
				continue
			}
			if a, ok := p.Prog.Target(call.Common()); ok && applies(a, held) {
				several = several || found != nil
				found = &application{call: call, args: a.Args}
			} else if v := call.Value(); v != nil && ok && a.API == btapi.NewCondMutation && len(a.Args) > 2 && (a.Args[1] == held || a.Args[2] == held) {
				several = several || found != nil
				if found = p.appliedAt(v); found == nil {
					several = true
				}
			} else if p.toFake(call, a, held) {
				several = several || found != nil
				found = &application{call: call, args: a.Args, fake: true}
			}
		}
	}
	if several || found == nil {
		found = p.collected(mut)
	}
	p.applications[mut] = found
	return found
}

// applies reports whether a call applies a mutation.
func applies(t program.Target, mut ssa.Value) bool {
	return (t.API == btapi.Apply || t.API == btapi.ApplyReadModifyWrite) && len(t.Args) > 3 && t.Args[3] == mut
}

// heldLater returns a mutation, and the same one where the function reads it
// again, from the field out of which it comes, to apply it.
func (p *Tracer) heldLater(mut ssa.Value) []ssa.Value {
	out := []ssa.Value{mut}
	var first ssa.Instruction
	switch mut := mut.(type) {
	case *ssa.UnOp:
		first = mut
	case *ssa.Field:
		first = mut
	default:
		return out
	}
	for _, call := range p.Prog.Calls[first.Parent()] {
		t, ok := p.Prog.Target(call.Common())
		if !ok || len(t.Args) < 4 || t.Args[3] == mut || !applies(t, t.Args[3]) {
			continue
		}
		if same, _ := p.heldSame(t.Args[3], call, mut, first); same {
			out = append(out, t.Args[3])
		}
	}
	return out
}

// AppliedTo returns the table to which a function applies a conditional mutation
// that it makes, and the call that does; nil where that is not known.
func (p *Tracer) AppliedTo(e *Event) (table ssa.Value, by ssa.Instruction) {
	if e.Depth > 0 || e.Target.Recv != nil {
		return nil, nil
	}
	made, ok := e.Instr.(*ssa.Call)
	if !ok || e.Op != btapi.NewCondMutation {
		return nil, nil
	}
	a := p.appliedAt(made)
	if a == nil || a.fake {
		return nil, nil
	}
	return a.args[0], a.call
}

// usedAt returns the block without which what a write puts into its mutation is
// never sent, or what a conversion makes of a time for such writes; nil where
// that is not known.
func (p *Tracer) usedAt(t program.Target, result *ssa.Call) *ssa.BasicBlock {
	switch {
	case t.API == "bigtable.Time" && result != nil:
		var out *ssa.BasicBlock
		for _, r := range *result.Referrers() {
			if _, ok := r.(*ssa.DebugRef); ok {
				continue
			}
			call, ok := r.(*ssa.Call)
			if !ok {
				return nil
			}
			w, ok := p.Prog.Target(call.Common())
			if !ok || w.API == "bigtable.Time" {
				return nil
			}
			used := p.usedAt(w, nil)
			if used == nil || out != nil && out != used {
				return nil
			}
			out = used
		}
		return out
	case !IsWrite(t.API) || t.Recv != nil || len(t.Args) == 0:
		return nil
	}
	made, ok := t.Args[0].(*ssa.Call)
	if !ok {
		return nil
	}
	return control.Reaches(made, func(call *ssa.Call) bool {
		w, ok := p.Prog.Target(call.Common())
		return ok && w.API == btapi.NewCondMutation
	})
}

// gets lists the places at which a filter or a policy gets anywhere, where it does not
// on every way.
func (p *Tracer) gets(t program.Target, result *ssa.Call) []control.Get {
	if result == nil || !makes[t.API] {
		return nil
	}
	return control.Gets(result, func(call *ssa.Call) bool {
		in, ok := p.Prog.Target(call.Common())
		return ok && makes[in.API] || p.Eval.Source(call) != ssa.Value(call)
	})
}

// makes are the calls of which a filter or a policy is made that the service may
// reject.
var makes = map[string]bool{
	btapi.ChainFilters: true, btapi.InterleaveFilters: true, btapi.LatestNFilter: true,
	btapi.MaxAgePolicy: true, btapi.MaxVersionsPolicy: true, btapi.UnionPolicy: true, btapi.IntersectionPolicy: true,
}

// OpenedByName reports whether a table is opened under a name of which
// something is known, whoever supplies the client.
func OpenedByName(table *value.Value) bool {
	name := kind.OpenedName(table)
	return name != nil && value.Glob(name) != ""
}

// IsWrite reports whether an operation puts a cell into a mutation.
func IsWrite(op string) bool {
	return op == btapi.Set || op == btapi.AddIntToCell || op == btapi.MergeBytesToCell
}

// Fills reports whether an operation puts a cell into a mutation, or a rule into a
// read-modify-write.
func Fills(op string) bool {
	return IsWrite(op) || op == btapi.Increment || op == btapi.AppendValue
}

// collected returns the one call of a function, or of a literal in it, that applies, among
// others, a mutation that it makes; nil where that may go elsewhere, too.
func (p *Tracer) collected(mut ssa.Value) *application {
	made, ok := mut.(*ssa.Call)
	if !ok {
		return nil
	}
	if m, ok := p.Prog.Target(made.Common()); !ok || m.API != "bigtable.NewMutation" {
		return nil
	}
	site := p.Prog.Sites.Site(made)
	var found *application
	within := []*ssa.Function{kind.Outermost(made.Parent())}
	for i := 0; i < len(within); i++ {
		within = append(within, within[i].AnonFuncs...)
		for _, call := range p.Prog.Calls[within[i]] {
			a, ok := p.Prog.Target(call.Common())
			if !ok || !Applies(a.API) || len(a.Args) < 4 {
				continue
			}
			for _, id := range p.Flows.ContentsOf(a.Args[3]).SortedSites() {
				if id != site {
					continue
				}
				if found != nil {
					return nil
				}
				found = &application{call: call, args: a.Args}
			}
		}
	}
	return found
}
