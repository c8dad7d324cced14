package way

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/program"
)

// AssumeSet records the conditions under which the store runs that a load finds; at is the
// load, nil where it may happen at any time: nothing tells then what a condition reads.
func (w *Way) AssumeSet(d program.Store, at ssa.Instruction) {
	if at == nil {
		return
	}
	w.Pass(d.At.Block())
	stop := d.At.Block().Idom()
	if at.Parent() == d.At.Parent() {
		stop = w.leads(d.At.Block(), at.Block()).Idom()
	}
	w.AssumeBlock(d.At.Block(), stop, &w.Guards)
}

// Last chooses which of n writes to a part of memory was the last before an instruction:
// one of the stores, of what else sets it, or, behind those, none of them. It
// returns the choice, the instruction that it is, and those that it excludes.
func (w *Way) Last(key any, stores []program.Store, besides []ssa.Instruction, n int, at ssa.Instruction) (i int, from ssa.Instruction, others []ssa.Instruction) {
	i = w.Choose(key, n)
	for j, s := range stores {
		if j != i {
			others = append(others, s.At)
		} else if from = s.At; n > 1 {
			w.AssumeSet(s, at)
		}
	}
	for j, b := range besides {
		if len(stores)+j != i {
			others = append(others, b)
		} else {
			from = b
		}
	}
	w.AssumeSkipped(others, from, at)
	return i, from, others
}

// AssumeLeft records the conditions under which what the run's event, in a block, makes
// gets anywhere: without that it comes to nothing.
func (w *Way) AssumeLeft(get control.Get, event *ssa.BasicBlock) {
	if get.To != nil {
		w.assumeEdge(get.From, get.To, &w.When)
	}
	w.AssumeBlock(get.From, event, &w.When)
}
