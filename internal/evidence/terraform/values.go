package terraform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// collect makes the value of a block with instances: an object, a tuple for
// count, a map for for_each.
func collect(b *block, list []instance, value func(instance) cty.Value) cty.Value {
	switch {
	case b.attr("count") != nil:
		var vs []cty.Value
		for _, i := range list {
			if !i.key.IsKnown() {
				return cty.DynamicVal
			}
			vs = append(vs, value(i))
		}
		return cty.TupleVal(vs)
	case b.attr("for_each") != nil:
		vs := map[string]cty.Value{}
		for _, i := range list {
			k, err := convert.Convert(i.key, cty.String)
			if err != nil || !k.IsKnown() {
				return cty.DynamicVal
			}
			vs[k.AsString()] = value(i)
		}
		return cty.ObjectVal(vs)
	}
	return value(list[0])
}

// resourceValue is what other blocks see of a table or an instance.
func (s *scope) resourceValue(b *block) cty.Value {
	return collect(b, s.expand(b), func(i instance) cty.Value {
		attrs := map[string]cty.Value{"id": cty.UnknownVal(cty.String), "self_link": cty.UnknownVal(cty.String)}
		for _, name := range []string{"name", "instance_name", "project", "instance"} {
			attrs[name] = cty.UnknownVal(cty.String)
			if a := b.attr(name); a != nil {
				attrs[name] = s.eval(a.Expr, i.env)
			}
		}
		if v := attrs["name"]; v.IsKnown() && !v.IsNull() && v.Type() == cty.String && strings.HasSuffix(b.kind, "_instance") {
			attrs["id"] = v
		} else if strings.HasSuffix(b.kind, "_table") && v.IsKnown() && !v.IsNull() && v.Type() == cty.String {
			attrs["id"] = cty.StringVal("/tables/" + v.AsString())
		}
		var families []cty.Value
		for _, f := range s.blocks(b.bodies, "column_family", i.env) {
			v := cty.UnknownVal(cty.String)
			if a := f.attr("family"); a != nil {
				if t, ok := text(s.eval(a.Expr, f.env)); ok {
					v = cty.StringVal(t)
				}
			}
			families = append(families, cty.ObjectVal(map[string]cty.Value{"family": v}))
		}
		attrs["column_family"] = cty.SetValEmpty(cty.Object(map[string]cty.Type{"family": cty.String}))
		if len(families) > 0 {
			attrs["column_family"] = cty.SetVal(families)
		}
		return cty.ObjectVal(attrs)
	})
}

// moduleValue is what a module that is called gives back.
func (s *scope) moduleValue(name string) cty.Value {
	for _, c := range s.calls() {
		if c.name != name {
			continue
		}
		kids := s.children(c)
		if kids == nil {
			return cty.DynamicVal
		}
		var list []instance
		byKey := map[string]*scope{}
		for _, k := range kids {
			list = append(list, instance{key: k.key})
			byKey[keyString(k.key)] = k.scope
		}
		return collect(c.block, list, func(i instance) cty.Value {
			k := byKey[keyString(i.key)]
			outs := map[string]cty.Value{}
			for n, o := range k.outputs {
				outs[n] = cty.DynamicVal
				if a := o.attr("value"); a != nil {
					outs[n] = k.eval(a.Expr, nil)
				}
			}
			return cty.ObjectVal(outs)
		})
	}
	return cty.DynamicVal
}

func keyString(v cty.Value) string {
	switch {
	case v == cty.NilVal:
		return ""
	case !v.IsKnown():
		return "[?]"
	case v.Type() == cty.String:
		return fmt.Sprintf("[%q]", v.AsString())
	}
	if n, ok := integer(v); ok {
		return fmt.Sprintf("[%d]", n)
	}
	return "[?]"
}

// children returns the instances of a module that is called, nil when it is
// not in the repository.
func (s *scope) children(c callee) []*child {
	if kids, ok := s.called[c.name]; ok {
		return kids
	}
	s.called[c.name] = nil
	if c.dir == "" || len(s.parents) > maxDepth || slices.Contains(s.parents, c.dir) || !exists(c.dir) {
		if c.dir != "" && slices.Contains(s.parents, c.dir) {
			s.note(c.at, "the module calls itself")
		} else if strings.Contains(strings.ToLower(c.source+c.name), "bigtable") {
			s.note(c.at, "module %q is not in the repository: its resources are not known; run terraform init", c.name)
		}
		return nil
	}
	m := s.loader.load(c.dir)
	var kids []*child
	for _, i := range s.expand(c.block) {
		k := &scope{module: m, inputs: map[string]argument{}, address: join(s.address, "module."+c.name) + keyString(i.key),
			parents: append(slices.Clone(s.parents), c.dir)}
		k.variant = s.parents[0] + " " + k.address
		k.init()
		for name := range m.variables {
			if a := c.attr(name); a != nil {
				v := s.eval(a.Expr, i.env)
				at := s.origin(c.block, a.Expr)
				if at == nil {
					at = &a.Range
				}
				k.inputs[name] = argument{v, s.glob(a.Expr, i.env, 0), at}
			}
		}
		kids = append(kids, &child{i.key, k})
	}
	s.called[c.name] = kids
	return kids
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "." + b
}
