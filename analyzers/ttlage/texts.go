package ttlage

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/lazy"
	"github.com/ttlvet/ttlvet/internal/syntax"
	"github.com/ttlvet/ttlvet/internal/wording"
)

// Texts in which a time stands: what they say of it stands before it.

// saidBefore reports whether the argument before a value names it, or the text
// before its verb: Set("Last-Modified", t), Printf("created=%s", t).
func saidBefore(p *check.Pass, call *ast.CallExpr, n ast.Node) bool {
	for i, a := range call.Args {
		if !syntax.Within(n, a) || i == 0 {
			continue
		}
		if fn, ok := typeutil.Callee(p.TypesInfo, call).(*types.Func); ok && strings.HasSuffix(strings.TrimSuffix(fn.Name(), "ln"), "f") {
			for j, arg := range call.Args[:i] {
				if s, ok := textConstant(p, arg); ok && strings.Contains(s, "%") {
					return wording.SaysWritten(beforeVerb(s, i-j-1))
				}
			}
			return false
		}
		if prints(p, call) {
			s, _ := textConstant(p, call.Args[i-1])
			return wording.SaysWritten(s)
		}
		return wording.SaysWritten(oneWord(p, call.Args[i-1]))
	}
	return false
}

var verb = lazy.Regexp(`%[^a-zA-Z%]*[a-zA-Z]`)

// beforeVerb returns the text of a format between its verb of that index and
// the one before.
func beforeVerb(format string, index int) string {
	verbs := verb().FindAllStringIndex(format, -1)
	if index >= len(verbs) {
		return ""
	}
	from := 0
	if index > 0 {
		from = verbs[index-1][1]
	}
	return format[from:verbs[index][0]]
}

// prints reports whether a call writes its arguments one behind the other, as
// fmt.Sprint and log.Println do.
func prints(p *check.Pass, call *ast.CallExpr) bool {
	fn, ok := typeutil.Callee(p.TypesInfo, call).(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Pkg().Path() != "fmt" && fn.Pkg().Path() != "log" {
		return false
	}
	return strings.HasSuffix(strings.TrimSuffix(fn.Name(), "ln"), "rint") || strings.HasPrefix(fn.Name(), "Fatal") || strings.HasPrefix(fn.Name(), "Panic")
}

// oneWord returns a text that names what comes after it: a key, no sentence.
func oneWord(p *check.Pass, e ast.Expr) string {
	s, _ := textConstant(p, e)
	if strings.ContainsAny(s, " %") {
		return ""
	}
	return s
}

// elementBefore returns the element of a list before the one in which a value
// stands.
func elementBefore(lit *ast.CompositeLit, n ast.Node) ast.Expr {
	for i, e := range lit.Elts {
		if syntax.Within(n, e) && i > 0 {
			return lit.Elts[i-1]
		}
	}
	return nil
}

func isText(p *check.Pass, e ast.Expr) bool {
	t := p.TypesInfo.TypeOf(e)
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// joined reports whether the text that stands before a value in a concatenation
// says that it is the time of writing; known is false where it does not say what
// time it is.
func joined(p *check.Pass, sum *ast.BinaryExpr, n ast.Node) (says, known bool) {
	parts := operands(sum)
	for i, part := range parts {
		if !syntax.Within(n, part) {
			continue
		}
		for j := i - 1; j >= 0; j-- {
			s, ok := textConstant(p, parts[j])
			if !ok {
				return false, false
			}
			if word().MatchString(s) {
				says = wording.SaysWritten(s)
				return says, says || wording.SaysAhead(s)
			}
		}
	}
	return false, false
}

var word = lazy.Regexp(`[a-zA-Z]`)

// operands lists what a concatenation joins, from left to right.
func operands(e ast.Expr) []ast.Expr {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return operands(e.X)
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return append(operands(e.X), operands(e.Y)...)
		}
	}
	return []ast.Expr{e}
}

// puttogether returns the words of a text that is put together which do not
// hang on values: column + ".created", fmt.Sprintf("%s.created", column).
func puttogether(p *check.Pass, e ast.Expr) string {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return puttogether(p, e.X)
	case *ast.BinaryExpr:
		if s, ok := textConstant(p, e); ok {
			return s
		}
		if e.Op == token.ADD {
			return puttogether(p, e.X) + " " + puttogether(p, e.Y)
		}
	case *ast.CallExpr:
		if fn := typeutil.Callee(p.TypesInfo, e); fn == nil || fn.Name() != "Sprintf" || len(e.Args) == 0 {
			return ""
		}
		format, _ := textConstant(p, e.Args[0])
		return verb().ReplaceAllString(format, " ")
	default:
		s, _ := textConstant(p, e)
		return s
	}
	return ""
}
