package program

import (
	"go/types"

	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// Imported returns the summary of a function of another package, or nil.
func (p *Program) Imported(fn *types.Func) *summary.Summary {
	if s, ok := p.imports[fn]; ok {
		return s
	}
	var s *summary.Summary
	var fact summary.Summary
	if fn != nil && fn.Pkg() != nil && fn.Pkg() != p.Pass.Pkg && p.Pass.ImportObjectFact(fn, &fact) {
		s = &fact
	}
	p.imports[fn] = s
	return s
}

// Analysed reports whether the package of a function was traced, so that
// what its facts do not say is not so.
func (p *Program) Analysed(fn *types.Func) bool {
	return fn.Pkg() != nil && p.Traced(fn.Pkg())
}

// Traced reports whether a package is one of which tracing has written facts.
func (p *Program) Traced(pkg *types.Package) bool {
	if p.Pass.ImportPackageFact == nil {
		return false
	}
	traced, ok := p.traced[pkg]
	if !ok {
		traced = p.Pass.ImportPackageFact(pkg, &summary.Reach{}) || p.Pass.ImportPackageFact(pkg, &summary.Helps{})
		p.traced[pkg] = traced
	}
	return traced
}
