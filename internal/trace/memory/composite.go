package memory

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/way"
	"github.com/ttlvet/ttlvet/internal/value"
)

// maxLazy bounds the structs of whose fields each is needed to resolve one of the
// next: a chain that a loop makes has no end.
const maxLazy = 24

// composite makes a struct or array out of the stores to its parts.
func (p *Reader) composite(root ssa.Value, path kind.PathTo, t types.Type, at ssa.Instruction) *value.Value {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		s := &value.Value{Kind: value.Struct, Name: kind.TypeKey(t), Site: p.p.site(root, path)}
		fields := map[string]int{}
		for i := 0; i < u.NumFields(); i++ {
			fields[u.Field(i).Name()] = i
		}
		s.Lazy = func(name string) *value.Value {
			i, ok := fields[name]
			if !ok {
				return nil
			}
			if p.lazy >= maxLazy {
				return kind.UnknownOf(u.Field(i).Type(), "a struct that is made of itself")
			}
			p.lazy++
			defer func() { p.lazy-- }()
			part := append(path[:len(path):len(path)], i)
			v := p.loadFrom(root, part, at)
			return ViaHandle(kind.FieldKey(u.Field(i).Origin(), t), v, u.Field(i).Type())
		}
		s.Keys = kind.StructKeys(u)
		return s
	case *types.Array:
		return p.arrayOf(root, path, u, at)
	}
	return kind.UnknownOf(t, "a part of memory")
}

func (p *Reader) arrayOf(root ssa.Value, path kind.PathTo, u *types.Array, at ssa.Instruction) *value.Value {
	if u.Len() > way.MaxElements {
		return value.UnknownFor("an array of many elements")
	}
	list := value.ListOf()
	for i := int64(0); i < u.Len(); i++ {
		part := append(path[:len(path):len(path)], -1-int(i))
		list.Args = append(list.Args, p.loadFrom(root, part, at))
	}
	return list
}

// Alloc resolves a pointer to a local variable or to what new made, as what
// it points to.
func (p *Reader) Alloc(a *ssa.Alloc, at ssa.Instruction) *value.Value {
	t := kind.Deref(a.Type())
	switch btapi.Type(t) {
	case "bigtable.Mutation", "bigtable.ReadModifyWrite":
		if len(p.p.Prog.Stores[a]) == 0 {
			return p.Made("bigtable.New"+btapi.Type(t)[len("bigtable."):], a)
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if kind.ClassOf(t) == value.Time {
			break // a moment
		}
		if at != nil && at.Parent() != a.Parent() {
			at = nil
		}
		// A struct that is stored whole is that struct.
		if defs, entry := p.p.Prog.Reaching(p.p.Prog.Stores[a], nil, at, nil); !entry && len(defs) > 0 {
			whole := true
			for _, d := range defs {
				whole = whole && len(d.Path) == 0
			}
			whole = whole && !p.p.Objects.SetInParts(a, at)
			if c, isZero := defs[0].Val.(*ssa.Const); whole && !(len(defs) == 1 && isZero && c.Value == nil) {
				return identified(p.fromDefs(a, defs, nil, t, at), a)
			}
		}
		s := p.composite(a, nil, t, at)
		s.Expr = nil
		if lit := p.p.Prog.Syntax.Literals[a.Pos()]; lit != nil {
			s.Expr = lit
		}
		return s
	case *types.Array:
		return p.arrayOf(a, nil, u, at)
	}
	return p.loadAlloc(a, nil, at)
}

// identified returns a struct as what a variable holds that it was copied to.
func identified(v *value.Value, a any) *value.Value {
	if v.Kind != value.Struct {
		return v
	}
	c := *v
	c.Site = a
	return &c
}

// zeroPart resolves a part to which nothing is stored on the way: its zero
// value, unless somebody else was given the address.
func (p *Reader) zeroPart(a *ssa.Alloc, path kind.PathTo, t types.Type, at ssa.Instruction) *value.Value {
	if len(path) == 1 && btapi.IsRootType(a.Type()) && len(p.p.Prog.Fields[kind.StructField(kind.Deref(a.Type()), path[0])]) > 0 {
		return kind.UnknownOf(t, "a field of a message that is set elsewhere")
	}
	if len(p.p.Prog.Stores[a]) == 0 || at == nil {
		if p.p.Prog.Escapes(a) {
			return kind.UnknownOf(t, "a variable whose address is passed on")
		}
	} else if p.p.Prog.EscapesBefore(a, at) {
		return kind.UnknownOf(t, "a variable whose address is passed on")
	}
	return p.p.Prog.ZeroOf(t)
}
