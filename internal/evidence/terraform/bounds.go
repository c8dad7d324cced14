package terraform

import (
	"errors"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/ttlvet/ttlvet/internal/lazy"
)

const (
	// maxTurns bounds the turns of all for expressions of a configuration.
	maxTurns = 200_000
	// maxMade bounds the elements and the bytes that one call makes.
	maxMade = 1 << 20
	// maxExponent bounds numbers, in bits: written out, one has as many digits.
	maxExponent = 1 << 12
)

var errMade = errors.New("it makes more than is evaluated")

// bound makes the expressions of a file such that evaluating them ends: the turns of
// their loops are counted, and numbers of thousands of digits are not known.
func (l *loader) bound(body hcl.Body) {
	native, ok := body.(*hclsyntax.Body)
	if !ok {
		return // in JSON, expressions are parsed when they are evaluated
	}
	hclsyntax.VisitAll(native, func(n hclsyntax.Node) hcl.Diagnostics {
		switch n := n.(type) {
		case *hclsyntax.ForExpr:
			n.CollExpr = &counted{&hclsyntax.ParenthesesExpr{Expression: n.CollExpr, SrcRange: n.CollExpr.Range()}, &l.turns}
		case *hclsyntax.LiteralValueExpr:
			if v := n.Val; v.IsKnown() && !v.IsNull() && v.Type() == cty.Number && v.AsBigFloat().MantExp(nil) > maxExponent {
				n.Val = cty.UnknownVal(cty.Number)
			}
		}
		return nil
	})
}

// A counted is what a for expression goes through. Each evaluation counts its elements.
// (Within parentheses, because whoever looks for variables must meet the expression.)
type counted struct {
	*hclsyntax.ParenthesesExpr
	turns *int
}

func (c *counted) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	v, diags := c.ParenthesesExpr.Value(ctx)
	if v, _ := v.Unmark(); v.IsKnown() && !v.IsNull() && v.CanIterateElements() {
		*c.turns += v.LengthInt() + 1
	}
	if *c.turns > maxTurns {
		return cty.DynamicVal, diags.Append(&hcl.Diagnostic{Severity: hcl.DiagError, Summary: errMade.Error()})
	}
	return v, diags
}

// bounded is a function that fails where its arguments ask for too much.
func bounded(f function.Function, fits func(args []cty.Value) bool) function.Function {
	return function.New(&function.Spec{
		Params: f.Params(), VarParam: f.VarParam(),
		Type: f.ReturnTypeForValues,
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			if !fits(args) {
				return cty.DynamicVal, errMade
			}
			return f.Call(args)
		},
	})
}

// productFits reports whether the product of sets is small enough.
func productFits(args []cty.Value) bool {
	n := 1
	for _, a := range args {
		if a.IsKnown() && !a.IsNull() && a.CanIterateElements() {
			if n *= a.LengthInt(); n > maxMade>>6 {
				return false
			}
		}
	}
	return true
}

// wide is a verb that pads to ten thousand characters or more.
var wide = lazy.Regexp(`%[^%a-zA-Z]*[0-9]{5}`)

func formatFits(args []cty.Value) bool {
	return len(args) == 0 || !args[0].IsKnown() || args[0].IsNull() || !wide().MatchString(args[0].AsString())
}

// replaceFits reports whether a text with all of it replaced is short enough.
func replaceFits(args []cty.Value) bool {
	return (len(args[0].AsString())+1)*len(args[2].AsString()) <= maxMade
}
