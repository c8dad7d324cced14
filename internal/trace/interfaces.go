package trace

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// exportInterfaces writes the facts of the methods of interfaces that one
// type of the package implements, or several that return the same tables, so
// that callers who hold the interface know what it does.
func (p *exporter) exportInterfaces() {
	scope := p.prog.Pass.Pkg.Scope()
	for _, name := range scope.Names() {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || !tn.Exported() || tn.IsAlias() || p.prog.IsTest(tn.Pos()) {
			continue
		}
		iface, ok := tn.Type().Underlying().(*types.Interface)
		if !ok {
			continue
		}
		impls := p.prog.Behind.ImplementersOf(iface)
		for i := 0; i < iface.NumExplicitMethods(); i++ {
			m := iface.ExplicitMethod(i)
			s := p.agreed(m, impls)
			if p.tellsNow(m, impls) && (s == nil || runsWhatItIs(s)) {
				s = &summary.Summary{Now: true}
			} else if s == nil {
				s = &summary.Summary{}
			}
			if s.Now || s.Results != nil || !s.Empty() {
				p.prog.Pass.ExportObjectFact(m, s)
			}
		}
	}
}

// runsWhatItIs reports whether a method returns what its receiver does, a
// function: it says nothing of what that is.
func runsWhatItIs(s *summary.Summary) bool {
	one := s.One()
	if one == nil {
		return false
	}
	v := one.Base()
	if v.Is(value.Clock) {
		v = v.Args[0].Base()
	}
	return v.Is(value.Invoke) && v.Args[0].Base().Kind == value.Param && v.Args[0].Base().Num == 0
}

// agreed returns what is known of an interface's method by the types that
// implement it: all of the only one that does not just pass on what it is given
// to another, and of several the tables that they return where these are the
// same.
func (p *exporter) agreed(m *types.Func, impls []*types.Named) *summary.Summary {
	var all []*summary.Summary
	for _, t := range impls {
		obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), true, m.Pkg(), m.Name())
		impl, ok := obj.(*types.Func)
		if !ok {
			return nil
		}
		if types.IsInterface(impl.Signature().Recv().Type()) {
			continue // it embeds the interface, and adds nothing
		}
		if fn := p.prog.Pkg.Prog.FuncValue(impl); fn != nil && p.prog.Decorates(kind.Origin(fn)) {
			if res := m.Signature().Results(); res.Len() == 1 && kind.ClassOf(res.At(0).Type()) == value.Time && len(p.eval.Clocks.Says(kind.Origin(fn))) > 0 {
				return nil // it says another time than what it decorates
			}
			continue
		}
		s := p.exported[impl.Origin()]
		if s == nil {
			return nil
		}
		all = append(all, s)
	}
	res := m.Signature().Results()
	switch {
	case len(all) == 0:
		return nil
	case len(all) == 1:
		return all[0]
	case res.Len() == 0 || !kind.TableLike(res.At(0).Type()):
		return nil
	}
	var results [][]summary.ResultCase
	for _, s := range all {
		if len(s.Effects)+len(s.Rows)+len(s.Flows)+len(s.Checks) > 0 {
			return nil
		}
		results = append(results, s.Results.Cases())
	}
	if !eval.Agree(m.Signature(), results) {
		return nil
	}
	return &summary.Summary{Results: all[0].Results}
}

// tellsNow reports whether a method of an interface is a clock's: whether one of
// the types that implement it tells the current time, and none is known to tell
// another.
func (p *exporter) tellsNow(m *types.Func, impls []*types.Named) bool {
	var fns []*ssa.Function
	for _, t := range impls {
		obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), true, m.Pkg(), m.Name())
		if impl, ok := obj.(*types.Func); ok && !types.IsInterface(impl.Signature().Recv().Type()) {
			if fn := p.prog.Pkg.Prog.FuncValue(impl); fn != nil && p.prog.HasBody(kind.Origin(fn)) {
				fns = append(fns, kind.Origin(fn))
			}
		}
	}
	return m.Signature().Params().Len() == 0 && p.eval.Clocks.TellNow(fns)
}
