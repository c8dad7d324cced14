package registry

import (
	"sort"

	"github.com/goccy/go-yaml/ast"
)

// wrapperArgs lists the calls that a wrapper can stand for and the names of
// their arguments, as the client's documentation has them. The table of a
// write is where its mutation is applied.
var wrapperArgs = map[string][]string{
	"Mutation.Set":                   {"table", "family", "column", "timestamp"},
	"Mutation.DeleteCellsInColumn":   {"table", "family", "column"},
	"Mutation.DeleteCellsInFamily":   {"table", "family"},
	"ReadModifyWrite.Increment":      {"table", "family", "column"},
	"ReadModifyWrite.AppendValue":    {"table", "family", "column"},
	"Table.ReadRow":                  {"table", "filter"},
	"Table.ReadRows":                 {"table", "filter"},
	"AdminClient.SetGCPolicy":        {"table", "family", "policy"},
	"AdminClient.CreateColumnFamily": {"table", "family"},
}

func (p *fileParser) wrappers(n ast.Node) {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		if _, null := n.(*ast.NullNode); !null {
			p.errorAt(n, "wrappers is %s, not a list", describe(n))
		}
		return
	}
	for _, item := range seq.Values {
		w := &Wrapper{Args: map[string]WrapperArg{}, Pos: p.pos(item)}
		var args entry
		p.fields(item, "a wrapper", map[string]func(entry){
			"func": func(e entry) {
				s, ok := p.scalar(e)
				var named bool
				if w.Func, named = cleanHandle(s); ok && !named {
					p.errorAt(e.value, "%q is not a function: write the import path and the name, like example.com/app/gen.Client.Put", s)
				}
			},
			"does": func(e entry) {
				s, ok := p.scalar(e)
				if w.Does = s; ok && wrapperArgs[s] == nil {
					p.errorAt(e.value, "unknown call %q%s", s, suggestion(s, wrapperCalls()))
				}
			},
			"args": func(e entry) { args = e },
		})
		if w.Func == "" || w.Does == "" {
			p.errorAt(item, "a wrapper needs func and does")
		} else if names := wrapperArgs[w.Does]; names != nil && args.value != nil {
			p.wrapperArgs(w, args.value, names)
		}
		p.file.Wrappers = append(p.file.Wrappers, w)
	}
}

func (p *fileParser) wrapperArgs(w *Wrapper, n ast.Node, names []string) {
	known := map[string]func(entry){}
	for _, name := range names {
		known[name] = func(e entry) {
			if _, ok := e.value.(*ast.IntegerNode); ok {
				w.Args[name] = WrapperArg{Param: p.integer(e, 0)}
			} else if s, ok := p.scalar(e); ok {
				if isPosition(name) {
					p.errorAt(e.value, "%s is %q, not the position of a parameter", name, s)
				}
				w.Args[name] = WrapperArg{Param: -1, Const: s}
			}
		}
	}
	p.fields(n, "args of "+w.Does, known)
}

// isPosition reports whether an argument is the position of a parameter, and
// never a constant.
func isPosition(arg string) bool { return arg == "timestamp" || arg == "filter" || arg == "policy" }

func wrapperCalls() []string {
	var names []string
	for name := range wrapperArgs {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
