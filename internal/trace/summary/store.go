package summary

import (
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// FactTypes are the types of the facts that drivers see.
var FactTypes = []analysis.Fact{(*Package)(nil)}

// A Store holds the facts that a pass can import, and those that it exports.
type Store struct {
	pass  *analysis.Pass
	known map[string]*entry
	own   *entry
}

// New returns the facts of a pass, in which nothing is exported yet.
func New(pass *analysis.Pass) *Store {
	s := &Store{pass: pass, known: map[string]*entry{}, own: newEntry()}
	for _, imp := range pass.Pkg.Imports() {
		var fact Package
		if !pass.ImportPackageFact(imp, &fact) {
			continue
		}
		for path, e := range fact.known {
			if path == imp.Path() {
				s.known[path] = e
			} else if s.known[path] == nil {
				s.known[path] = e.handedOn()
			}
		}
	}
	return s
}

// Pass returns a copy of the pass that imports facts from the store, and exports
// to it.
func (s *Store) Pass() *analysis.Pass {
	pass := *s.pass
	pass.ImportObjectFact = s.importObject
	pass.ImportPackageFact = s.importPackage
	if pass.ExportPackageFact != nil { // somebody wants facts
		pass.ExportObjectFact = s.exportObject
		pass.ExportPackageFact = s.exportPackage
	}
	return &pass
}

// Close exports what the store was given, as the fact of the pass's package: also
// where that is nothing, so that facts that are lost are not taken for none.
func (s *Store) Close() {
	if s.pass.ExportPackageFact == nil {
		return
	}
	known := map[string]*entry{s.pass.Pkg.Path(): s.own}
	for path, e := range s.known {
		if path != s.pass.Pkg.Path() && !e.members.empty() {
			known[path] = e.handedOn()
		}
	}
	s.pass.ExportPackageFact(&Package{s.pass.Pkg.Path(), known})
}

func (s *Store) importPackage(pkg *types.Package, fact analysis.Fact) bool {
	e := s.known[pkg.Path()]
	if e == nil {
		return false
	}
	switch fact := fact.(type) {
	case *Helps:
		return e.helps
	case *Reach:
		if e.reach != nil {
			*fact = *e.reach
			return true
		}
	}
	return false
}

func (s *Store) exportPackage(fact analysis.Fact) {
	switch fact := fact.(type) {
	case *Helps:
		s.own.helps = true
	case *Reach:
		s.own.reach = fact
	}
}

func (s *Store) importObject(obj types.Object, fact analysis.Fact) bool {
	if obj == nil || obj.Pkg() == nil {
		return false
	}
	e := s.known[obj.Pkg().Path()]
	if e == nil {
		return false
	}
	known := e.part(obj).find(obj)
	if known == nil {
		return false
	}
	*fact.(*Summary) = *known
	return true
}

func (s *Store) exportObject(obj types.Object, fact analysis.Fact) {
	f := fact.(*Summary)
	f.Share() // before others see it, side by side; what is read has each value once
	s.own.part(obj).add(obj, f)
}
