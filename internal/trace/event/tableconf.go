package event

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/value"
)

// TableConfs finds what a program writes down of tables for others to apply.
type TableConfs struct {
	prog *program.Program
	eval *eval.Evaluator
}

// NewTableConfs returns a finder for the program of an evaluator.
func NewTableConfs(e *eval.Evaluator) *TableConfs { return &TableConfs{e.Prog, e} }

// A Statement is a place at which code says something of a table's families that
// others apply.
type Statement struct {
	Node    ast.Node // the literal or the index that says it
	Resolve func(*eval.Path) []*value.Value
}

// exported returns the exported function that fn is declared as; nil of others, and
// of literals.
func exported(fn *ssa.Function) *types.Func {
	if obj := kind.Object(fn); fn.Parent() == nil && obj != nil && obj.Exported() {
		return obj
	}
	return nil
}
