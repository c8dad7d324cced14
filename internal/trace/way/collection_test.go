package way_test

import (
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/way"

	"github.com/ttlvet/ttlvet/internal/value"
)

// A resolver of constants, parameters and collections. What a slice literal
// holds it reads from the stores to its array.
type resolver struct{ *way.Way }

func (r *resolver) Resolve(v ssa.Value, at ssa.Instruction) *value.Value {
	switch v := v.(type) {
	case *ssa.Const:
		return kind.ConstantValue(v)
	case *ssa.Parameter:
		return &value.Value{Kind: value.Param, Num: int64(kind.ParamIndex(v))}
	case *ssa.MakeInterface:
		return r.Eval(v.X, at)
	case *ssa.BinOp:
		return value.Apply(v.Op.String(), r.Eval(v.X, v), r.Eval(v.Y, v))
	case *ssa.Slice:
		return way.Slice(r.Way, v, at)
	case *ssa.MakeSlice:
		return way.Make(r.Way, v)
	case *ssa.MakeMap:
		return way.MakeMap(r.Way, v)
	case *ssa.Lookup:
		return way.Lookup(r.Way, v)
	case *ssa.Extract:
		if next, ok := v.Tuple.(*ssa.Next); ok {
			return way.Next(r.Way, next, v.Index)
		}
	case *ssa.Alloc:
		list := value.ListOf()
		for _, s := range r.Prog.Stores[v] {
			list.Args = append(list.Args, r.Eval(s.Val, s.At))
		}
		return list
	case *ssa.UnOp:
		if ia, ok := v.X.(*ssa.IndexAddr); ok {
			return way.Element(r.Way, r.Eval(ia.X, ia), ia.Index, ia)
		}
		if v.Op.String() == "<-" {
			return way.Receive(r.Way, v, v.X)
		}
	case *ssa.Phi:
		if grown, ok := way.Grown(r.Way, v); ok {
			return grown
		}
		if kind.LoopVariable(v) == nil {
			i := r.Choose(v.Block(), len(v.Edges))
			return r.Eval(v.Edges[i], kind.EdgeUse(v, i))
		}
	case *ssa.Call:
		if b, ok := v.Call.Value.(*ssa.Builtin); ok {
			switch b.Name() {
			case "append":
				return value.Concat(r.Eval(v.Call.Args[0], v), r.Eval(v.Call.Args[1], v))
			case "len":
				return value.Apply(value.Len, r.Eval(v.Call.Args[0], v))
			}
		}
	}
	return value.UnknownFor("not followed")
}

func check(t *testing.T, src string) {
	t.Helper()
	code := layertest.Load(t, src)
	code.Check(func(s layertest.Shown) string {
		r, steps, out := &resolver{}, 0, ""
		r.Way = way.New(program.Of(code.Prog), r, &steps)
		r.Runs(16, false, func() []*value.Value { return []*value.Value{r.Eval(s.Value, s.Call)} }, func(vs []*value.Value) {
			if out != "" {
				out += " | "
			}
			out += vs[0].String()
		})
		return out
	})
}

// Lists and maps are their elements; what is not known of them is said.
func TestLiterals(t *testing.T) {
	check(t, `
func f(n int, key string) {
	list := []string{"token", "session", "entry"}
	show(list[1:]) // ["session", "entry"]
	show(list[:0]) // []
	show(list[1]) // "session"
	show(list[n]) // [](["token", "session", "entry"], $0)
	show(map[string]string{"t": "token"}["t"]) // "token"
	show(map[string]string{"t": "token"}["x"]) // zero()
	two := make([]string, 2)
	two[0] = "token"
	two[1] = "session"
	show(two) // ["token", "session"]
}
`)
}

// A loop over a known list makes of a variable what its turns make of it.
func TestCollectionLoops(t *testing.T) {
	check(t, `
func each() {
	for _, family := range []string{"token", "session"} {
		show(family) // "token" | "session"
	}
}
func keys() {
	for key, family := range map[string]string{"t": "token", "s": "session"} {
		show(key + family) // "ttoken" | "ssession"
	}
}
func grown() {
	var out []string
	for _, family := range []string{"token", "session"} {
		out = append(out, family + "s")
	}
	show(out) // ["tokens", "sessions"]
}
func skips() {
	var out []string
	for _, family := range []string{"token", "", "session"} {
		if family != "" {
			out = append(out, family)
		}
	}
	show(len(out)) // 2
}
func last() {
	family := "none"
	for _, f := range []string{"token", "session"} {
		family = f
	}
	show(family) // "session"
}
`)
}

// A channel carries what the package sends on it.
func TestChannel(t *testing.T) {
	check(t, `
var times = make(chan bigtable.Timestamp, 2)
func f() {
	times <- 1000
	times <- 2000
	show(<-times) // 1000 | 2000
}
`)
}
