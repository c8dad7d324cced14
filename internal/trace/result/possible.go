package result

import (
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// possibleTables finds the tables to which mutations may be applied by way of
// what holds them.
func (p *finder) possibleTables(events []*event.Event) map[string][]*pickedTable {
	set := p.newTableSet()
	for _, e := range events {
		for _, held := range e.Applied {
			for _, id := range p.client.Flows.ContentsOf(held).SortedSites() {
				for _, c := range e.Cases {
					if p.ofCallers(e, c) {
						continue // each caller's own
					}
					set.add(id, c.Args[0], c.Picks())
				}
			}
		}
	}
	p.keptByObjects(set)
	p.ofEdits(set)
	return set.tables
}

// keptByObjects adds the tables that objects of other packages hold, for the
// mutations that their methods put in them: a buffered writer applies them when it
// is flushed, which may be anywhere.
func (p *finder) keptByObjects(set *tableSet) {
	for abroad := range p.client.Abroad {
		if abroad.Target.Recv == nil {
			for _, fl := range abroad.Does.Flows {
				p.keptBy(abroad.Call, abroad.Target, fl, set)
			}
		}
	}
}

// keptBy adds the tables of the argument into which a call puts what another is or
// holds, or what its function makes.
func (p *finder) keptBy(call ssa.CallInstruction, t program.Target, fl summary.Flow, set *tableSet) {
	var ids []string
	switch {
	case fl.To >= len(t.Args):
	case fl.From < 0:
		ids = []string{p.prog.Sites.Site(program.CallSite{Call: call, ID: fl.Site, Foreign: true})}
	case fl.From < len(t.Args):
		ids = p.client.Flows.ContentsOf(t.Args[fl.From]).SortedSites()
	}
	if len(ids) == 0 {
		return
	}
	for _, table := range p.heldTables(t.Args[fl.To], call) {
		for _, id := range ids {
			set.add(id, table.Value, table.picks)
		}
	}
}

// heldTables lists the tables that are known to be in an object.
func (p *finder) heldTables(object ssa.Value, at ssa.Instruction) []*pickedTable {
	var tables []*pickedTable
	for _, c := range p.eval.Cases(true, func(q *eval.Path) []*value.Value {
		return []*value.Value{q.Settler.Force(q.Reader.Argument(object, at), 4)}
	}) {
		c.Args[0].Walk(func(v *value.Value) {
			if kind.OpenedName(v) != nil {
				tables = append(tables, &pickedTable{v, c.Picks()})
			}
		})
	}
	return tables
}

// maxEdits bounds how many edits run others, one in the other.
const maxEdits = 4

// ofEdits adds the tables of what edits are given.
func (p *finder) ofEdits(set *tableSet) {
	edits := slices.Sorted(maps.Keys(p.callers.Edits))
	for range maxEdits {
		added := false
		for _, id := range edits {
			for _, mut := range p.callers.Edits[id] {
				for _, table := range set.tables[mut] {
					added = set.add(id, table.Value, table.picks) || added
				}
			}
		}
		if !added {
			return
		}
	}
}

// editsOf returns the edits that each mutation is given to.
func (p *finder) editsOf() map[string][]string {
	out := map[string][]string{}
	for _, id := range slices.Sorted(maps.Keys(p.callers.Edits)) {
		for _, mut := range p.callers.Edits[id] {
			out[mut] = append(out[mut], id)
		}
	}
	return out
}
