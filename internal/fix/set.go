package fix

import (
	"go/token"
	"maps"

	"golang.org/x/tools/go/analysis"
)

// A Set is the fixes that analyzers offer for one package. Drivers apply all
// of them, some or one, and most without looking at what comes out; so each
// must compile alone, and all together.
//
// Unsafe fixes are beside the others: drivers that get them apply one at a
// time, or look. They give way to safe ones and compile with all of them that
// were offered before.
type Set struct {
	pass      *analysis.Pass
	compiler  *compiler
	safe, all []*analysis.SuggestedFix
}

// NewSet returns the set of the fixes that other analyzers have offered for
// the package of the pass.
func NewSet(pass *analysis.Pass, before ...*Set) *Set {
	s := &Set{pass: pass}
	seen := map[*analysis.SuggestedFix]bool{}
	add := func(to *[]*analysis.SuggestedFix, fixes []*analysis.SuggestedFix) {
		clear(seen)
		for _, f := range *to {
			seen[f] = true
		}
		for _, f := range fixes {
			if !seen[f] {
				*to = append(*to, f)
			}
		}
	}
	for _, b := range before {
		add(&s.safe, b.safe)
		add(&s.all, b.all)
		if s.compiler == nil {
			s.compiler = b.compiler
		}
	}
	return s
}

// Offer adds those of the fixes that compile alone and with the others of the
// set, and do not change the same text. It returns which these are. Of two
// that exclude each other the first is offered.
func (s *Set) Offer(fixes []*analysis.SuggestedFix) map[*analysis.SuggestedFix]bool {
	offered := map[*analysis.SuggestedFix]bool{}
	for _, unsafe := range []bool{false, true} {
		into := &s.safe
		if unsafe {
			into = &s.all
		}
		for _, f := range s.agreeing(*into, fixes, unsafe) {
			offered[f] = true
			*into = append(*into, f)
			if !unsafe {
				s.all = append(s.all, f)
			}
		}
	}
	return offered
}

// agreeing returns those of the fixes that are safe, or unsafe, and that
// can be made beside what is there and each other.
func (s *Set) agreeing(there, fixes []*analysis.SuggestedFix, unsafe bool) []*analysis.SuggestedFix {
	if s.compiler == nil {
		s.compiler = newCompiler(s.pass)
	}
	var apart []*analysis.SuggestedFix
	alone := map[*analysis.SuggestedFix]bool{}
	for {
		// One that does not compile takes nobody's place.
		apart = apart[:0]
		var asked []*analysis.SuggestedFix
		var edits taken
		edits.add(editsOf(there))
		for _, f := range fixes {
			ok, known := alone[f]
			if IsUnsafe(*f) != unsafe || known && !ok || !edits.admits(f.TextEdits) {
				continue
			}
			edits.add(f.TextEdits)
			apart = append(apart, f)
			if !known {
				asked = append(asked, f)
			}
		}
		if len(asked) == 0 {
			break
		}
		maps.Copy(alone, s.alone(asked))
	}
	if len(apart) == 0 || len(there)+len(apart) == 1 {
		return apart
	}
	_, list := s.together(editsOf(there), apart)
	return list
}

// together returns those of the fixes that compile together with edits, and all of
// the edits then.
func (s *Set) together(edits []analysis.TextEdit, fixes []*analysis.SuggestedFix) ([]analysis.TextEdit, []*analysis.SuggestedFix) {
	if all := append(edits[:len(edits):len(edits)], editsOf(fixes)...); s.compiles(all) {
		return all, fixes
	}
	if len(fixes) == 1 {
		return edits, nil
	}
	half := len(fixes) / 2
	edits, first := s.together(edits, fixes[:half])
	edits, second := s.together(edits, fixes[half:])
	return edits, append(first[:len(first):len(first)], second...)
}

func (s *Set) compiles(edits []analysis.TextEdit) bool {
	return s.compiler.check(edits) == nil
}

func editsOf(fixes []*analysis.SuggestedFix) []analysis.TextEdit {
	var edits []analysis.TextEdit
	for _, f := range fixes {
		edits = append(edits, f.TextEdits...)
	}
	return edits
}

func sameEdit(e, g analysis.TextEdit) bool {
	return e.Pos == g.Pos && end(e) == end(g) && string(e.NewText) == string(g.NewText)
}

// end is where an edit ends: without an end it is an insertion.
func end(e analysis.TextEdit) token.Pos {
	if !e.End.IsValid() {
		return e.Pos
	}
	return e.End
}
