package terraform

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/input"
)

// A loader reads directories of configuration, each once.
type loader struct {
	turns    int // of for expressions
	schema   *evidence.Schema
	modules  map[string]*module
	varFiles []string
	rootDir  string
	named    map[string]map[string]bool // the files that were asked for, by directory
	// functions are what expressions may call, by directory.
	functions map[string]map[string]function.Function
}

// A block is a block with what override files put in its place.
type block struct {
	kind, name string // of a resource: its type and name
	bodies     []hcl.Body
	at         hcl.Range
}

// A module is a directory of configuration.
type module struct {
	loader    *loader
	dir       string
	sources   map[string][]byte
	variables map[string]*block
	locals    map[string]*hcl.Attribute
	outputs   map[string]*block
	resources []*block // of Bigtable's tables and policies
	instances []*block // of Bigtable's instances
	callees   []*block
}

var fileSchema = &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{
	{Type: "variable", LabelNames: []string{"name"}},
	{Type: "output", LabelNames: []string{"name"}},
	{Type: "locals"},
	{Type: "resource", LabelNames: []string{"type", "name"}},
	{Type: "module", LabelNames: []string{"name"}},
}}

// load reads the configuration in a directory.
func (l *loader) load(dir string) *module {
	if m := l.modules[dir]; m != nil {
		return m
	}
	m := &module{loader: l, dir: dir, variables: map[string]*block{}, locals: map[string]*hcl.Attribute{}, outputs: map[string]*block{}, sources: map[string][]byte{}}
	l.modules[dir] = m
	parser, tree := hclparse.NewParser(), input.Tree(dir)
	for _, path := range configurations(dir) {
		if err := input.Stays(tree, path); err != nil && !l.named[dir][path] {
			l.schema.Unreadable(path, err)
			continue
		}
		data, ok := l.schema.ReadFile(path)
		if !ok {
			continue
		}
		if evidence.Binary(data[:min(len(data), 4096)]) {
			l.schema.Fail(evidence.At(path, 1, 1), "is no text")
			continue
		}
		m.sources[path] = data
		var file *hcl.File
		var diags hcl.Diagnostics
		if strings.HasSuffix(path, ".json") {
			file, diags = parser.ParseJSON(data, path)
		} else {
			file, diags = parser.ParseHCL(data, path)
		}
		l.diagnose(path, diags)
		if file != nil && file.Body != nil {
			l.bound(file.Body)
			m.add(file.Body, isOverride(path))
		}
	}
	return m
}

func (l *loader) diagnose(path string, diags hcl.Diagnostics) {
	for _, d := range diags {
		if d.Severity != hcl.DiagError {
			continue
		}
		at := evidence.At(path, 1, 1)
		if d.Subject != nil {
			at = place(*d.Subject)
		}
		l.schema.Fail(at, "is no configuration: %s", strings.TrimSuffix(strings.ReplaceAll(d.Summary+": "+d.Detail, "\n", " "), "."))
		return // what follows is mostly a consequence
	}
}

// place returns the place of a range.
func place(r hcl.Range) evidence.Place {
	p := evidence.At(r.Filename, r.Start.Line, r.Start.Column)
	p.End = evidence.At(r.Filename, r.End.Line, r.End.Column).Position
	return p
}

func isOverride(path string) bool {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	return name == "override" || strings.HasSuffix(name, "_override")
}

// configurations lists the configuration files of a directory, overrides
// last. A .tofu file hides the .tf file of its name.
func configurations(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	tofu := map[string]bool{}
	var files []string
	for _, e := range entries {
		if path := filepath.Join(dir, e.Name()); isConfiguration(path) && !strings.HasPrefix(e.Name(), ".") {
			files = append(files, path)
			if i := strings.LastIndex(path, ".tofu"); i >= 0 {
				tofu[path[:i]+".tf"+path[i+len(".tofu"):]] = true
			}
		}
	}
	files = slices.DeleteFunc(files, func(f string) bool { return tofu[f] })
	sort.SliceStable(files, func(i, j int) bool { return !isOverride(files[i]) && isOverride(files[j]) })
	return files
}

