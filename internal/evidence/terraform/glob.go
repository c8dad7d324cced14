package terraform

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// glob evaluates an expression to a name, with '*' for what is not known.
func (s *scope) glob(expr hcl.Expression, env environ, depth int) string {
	if v := s.eval(expr, env); v.IsKnown() {
		if t, ok := text(v); ok {
			return t
		}
		return "*"
	}
	if depth > 8 {
		return "*"
	}
	switch e := expr.(type) {
	case *hclsyntax.TemplateExpr:
		out := ""
		for _, p := range e.Parts {
			out += s.glob(p, env, depth+1)
		}
		return squeeze(out)
	case *hclsyntax.TemplateWrapExpr:
		return s.glob(e.Wrapped, env, depth+1)
	case *hclsyntax.ParenthesesExpr:
		return s.glob(e.Expression, env, depth+1)
	case *hclsyntax.ScopeTraversalExpr:
		return s.globOf(e.Traversal, env, depth+1)
	}
	return "*"
}

// globOf follows a name to the expression that it stands for.
func (s *scope) globOf(t hcl.Traversal, env environ, depth int) string {
	if len(t) < 2 {
		return "*"
	}
	attr := func(i int) string {
		if i < len(t) {
			if a, ok := t[i].(hcl.TraverseAttr); ok {
				return a.Name
			}
		}
		return ""
	}
	switch root := t.RootName(); {
	case root == "local" && len(t) == 2 && s.locals[attr(1)] != nil:
		return s.glob(s.locals[attr(1)].Expr, nil, depth)
	case root == "var" && len(t) == 2:
		if g := s.inputs[attr(1)].glob; g != "" {
			return g
		}
	case strings.HasSuffix(root, "bigtable_table") || strings.HasSuffix(root, "bigtable_instance"):
		for _, b := range append(s.resources[:len(s.resources):len(s.resources)], s.instances...) {
			if b.kind != root || b.name != attr(1) || b.attr("name") == nil {
				continue
			}
			if last := attr(len(t) - 1); last == "name" || last == "id" {
				return s.glob(b.attr("name").Expr, environ{"each": cty.DynamicVal, "count": cty.DynamicVal}, depth)
			}
		}
	}
	return "*"
}

func squeeze(s string) string {
	for strings.Contains(s, "**") {
		s = strings.ReplaceAll(s, "**", "*")
	}
	return s
}

func text(v cty.Value) (string, bool) {
	c, err := convert.Convert(v, cty.String)
	if err != nil || !c.IsKnown() || c.IsNull() {
		return "", false
	}
	return c.AsString(), true
}

func integer(v cty.Value) (int, bool) {
	c, err := convert.Convert(v, cty.Number)
	if err != nil || !c.IsKnown() || c.IsNull() {
		return 0, false
	}
	n, acc := c.AsBigFloat().Int64()
	return int(n), acc == 0
}
