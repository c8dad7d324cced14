package script

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"mvdan.cc/sh/v3/expand"

	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/lazy"
	"github.com/ttlvet/ttlvet/internal/yamltext"
)

var makeVariable = lazy.Regexp(`^([\w.-]+)\s*[:?]{0,2}=\s*(.*)$`)

var makeReference = lazy.Regexp(`\$(\$|\(([^()]*)\)|\{([^{}]*)\}|.)`)

// makefile reads the recipes of a Makefile. Each line is a script of its own.
func makefile(r *source) {
	r.replay.lines = true
	vars := map[string]string{}
	lines := strings.Split(r.text, "\n")
	for _, l := range lines {
		if m := makeVariable().FindStringSubmatch(l); m != nil {
			if _, ok := vars[m[1]]; !ok || !strings.Contains(l, "?=") {
				vars[m[1]] = strings.TrimSpace(m[2])
			}
		}
	}
	for i := 0; i < len(lines); i++ {
		body, ok := strings.CutPrefix(lines[i], "\t")
		if !ok {
			continue
		}
		first := i
		text := body
		for strings.HasSuffix(text, "\\") && i+1 < len(lines) {
			i++
			text += "\n" + strings.TrimPrefix(lines[i], "\t")
		}
		trimmed := strings.TrimLeft(text, "@-+ ")
		skip := len(text) - len(trimmed)
		r.shell(makeExpand(trimmed, vars), func(l, c int) (int, int) {
			if l == 1 {
				c += skip
			}
			return first + l, c + 1
		}, r.newShell(), false)
	}
}

func makeExpand(s string, vars map[string]string) string {
	left := maxExpansion
	return expandMake(s, vars, 0, &left)
}

// maxExpansion bounds, in bytes, what the variables of a line stand for.
const maxExpansion = 1 << 16

func expandMake(s string, vars map[string]string, depth int, left *int) string {
	return makeReference().ReplaceAllStringFunc(s, func(ref string) string {
		m := makeReference().FindStringSubmatch(ref)
		if m[1] == "$" {
			return "$"
		}
		name := m[2] + m[3]
		if v, ok := vars[name]; ok && depth < 8 && *left > 0 {
			*left -= len(v) + 1
			return expandMake(v, vars, depth+1, left)
		}
		return unknown
	})
}

var dockerInstruction = lazy.Regexp(`(?i)^\s*(RUN|CMD|ENTRYPOINT|ARG|ENV)\s+(.*)$`)

// dockerfile reads the commands of a Dockerfile, in both forms.
func dockerfile(r *source) {
	vars := map[string]string{}
	lines := strings.Split(r.text, "\n")
	for i := 0; i < len(lines); i++ {
		m := dockerInstruction().FindStringSubmatchIndex(lines[i])
		if m == nil {
			continue
		}
		first, column := i, m[4]
		word := strings.ToUpper(lines[i][m[2]:m[3]])
		text := lines[i][m[4]:]
		for strings.HasSuffix(strings.TrimRight(text, " \t"), "\\") && i+1 < len(lines) {
			i++
			next := lines[i]
			if strings.HasPrefix(strings.TrimSpace(next), "#") {
				next = "\\" // a comment between continued lines
			}
			text += "\n" + next
		}
		if word == "ARG" || word == "ENV" {
			r.emulator = r.emulator || strings.HasPrefix(text, "BIGTABLE_EMULATOR_HOST")
			if name, val, ok := strings.Cut(text, "="); ok && !strings.ContainsAny(val, " $") {
				vars[name] = strings.Trim(val, `"'`)
			}
			continue
		}
		for strings.HasPrefix(text, "--") { // RUN --mount=…
			_, rest, _ := strings.Cut(text, " ")
			column += len(text) - len(rest)
			text = rest
		}
		var words []string
		if strings.HasPrefix(text, "[") && json.Unmarshal([]byte(text), &words) == nil {
			text = quote(words)
		}
		sh := r.newShell()
		for k, v := range vars {
			sh.vars[k] = expand.Variable{Set: true, Kind: expand.String, Str: v}
		}
		r.shell(text, func(l, c int) (int, int) {
			if l == 1 {
				c += column
			}
			return first + l, c
		}, sh, false)
	}
}

