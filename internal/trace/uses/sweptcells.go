package uses

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// A scan that deletes looks at the cells to say which: at their columns and timestamps,
// which go nowhere but into deletions, and at their values, which decide what is deleted
// and nothing else. What helpers make of a cell — the column without its family, the time
// behind it — is followed to the deletions that it names, in them and in who calls them.

// A sweep follows cells, and the names that are made of them, to see whether they go
// into deletions and conditions only.
type sweep struct {
	*forward
	p     *Sweeps
	loops bool // there are loops over an iterator
	fails bool // something goes elsewhere
}

func (p *Sweeps) newSweep() *sweep {
	s := &sweep{p: p}
	s.forward = newForward(p.prog, s)
	return s
}

// Only reports whether those use cells only to delete them, or to collect the keys of rows
// that are deleted after it, to whom a call hands the rows of a scan as uses say: a function
// that it is given, the loops over the iterator that it returns, or its caller.
func (p *Sweeps) Only(call ssa.CallInstruction, t program.Target, uses summary.Uses) bool {
	follow := func(give func(s *sweep)) *sweep {
		s := p.newSweep()
		give(s)
		s.run()
		return s
	}
	results := func(s *sweep) { s.results(call, nil) }
	args := argumentsOf(t)
	if i := uses.Callback - 1; i >= 0 && i < len(args) && args[i] != nil {
		fn := functionOf(p.prog, args[i])
		if fn != nil && p.sweeps(fn) && !follow(func(s *sweep) { s.given(args[i], nil) }).fails {
			return true
		}
	}
	if uses.Yields > 0 {
		if s := follow(results); !s.fails && s.loops {
			return true
		}
	}
	return uses.Returned && p.sweeps(call.Parent()) && !follow(results).fails
}

// sweeps reports whether a function deletes, or collects what is deleted after it.
func (p *Sweeps) sweeps(fn *ssa.Function) bool { return p.Deletes(fn, farAway) || p.collects(fn) }

// carries reports whether values of a type say something of what a cell holds, or are
// cells. What tells only whether or how often says nothing, nor does what deletes.
func (s *sweep) carries(of types.Type, _ *types.Var) bool {
	return !kind.IsError(of) && !kind.IsBool(of) && !types.Identical(of, types.Typ[types.Int]) && btapi.Type(of) != "bigtable.Mutation"
}

func (s *sweep) visit(t thing) bool {
	param, ok := t.v.(*ssa.Parameter)
	if ok && kind.IsRangeBody(param.Parent()) && (kind.CarriesCells(param.Type()) || kind.CarriesRow(param.Type()) || kind.YieldsCells(param.Type())) {
		s.loops = true
		s.fails = s.fails || t.in == nil && !s.p.sweeps(param.Parent())
	}
	return !kind.IsBool(t.v.Type())
}

func (s *sweep) lost(thing) { s.fails, s.done = true, true }

func (s *sweep) filled(param *ssa.Parameter, field *types.Var) { s.lost(s.here(param, field)) }

func (s *sweep) returned(t thing, ret *ssa.Return) {
	if s.entered(ret.Parent()) != nil || kind.Yielded(t.v.Type()) != nil {
		s.toCallers(t, ret)
	} else {
		s.lost(t)
	}
}

func (s *sweep) use(t thing, r ssa.Instruction) bool {
	switch r := r.(type) {
	case *ssa.BinOp:
		if !kind.IsBool(r.Type()) {
			s.add(r, nil)
		}
	case *ssa.FieldAddr:
		s.ofCell(t, r, kind.FieldOf(r))
	case *ssa.Field:
		s.ofCell(t, r, kind.StructField(r.X.Type(), r.Field))
	case *ssa.Lookup:
		if r.Index != t.v {
			return false
		}
		s.found(t, r)
	case *ssa.MapUpdate:
		if r.Key == t.v {
			s.lost(t)
		}
		return false
	case *ssa.Send:
		s.lost(t)
	case *ssa.MakeInterface:
		for _, use := range *r.Referrers() {
			if call, ok := use.(*ssa.Call); !ok || !decodes(kind.CalledFunc(&call.Call)) {
				s.lost(t)
			}
		}
	default:
		return false
	}
	return true
}

