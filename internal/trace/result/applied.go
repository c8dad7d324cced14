package result

import (
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// applied lists the calls that apply mutations, by the sites that made those, and by
// those of their callees.
func (p *finder) applied(events []*event.Event) map[string][]Happening {
	out := map[string][]Happening{}
	for _, e := range events {
		if !event.Applies(e.Op) || e.Node == nil {
			continue
		}
		for _, c := range e.Cases {
			c.Args[3].Walk(func(v *value.Value) {
				for id := kind.Root(v); id != ""; id = p.prog.Sites.Parent[id] {
					out[id] = append(out[id], Happening{e, c})
				}
			})
		}
	}
	return out
}

// Applied lists the calls by which a mutation is applied to tables, the first
// arguments of their cases.
func (r *Result) Applied(mutation *value.Value) []Happening { return r.applied[kind.Root(mutation)] }
