package way

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// A memo is what has been resolved on a way, and what was before it was put
// aside: a question is asked without choices more often than anything new is
// resolved for it. It has nil for what is being resolved.
type memo struct {
	values map[ssa.Value]*value.Value
	before *memo
}

func (m *memo) get(v ssa.Value) (*value.Value, bool) {
	for ; m != nil; m = m.before {
		if r, ok := m.values[v]; ok {
			return r, true
		}
	}
	return nil, false
}

func (m *memo) set(v ssa.Value, r *value.Value) {
	if m.values == nil {
		m.values = map[ssa.Value]*value.Value{}
	}
	m.values[v] = r
}

func (m *memo) forget(v ssa.Value) { delete(m.values, v) }

// beside returns a memo that knows what m does, and leaves m as it is.
func (m *memo) beside() *memo { return &memo{before: m} }