// found follows what a map has for what a cell says: banned[string(item.Value)]. What it
// points to may be changed.
func (s *sweep) found(t thing, r *ssa.Lookup) {
	switch kind.Core(r.X.Type()).(*types.Map).Elem().Underlying().(type) {
	case *types.Basic, *types.Struct:
		s.result(r, 0, r.CommaOk, nil)
	default:
		s.lost(t)
	}
}

// ofCell follows a field of a cell or of what is made of one. A value may decide what is
// written.
func (s *sweep) ofCell(t thing, v ssa.Value, f *types.Var) {
	switch cell := btapi.Type(kind.Deref(t.v.Type())) == "bigtable.ReadItem"; {
	case cell && f.Name() == "Row":
	case cell && f.Name() == "Value" && s.p.does(v.Parent(), writing, Nearby+1):
		s.lost(t)
	default:
		s.add(v, nil)
	}
}

// decodes reports whether a function decodes what it is given into a variable.
func decodes(fn *types.Func) bool {
	return fn != nil && (strings.HasPrefix(fn.Name(), "Unmarshal") || strings.HasPrefix(fn.Name(), "Decode"))
}

// libraries make other names and times of those that they are given, or say which cells
// of a list are such.
var libraries = map[string]bool{
	"strings": true, "bytes": true, "slices": true, "strconv": true, "regexp": true, "encoding/binary": true, "unicode/utf8": true, "time": true, "cloud.google.com/go/bigtable": true,
}

func (s *sweep) call(t thing, call ssa.CallInstruction) {
	common := call.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok {
		if kind.IsExtreme(b) {
			s.results(call, nil)
		} else if b.Name() != "len" {
			s.lost(t)
		}
		return
	}
	target, ok := s.p.prog.Target(common)
	fn := kind.CalledFunc(common)
	switch {
	case ok && (target.API == "bigtable.Row.Key" || deletions[target.API]):
	case ok && target.Fn != nil:
		s.enterWith(t, call, target, nil)
	case ok && target.Obj != nil && s.p.prog.Analysed(target.Obj):
		s.elsewhere(t, call, target)
	case !ok && s.iteratorOf(common) != nil:
		made := s.iteratorOf(common) // whose loops get what it yields
		s.within(made.caller, func() { s.results(made.call, nil) })
	case fn == nil || fn.Pkg() == nil:
		s.lost(t)
	case decodes(fn):
		s.decoded(t, common)
	case libraries[fn.Pkg().Path()]:
		for _, a := range common.Args {
			s.given(a, nil)
		}
		s.results(call, nil)
	default:
		s.lost(t)
	}
}

// iteratorOf returns the call that has made the iterator whose loops a call runs; nil of others.
func (s *sweep) iteratorOf(common *ssa.CallCommon) *frame {
	if maker := makerOf(s.p.prog, common); maker != nil {
		return s.entered(maker)
	}
	return nil
}

// elsewhere follows what a function of another package makes of what it is given, that
// is traced and does nothing that is known but to delete, or to return a name or time of
// what is deleted.
func (s *sweep) elsewhere(t thing, call ssa.CallInstruction, target program.Target) {
	var effects []summary.Effect
	if imported := s.p.prog.Imported(target.Obj); imported != nil {
		effects = imported.Effects
	}
	does := slices.ContainsFunc(effects, func(e summary.Effect) bool {
		return strings.HasPrefix(e.Op, "bigtable.") && !deletions[e.Op] && e.Op != "bigtable.Timestamp()" || e.Op == "store time"
	})
	results := target.Obj.Signature().Results()
	if does || len(effects) == 0 && (results.Len() == 0 || !names(results.At(0).Type())) {
		s.lost(t)
		return
	}
	s.results(call, nil)
}

// held is the type of what a cell holds.
var held = types.NewSlice(types.Typ[types.Byte])

// names reports whether values of a type are names, times or what cells hold, or an
// iterator over such.
func names(t types.Type) bool {
	if yielded := kind.Yielded(t); yielded != nil && yielded.Len() > 0 {
		t = yielded.At(0).Type()
	}
	return kind.IsText(t) || kind.ClassOf(t) != 0 || types.Identical(t.Underlying(), held)
}

// decoded follows what a call decodes into a local variable.
func (s *sweep) decoded(t thing, common *ssa.CallCommon) {
	for _, arg := range common.Args {
		if into, ok := kind.Stripped(arg).(*ssa.Alloc); ok {
			s.add(into, nil)
			return
		}
	}
	s.lost(t)
}
