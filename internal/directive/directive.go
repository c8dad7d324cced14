// Package directive reads the comments by which users silence findings:
//
//	//ttlvet:ignore ttlread/missing-filter reason
//	//nolint:ttlvet // reason
//
// A directive speaks for its line; alone on a line, for the statement or
// declaration that follows; before the package clause, for the file.
//
// Of //nolint directives, those that golangci-lint would apply to ttlvet count,
// in every driver: where golangci-lint runs, it drops what they speak for
// whatever ttlvet thinks of them. So one that names ttlvet silences without a
// reason too, which is then reported, and //nolint and //nolint:all, which are
// meant for everybody, silence and are not asked for anything.
package directive

import (
	"go/ast"
	"go/token"
	"reflect"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/lazy"
	"github.com/ttlvet/ttlvet/internal/rule"
)

// Analyzer finds the directives of a package. Its result is a *[Set].
var Analyzer = &analysis.Analyzer{
	Name:       "ttlvetdirective",
	Doc:        "find the directives that silence findings; reports nothing by itself",
	URL:        "https://github.com/ttlvet/ttlvet/blob/main/docs/ttlvet.md",
	Run:        run,
	ResultType: reflect.TypeFor[*Set](),
}

// A Directive silences findings.
type Directive struct {
	Pos, End token.Pos // the comment
	Names    []string  // the analyzers and rules that it names; none for all
	Problem  string    // what is wrong with it, "" if nothing is
	Void     bool      // it silences nothing, because of its problem
	From, To token.Pos // what it speaks for
	NoLint   bool      // written as //nolint
	Others   bool      // it does not name ttlvet: nobody asks whether it is of use
}

// A Set is the directives of a package.
type Set struct{ Directives []*Directive }

// For returns the directive that silences a finding of the rule at pos, or
// nil. Of several it is the one that is most meant for it.
func (s *Set) For(fset *token.FileSet, pos token.Pos, r rule.Rule) (best *Directive) {
	for _, d := range s.Directives {
		if !d.Void && d.From <= pos && pos <= d.To && d.names(r) && (best == nil || d.generality() < best.generality()) {
			best = d
		}
	}
	return best
}

// generality orders directives by how much they are meant for.
func (d *Directive) generality() int {
	switch {
	case d.Others:
		return 2
	case d.NoLint:
		return 1
	}
	return 0
}

func (d *Directive) names(r rule.Rule) bool {
	if len(d.Names) == 0 {
		return true
	}
	for _, n := range d.Names {
		if n == r.Name() || n == r.Analyzer || n == "ttlvet" {
			return true
		}
	}
	return false
}

func run(pass *analysis.Pass) (any, error) {
	set := &Set{}
	for _, f := range pass.Files {
		var l *layout // made for the first directive: most files have none
		for _, group := range f.Comments {
			for _, c := range group.List {
				if d := parse(c); d != nil {
					if l == nil {
						l = layOut(pass.Fset.File(c.Pos()), f)
					}
					d.scope(l, f, c, group)
					set.Directives = append(set.Directives, d)
				}
			}
		}
	}
	return set, nil
}

const prefix = "//ttlvet:"

// nearly is a comment that looks like a directive, and that Go's conventions
// make an ordinary one.
var nearly = lazy.Regexp(`^(?://\s+|/\*\s*)ttlvet:ignore(\s+ttl[a-z]+|\s*$)`)

