package eval

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// agreedResult resolves the call of an interface's method that several types
// implement, where all of them return the same; nil where they do not. Of an
// interface of another package, what that package says of its own types must
// agree too.
func (p *Path) agreedResult(v *ssa.Call) *value.Value {
	if !v.Call.IsInvoke() {
		return nil
	}
	fns, complete := p.p.Prog.Behind.LocalMethods(&v.Call)
	if !complete || len(fns) == 0 || !p.p.Prog.Behind.Foreign(&v.Call) && !p.p.Prog.Behind.Used(&v.Call) {
		return nil
	}
	var all [][]summary.ResultCase
	t := program.Target{Args: append([]ssa.Value{v.Call.Value}, v.Call.Args...)}
	if p.p.Prog.Behind.Foreign(&v.Call) {
		s := p.p.Prog.Imported(v.Call.Method)
		if s == nil || s.Empty() {
			return nil
		}
		all, t.Obj = append(all, s.Results.Cases()), v.Call.Method
	}
	for _, fn := range fns {
		if r := p.p.results[fn]; r != nil && r.busy {
			continue // a decorator, whose own result is asked for: it ends at one of the others
		}
		all = append(all, p.p.ResultsOf(fn))
		if t.Fn == nil && t.Obj == nil {
			t.Fn = fn
		}
	}
	if len(all) == 0 || !Agree(v.Call.Signature(), all) {
		return nil
	}
	return p.result(t, v)
}

// Agree reports whether functions of one signature return the same, as far as
// their callers care: of a table its name, of an error nothing.
func Agree(sig *types.Signature, all [][]summary.ResultCase) bool {
	want := ""
	for i, cases := range all {
		var says []string
		for _, c := range cases {
			s := summary.GuardString(c.Guards)
			for j, v := range c.Values {
				s += "; " + said(v, sig.Results().At(j).Type())
			}
			says = append(says, s)
		}
		slices.Sort(says)
		s := strings.Join(slices.Compact(says), "\n")
		if s == "" || i > 0 && s != want {
			return false
		}
		want = s
	}
	return true
}

// said returns what callers care about in a result.
func said(v *value.Value, t types.Type) string {
	if kind.IsError(t) {
		return "error"
	}
	if name := kind.OpenedName(v); name != nil {
		return v.Base().Name + " " + summary.ArgString([]*value.Value{name.Base()})
	}
	return v.String()
}
