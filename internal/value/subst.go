package value

import "strings"

// maxSize bounds the trees that substitution may grow: what is larger is
// nothing that a rule can judge.
const maxSize = 400

// Subst returns v with each leaf that bind knows replaced, and folded anew.
// bind is asked for Param, Global and Unknown leaves and answers nil for
// those that stay.
func (v *Value) Subst(bind func(leaf *Value) *Value) *Value {
	w := v.subst(bind)
	if w != v && w.TooLarge() {
		return UnknownFor("a value too large to follow")
	}
	return w
}

func (v *Value) subst(bind func(leaf *Value) *Value) *Value {
	return v.Rewrite(func(w *Value) *Value {
		switch w.Kind {
		case Param, Global, Unknown:
			if r := bind(w); r != nil {
				return r.as(w)
			}
			return w
		}
		return nil
	})
}

// Each returns the parts of a value as f makes them; nil where all stay as they are.
func (v *Value) Each(f func(*Value) *Value) (args []*Value) {
	for i, a := range v.Args {
		b := f(a)
		if b != a && args == nil {
			args = append(make([]*Value, 0, len(v.Args)), v.Args[:i]...)
		}
		if args != nil {
			args = append(args, b)
		}
	}
	return args
}

// Rewrite returns v with what replace returns in the place of each value in it,
// the outermost first, and folded anew. Where replace answers nil, the parts of
// a value are asked for.
func (v *Value) Rewrite(replace func(*Value) *Value) *Value {
	if w := replace(v); w != nil {
		return w
	}
	args := v.Each(func(a *Value) *Value { return a.Rewrite(replace) })
	if args == nil {
		return v
	}
	var w *Value
	switch v.Kind {
	case Call:
		args, w = folded(v.Name, args)
	case Field:
		w = FieldOf(args[0], v.Name, v.Class)
	case List:
		w = ListOf(splice(args)...)
	case Via:
		w = ViaOf(v.Name, args[0])
	}
	if w == nil { // nothing was folded
		c := *v
		c.Args = args
		return &c
	}
	class, site, expr, dynamic := w.Class, w.Site, w.Expr, w.Dynamic
	if class == NoClass {
		class = v.Class
	}
	if site == nil && w.Kind == Call {
		site = v.Site
	}
	if expr == nil {
		expr = v.Expr
	}
	if w.dynamic() == "" {
		dynamic = v.Dynamic
	}
	if class == w.Class && site == w.Site && expr == w.Expr && dynamic == w.Dynamic {
		return w
	}
	c := *w // which may be a part of the value before, which facts and summaries hold
	c.Class, c.Site, c.Expr, c.Dynamic = class, site, expr, dynamic
	return &c
}

// as returns v with the type of the value in whose place it is put, if its own is not
// known.
func (v *Value) as(w *Value) *Value {
	if w.Dynamic == "" || v.dynamic() != "" {
		return v
	}
	return v.OfType(w.Dynamic)
}

// Reapply returns the operation v with other arguments, folded, where v stood.
func (v *Value) Reapply(args ...*Value) *Value {
	r := Apply(v.Name, args...)
	c := *r
	c.Class, c.Dynamic = v.Class, v.Dynamic
	if r.Is(v.Name) || r.Expr == nil { // an element stands where it is written
		c.Expr = v.Expr
	}
	if r.Is(v.Name) || r.Site == nil {
		c.Site = v.Site
	}
	return &c
}

// Spread is the operation that stands in a List for the elements of another
// list, whose number is not known yet: append(list, more...).
const Spread = "..."

// splice replaces spreads of known lists by their elements.
func splice(elems []*Value) []*Value {
	var out []*Value
	for _, e := range elems {
		if !e.Is(Spread) {
			out = append(out, e)
			continue
		}
		switch inner := e.Args[0].Base(); inner.Kind {
		case List:
			out = append(out, splice(inner.Args)...)
		case Nil:
		default:
			if !inner.Is(Zero) {
				out = append(out, e)
			}
		}
	}
	return out
}

// Concat returns the list a followed by the elements of b.
func Concat(a, b *Value) *Value {
	var elems []*Value
	for _, l := range []*Value{a, b} {
		elems = append(elems, splice([]*Value{{Kind: Call, Name: Spread, Args: []*Value{l}, Expr: l.Expr}})...)
	}
	return ListOf(elems...)
}

// ViaOf returns v marked with the handle that it came through.
func ViaOf(handle string, v *Value) *Value {
	for w := v; w.Kind == Via; w = w.Args[0] {
		if w.Name == handle {
			return v
		}
	}
	return &Value{Kind: Via, Name: handle, Args: []*Value{v}, Class: v.Class, Expr: v.Expr, Site: v.Site}
}

// FieldOf returns the field of the struct base. key is "path.Type.field".
func FieldOf(base *Value, key string, class Class) *Value {
	switch b := base.Base(); b.Kind {
	case Struct:
		if part := b.Embedded(key); part != nil {
			return FieldOf(part, key, class)
		}
		name := FieldName(key)
		if b.Lazy != nil {
			if v := b.Lazy(name); v != nil {
				return v
			}
			break
		}
		for i, k := range b.Keys {
			if k == name {
				return b.Args[i]
			}
		}
		return ZeroOf(class)
	case Call:
		if b.Is(Zero) {
			return ZeroOf(class)
		}
		if b.Is(Changed) {
			field := b.Args[1].Name
			switch field {
			case FieldName(key):
				return b.Args[2]
			case AnyField:
				return setByAny(b.Args[2], FieldOf(b.Args[0], key, class), FieldName(key))
			}
			if outer, inner, ok := strings.Cut(field, "."); ok && outer == FieldName(key) {
				return With(FieldOf(b.Args[0], key, class), inner, b.Args[2])
			}
			return FieldOf(b.Args[0], key, class)
		}
	case Nil:
		return UnknownFor("a field of nil")
	case Unknown:
		return &Value{Kind: Field, Name: key, Class: class, Args: []*Value{b}}
	}
	return &Value{Kind: Field, Name: key, Class: class, Args: []*Value{base}}
}

// Get returns the field of a struct, or nil when it is not set or v is not
// known to be a struct.
func (v *Value) Get(name string) *Value {
	if v == nil {
		return nil
	}
	b := v.Base()
	if b.Kind != Struct {
		return nil
	}
	f := FieldOf(b, b.Name+"."+name, NoClass)
	if f.Is(Zero) || f.Kind == Nil {
		return nil
	}
	return f
}

// Zero is the operation that stands for the zero value of a type that is not
// at hand, such as that of a field which a struct literal leaves out.
const Zero = "zero"

// ZeroOf returns the zero value of a class.
func ZeroOf(class Class) *Value {
	switch class {
	case Time:
		return &Value{Kind: Call, Name: ZeroTime, Class: Time}
	case Duration, Timestamp:
		return &Value{Kind: Int, Class: class}
	}
	return &Value{Kind: Call, Name: Zero}
}

// ZeroTime is the operation that stands for time.Time{}.
const ZeroTime = "time.Time{}"
