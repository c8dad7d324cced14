package inventory

import (
	"fmt"
	"io"
	"strconv"
)

// Dot writes the inventory as a graph for Graphviz: sources and writers point
// at families, families at readers.
func (inv *Inventory) Dot(w io.Writer) {
	fmt.Fprintln(w, "digraph agreement {\n\trankdir=LR;\n\tnode [shape=box, fontname=\"sans-serif\"];")
	for i, t := range inv.Tables {
		fmt.Fprintf(w, "\tsubgraph cluster_%d {\n\t\tlabel=%s;\n", i, strconv.Quote(t.Name))
		for _, f := range t.Families {
			label := f.Name + "\n" + f.Strategy
			if f.Limits != "" {
				label += "\n" + f.Limits
			}
			fmt.Fprintf(w, "\t\t%s [label=%s, style=filled, fillcolor=lightgrey];\n", node(t, f), strconv.Quote(label))
		}
		fmt.Fprintln(w, "\t}")
		for _, f := range t.Families {
			for _, p := range f.Policies {
				fmt.Fprintf(w, "\t%s -> %s [label=%s, style=dashed];\n", strconv.Quote(p.Place), node(t, f), strconv.Quote(p.Text))
			}
			for _, p := range f.Writers {
				fmt.Fprintf(w, "\t%s -> %s [label=%s];\n", strconv.Quote(p.Place), node(t, f), strconv.Quote(p.Verdict))
			}
			for _, p := range f.Readers {
				fmt.Fprintf(w, "\t%s -> %s [label=%s];\n", node(t, f), strconv.Quote(p.Place), strconv.Quote(p.Verdict))
			}
		}
	}
	fmt.Fprintln(w, "}")
}

func node(t *Table, f *Family) string { return strconv.Quote("family " + t.Name + "/" + f.Name) }
