package registry

import (
	"bytes"
	"fmt"
	"path"
	"sort"
	"strconv"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/ttlvet/ttlvet/internal/plain"
	"github.com/ttlvet/ttlvet/internal/rule"
	"github.com/ttlvet/ttlvet/internal/yamltext"
)

// A File is what one registry file says.
type File struct {
	Path     string
	Tables   []*Table
	Rules    rule.Selection
	Wrappers []*Wrapper
	Baseline string // the absolute path of the file of known findings, "" for none

	baselineAt Position
	// Handles says where each handle of the tables stands.
	Handles map[string]Position
	// Schema are patterns of files in which policies are set outside Go,
	// relative to the registry file; SchemaAt is where each of them stands.
	Schema   []string
	SchemaAt []Position
}

// Parse reads the text of a registry file. name is the file's name for
// positions. The error, if any, is of type [Errors].
func Parse(name string, data []byte) (*File, error) {
	p := &fileParser{file: &File{Path: name, Handles: map[string]Position{}}}
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // some editors' byte order mark
	tree, bad := yamltext.Parse(data, parser.AllowDuplicateMapKey())
	if bad != nil {
		return nil, p.syntaxErrors(data, bad)
	}
	var docs []*ast.DocumentNode
	for _, doc := range tree.Docs {
		if doc.Body != nil {
			docs = append(docs, doc)
		}
	}
	switch {
	case len(docs) == 0:
		p.errorf(Position{name, 1, 1}, "the file is empty: it begins with version: 1")
	case len(docs) > 1:
		p.errorAt(docs[1].Body, "a second document: a registry is one")
	default:
		p.root(docs[0].Body)
	}
	if len(p.errs) > 0 {
		sort.SliceStable(p.errs, func(i, j int) bool {
			a, b := p.errs[i].Pos, p.errs[j].Pos
			return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column
		})
		return nil, p.errs
	}
	return p.file, nil
}

// fileParser walks the YAML tree. It goes on after a mistake, so that all
// are reported at once.
type fileParser struct {
	file *File
	errs Errors
}

func (p *fileParser) errorf(pos Position, format string, args ...any) {
	p.errs = append(p.errs, &ParseError{pos, plain.String(fmt.Sprintf(format, args...))})
}

func (p *fileParser) errorAt(n ast.Node, format string, args ...any) {
	p.errorf(p.pos(n), format, args...)
}

func (p *fileParser) pos(n ast.Node) Position {
	// A block mapping's own token is a colon; its first key is its place.
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		n = m.Values[0].Key
	}
	pos := Position{File: p.file.Path, Line: 1, Column: 1}
	if tk := n.GetToken(); tk != nil && tk.Position != nil {
		pos.Line, pos.Column = tk.Position.Line, tk.Position.Column
	}
	return pos
}

// An entry is one key of a mapping with its value.
type entry struct {
	key   string
	node  ast.Node // the key's
	value ast.Node
}

// entries returns the entries of the mapping n. what names it in errors.
// Aliases and merge keys are refused: nothing in a registry needs them.
func (p *fileParser) entries(n ast.Node, what string) []entry {
	var values []*ast.MappingValueNode
	switch n := n.(type) {
	case *ast.MappingNode:
		values = n.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{n}
	case *ast.NullNode, nil:
		return nil
	default:
		p.errorAt(n, "%s is %s, not a mapping", what, describe(n))
		return nil
	}
	var list []entry
	seen := map[string]Position{}
	for _, v := range values {
		key := v.Key.GetToken().Value
		switch v.Key.(type) {
		case *ast.AliasNode, *ast.AnchorNode:
			p.errorAt(v.Key, "%s has a key that is no text: quote what begins with * or &", what)
			continue
		}
		if v.Key.IsMergeKey() {
			p.errorAt(v.Key, "merge keys are not supported in %s", what)
			continue
		}
		pos := p.pos(v.Key)
		if first, ok := seen[key]; ok {
			p.errorf(pos, "%q is twice in %s: the first is in line %d", key, what, first.Line)
			continue
		}
		seen[key] = pos
		list = append(list, entry{key, v.Key, v.Value})
	}
	return list
}

