package terraform

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/ttlvet/ttlvet/internal/input"
)

// A scope is a module with the values that it is called with.
type scope struct {
	*module
	inputs  map[string]argument
	address string // "module.a.module.b", "" for a root
	variant string // tells the environments of several roots and calls apart
	busy    map[string]bool
	cache   map[string]cty.Value
	called  map[string][]*child
	parents []string // directories that lead here
}

// An argument is the value of a variable, and its pattern where the value is
// not known.
type argument struct {
	value cty.Value
	glob  string
	at    *hcl.Range // where it is written, if a call of the module gives it
}

// A child is one instance of a module that is called.
type child struct {
	key   cty.Value // of for_each or count, NilVal without
	scope *scope
}

// An environ holds the values that a block brings along: each, count, the
// iterators of dynamic blocks.
type environ map[string]cty.Value

func (e environ) with(name string, v cty.Value) environ {
	out := environ{name: v}
	for k, old := range e {
		if k != name {
			out[k] = old
		}
	}
	return out
}

// maxDepth bounds how deep modules call each other.
const maxDepth = 12

func (l *loader) root(dir string) {
	l.rootDir = dir
	m := l.load(dir)
	s := &scope{module: m, inputs: map[string]argument{}, variant: dir, parents: []string{dir}}
	s.init()
	var files []string
	for _, name := range []string{"terraform.tfvars", "terraform.tfvars.json"} {
		if path := filepath.Join(dir, name); exists(path) {
			files = append(files, path)
		}
	}
	for _, pattern := range []string{"*.auto.tfvars", "*.auto.tfvars.json"} {
		more, _ := filepath.Glob(filepath.Join(dir, pattern))
		files = append(files, more...)
	}
	tree := input.Tree(dir)
	for _, path := range files {
		if err := input.Stays(tree, path); err != nil {
			l.schema.Unreadable(path, err)
			continue
		}
		s.varFile(path)
	}
	for _, path := range l.varFiles {
		s.varFile(path)
	}
	s.settings()
}

