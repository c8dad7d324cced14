package way

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/value"
)

// A memo is what has been resolved on a way; it has nil for what is being
// resolved. What is resolved beside, for a question that is asked without making
// choices, is forgotten again: such questions are asked more often than anything
// is resolved for good.
type memo struct {
	values map[ssa.Value]*value.Value
	depth  int         // of questions beside
	beside []ssa.Value // what was resolved for them
}

func newMemo() *memo { return &memo{values: map[ssa.Value]*value.Value{}} }

func (m *memo) get(v ssa.Value) (*value.Value, bool) {
	r, ok := m.values[v]
	return r, ok
}

// begin notes that a value is being resolved that has not been.
func (m *memo) begin(v ssa.Value) {
	m.values[v] = nil
	if m.depth > 0 {
		m.beside = append(m.beside, v)
	}
}

func (m *memo) set(v ssa.Value, r *value.Value) { m.values[v] = r }

func (m *memo) forget(v ssa.Value) { delete(m.values, v) }

// ask calls f and forgets what was resolved in it.
func (m *memo) ask(f func()) {
	m.depth++
	n := len(m.beside)
	f()
	for _, v := range m.beside[n:] {
		delete(m.values, v)
	}
	m.depth, m.beside = m.depth-1, m.beside[:n]
}
