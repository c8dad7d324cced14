package way_test

import (
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/trace/way"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A plain resolver knows constants, parameters, phis and operators: enough to
// look at the ways alone.
type plain struct{ *way.Way }

func (p *plain) Resolve(v ssa.Value, at ssa.Instruction) *value.Value {
	switch v := v.(type) {
	case *ssa.Const:
		return kind.ConstantValue(v)
	case *ssa.Parameter:
		return &value.Value{Kind: value.Param, Num: int64(kind.ParamIndex(v))}
	case *ssa.MakeInterface:
		return p.Eval(v.X, at)
	case *ssa.BinOp:
		return value.Apply(v.Op.String(), p.Eval(v.X, v), p.Eval(v.Y, v))
	case *ssa.Phi:
		if edge, ok := p.Turnless(v.Block()); ok {
			return p.Eval(v.Edges[edge], kind.EdgeUse(v, edge))
		}
		i := p.Choose(v.Block(), len(v.Edges))
		p.AssumePhi(v.Block(), i)
		return p.Eval(v.Edges[i], kind.EdgeUse(v, i))
	}
	return value.UnknownFor("not plain")
}

// ways lists the values that arrive at the show of a function, each with the
// conditions on parameters under which it does.
func ways(code *layertest.Code, s layertest.Shown) string {
	p, steps := &plain{}, 0
	p.Way = way.New(program.Of(code.Prog), p, &steps)
	var out []string
	complete := p.Runs(16, false, func() []*value.Value {
		p.AssumeBlock(s.Call.Block(), nil, &p.When)
		return []*value.Value{p.Eval(s.Value, s.Call)}
	}, func(vs []*value.Value) {
		out = append(out, summary.GuardString(summary.UniqueGuards(p.When))+summary.GuardString(summary.UniqueGuards(p.Guards))+vs[0].String())
	})
	if !complete {
		out = append(out, "and more")
	}
	return strings.Join(out, " | ")
}

// Each choice makes a run; a condition on a parameter is a guard, one that is
// known rules runs out.
func TestChoices(t *testing.T) {
	code := layertest.Load(t, `
func chosen(admin bool) {
	family := "token"
	if admin {
		family = "session"
	}
	show(family) // if !($0) "token" | if $0 "session"
}
func together(admin bool) {
	family, column := "token", "t"
	if admin {
		family, column = "session", "s"
	}
	show(family + column) // if !($0) "tokent" | if $0 "sessions"
}
func under(admin bool) {
	if admin {
		show("session") // if $0 "session"
	}
}
func never() {
	const admin = false
	if admin {
		show("session") //
	}
}
func either(kind string) {
	switch kind {
	case "a", "b":
		show(kind) // if ||(==($0, "a"), ==($0, "b")) $0
	}
}
func contradicts(admin bool) {
	family := "token"
	if admin {
		family = "session"
	}
	if !admin {
		show(family) // if !($0) if !($0) "token"
	}
}
`)
	code.Check(func(s layertest.Shown) string { return ways(code, s) })
}

// More runs than are asked for are reported, not forgotten.
func TestTooManyRuns(t *testing.T) {
	src := "func f(a, b, c, d, e bool) {\n\tx := 0\n"
	for _, p := range "abcde" {
		src += "\tif " + string(p) + " { x++ }\n"
	}
	code := layertest.Load(t, src+"\tshow(x)\n}\n")
	if got := ways(code, code.Show()); !strings.HasSuffix(got, "and more") {
		t.Errorf("32 ways, 16 asked for: %s", got)
	}
}

// A variable of a loop is what it was before, what the turn before made of it,
// and what this turn does.
func TestLoops(t *testing.T) {
	code := layertest.Load(t, `
func f(list []string) {
	family := "token"
	for _, s := range list {
		if s == "admin" {
			family = "session"
		}
	}
	show(family) // "token" | ?a value that depends on itself | "session"
}
`)
	code.Check(func(s layertest.Shown) string { return ways(code, s) })
}

// A run that comes from a block in which something is put into an object made in
// this turn of the loop does not choose what another branch does.
func TestAfter(t *testing.T) {
	code := layertest.Load(t, `
func f(list []string) {
	for _, s := range list {
		m := bigtable.NewMutation()
		family := "token"
		if s == "admin" {
			m.Set("c", "c", 0, nil)
			family = "session"
		}
		show(family) // "session"
	}
}
`)
	code.Check(func(s layertest.Shown) string {
		fn := s.Call.Parent().Name()
		made, set := code.Call(fn, "NewMutation"), code.Call(fn, "Set")
		p, steps := &plain{}, 0
		p.Way = way.New(program.Of(code.Prog), p, &steps)
		var out []string
		p.Runs(16, false, func() []*value.Value {
			p.AssumeBlock(set.Block(), nil, &p.When)
			v := p.Eval(s.Value, s.Call)
			p.AssumeAfter(set.Block(), made, kind.Stripped(s.Value))
			return []*value.Value{v}
		}, func(vs []*value.Value) { out = append(out, vs[0].String()) })
		return strings.Join(out, " | ")
	})
}

// Where all combinations are needed, runs end as soon as there are more than the limit.
func TestRunsOfAll(t *testing.T) {
	code := layertest.Load(t, "func nothing() { show(1) }")
	for _, test := range []struct {
		choices, limit, runs int
		all, complete        bool
	}{
		{choices: 3, limit: 8, runs: 8, all: true, complete: true},
		{choices: 4, limit: 8, runs: 8, all: false, complete: false},
		{choices: 4, limit: 8, runs: 7, all: true, complete: false}, // by then two more are certain
	} {
		p, steps := &plain{}, 0
		w := way.New(program.Of(code.Prog), p, &steps)
		runs := 0
		complete := w.Runs(test.limit, test.all, func() []*value.Value {
			runs++
			for i := range test.choices {
				w.Choose(i, 2)
			}
			return nil
		}, func([]*value.Value) {})
		if complete != test.complete || runs != test.runs {
			t.Errorf("%d choices, at most %d runs: complete %v after %d, want %v after %d", test.choices, test.limit, complete, runs, test.complete, test.runs)
		}
	}
}

// A run that has fewer alternatives than the one before it ends, and not all was tried.
func TestFewerAlternatives(t *testing.T) {
	code := layertest.Load(t, "func nothing() { show(1) }")
	p, steps := &plain{}, 0
	w := way.New(program.Of(code.Prog), p, &steps)
	alternatives := []int{4, 4, 2}
	complete := w.Runs(16, false, func() []*value.Value {
		n := 2
		if len(alternatives) > 0 {
			n, alternatives = alternatives[0], alternatives[1:]
		}
		if pick := w.Choose("key", n); pick >= n {
			t.Errorf("alternative %d of %d", pick, n)
		}
		return nil
	}, func([]*value.Value) {})
	if complete {
		t.Error("all combinations were tried, of which there were fewer in the end")
	}
}
