package ttlvet

import (
	"fmt"
	"go/token"

	"github.com/ttlvet/ttlvet/internal/code"
	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/place"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/schema"
	"github.com/ttlvet/ttlvet/internal/trace"
)

// calls looks at what the package calls, as far as somebody wants to know: what
// is declared by handles, or the driver.
func (m *meta) calls() {
	if len(m.pass.Files) == 0 {
		return
	}
	name := m.pass.Files[0].Name
	for _, e := range m.decl.Misnamed {
		m.mistake(name.Pos(), e)
	}
	handles := m.decl.File != nil && len(m.decl.File.Handles) > 0
	if !m.out.Reaches || !handles && !m.config.Calls {
		return
	}
	calls := code.Calls(m.pass, m.pass.ResultOf[trace.Analyzer].(*trace.Result))
	if m.config.Calls {
		m.out.Calls, m.out.Path, m.out.Model = calls, m.decl.Path, m.decl.Model
	}
	if handles {
		m.contradicted(calls)
	}
}

// contradicted reports the handles through which a table flows that has another
// name than theirs, once each.
func (m *meta) contradicted(calls []*evidence.Call) {
	seen := map[string]bool{}
	for _, c := range calls {
		if c.Test {
			continue // which may have tables of its own
		}
		for _, ref := range c.Tables {
			h, t := m.decl.Model.Contradicts(ref)
			at, inFile := m.decl.File.Handles[h]
			if h == "" || !inFile || seen[h] {
				continue
			}
			seen[h] = true
			m.mistake(m.pos(c.Place), &registry.ParseError{Pos: at, Msg: fmt.Sprintf(
				"handle %q of table %q holds table %q at %s: what is done to that is taken for this one's; name what holds one table alone", h, t.Pattern, ref.Name, c.Place.SeenFrom(at.File))})
		}
	}
}

// mistake reports what is wrong at a place of the registry file: there, by the
// driver, or else in Go.
func (m *meta) mistake(pos token.Pos, e *registry.ParseError) {
	switch {
	case m.silenced(pos):
	case m.config.RegistryApart:
		m.out.Mistakes = append(m.out.Mistakes, e)
	case schema.Silenced(e.Pos, "ttlvet", "registry"):
	default:
		m.report("registry", pos, token.NoPos, fmt.Sprintf("%s:%d: %s", place.File(e.Pos.File), e.Pos.Line, e.Msg))
	}
}

// pos returns where a place is in the package.
func (m *meta) pos(at evidence.Place) token.Pos {
	for _, f := range m.pass.Files {
		if file := m.pass.Fset.File(f.FileStart); file.Name() == at.File && at.Line <= file.LineCount() {
			return file.LineStart(at.Line) + token.Pos(at.Column-1)
		}
	}
	return m.pass.Files[0].Name.Pos()
}
