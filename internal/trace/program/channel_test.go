package program_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/program"
)

// Of a channel: the functions that send on what may be it, in the order of the
// source, "only" where nothing else can be meant, and whose mailbox it is.
func TestChannels(t *testing.T) {
	code := layertest.Load(t, `
type box struct { in, shared chan *bigtable.Mutation }
func start(shared chan *bigtable.Mutation, tbl *bigtable.Table) *box {
	b := &box{in: make(chan *bigtable.Mutation, 8), shared: shared}
	go func() {
		for range b.in {
			_ = tbl
		}
	}()
	return b
}
func (b *box) post(m *bigtable.Mutation) { b.in <- m }
func (b *box) own() {
	show(b.in) // post only, mailbox of box
}
func (b *box) other() {
	show(b.shared) // give only
}
func loose(ch chan *bigtable.Mutation, m *bigtable.Mutation) { ch <- m }
func give(m *bigtable.Mutation) {
	ch := make(chan *bigtable.Mutation)
	ch <- m
	loose(make(chan *bigtable.Mutation), m)
	start(ch, nil).other()
	show(ch) // give only
}
func numbers(a, b chan int) {
	a <- 1
	show(b) // nothing
}
`)
	channels := program.Of(code.Prog)
	code.Check(func(s layertest.Shown) string {
		ch := s.Value
		if wrapped, ok := ch.(*ssa.MakeInterface); ok {
			ch = wrapped.X
		}
		var out []string
		for _, sent := range channels.SentOn(ch) {
			out = append(out, sender(sent.Value))
		}
		said := strings.Join(slices.Compact(out), " ")
		if said == "" {
			said = "nothing"
		}
		if only := channels.SentOnly(ch); len(only) > 0 && len(only) == len(out) {
			said += " only"
		}
		if box := channels.Mailbox(ch); box != nil {
			said += ", mailbox of " + code.Prog.Pass.Pkg.Scope().Lookup("box").Name()
		}
		return said
	})
}

// sender names the function in which a value is sent.
func sender(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.Const:
		return "a constant"
	default:
		return v.Parent().Name()
	}
}
