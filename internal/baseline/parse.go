package baseline

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/ttlvet/ttlvet/internal/fingerprint"
	"github.com/ttlvet/ttlvet/internal/plain"
	"github.com/ttlvet/ttlvet/internal/yamltext"
)

// An Error is one mistake in a baseline file.
type Error struct {
	File         string
	Line, Column int
	Msg          string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg) }

// Errors are all mistakes of a baseline file, in file order.
type Errors []*Error

func (e Errors) Error() string {
	lines := make([]string, 0, len(e))
	for _, err := range e {
		lines = append(lines, err.Error())
	}
	return strings.Join(lines, "\n")
}

// Parse reads the text of a baseline file. name is the file's name for
// positions. The error, if any, is of type [Errors].
func Parse(name string, data []byte) (*File, error) {
	p := &reader{name: name, file: new(File), first: map[fingerprint.Key]int{}}
	tree, bad := yamltext.Parse(data)
	if bad != nil {
		return nil, Errors{{name, bad.Line, bad.Column, "not YAML: " + bad.Message}}
	}
	var docs []*ast.DocumentNode
	for _, doc := range tree.Docs {
		if doc.Body != nil {
			docs = append(docs, doc)
		}
	}
	switch {
	case len(docs) == 0:
		p.errs = Errors{{name, 1, 1, "the file is empty: it begins with version: 1"}}
	case len(docs) > 1:
		p.errorf(docs[1].Body, "a second document: a baseline is one")
	default:
		p.root(docs[0].Body)
	}
	if len(p.errs) > 0 {
		sort.SliceStable(p.errs, func(i, j int) bool {
			a, b := p.errs[i], p.errs[j]
			return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column
		})
		return nil, p.errs
	}
	p.file.sort()
	return p.file, nil
}

func (e *Error) at(tk *token.Token) {
	if tk != nil && tk.Position != nil {
		e.Line, e.Column = max(tk.Position.Line, 1), max(tk.Position.Column, 1)
	}
}

// A reader walks the YAML tree. It goes on after a mistake, so that all are
// reported at once.
type reader struct {
	name  string
	file  *File
	first map[fingerprint.Key]int // the line of each key
	errs  Errors
}

func (p *reader) errorf(n ast.Node, format string, args ...any) {
	// A block mapping's own token is a colon; its first key is its place.
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		n = m.Values[0].Key
	}
	e := &Error{p.name, 1, 1, plain.String(fmt.Sprintf(format, args...))}
	if n != nil {
		e.at(n.GetToken())
	}
	p.errs = append(p.errs, e)
}

// fields hands the entries of a mapping to f, which reports whether it knows
// the key.
func (p *reader) fields(n ast.Node, what, keys string, f func(key string, at, value ast.Node) bool) {
	var values []*ast.MappingValueNode
	switch n := n.(type) {
	case *ast.MappingNode:
		values = n.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{n}
	default:
		p.errorf(n, "%s is not a mapping", what)
		return
	}
	for _, v := range values {
		if v.Key.IsMergeKey() || !f(v.Key.GetToken().Value, v.Key, v.Value) {
			p.errorf(v.Key, "unknown key %q in %s; it has %s", v.Key.GetToken().Value, what, keys)
		}
	}
}

func (p *reader) root(n ast.Node) {
	version := false
	p.fields(n, "the baseline", "version and packages", func(key string, at, value ast.Node) bool {
		switch key {
		case "version":
			version = true
			if s, ok := p.scalar(value, key); ok && s != "1" {
				p.errorf(value, "version %s is not known: this ttlvet reads version 1", s)
			}
		case "packages":
			if _, empty := value.(*ast.NullNode); !empty {
				p.fields(value, "packages", "import paths", p.packageEntries)
			}
		default:
			return false
		}
		return true
	})
	if !version && len(p.errs) == 0 {
		p.errorf(nil, "version is missing: the file begins with version: 1")
	}
}

func (p *reader) packageEntries(pkg string, at, value ast.Node) bool {
	list, ok := value.(*ast.SequenceNode)
	switch {
	case pkg == "" || strings.ContainsAny(pkg, " \t\n"):
		p.errorf(at, "%q is not an import path", pkg)
	case !ok:
		p.errorf(value, "package %q holds no list of findings", pkg)
	default:
		for _, item := range list.Values {
			p.entry(pkg, item)
		}
	}
	return true
}

func (p *reader) entry(pkg string, n ast.Node) {
	var in, rule, table, family string
	count, before := 1, len(p.errs)
	p.fields(n, "a finding", "in, rule, table, family and count", func(key string, at, value ast.Node) bool {
		switch key {
		case "in":
			in, _ = p.scalar(value, key)
		case "rule":
			rule, _ = p.scalar(value, key)
		case "table":
			table, _ = p.scalar(value, key)
		case "family":
			family, _ = p.scalar(value, key)
		case "count":
			var err error
			s, ok := p.scalar(value, key)
			if count, err = strconv.Atoi(s); ok && (err != nil || count < 1) {
				p.errorf(value, "count is %q, not a whole number of at least 1", s)
			}
		default:
			return false
		}
		return true
	})
	if len(p.errs) > before {
		return
	}
	if rule == "" {
		p.errorf(n, "the finding has no rule")
		return
	}
	k := fingerprint.NewKey(rule, pkg, in, table, family)
	line := n.GetToken().Position.Line
	if first := p.first[k]; first > 0 {
		p.errorf(n, "the finding is there twice: the first is in line %d; keep one, with their count", first)
		return
	}
	p.first[k] = line
	p.file.Entries = append(p.file.Entries, Entry{k, count})
}

// scalar returns the text of a scalar value.
func (p *reader) scalar(n ast.Node, key string) (string, bool) {
	switch v := n.(type) {
	case *ast.StringNode:
		return v.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return v.GetToken().Value, true
	}
	p.errorf(n, "%s is not a word", key)
	return "", false
}