func (m *module) add(body hcl.Body, override bool) {
	content, _, _ := body.PartialContent(fileSchema)
	if content == nil {
		return
	}
	for _, b := range content.Blocks {
		switch b.Type {
		case "locals":
			attrs, _ := b.Body.JustAttributes()
			for name, a := range attrs {
				m.locals[name] = a
			}
		case "variable":
			put(m.variables, b, override)
		case "output":
			put(m.outputs, b, override)
		case "module":
			m.callees = m.put(m.callees, "module", b.Labels[0], b, override)
		case "resource":
			switch {
			case strings.HasSuffix(b.Labels[0], "bigtable_gc_policy"), strings.HasSuffix(b.Labels[0], "bigtable_table"):
				m.resources = m.put(m.resources, b.Labels[0], b.Labels[1], b, override)
			case strings.HasSuffix(b.Labels[0], "bigtable_instance"):
				m.instances = m.put(m.instances, b.Labels[0], b.Labels[1], b, override)
			}
		}
	}
}

func put(blocks map[string]*block, b *hcl.Block, override bool) {
	if old := blocks[b.Labels[0]]; old != nil && override {
		old.bodies = append(old.bodies, b.Body)
		return
	}
	blocks[b.Labels[0]] = &block{name: b.Labels[0], bodies: []hcl.Body{b.Body}, at: b.DefRange}
}

func (m *module) put(list []*block, kind, name string, b *hcl.Block, override bool) []*block {
	for _, old := range list {
		if old.kind == kind && old.name == name && override {
			old.bodies = append(old.bodies, b.Body)
			return list
		}
	}
	return append(list, &block{kind: kind, name: name, bodies: []hcl.Body{b.Body}, at: b.DefRange})
}

// attr returns an attribute of a block, nil if it is not set.
func (b *block) attr(name string) *hcl.Attribute {
	for i := len(b.bodies) - 1; i >= 0; i-- {
		content, _, _ := b.bodies[i].PartialContent(&hcl.BodySchema{Attributes: []hcl.AttributeSchema{{Name: name}}})
		if content != nil && content.Attributes[name] != nil {
			return content.Attributes[name]
		}
	}
	return nil
}

// A callee is a module that another calls.
type callee struct {
	*block
	dir    string // "" when it is not in the repository
	source string
}

// calls lists the modules that a module calls.
func (m *module) calls() []callee {
	var out []callee
	for _, b := range m.callees {
		c := callee{block: b}
		if a := b.attr("source"); a != nil {
			if v, diags := a.Expr.Value(nil); !diags.HasErrors() && v.IsKnown() && !v.IsNull() && v.Type() == cty.String {
				c.source = v.AsString()
			}
		}
		switch {
		case strings.HasPrefix(c.source, "./"), strings.HasPrefix(c.source, "../"):
			c.dir = m.within(filepath.Join(m.dir, c.source))
		case c.source != "":
			c.dir = m.installed(b.name)
		}
		out = append(out, c)
	}
	return out
}

// within returns a directory, or "" if it lies outside of the module's repository, or
// if a link leads out on the way.
func (m *module) within(dir string) string {
	repository := input.Repository(m.dir)
	if input.Stays(input.Tree(m.dir), dir) != nil || repository != "" && !input.Within(repository, dir) {
		return ""
	}
	return dir
}

// installed returns where terraform init put a module.
func (m *module) installed(name string) string {
	data, err := input.Read(filepath.Join(m.dir, ".terraform", "modules", "modules.json"), input.Source)
	if err != nil {
		return ""
	}
	var list struct {
		Modules []struct{ Key, Dir string }
	}
	if json.Unmarshal(data, &list) != nil {
		return ""
	}
	for _, e := range list.Modules {
		if e.Key == name && filepath.IsLocal(filepath.FromSlash(e.Dir)) {
			return m.within(filepath.Join(m.dir, filepath.FromSlash(e.Dir)))
		}
	}
	return ""
}
