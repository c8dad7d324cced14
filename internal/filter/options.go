package filter

import (
	"strings"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Options is what the options of a read say of its filter. Of several filters the last
// applies.
type Options struct {
	Given   []*value.Value // the options that are a filter
	PerTurn []*value.Value // those of which a loop gives one in each turn
	Known   bool           // whether the filter that applies, or that there is none, is known
}

// OptionsOf reads the options of a read.
func OptionsOf(opts *value.Value) Options {
	list := opts.Base()
	if list.Kind != value.List {
		return Options{Known: list.Kind == value.Nil || list.Is(value.Zero)}
	}
	out := Options{Known: true}
	for _, o := range list.Args {
		switch b := o.Base(); {
		case b.Is("bigtable.RowFilter"):
			out.Given = append(out.Given, o)
			out.Known = true
		case b.Kind == value.Call && strings.HasPrefix(b.Name, "bigtable."):
			// LimitRows, ReverseScan and the like.
		case b.Kind == value.Nil, perhapsInert(o):
		default:
			if perTurn(o) {
				out.PerTurn = append(out.PerTurn, o)
			}
			out.Known = false // it may be a filter
		}
	}
	return out
}

// Last returns the last filter that is given, of an option its own value; nil for none.
func (o Options) Last() *value.Value {
	if len(o.Given) == 0 {
		return nil
	}
	return o.Given[len(o.Given)-1].Base().Args[0]
}

// perhapsInert reports whether an option that is there on some condition is none
// that counts.
func perhapsInert(o *value.Value) bool {
	one, _, ok := value.Maybe(o)
	return ok && btapi.InertOption(one.Base().Name)
}

// perTurn reports whether an option stands for the filters that a loop gives, one in
// each turn.
func perTurn(o *value.Value) bool {
	if !o.Is(value.Spread) {
		return false
	}
	if _, _, one := value.Maybe(o); one {
		return false
	}
	w := o.Args[0].Base()
	return w.Is(value.Where) && w.Args[2].Base().Is("bigtable.RowFilter")
}