// quote writes words as one command.
func quote(words []string) string {
	var out []string
	for _, w := range words {
		out = append(out, "'"+strings.ReplaceAll(w, "'", `'\''`)+"'")
	}
	return strings.Join(out, " ")
}

// yamlFile reads every text of a YAML file that is shell: compose, CI
// services, jobs and configuration maps of Kubernetes have them everywhere.
func yamlFile(r *source) {
	if !mentions().MatchString(r.text) && !words().MatchString(r.text) {
		return
	}
	text := r.text
	r.emulator = strings.Contains(text, "BIGTABLE_EMULATOR_HOST")
	tree, bad := yamltext.Parse([]byte(text), parser.AllowDuplicateMapKey())
	if bad != nil && helm().MatchString(text) {
		r.schema.Note(evidence.At(r.path, 1, 1), "is a template, and no YAML: give ttlvet what helm template prints")
		return
	}
	if bad != nil {
		r.schema.Fail(evidence.At(r.path, bad.Line, bad.Column), "is no YAML: %s", bad.Message)
		return
	}
	y := &yamlWalk{r, strings.Split(text, "\n"), regexp.MustCompile(`(?m)^services:`).MatchString(text)}
	for _, doc := range tree.Docs {
		if doc.Body != nil {
			ast.Walk(y, doc.Body)
		}
	}
}

// helm matches actions of templates, but not the expressions of CI services.
var helm = lazy.Regexp(`(?:^|[^$])\{\{`)

var words = lazy.Regexp(`\b(createtable|createfamily|setgcpolicy|bigtable)\b`)

type yamlWalk struct {
	*source
	lines   []string
	compose bool // a dollar is written twice
}

// Visit, of ast.Visitor, reads lists of words and texts.
func (y *yamlWalk) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.SequenceNode:
		if y.argv(n) {
			return nil
		}
	case *ast.LiteralNode:
		y.block(n)
		return nil
	case *ast.StringNode:
		if tk := n.GetToken(); tk != nil && tk.Position != nil && strings.Contains(n.Value, " ") {
			y.piece(n.Value, func(l, c int) (int, int) {
				if l > 1 {
					c = 1
				}
				return tk.Position.Line + l - 1, tk.Position.Column + c - 1
			})
		}
	}
	return y
}

// piece follows a text that may be shell.
func (y *yamlWalk) piece(text string, at position) {
	if y.compose {
		text = strings.ReplaceAll(text, "$$", "$")
	}
	y.shell(text, at, y.newShell(), false)
}

// argv reads a list of words that is one command.
func (y *yamlWalk) argv(n *ast.SequenceNode) bool {
	var list []string
	for _, v := range n.Values {
		switch s := v.(type) {
		case *ast.StringNode:
			list = append(list, s.Value)
		case *ast.IntegerNode, *ast.BoolNode, *ast.FloatNode:
			list = append(list, s.GetToken().Value)
		default:
			return false
		}
	}
	if len(list) < 3 {
		return false
	}
	if list[0] == "bigtable" {
		list = slices.Insert(list, 0, "gcloud") // the arguments of a builder's step
	}
	if b := base(list[0]); b != "cbt" && b != "gcloud" && !isShell(b) {
		return false
	}
	tk := n.Values[0].GetToken()
	y.piece(quote(list), func(int, int) (int, int) { return tk.Position.Line, tk.Position.Column })
	return true
}

// block follows a block scalar, whose lines are those of the file.
func (y *yamlWalk) block(n *ast.LiteralNode) {
	if n.Start == nil || n.Start.Position == nil || n.Value == nil {
		return
	}
	first := n.Start.Position.Line // the line of the | or >
	for first < len(y.lines) && strings.TrimSpace(y.lines[first]) == "" {
		first++
	}
	indent := 0
	if first < len(y.lines) {
		indent = len(y.lines[first]) - len(strings.TrimLeft(y.lines[first], " "))
	}
	folded := strings.HasPrefix(n.Start.Value, ">")
	y.piece(n.Value.Value, func(l, c int) (int, int) {
		if folded {
			return first + 1, indent + 1
		}
		return n.Start.Position.Line + l, indent + c
	})
}
