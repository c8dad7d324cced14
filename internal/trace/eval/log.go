package eval

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A Step is one resolution of a value, for ttlvet trace.
type Step struct {
	Pos   token.Pos
	Value *value.Value
}

// A Log records how values were resolved.
type Log struct {
	Steps []Step
}

func (l *Log) resolved(v ssa.Value, r *value.Value) {
	if l == nil || !v.Pos().IsValid() {
		return
	}
	if param, ok := v.(*ssa.Parameter); ok && kind.IsRangeBody(param.Parent()) {
		return // it stands where the type of the iterator does
	}
	l.Steps = append(l.Steps, Step{v.Pos(), r})
}
