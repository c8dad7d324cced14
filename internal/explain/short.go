package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace"
)

// maxTold bounds the values of one argument, and the places, that are told in short.
const maxTold = 3

// together groups the events of a span as they are told: each by itself, or, in short,
// those of one call together, without those that are a part of another's call.
func (x *explainer) together(events []*trace.Event) (out [][]*trace.Event) {
	if x.full {
		for _, e := range events {
			out = append(out, []*trace.Event{e})
		}
		return out
	}
	for _, e := range events {
		if slices.ContainsFunc(events, func(o *trace.Event) bool { return o != e && covers(o, e) }) {
			continue
		}
		i := slices.IndexFunc(out, func(like []*trace.Event) bool { return like[0].Node == e.Node && like[0].Op == e.Op })
		if i < 0 {
			out = append(out, nil)
			i = len(out) - 1
		}
		out[i] = append(out[i], e)
	}
	return out
}

// covers reports whether what is told of one event tells another too: of a read its
// filters, of a call that fills a mutation and applies it the former.
func covers(o, e *trace.Event) bool {
	if o.Node == e.Node {
		return e.Op == btapi.Apply && o.Op != btapi.Apply
	}
	return o.Node.Pos() <= e.Node.Pos() && e.Node.End() <= o.Node.End()
}

// merged writes the arguments of the cases of events together: each value once, those of
// one argument below one another.
func (x *explainer) merged(like []*trace.Event) {
	var labels []string
	values := map[string][]string{}
	for _, e := range like {
		for _, c := range e.Cases {
			for _, a := range x.arguments(e, c) {
				text := a.text
				if len(a.below) > 0 {
					text += "   (" + strings.Join(a.below, "; ") + ")"
				}
				if !slices.Contains(labels, a.label) {
					labels = append(labels, a.label)
				}
				if !slices.Contains(values[a.label], text) {
					values[a.label] = append(values[a.label], text)
				}
			}
		}
	}
	for _, label := range labels {
		told := label
		for i, text := range values[label] {
			if i == maxTold {
				x.printf("  %-10s … and %d more: ttlvet trace -v", "", len(values[label])-i)
				break
			}
			x.printf("  %-10s %s", told, text)
			told = ""
		}
	}
}

// some lists places, in short the first of them.
func (x *explainer) some(places []string) string {
	if x.full || len(places) <= maxTold {
		return strings.Join(places, ", ")
	}
	return strings.Join(places[:maxTold], ", ") + fmt.Sprintf(" and %d more", len(places)-maxTold)
}
