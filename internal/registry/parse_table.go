package registry

import (
	"fmt"
	"path"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/ttlvet/ttlvet/internal/lazy"
	"github.com/ttlvet/ttlvet/internal/rule"
)

// tablePattern is what can be the name of a table, or a pattern of such names.
// writtenPattern is a handle as it may be written, with the brackets of a receiver;
// handlePattern is one without them: an import path, a dot, and one or two identifiers: a
// variable, constant or function, or a type and its field or method.
var (
	tablePattern   = lazy.Regexp(`^[-_.a-zA-Z0-9*?\[\]^\\]+$`)
	resource       = lazy.Regexp(`^(?:projects/[^/]+/instances/[^/]+|[^/]*\*.*)/tables/([^/]+)(/authorizedViews/[^/]+)?$`)
	writtenPattern = lazy.Regexp(handleWritten)
	handlePattern  = lazy.Regexp(`^([^\s()]+/)?[^/\s().]+(\.[^/\s().]+)*?\.[\pL_][\pL\d_]*(\.[\pL_][\pL\d_]*)?$`)
)

// maxTableName is how long the service lets a table's name be.
const maxTableName = 50

// TableID returns the table's ID of a name that may be written with its
// project and instance, as requests have it:
// "projects/p/instances/i/tables/sessions" is "sessions". An asterisk in the
// name may stand for a part of that path.
func TableID(name string) string {
	if m := resource().FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return name
}

func (p *fileParser) tables(n ast.Node) {
	seen := map[string]Position{}
	for _, e := range p.entries(n, "tables") {
		t := &Table{Pattern: TableID(e.key), Source: FromFile, Pos: p.pos(e.node)}
		if first, ok := seen[t.Pattern]; ok {
			p.errorAt(e.node, "table %q is there twice: the first is in line %d", t.Pattern, first.Line)
		}
		seen[t.Pattern] = t.Pos
		p.tableName(e.node, t.Pattern)
		before := len(p.errs)
		given := false
		p.fields(e.value, fmt.Sprintf("table %q", e.key), map[string]func(entry){
			"handles": func(e entry) { t.Handles = p.handles(e) },
			"families": func(e entry) {
				given = true
				p.families(t, e.value)
				if len(t.Families) == 0 && len(p.errs) == before {
					p.errorAt(e.node, "the families of table %q are empty: list them, ordinary ones as real-timestamps", t.Pattern)
				}
			},
		})
		if !given && len(p.errs) == before {
			p.errorAt(e.node, "table %q has no families", e.key)
		}
		p.file.Tables = append(p.file.Tables, t)
	}
}

// tableName checks a table's name or pattern.
func (p *fileParser) tableName(n ast.Node, name string) {
	_, err := path.Match(name, "")
	switch {
	case err != nil || name == "":
		p.errorAt(n, "%q is not a table name or path.Match pattern", name)
	case strings.Contains(name, "/"):
		p.errorAt(n, "%q is not a table name: write its ID, or projects/P/instances/I/tables/ID", name)
	case !tablePattern().MatchString(name):
		p.errorAt(n, "%q is not a table name: it has letters, digits, -, _ and . only", name)
	case len(name) > maxTableName && !strings.ContainsAny(name, `*?[\`):
		p.errorAt(n, "table name %q is longer than %d characters", name, maxTableName)
	}
}

func (p *fileParser) handles(e entry) []string {
	var list []string
	for _, item := range p.list(e) {
		s, ok := cleanHandle(item.GetToken().Value)
		if !ok {
			p.errorAt(item, "%q is not a handle: write the import path and the name, like example.com/app/store.Ledger.tbl", item.GetToken().Value)
			continue
		}
		if first, ok := p.file.Handles[s]; ok {
			p.errorAt(item, "handle %q is there twice, first in line %d: what it names holds one table", s, first.Line)
			continue
		}
		p.file.Handles[s] = p.pos(item)
		list = append(list, s)
	}
	return list
}

// cleanHandle takes off the brackets with which Go writes method receivers, and reports
// whether they and what is left are a handle's.
func cleanHandle(s string) (handle string, ok bool) {
	handle = brackets.Replace(s)
	return handle, writtenPattern().MatchString(s) && handlePattern().MatchString(handle)
}

var brackets = strings.NewReplacer("(*", "", "(", "", ")", "")

func (p *fileParser) rules(n ast.Node) {
	names := func(e entry) []string {
		var list []string
		for _, item := range p.list(e) {
			name := item.GetToken().Value
			if !rule.Known(name) {
				p.errorAt(item, "unknown rule %q%s", name, didYouMean(rule.Suggest(name)))
			}
			list = append(list, name)
		}
		return list
	}
	p.fields(n, "rules", map[string]func(entry){
		"enable":  func(e entry) { p.file.Rules.Enable = names(e) },
		"disable": func(e entry) { p.file.Rules.Disable = names(e) },
		"strict": func(e entry) {
			b, ok := e.value.(*ast.BoolNode)
			if !ok {
				p.errorAt(e.value, "strict is %s, not true or false", describe(e.value))
				return
			}
			p.file.Rules.Strict = b.Value
		},
	})
}
