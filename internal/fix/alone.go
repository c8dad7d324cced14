package fix

import (
	"bytes"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"sort"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/lazy"
)

// alone tells which fixes compile alone. Of those that cannot change what others
// mean, many are compiled at once: a function with thousands of findings would be
// compiled thousands of times otherwise.
func (s *Set) alone(fixes []*analysis.SuggestedFix) map[*analysis.SuggestedFix]bool {
	out := map[*analysis.SuggestedFix]bool{}
	batches := map[string][]*analysis.SuggestedFix{}
	var order []string
	for _, f := range fixes {
		imports, ok := s.compiler.plain(f.TextEdits)
		if !ok {
			out[f] = s.compiles(f.TextEdits)
			continue
		}
		if batches[imports] == nil {
			order = append(order, imports)
		}
		batches[imports] = append(batches[imports], f)
	}
	for _, imports := range order {
		s.halves(batches[imports], out)
	}
	return out
}

// halves tells of fixes, each of which compiles alone if they do together, which
// compile.
func (s *Set) halves(fixes []*analysis.SuggestedFix, out map[*analysis.SuggestedFix]bool) {
	ok := s.compiles(editsOf(fixes))
	if !ok && len(fixes) > 1 {
		half := len(fixes) / 2
		s.halves(fixes[:half], out)
		s.halves(fixes[half:], out)
		return
	}
	for _, f := range fixes {
		out[f] = ok
	}
}

// imported finds the imports in the text of an edit.
var imported = lazy.Regexp(`(?:([\w.]+)[ \t]+)?"([^"\n]+)"`)

// plain reports whether a fix compiles alone if it does beside others: it declares
// nothing, takes the last use of nothing, and changes no declaration. It returns what
// the fix does to imports, which must be the same for all.
func (c *compiler) plain(edits []analysis.TextEdit) (imports string, ok bool) {
	var inside []analysis.TextEdit
	var added [][][]byte
	open := 0
	for _, e := range edits {
		f := c.fileOf(e)
		if f == nil {
			return "", false
		}
		switch fn := f.function(e); {
		case fn != nil:
			if declares(e.NewText) || changesDeclaration(fn, e) {
				return "", false
			}
			inside = append(inside, e)
			open += brackets(e.NewText)
		case f.withinImports(e) && e.Pos == end(e):
			imports += c.pass.Fset.Position(e.Pos).String() + string(e.NewText) + "\n"
			added = append(added, imported().FindAllSubmatch(e.NewText, -1)...)
		default:
			return "", false
		}
	}
	if len(inside) == 0 || open != 0 || len(Gone(c.pass, c.fileOf(inside[0]).syntax, inside)) > 0 {
		return "", false
	}
	for _, spec := range added {
		name := string(spec[1])
		if name == "" {
			name = path.Base(string(spec[2]))
		}
		if !mentions(inside, name+".") {
			return "", false
		}
	}
	return imports, true
}

// brackets counts those that a text leaves open.
func brackets(text []byte) (open int) {
	for _, b := range text {
		switch b {
		case '(', '[', '{':
			open++
		case ')', ']', '}':
			open--
		}
	}
	return open
}

// declares reports whether a text may declare something.
func declares(text []byte) bool {
	for _, word := range []string{":=", "var ", "const ", "type ", ":\n", "import "} {
		if bytes.Contains(text, []byte(word)) {
			return true
		}
	}
	return false
}

// changesDeclaration reports whether an edit changes a statement of a function that
// declares something.
func changesDeclaration(fn *ast.FuncDecl, e analysis.TextEdit) bool {
	found := false
	inspect(fn.Body, e.Pos-1, end(e)+1, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			found = found || n.Tok == token.DEFINE
		case *ast.DeclStmt, *ast.LabeledStmt:
			found = true
		case *ast.RangeStmt:
			found = found || n.Tok == token.DEFINE && e.Pos < n.Body.Pos()
		case *ast.FuncType:
			found = true
		}
		return !found
	})
	return found
}

// mentions reports whether an edit's text has another in it.
func mentions(edits []analysis.TextEdit, text string) bool {
	for _, e := range edits {
		if strings.Contains(string(e.NewText), text) {
			return true
		}
	}
	return false
}

// taken is the edits that are made, by their positions.
type taken struct{ edits []analysis.TextEdit }

// admits reports whether the edits of a fix go with them: each is one of them, an
// import that both need, or touches none of them.
func (t *taken) admits(edits []analysis.TextEdit) bool {
	for _, e := range edits {
		i := t.search(e.Pos)
		for i > 0 && t.edits[i-1].End > e.Pos {
			i--
		}
		for ; i < len(t.edits) && t.edits[i].Pos <= max(e.Pos, e.End-1); i++ {
			if g := t.edits[i]; !sameEdit(e, g) && (e.Pos == g.Pos || e.Pos < g.End && g.Pos < e.End) {
				return false
			}
		}
	}
	return true
}

func (t *taken) add(edits []analysis.TextEdit) {
	for _, e := range edits {
		t.edits = slices.Insert(t.edits, t.search(e.Pos), e)
	}
}

// search returns the place of the first edit at or behind a position.
func (t *taken) search(pos token.Pos) int {
	return sort.Search(len(t.edits), func(i int) bool { return t.edits[i].Pos >= pos })
}
