package memory

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// LeavesOut reports whether an argument is a struct that the caller makes
// itself without setting the field to which the names lead.
func (a *Arguments) LeavesOut(i int, names []string) bool {
	made, ok := a.At(i).Base().Site.(*ssa.Alloc)
	if !ok || made.Parent() != a.at.Parent() {
		return false
	}
	var path kind.PathTo
	t := kind.Deref(made.Type())
	for _, name := range names {
		f, j := kind.FieldNamed(kind.Deref(t), name)
		if f == nil {
			return false
		}
		path, t = append(path, j), f.Type()
	}
	p := a.path.p
	for _, s := range p.Prog.Stores[made] {
		if s.Path.HasPrefix(path) || path.HasPrefix(s.Path) {
			return false
		}
	}
	return !p.Objects.TakesOptions(made) && !p.Objects.SetSomewhere(made, path)
}
