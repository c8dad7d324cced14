package control

import (
	"go/constant"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// A RowLoop is what a loop over a row does with its families and their cells.
type RowLoop struct {
	Asks  []FamilyAsked
	Cells []ssa.Value       // of the family that it is at
	Uses  []ssa.Instruction // of those, beside the questions
}

// A FamilyAsked is a condition that asks whether a family is the one of that name: of the
// loop's key, or of the column of a cell, which begins with the family's name.
type FamilyAsked struct {
	Cond   ssa.Value
	Family string
	Not    bool // the condition is false of the family
	Column bool // it asks for a cell of the family
}

// RowLoopOf returns what the loop does that takes a row's families one by one.
func RowLoopOf(n *ssa.Next) *RowLoop {
	l := &RowLoop{}
	for _, ref := range *n.Referrers() {
		switch e, ok := ref.(*ssa.Extract); {
		case ok && e.Index == 1:
			for _, use := range *e.Referrers() {
				l.asks(e, use, false)
			}
		case ok && e.Index == 2:
			l.Cells = append(l.Cells, e)
			CellUses(e, l.uses)
		}
	}
	return l
}

// Families lists the families that the loop asks for.
func (l *RowLoop) Families() (names []string) {
	for _, a := range l.Asks {
		if !slices.Contains(names, a.Family) {
			names = append(names, a.Family)
		}
	}
	return names
}

// CellUses tells of each use of cells, or of one of them, with the field of a cell that is
// taken; "" where cells are used otherwise.
func CellUses(cells ssa.Value, used func(field string, use ssa.Instruction)) {
	seen := map[ssa.Value]bool{}
	var follow func(v ssa.Value)
	follow = func(v ssa.Value) {
		if seen[v] {
			return
		}
		seen[v] = true
		for _, use := range *v.Referrers() {
			switch use := use.(type) {
			case *ssa.DebugRef:
			case *ssa.IndexAddr, *ssa.UnOp:
				follow(use.(ssa.Value))
			case *ssa.Store: // to the variable of a loop over cells
				a, ok := use.Addr.(*ssa.Alloc)
				switch {
				case use.Addr == v:
				case ok && btapi.Type(kind.Deref(a.Type())) == "bigtable.ReadItem":
					follow(a)
				default:
					used("", use)
				}
			case *ssa.FieldAddr:
				used(kind.FieldOf(use).Name(), use)
			case *ssa.Field:
				used(kind.StructField(use.X.Type(), use.Field).Name(), use)
			default:
				used("", use)
			}
		}
	}
	follow(cells)
}

// uses adds a use of a field of a cell: of its column, those beside the questions.
func (l *RowLoop) uses(field string, use ssa.Instruction) {
	switch {
	case endsLoop(use):
		return
	case field != "Column":
		l.Uses = append(l.Uses, use)
		return
	}
	column := use.(ssa.Value)
	for _, use := range *column.Referrers() {
		if load, ok := use.(*ssa.UnOp); ok {
			l.uses(field, load)
		} else if !l.asks(column, use, true) {
			l.Uses = append(l.Uses, use)
		}
	}
}

// asks adds a use of a text that asks for a family.
func (l *RowLoop) asks(v ssa.Value, use ssa.Instruction, column bool) bool {
	var with ssa.Value
	not := false
	switch use := use.(type) {
	case *ssa.DebugRef:
		return true
	case *ssa.BinOp:
		if use.Op == token.EQL || use.Op == token.NEQ {
			with, not = use.Y, use.Op == token.NEQ
			if use.Y == v {
				with = use.X
			}
		}
	case *ssa.Call:
		if fn := kind.CalledFunc(&use.Call); column && fn != nil && fn.FullName() == "strings.HasPrefix" && use.Call.Args[0] == v {
			with = use.Call.Args[1]
		}
	}
	c, ok := with.(*ssa.Const)
	if !ok || c.Value == nil {
		return false
	}
	family := constant.StringVal(c.Value)
	if column {
		if family, _, ok = strings.Cut(family, ":"); !ok {
			return false
		}
	}
	l.Asks = append(l.Asks, FamilyAsked{use.(ssa.Value), family, not, column})
	return true
}

// endsLoop reports whether an instruction asks how many cells there are, for a loop over
// them and nothing else.
func endsLoop(use ssa.Instruction) bool {
	call := kind.Builtin(use, "len")
	if call == nil {
		return false
	}
	for _, r := range *call.Referrers() {
		if cmp, ok := r.(*ssa.BinOp); !ok || cmp.Op != token.LSS || kind.LoopVariable(cmp.X) == nil {
			return false
		}
	}
	return true
}

// FamiliesAt returns the families of which one it is for which control comes to a block;
// nil where nothing is asked.
func (l *RowLoop) FamiliesAt(b *ssa.BasicBlock) []string {
	for ; b != nil; b = b.Idom() {
		var names []string
		for _, pred := range b.Preds {
			name, ok := l.familyOn(pred, b)
			if !ok {
				names = nil
				break
			}
			names = append(names, name)
		}
		if names != nil {
			return names
		}
	}
	return nil
}

// familyOn returns the family of which control passes from one block to another.
func (l *RowLoop) familyOn(from, to *ssa.BasicBlock) (string, bool) {
	c, ok := Edge(from, to)
	if !ok {
		return "", false
	}
	c = c.Plain()
	for _, a := range l.Asks {
		if a.Cond == c.Cond && c.Want != a.Not {
			return a.Family, true
		}
	}
	return "", false
}
