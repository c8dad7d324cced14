// Package manifest reads policies from Kubernetes manifests: those of Config
// Connector, of Crossplane and of Kubeform.
package manifest

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/lazy"
	"github.com/ttlvet/ttlvet/internal/yamltext"
)

// Reader reads manifests.
var Reader = &evidence.Reader{Name: "manifest", Claims: claims, Found: found, Read: read}

func claims(path string, head []byte) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return (ext == ".yaml" || ext == ".yml") && !evidence.Binary(head)
}

var kinds = lazy.Regexp(`(?m)^\s*(?:- )?apiVersion:\s*["']?(bigtable\.cnrm\.cloud\.google\.com|bigtable\.gcp(?:\.m)?\.upbound\.io|google\.kubeform\.com)/`)

func found(_ string, data []byte) bool { return kinds().Match(data) }

func read(in *evidence.Input) *evidence.Schema {
	all := &evidence.Schema{}
	r := &reader{schema: all}
	for _, path := range in.Paths {
		if data, ok := all.ReadFile(path); ok {
			r.file(path, data)
		}
	}
	r.finish()
	return all
}

// A reader collects the objects of all manifests, which refer to each other.
type reader struct {
	schema  *evidence.Schema
	objects []*object
}

// An object is one Kubernetes object about Bigtable.
type object struct {
	path       string
	data       []byte
	kind, name string
	namespace  string
	root, spec *node
	labels     map[string]string
}

func (r *reader) file(path string, data []byte) {
	if !kinds().Match(data) {
		return
	}
	tree, bad := yamltext.Parse(data, parser.AllowDuplicateMapKey())
	if bad != nil {
		if strings.Contains(string(data), "{{") {
			r.schema.Note(evidence.At(path, 1, 1), "is a template, and no YAML: give ttlvet what helm template prints")
			return
		}
		r.schema.Fail(evidence.At(path, bad.Line, bad.Column), "is no YAML: %s", bad.Message)
		return
	}
	for _, doc := range tree.Docs {
		if doc.Body != nil {
			r.add(path, data, convert(doc.Body, 0))
		}
	}
}

func (r *reader) add(path string, data []byte, n *node) {
	if n.get("kind").str() == "List" {
		for _, item := range n.get("items").items() {
			r.add(path, data, item)
		}
		return
	}
	group, _, _ := strings.Cut(n.get("apiVersion").str(), "/")
	o := &object{path: path, data: data, root: n, labels: map[string]string{}}
	switch kind := n.get("kind").str(); {
	case group == "bigtable.cnrm.cloud.google.com", group == "google.kubeform.com":
		o.spec = n.get("spec")
		switch strings.ToLower(kind) {
		case "bigtablegcpolicy":
			o.kind = "policy"
		case "bigtabletable":
			o.kind = "table"
		}
		if r := o.spec.get("resource"); group == "google.kubeform.com" && r != nil {
			o.spec = r
		}
	case group == "bigtable.gcp.upbound.io", group == "bigtable.gcp.m.upbound.io":
		o.spec = n.get("spec").get("forProvider")
		switch kind {
		case "GarbageCollectionPolicy":
			o.kind = "policy"
		case "Table":
			o.kind = "table"
		}
	}
	if o.kind == "" || o.spec == nil {
		return
	}
	meta := n.get("metadata")
	o.name, o.namespace = meta.get("name").str(), meta.get("namespace").str()
	for _, e := range meta.get("labels").entries() {
		o.labels[e.key] = e.value.str()
	}
	r.objects = append(r.objects, o)
}

// A node is a YAML value with its place.
type node struct {
	scalar       string
	isScalar     bool
	keys         []string
	values       []*node
	list         []*node
	line, column int
}

type pair struct {
	key   string
	value *node
}

// get returns the value of a key, nil if there is none.
func (n *node) get(key string) *node {
	if n == nil {
		return nil
	}
	for i := len(n.keys) - 1; i >= 0; i-- {
		if n.keys[i] == key {
			return n.values[i]
		}
	}
	return nil
}

func (n *node) entries() (out []pair) {
	if n == nil {
		return nil
	}
	for i, k := range n.keys {
		out = append(out, pair{k, n.values[i]})
	}
	return out
}

func (n *node) str() string {
	if n == nil {
		return ""
	}
	return n.scalar
}

func (n *node) integer() (int, bool) {
	if n == nil {
		return 0, false
	}
	i, err := strconv.Atoi(n.scalar)
	return i, err == nil
}

// maxDepth bounds how deep values nest.
const maxDepth = 100

func convert(n ast.Node, depth int) *node {
	out := &node{line: 1, column: 1}
	if tk := n.GetToken(); tk != nil && tk.Position != nil {
		out.line, out.column = tk.Position.Line, tk.Position.Column
	}
	if depth > maxDepth {
		return out
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		for _, v := range n.Values {
			out.pair(v, depth)
		}
	case *ast.MappingValueNode:
		out.pair(n, depth)
	case *ast.SequenceNode:
		for _, v := range n.Values {
			out.list = append(out.list, convert(v, depth+1))
		}
	case *ast.LiteralNode:
		out.isScalar = true
		if n.Value != nil {
			out.scalar = n.Value.Value
		}
		if n.Start != nil && n.Start.Position != nil {
			out.line, out.column = n.Start.Position.Line, n.Start.Position.Column
		}
	case *ast.StringNode:
		out.scalar, out.isScalar = n.Value, true
	case *ast.AnchorNode:
		return convert(n.Value, depth+1)
	case *ast.TagNode:
		return convert(n.Value, depth+1)
	case *ast.NullNode:
	default:
		if tk := n.GetToken(); tk != nil {
			out.scalar, out.isScalar = tk.Value, true
		}
	}
	return out
}

func (n *node) pair(v *ast.MappingValueNode, depth int) {
	if tk := v.Key.GetToken(); tk != nil && v.Value != nil {
		if len(n.keys) == 0 && tk.Position != nil {
			n.line, n.column = tk.Position.Line, tk.Position.Column
		}
		n.keys = append(n.keys, tk.Value)
		n.values = append(n.values, convert(v.Value, depth+1))
	}
}
