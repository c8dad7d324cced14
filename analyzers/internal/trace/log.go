package trace

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// A Step is one resolution of a value, for ttlvet trace.
type Step struct {
	Pos   token.Pos
	Depth int // how many other resolutions asked for this one
	What  string
	Value *value.Value
}

// A log records how values were resolved.
type log struct {
	steps []Step
}

func (l *log) resolved(p *path, v ssa.Value, r *value.Value) {
	if l == nil || !v.Pos().IsValid() {
		return
	}
	l.steps = append(l.steps, Step{v.Pos(), p.depth, v.Name(), r})
}

// logger returns the log of the event that is being explained, or nil.
func (p *program) logger() *log { return p.logging }
