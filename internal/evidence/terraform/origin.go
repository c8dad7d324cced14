package terraform

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
)

// origin returns the argument of a call of the module from which an expression
// of a block takes its value: the one of the outermost module that writes it. It
// is nil where the value stands in the module itself. each is what a nested block
// is made for.
func (s *scope) origin(b *block, expr hcl.Expression, each ...hcl.Expression) *hcl.Range {
	return s.originOf(b, expr, each, 0)
}

func (s *scope) originOf(b *block, expr hcl.Expression, each []hcl.Expression, depth int) *hcl.Range {
	if expr == nil || depth > maxDepth {
		return nil
	}
	for _, t := range expr.Variables() {
		name := ""
		if len(t) > 1 {
			if a, ok := t[1].(hcl.TraverseAttr); ok {
				name = a.Name
			}
		}
		var at *hcl.Range
		switch root := t.RootName(); root {
		case "var":
			at = s.inputs[name].at
		case "local":
			if a := s.locals[name]; a != nil {
				at = s.originOf(b, a.Expr, nil, depth+1)
			}
		case "each", "count":
			for _, meta := range []string{"for_each", "count"} {
				if a := b.attr(meta); a != nil && at == nil {
					at = s.originOf(&block{}, a.Expr, nil, depth+1)
				}
			}
		case "module", "data", "path", "terraform":
		default:
			if strings.HasSuffix(root, "bigtable_table") {
				for _, t := range s.resources {
					if t.kind == root && t.name == name && t.attr("name") != nil {
						at = s.originOf(t, t.attr("name").Expr, nil, depth+1)
					}
				}
				break
			}
			for _, e := range each { // of a dynamic block: this is its iterator
				if at == nil {
					at = s.originOf(b, e, nil, depth+1)
				}
			}
		}
		if at != nil {
			return at
		}
	}
	return nil
}
