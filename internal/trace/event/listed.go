package event

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A package of schemas lists the policies that others give its tables' families,
// in an exported variable. What is wrong with one is wrong there, if the list
// says the table.

// listedVariable makes the event of the list of policies that a package variable is set to:
// its value is a list of [table, family, policy].
func (p *Tracer) listedVariable(fn *ssa.Function, s *ssa.Store) *Event {
	g, ok := s.Addr.(*ssa.Global)
	if !ok || fn != p.Prog.Pkg.Func("init") || g.Pkg != p.Prog.Pkg || g.Object() == nil || !g.Object().Exported() || p.Prog.IsTest(g.Pos()) || len(p.Prog.AddressTaken[g]) > 0 || len(p.Prog.Assigned(g)) != 1 {
		return nil
	}
	t := kind.Deref(g.Type())
	if !ListsPolicies(t) {
		return nil
	}
	lit := p.literalOf(s.Val)
	if lit == nil {
		return nil
	}
	return p.at(Listed, fn, s, lit, func(q *eval.Path) []*value.Value {
		return []*value.Value{ListOf(t, q.Settler.Force(q.Reader.Global(g, nil), 8))}
	})
}

// listedResult makes the event of the list of policies that an exported function returns,
// whoever asks.
func (p *Tracer) listedResult(fn *ssa.Function, ret *ssa.Return) *Event {
	if obj := exported(fn); obj == nil || !ReturnsPolicies(obj) || p.Prog.IsTest(fn.Pos()) {
		return nil
	}
	lit := p.literalOf(ret.Results[0])
	if lit == nil {
		return nil
	}
	t := ret.Results[0].Type()
	return p.at(Listed, fn, ret, lit, func(q *eval.Path) []*value.Value {
		return []*value.Value{ListOf(t, q.Settler.Force(q.Way.Eval(ret.Results[0], ret), 8))}
	})
}

// ReturnsPolicies reports whether a function that takes nothing may return a list of
// policies, and nothing else.
func ReturnsPolicies(fn *types.Func) bool {
	sig := fn.Signature()
	return sig.Recv() == nil && sig.Params().Len() == 0 && sig.Results().Len() == 1 && ListsPolicies(sig.Results().At(0).Type()) &&
		btapi.Type(sig.Results().At(0).Type()) != policyType
}

// ListsPolicies reports whether a variable of that type may list policies.
func ListsPolicies(t types.Type) bool { return listsPolicies(t, maxListed) }

// ListOf returns the policies in a value of type t of which table and family are
// known, as a list of [table, family, policy].
func ListOf(t types.Type, v *value.Value) *value.Value {
	list := value.ListOf()
	policiesIn(t, v, nil, nil, maxListed, func(row ...*value.Value) {
		list.Args = append(list.Args, value.ListOf(row...))
	})
	return list
}

// maxListed bounds how deep a list of policies is: of tables, of families, a
// family's settings.
const maxListed = 5

// listsPolicies reports whether a type has policies in it.
func listsPolicies(t types.Type, depth int) bool {
	if btapi.Type(t) == policyType {
		return true
	}
	if depth == 0 {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Map:
		return kind.IsText(u.Key()) && listsPolicies(u.Elem(), depth-1)
	case interface{ Elem() types.Type }: // a pointer or a list
		return listsPolicies(u.Elem(), depth-1)
	case *types.Struct:
		for f := range u.Fields() {
			if listsPolicies(f.Type(), depth-1) {
				return true
			}
		}
	}
	return false
}

const policyType = "bigtable.GCPolicy"

// policiesIn calls found with the table, family and policy of each policy in a
// value of type t of which all three are known.
func policiesIn(t types.Type, v, table, family *value.Value, depth int, found func(...*value.Value)) {
	if btapi.Type(t) == policyType {
		if known(table) && known(family) && v.Base().Kind != value.Nil {
			found(table, family, v)
		}
		return
	}
	if depth == 0 || !listsPolicies(t, depth) {
		return
	}
	b := v.Base()
	switch u := kind.Deref(t).Underlying().(type) {
	case *types.Slice, *types.Array:
		elem := u.(interface{ Elem() types.Type }).Elem()
		if b.Kind == value.List {
			for _, a := range b.Args {
				if !a.Is(value.Spread) {
					policiesIn(elem, a, table, family, depth-1, found)
				}
			}
		}
	case *types.Map:
		for i := 0; b.Kind == value.Map && i+1 < len(b.Args); i += 2 {
			tbl, fam := table, family
			if ofFamily(u.Elem()) {
				fam = b.Args[i]
			} else {
				tbl = b.Args[i]
			}
			policiesIn(u.Elem(), b.Args[i+1], tbl, fam, depth-1, found)
		}
	case *types.Struct:
		tableField, familyField := namesOf(u, table != nil)
		if tableField != "" {
			table = v.Get(tableField)
		}
		if familyField != "" {
			family = v.Get(familyField)
		}
		for f := range u.Fields() {
			if w := v.Get(f.Name()); w != nil {
				policiesIn(f.Type(), w, table, family, depth-1, found)
			}
		}
	}
}

func known(v *value.Value) bool {
	if v == nil {
		return false
	}
	_, ok := v.IsStr()
	return ok
}

// ofFamily reports whether the elements of a map are what one family has: a
// policy, or a struct with one that does not name the family.
func ofFamily(elem types.Type) bool {
	if btapi.Type(elem) == policyType {
		return true
	}
	s, ok := kind.Deref(elem).Underlying().(*types.Struct)
	if !ok || !hasPolicy(s) {
		return false
	}
	_, family := namesOf(s, true)
	return family == ""
}

func hasPolicy(s *types.Struct) bool {
	for f := range s.Fields() {
		if btapi.Type(f.Type()) == policyType {
			return true
		}
	}
	return false
}

// namesOf returns the fields of a struct with policies in it that name its table
// and its family: by their names, or, within a table, the only text there is
// beside a policy.
func namesOf(s *types.Struct, inTable bool) (table, family string) {
	tables, families := 0, 0
	var texts []string
	for f := range s.Fields() {
		name := strings.ToLower(f.Name())
		switch {
		case !kind.IsText(f.Type()):
		case strings.Contains(name, "table"), strings.Contains(name, "tbl"):
			table, tables = f.Name(), tables+1
		case strings.Contains(name, "fam"):
			family, families = f.Name(), families+1
		default:
			texts = append(texts, f.Name())
		}
	}
	if tables > 1 {
		table = ""
	}
	if families > 1 {
		family = ""
	}
	switch {
	case len(texts) != 1:
	case hasPolicy(s) && family == "" && (table != "" || inTable):
		family = texts[0]
	case !hasPolicy(s) && table == "" && family == "" && !inTable:
		table = texts[0]
	}
	return table, family
}

// literalOf returns the literal of a slice, an array or a map that makes a value;
// nil where none does.
func (p *Tracer) literalOf(v ssa.Value) ast.Node {
	if s, ok := v.(*ssa.Slice); ok {
		v = s.X
	}
	if load, ok := v.(*ssa.UnOp); ok {
		v = load.X
	}
	if lit := p.Prog.Syntax.Literals[v.Pos()]; lit != nil {
		return lit
	}
	return nil
}