func (s *scope) init() {
	s.busy, s.cache, s.called = map[string]bool{}, map[string]cty.Value{}, map[string][]*child{}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// varFile reads a file of variables.
func (s *scope) varFile(path string) {
	data, ok := s.loader.schema.ReadFile(path)
	if !ok {
		return
	}
	parser := hclparse.NewParser()
	var file *hcl.File
	var diags hcl.Diagnostics
	if strings.HasSuffix(path, ".json") {
		file, diags = parser.ParseJSON(data, path)
	} else {
		file, diags = parser.ParseHCL(data, path)
	}
	s.loader.diagnose(path, diags)
	if file == nil {
		return
	}
	attrs, _ := file.Body.JustAttributes()
	for name, a := range attrs {
		if v, diags := a.Expr.Value(nil); !diags.HasErrors() {
			s.inputs[name] = argument{value: v}
		}
	}
}

// eval evaluates an expression. What cannot be evaluated is not known.
func (s *scope) eval(expr hcl.Expression, env environ) cty.Value {
	vars := map[string]cty.Value{}
	groups := map[string]map[string]cty.Value{}
	for _, t := range expr.Variables() {
		root := t.RootName()
		if v, ok := env[root]; ok {
			vars[root] = v
			continue
		}
		name := ""
		if len(t) > 1 {
			if a, ok := t[1].(hcl.TraverseAttr); ok {
				name = a.Name
			}
		}
		switch {
		case root == "each" || root == "count" || root == "self" || root == "data":
			vars[root] = cty.DynamicVal
		case name == "":
			vars[root] = cty.DynamicVal
		default:
			if groups[root] == nil {
				groups[root] = map[string]cty.Value{}
			}
			groups[root][name] = s.lookup(root, name)
		}
	}
	for root, g := range groups {
		if _, ok := vars[root]; !ok {
			vars[root] = cty.ObjectVal(g)
		}
	}
	v, diags := expr.Value(&hcl.EvalContext{Variables: vars, Functions: functions(s)})
	if diags.HasErrors() {
		return cty.DynamicVal
	}
	v, _ = v.UnmarkDeep()
	return v
}

// lookup returns what a name stands for.
func (s *scope) lookup(root, name string) cty.Value {
	key := root + "." + name
	if v, ok := s.cache[key]; ok {
		return v
	}
	if s.busy[key] {
		return cty.DynamicVal // a circle
	}
	s.busy[key] = true
	v := s.find(root, name)
	delete(s.busy, key)
	s.cache[key] = v
	return v
}

func (s *scope) find(root, name string) cty.Value {
	switch {
	case root == "var":
		return s.variable(name)
	case root == "local":
		if a := s.locals[name]; a != nil {
			return s.eval(a.Expr, nil)
		}
	case root == "path":
		if name == "module" || name == "root" {
			return cty.StringVal(s.dir)
		}
	case root == "module":
		return s.moduleValue(name)
	case strings.HasSuffix(root, "bigtable_table") || strings.HasSuffix(root, "bigtable_instance"):
		for _, b := range append(s.resources[:len(s.resources):len(s.resources)], s.instances...) {
			if b.kind == root && b.name == name {
				return s.resourceValue(b)
			}
		}
	}
	return cty.DynamicVal
}

func (s *scope) variable(name string) cty.Value {
	b := s.variables[name]
	if b == nil {
		return cty.DynamicVal
	}
	ty, defaults := cty.DynamicPseudoType, (*typeexpr.Defaults)(nil)
	if a := b.attr("type"); a != nil {
		if t, d, diags := typeexpr.TypeConstraintWithDefaults(a.Expr); !diags.HasErrors() {
			ty, defaults = t, d
		}
	}
	v := cty.UnknownVal(ty)
	if in, ok := s.inputs[name]; ok && in.value != cty.NilVal {
		v = in.value
	} else if a := b.attr("default"); a != nil {
		if d, diags := a.Expr.Value(nil); !diags.HasErrors() {
			v = d
		}
	}
	if defaults != nil && v.IsKnown() && !v.IsNull() {
		v = defaults.Apply(v)
	}
	if c, err := convert.Convert(v, ty); err == nil {
		return c
	}
	return v
}

// expand lists the instances of a block by its count or for_each: the key of
// each and what each or count is in it. One whose number is not known has
// one instance, of which little is known.
func (s *scope) expand(b *block) []instance {
	if a := b.attr("count"); a != nil {
		v := s.eval(a.Expr, nil)
		n, ok := integer(v)
		if !ok {
			s.note(a.Range, "count is not known")
			return []instance{{cty.DynamicVal, environ{"count": cty.ObjectVal(map[string]cty.Value{"index": cty.UnknownVal(cty.Number)})}}}
		}
		var out []instance
		for i := range min(n, maxInstances) {
			key := cty.NumberIntVal(int64(i))
			out = append(out, instance{key, environ{"count": cty.ObjectVal(map[string]cty.Value{"index": key})}})
		}
		return out
	}
	if a := b.attr("for_each"); a != nil {
		return s.each(s.eval(a.Expr, nil), "each", nil, func() { s.note(a.Range, "for_each is not known") })
	}
	return []instance{{cty.NilVal, nil}}
}

// maxInstances bounds the instances of one block.
const maxInstances = 10000

type instance struct {
	key cty.Value
	env environ
}

func (s *scope) each(v cty.Value, name string, env environ, unknown func()) []instance {
	if v.IsKnown() && v.IsNull() {
		return nil
	}
	if !v.IsKnown() || !v.CanIterateElements() {
		unknown()
		return []instance{{cty.DynamicVal, env.with(name, cty.ObjectVal(map[string]cty.Value{"key": cty.UnknownVal(cty.String), "value": cty.DynamicVal}))}}
	}
	var out []instance
	for it := v.ElementIterator(); it.Next() && len(out) < maxInstances; {
		k, e := it.Element()
		if v.Type().IsSetType() {
			k = e
		}
		out = append(out, instance{k, env.with(name, cty.ObjectVal(map[string]cty.Value{"key": k, "value": e}))})
	}
	return out
}

func (s *scope) note(r hcl.Range, format string, args ...any) {
	s.loader.schema.Note(place(r), format, args...)
}