// parse reads a comment; nil when it is no directive of ttlvet's.
func parse(c *ast.Comment) *Directive {
	d := &Directive{Pos: c.Pos(), End: c.End()}
	if text := strings.TrimLeft(c.Text, "/ "); text != c.Text && (text == "nolint" || strings.HasPrefix(text, "nolint ") || strings.HasPrefix(text, "nolint:")) {
		return d.parseNoLint(text)
	}
	if nearly().MatchString(c.Text) {
		return d.void("this is a comment, not a directive; write //ttlvet:ignore without a blank")
	}
	if !strings.HasPrefix(c.Text, prefix) {
		return nil
	}
	verb, rest, _ := strings.Cut(strings.ReplaceAll(strings.TrimPrefix(c.Text, prefix), "\t", " "), " ")
	// Tests put what they expect behind the directive.
	rest, _, _ = strings.Cut(rest, "// want ")
	words := strings.Fields(rest)
	switch {
	case verb != "ignore":
		return d.void("unknown directive //ttlvet:" + verb + "; write //ttlvet:ignore analyzer/category reason")
	case len(words) == 0:
		return d.void("the directive names no rule; write //ttlvet:ignore analyzer/category reason")
	}
	for _, name := range strings.Split(words[0], ",") {
		d.Names = append(d.Names, name)
		if name == "ttlvet" || rule.Known(name) {
			continue
		}
		if name == "" && strings.HasSuffix(words[0], ",") {
			list := strings.TrimRight(words[0], ",")
			if more := strings.Join(words[1:min(2, len(words))], ""); rule.Known(more) {
				list += "," + more
			}
			return d.void("a blank ends the list of rules; write " + list)
		}
		problem := "the directive names the unknown rule \"" + name + "\""
		if s := rule.Suggest(name); s != "" {
			problem += "; did you mean \"" + s + "\"?"
		}
		return d.void(problem)
	}
	if len(words) == 1 {
		return d.void("the directive lacks a reason; write //ttlvet:ignore " + words[0] + " why")
	}
	return d
}

// void returns the directive as one that silences nothing.
func (d *Directive) void(problem string) *Directive {
	d.Problem, d.Void = problem, true
	return d
}

// parseNoLint reads a directive of golangci-lint's, "nolint:a,b // reason", as
// golangci-lint does; nil when it does not concern ttlvet.
func (d *Directive) parseNoLint(text string) *Directive {
	d.NoLint = true
	text, reason, _ := strings.Cut(text, "//")
	names, ok := strings.CutPrefix(text, "nolint:")
	if !ok || strings.HasPrefix(names, "all") {
		d.Others = true
		return d
	}
	named := false
	for name := range strings.SplitSeq(names, ",") {
		switch name = strings.ToLower(strings.TrimSpace(name)); {
		case name == "ttlvet":
			named = true
		case name == "all":
			d.Others = true
		case strings.HasPrefix(name, "ttlvet "):
			return d.void("golangci-lint takes the reason for a part of the name; write //nolint:ttlvet // why")
		case rule.Known(name):
			return d.void("golangci-lint does not know " + name + ", which is a part of ttlvet; write //nolint:ttlvet // why, or //ttlvet:ignore " + name + " why")
		}
	}
	reason, _, _ = strings.Cut(reason, "// want ") // as above
	switch {
	case named:
		d.Others = false
		if strings.TrimSpace(reason) == "" {
			d.Problem = "the directive lacks a reason; write //nolint:ttlvet // why"
		}
	case !d.Others:
		return nil
	}
	return d
}

// scope finds what the directive speaks for.
func (d *Directive) scope(l *layout, f *ast.File, c *ast.Comment, group *ast.CommentGroup) {
	if c.End() < f.Package {
		d.From, d.To = f.FileStart, f.FileEnd
		return
	}
	line := l.line(c.Pos())
	d.From = l.file.LineStart(line)
	d.To = lineEnd(l.file, line)
	if !l.alone(c) {
		// The statement that begins on this line may go on below.
		d.To = max(d.To, l.lines[line].statement)
		return
	}
	following := l.documents[group]
	if following == nil {
		following = l.lines[l.lines[line].next].node
	}
	if following != nil {
		d.To = following.End()
	}
}

// simple reports whether a statement holds no other statements.
func simple(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		return false
	}
	return true
}

func lineEnd(tf *token.File, line int) token.Pos {
	if line >= tf.LineCount() {
		return token.Pos(tf.Base() + tf.Size())
	}
	return tf.LineStart(line+1) - 1
}
