package memory

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Objects finds what happens to the objects of a program after they are made.
type Objects struct {
	Prog   *program.Program
	Chans  *program.Channels
	values Valuer

	touched  map[ssa.Value][]Touch                // what may set fields of what a pointer points to
	setFrom  map[*types.Var][]string              // which fields are set of the objects that a field points to
	settings map[*ssa.Function][]summary.FieldSet // what functions set of what they are given
	setters  map[*ssa.Function]*value.Value       // what functions set on their last parameter
	inParts  map[*ssa.Alloc]bool                  // whether calls set some fields of a local struct
	optioned map[*ssa.Alloc]bool                  // whether functional options are run on an object
}

// A Valuer says what is set at a place: the layer above this one.
type Valuer interface {
	// SetOnce resolves what the only touch of a field in a function sets, into
	// set's value and guards; it leaves them empty where that is not known.
	SetOnce(fn *ssa.Function, t Touch, set *summary.FieldSet)
	// StoredAt resolves, on each way, what an address points to and what is stored there
	// instead: by a store, or by a call that is given it as that argument. It reports
	// whether those are all ways.
	StoredAt(at ssa.Instruction, addr ssa.Value, param int) (cases [][2]*value.Value, all bool)
}

// NewObjects returns the objects of a program. values resolves what is set.
func NewObjects(p *program.Channels, values Valuer) *Objects {
	return &Objects{
		Prog:     p.Prog,
		Chans:    p,
		values:   values,
		touched:  map[ssa.Value][]Touch{},
		setFrom:  map[*types.Var][]string{},
		settings: map[*ssa.Function][]summary.FieldSet{},
		setters:  map[*ssa.Function]*value.Value{},
		inParts:  map[*ssa.Alloc]bool{},
		optioned: map[*ssa.Alloc]bool{},
	}
}
