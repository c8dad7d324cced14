package explain

import (
	"go/token"
	"reflect"
	"sort"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/filter"
	"github.com/ttlvet/ttlvet/internal/gcpolicy"
	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A Share counts how many values of a kind were resolved.
type Share struct {
	Resolved, Unresolved int
	// Exported counts plain parameters of functions that other packages
	// call: what they are is decided there.
	Exported int
	Reasons  map[string]int              // why values were not resolved
	Places   map[string][]token.Position // where, by the reason
}

// A Coverage counts, by "write family" and the like.
type Coverage map[string]*Share

// Add adds the counts of another package.
func (c Coverage) Add(d Coverage) {
	for k, s := range d {
		t := c.share(k)
		t.Resolved += s.Resolved
		t.Unresolved += s.Unresolved
		t.Exported += s.Exported
		for r, n := range s.Reasons {
			t.Reasons[r] += n
			t.Places[r] = append(t.Places[r], s.Places[r]...)
		}
	}
}

func (c Coverage) share(kind string) *Share {
	if c[kind] == nil {
		c[kind] = &Share{Reasons: map[string]int{}, Places: map[string][]token.Position{}}
	}
	return c[kind]
}

// Commonest returns the reasons, the commonest first.
func (s *Share) Commonest() []string {
	var rs []string
	for r := range s.Reasons {
		rs = append(rs, r)
	}
	sort.Slice(rs, func(i, j int) bool {
		if s.Reasons[rs[i]] != s.Reasons[rs[j]] {
			return s.Reasons[rs[i]] > s.Reasons[rs[j]]
		}
		return rs[i] < rs[j]
	})
	return rs
}

// CoverageAnalyzer counts what tracing resolved in a package. Its result is
// a [Coverage].
var CoverageAnalyzer = &analysis.Analyzer{
	Name:       "ttlvetcoverage",
	Doc:        "count the values that tracing resolved; reports nothing",
	Requires:   []*analysis.Analyzer{trace.Analyzer},
	ResultType: reflect.TypeFor[Coverage](),
	Run: func(pass *analysis.Pass) (any, error) {
		c := counter{Coverage{}, pass.Fset}
		tr := pass.ResultOf[trace.Analyzer].(*trace.Result)
		for _, e := range tr.Events {
			c.event(tr, e)
		}
		return c.Coverage, nil
	},
}

// A counter counts in a package.
type counter struct {
	Coverage
	fset *token.FileSet
}

func (c counter) event(tr *trace.Result, e *trace.Event) {
	for _, k := range e.Cases {
		a := k.Args
		switch e.Op {
		case btapi.Set, btapi.AddIntToCell, btapi.MergeBytesToCell:
			c.count(e, "write family", a[1], isStr(a[1]))
			c.count(e, "write timestamp", a[3], instant.OfTimestamp(a[3]).Kind != instant.Unknown)
			c.count(e, "write table", a[0], check.KnownTables(tr.EventTables(e, k)) || check.AllKnown(tr.PossibleTables(e, k)))
		case btapi.ReadRow, btapi.ReadRows:
			uses := e.RowUses()
			tied := check.KnownTables(a[:1]) || !uses.All
			c.count(e, "read table or family", a[0], tied)
			opts := a[len(a)-1]
			c.count(e, "read filter", opts, filterKnown(opts))
		case btapi.SetGCPolicy, btapi.SetGCPolicyWithOptions:
			c.count(e, "policy family", a[3], isStr(a[3]))
			p := gcpolicy.Of(a[4])
			c.count(e, "policy", a[4], p == nil || p.Known())
		}
	}
}

func isStr(v *value.Value) bool {
	_, ok := v.IsStr()
	return ok
}

func filterKnown(opts *value.Value) bool {
	o := filter.OptionsOf(opts)
	last := o.Last()
	if last == nil {
		return o.Known
	}
	t := filter.Of(last)
	return o.Known && (t == nil || t.Op != filter.Any)
}

// count counts one value. Parameters are left to the calls that supply them:
// where those are in view they are events of their own.
func (c counter) count(e *trace.Event, kind string, v *value.Value, resolved bool) {
	s := c.share(kind)
	switch {
	case resolved:
		s.Resolved++
	case v.HasParams() && len(e.Link.Derived) > 0:
	case v.HasParams() && e.Fn != nil && e.Fn.Exported():
		s.Exported++
	default:
		s.Unresolved++
		r := reason(v)
		s.Reasons[r]++
		s.Places[r] = append(s.Places[r], c.fset.Position(e.Pos()))
	}
}

func reason(v *value.Value) string {
	r := ""
	v.Walk(func(w *value.Value) {
		switch {
		case r != "":
		case w.Kind == value.Unknown:
			r = w.Name
		case w.Kind == value.Param:
			r = "a parameter that no analysed call supplies"
		case w.Kind == value.Global:
			r = "a variable of another package"
		}
	})
	if r == "" {
		r = "a value that is no constant"
	}
	return r
}