// fields hands each entry of the mapping n to the function for its key.
func (p *fileParser) fields(n ast.Node, what string, known map[string]func(entry)) {
	for _, e := range p.entries(n, what) {
		if f := known[e.key]; f != nil {
			f(e)
			continue
		}
		names := make([]string, 0, len(known))
		for k := range known {
			names = append(names, k)
		}
		sort.Strings(names)
		p.errorAt(e.node, "unknown key %q in %s%s", e.key, what, suggestion(e.key, names))
	}
}

// suggestion names the nearest of the names, or lists them.
func suggestion(word string, names []string) string {
	if near := rule.Nearest(word, names); near != "" {
		return didYouMean(near)
	}
	s := "; it has "
	for i, n := range names {
		if i > 0 {
			s += ", "
		}
		s += n
	}
	return s
}

func (p *fileParser) root(n ast.Node) {
	version := false
	p.fields(n, "the registry", map[string]func(entry){
		"version": func(e entry) {
			version = true
			if s, ok := p.scalar(e); ok && s != "1" {
				p.errorAt(e.value, "version %s is not known: this ttlvet reads version 1", s)
			}
		},
		"baseline": func(e entry) { p.baseline(e) },
		"tables":   func(e entry) { p.tables(e.value) },
		"rules":    func(e entry) { p.rules(e.value) },
		"wrappers": func(e entry) { p.wrappers(e.value) },
		"schema":   func(e entry) { p.schema(e) },
	})
	if !version && len(p.errs) == 0 {
		p.errorf(Position{p.file.Path, 1, 1}, "version is missing: the file begins with version: 1")
	}
}

// schema reads the patterns of the files that set policies outside Go.
func (p *fileParser) schema(e entry) {
	for _, item := range p.list(e) {
		pattern := item.GetToken().Value
		switch _, err := path.Match(pattern, ""); {
		case pattern == "" || err != nil:
			p.errorAt(item, "%q is not a pattern of file names", pattern)
		case path.IsAbs(pattern):
			p.errorAt(item, "%q is absolute: write it relative to this file, like ../infra/*.tf", pattern)
		}
		p.file.Schema = append(p.file.Schema, pattern)
		p.file.SchemaAt = append(p.file.SchemaAt, p.pos(item))
	}
}

// scalar returns the text of a scalar value.
func (p *fileParser) scalar(e entry) (string, bool) {
	switch v := e.value.(type) {
	case *ast.StringNode:
		return v.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return v.GetToken().Value, true
	}
	p.errorAt(e.value, "%s is %s, not a word", e.key, describe(e.value))
	return "", false
}

// integer returns a value that must be a whole number of at least min.
func (p *fileParser) integer(e entry, min int) int {
	n, err := strconv.Atoi(e.value.GetToken().Value)
	if _, ok := e.value.(*ast.IntegerNode); !ok || err != nil || n < min {
		p.errorAt(e.value, "%s is %s, not a whole number of at least %d", e.key, describe(e.value), min)
	}
	return n
}

// list returns the scalar items of a sequence.
func (p *fileParser) list(e entry) []ast.Node {
	seq, ok := e.value.(*ast.SequenceNode)
	if !ok {
		if _, null := e.value.(*ast.NullNode); !null {
			p.errorAt(e.value, "%s is %s, not a list: write [%s]", e.key, describe(e.value), e.value.GetToken().Value)
		}
		return nil
	}
	var items []ast.Node
	for _, item := range seq.Values {
		if _, ok := item.(ast.ScalarNode); !ok {
			p.errorAt(item, "%s holds %s, not a word", e.key, describe(item))
			continue
		}
		items = append(items, item)
	}
	return items
}

// describe says what was found where something else was meant.
func describe(n ast.Node) string {
	switch n := n.(type) {
	case *ast.NullNode:
		return "empty"
	case *ast.SequenceNode:
		return "a list"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.AliasNode, *ast.AnchorNode:
		return "an alias or anchor"
	default:
		return strconv.Quote(n.GetToken().Value)
	}
}
