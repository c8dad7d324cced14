package memory

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/way"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Memory is what the readers of a program share.
type Memory struct {
	Prog    *program.Program
	Chans   *program.Channels
	Objects *Objects

	fieldVars map[string]fieldVar // by the names of fields in values
	shares    map[*ssa.Alloc]bool // whether parts of a struct are written by way of other pointers
	addressed map[*types.Var]byAddresses
	asking    map[ssa.Value]bool // what is being resolved to tell what is written
}

// A fieldVar is a field with the type of its struct.
type fieldVar struct {
	field *types.Var
	owner types.Type
}

// New returns the memory of a program.
func New(objects *Objects) *Memory {
	return &Memory{
		Prog: objects.Prog, Chans: objects.Chans, Objects: objects,
		fieldVars: map[string]fieldVar{}, shares: map[*ssa.Alloc]bool{}, asking: map[ssa.Value]bool{}, addressed: map[*types.Var]byAddresses{},
	}
}

// A Settler resolves what the arguments of a call have decided in a value of
// its callee: elements of lists, calls of functions, fields. It is the layer
// above this one.
type Settler interface {
	Settle(v *value.Value, call ssa.Instruction) *value.Value
	// Left resolves what a call leaves where one of its arguments points to.
	Left(call *ssa.Call, param int) *value.Value
}

// A Reader reads memory on one way.
type Reader struct {
	Way    *way.Way
	p      *Memory
	settle Settler

	history *history

	closed  *closed
	setting map[setBefore]bool // those that are being resolved as they were before a call
	leaving map[leftBefore]bool
	lazy    int // how many fields of structs are being resolved, one for the other
}

// On returns a reader on a way, which resolves fields of unknown objects by what the
// package stores in them or does not.
func (p *Memory) On(w *way.Way, s Settler, fromStores bool) *Reader {
	r := &Reader{Way: w, p: p, history: &history{p, w}, settle: s, setting: map[setBefore]bool{}, leaving: map[leftBefore]bool{}}
	r.closed = &closed{r: r, p: p, Way: w, close: fromStores, closing: map[creationStore]bool{}}
	return r
}
