package memory

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/trace/way"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Memory is what the readers of a program share: what happens to its objects after they
// are made.
type Memory struct {
	Prog   *program.Program
	Chans  *program.Channels
	values Valuer

	fieldVars map[string]fieldVar                  // by the names of fields in values
	shares    map[*ssa.Alloc]bool                  // whether parts of a struct are written by way of other pointers
	asking    map[ssa.Value]bool                   // what is being resolved to tell what is written
	touched   map[ssa.Value][]Touch                // what may set fields of what a pointer points to
	settings  map[*ssa.Function][]summary.FieldSet // what functions set of what they are given
	setters   map[*ssa.Function]*value.Value       // what functions set on their last parameter
	inParts   map[*ssa.Alloc]bool                  // whether calls set some fields of a local struct
	optioned  map[*ssa.Alloc]bool                  // whether functional options are run on an object
}

// A Valuer says what is set at a place: the layer above this one.
type Valuer interface {
	// SetOnce resolves what the only touch of a field in a function sets, into
	// set's value and guards; it leaves them empty where that is not known.
	SetOnce(fn *ssa.Function, t Touch, set *summary.FieldSet)
}

// A fieldVar is a field with the type of its struct.
type fieldVar struct {
	field *types.Var
	owner types.Type
}

// New returns the memory of a program. values resolves what is set.
func New(p *program.Channels, values Valuer) *Memory {
	return &Memory{
		Prog: p.Prog, Chans: p, values: values,
		fieldVars: map[string]fieldVar{}, shares: map[*ssa.Alloc]bool{}, asking: map[ssa.Value]bool{},
		touched: map[ssa.Value][]Touch{}, settings: map[*ssa.Function][]summary.FieldSet{},
		setters: map[*ssa.Function]*value.Value{}, inParts: map[*ssa.Alloc]bool{}, optioned: map[*ssa.Alloc]bool{},
	}
}

// A Settler resolves what the arguments of a call have decided in a value of
// its callee: elements of lists, calls of functions, fields. It is the layer
// above this one.
type Settler interface {
	Settle(v *value.Value, call ssa.Instruction) *value.Value
}

// A Reader reads memory on one way.
type Reader struct {
	Way    *way.Way
	p      *Memory
	settle Settler

	history *history

	closed  *closed
	setting map[setBefore]bool // those that are being resolved as they were before a call
	lazy    int                // how many fields of structs are being resolved, one for the other
}

// On returns a reader on a way, which resolves fields of unknown objects by what the
// package stores in them or does not.
func (p *Memory) On(w *way.Way, s Settler, fromStores bool) *Reader {
	r := &Reader{Way: w, p: p, history: &history{p, w}, settle: s, setting: map[setBefore]bool{}}
	r.closed = &closed{r: r, p: p, Way: w, close: fromStores, closing: map[creationStore]bool{}}
	return r
}
