package trace

import (
	"go/types"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// maxKept bounds for how many packages is kept what was found again: who asks for one
// function's results asks for others of the package soon after.
const maxKept = 4

// A Process is a run of a driver that hands facts on within its process: see
// [InProcess].
type Process struct {
	mu   sync.Mutex
	kept []*later // the oldest first
}

// keep notes that what is known of a package was found again, and drops what is known of
// the one that was found longest ago, unless it is being asked.
func (p *Process) keep(l *later) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kept = append(p.kept, l)
	for i := 0; i < len(p.kept) && len(p.kept) > maxKept; {
		if old := p.kept[i]; old != l && old.mu.TryLock() {
			old.returns = nil
			old.mu.Unlock()
			p.kept = append(p.kept[:i:i], p.kept[i+1:]...)
			continue
		}
		i++
	}
}

// later finds the results of a package's functions when another package asks for them,
// if facts stay in the process. Few are asked for, and what is known of the package takes
// much memory: it is dropped, and found again for who asks.
type later struct {
	pass    *analysis.Pass
	process *Process // nil where facts leave it
	acts    map[*types.Func]bool
	mu      sync.Mutex // packages are analysed side by side
	returns *returns
}

// results returns the results of a function, whose code the package has.
func (l *later) results(fn *types.Func, code *ssa.Function) *summary.Results {
	find := func() (cases []summary.ResultCase) {
		l.mu.Lock()
		defer l.mu.Unlock()
		guarded(l.pass, func() {
			if l.returns == nil {
				l.returns = newReturns(event.NewTracer(program.New(l.pass)), l.acts)
				l.process.keep(l)
			}
			cases = l.returns.exported(kind.Origin(l.returns.prog.Pkg.Prog.FuncValue(fn)))
		})
		return cases
	}
	if l.process != nil && !l.returns.simple(code) {
		return summary.Asked(find)
	}
	return summary.Returning(find()...)
}

// done drops what is known of the package after its facts are exported.
func (l *later) done() {
	l.mu.Lock()
	l.returns = nil
	l.mu.Unlock()
}
