package event_test

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// What others apply as it is written is a statement where it is exported.
func TestStatements(t *testing.T) {
	code := layertest.Load(t, `
type policy struct { Table, Family string; GC bigtable.GCPolicy }
var Policies = []policy{{"sessions", "token", bigtable.MaxAgePolicy(1)}, {"sessions", "", nil}} // ([["sessions", "token", bigtable.MaxAgePolicy(1)]])
var ByTable = map[string]map[string]bigtable.GCPolicy{"sessions": {"token": nil, "log": bigtable.MaxVersionsPolicy(1)}} // ([["sessions", "log", bigtable.MaxVersionsPolicy(1)]])
var own = []policy{{"sessions", "token", bigtable.MaxAgePolicy(2)}}
var Reset = []policy{{"sessions", "token", bigtable.MaxAgePolicy(3)}}
func reset() { Reset = nil }
func All() []policy {
	return []policy{{"sessions", "token", bigtable.MaxAgePolicy(4)}} // ([["sessions", "token", bigtable.MaxAgePolicy(4)]])
}
func Of(tenant string) []policy {
	return []policy{{tenant, "token", bigtable.MaxAgePolicy(5)}}
}
func Sessions() *bigtable.TableConf {
	return &bigtable.TableConf{TableID: "sessions", Families: map[string]bigtable.GCPolicy{"log": bigtable.MaxAgePolicy(6)}} // (bigtable.TableConf{TableID: "sessions", Families: map["log", bigtable.MaxAgePolicy(6)]}); ([["sessions", "log", bigtable.MaxAgePolicy(6)]])
}
func sessions() *bigtable.TableConf {
	return &bigtable.TableConf{TableID: "sessions"}
}
`)
	got := map[int]string{}
	for _, e := range event.NewTracer(code.Prog).Own() {
		if e.Op != event.Conf && e.Op != event.Listed {
			continue
		}
		for _, c := range e.Link.Open {
			line := code.Prog.Pass.Fset.Position(e.Pos()).Line
			if got[line] != "" {
				got[line] += "; "
			}
			got[line] += summary.ArgString(c.Args)
		}
	}
	for line, want := range code.Comments() {
		if got[line] != want {
			t.Errorf("line %d:\n got %s\nwant %s", line, got[line], want)
		}
		delete(got, line)
	}
	for line, s := range got {
		t.Errorf("line %d: %s", line, s)
	}
}

// A policy is of one row with a family in the literal of a struct or an entry of a
// map's, by way of a variable too; what chooses between such rows does not count.
func TestRows(t *testing.T) {
	code := layertest.Load(t, `
type row struct { family string; gc bigtable.GCPolicy }
var rows = []row{{"token", bigtable.MaxAgePolicy(1)}, {"log", bigtable.MaxAgePolicy(2)}}
var short = bigtable.MaxAgePolicy(3)
var named = map[string]bigtable.GCPolicy{"user": short}
func f(named map[string]bigtable.GCPolicy) {
	named["set"] = bigtable.MaxAgePolicy(4)
	fmt.Println("beside", bigtable.MaxAgePolicy(5))
}
`)
	finder := event.NewTracer(code.Prog)
	var families, policies []ast.Expr
	ast.Inspect(code.Prog.Pass.Files[0], func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				families = append(families, n)
			}
		case *ast.CallExpr:
			if types.ExprString(n.Fun) == "bigtable.MaxAgePolicy" {
				policies = append(policies, n)
			}
		}
		return true
	})
	var got []string
	for _, family := range families {
		for _, policy := range policies {
			pair := types.ExprString(family) + " " + types.ExprString(policy)
			x := finder.NewEvent(btapi.SetGCPolicy, code.Func("f"), nil).InRow(family, policy)
			if x != nil {
				got = append(got, pair+" as "+types.ExprString(x))
			}
			none := value.UnknownFor("an argument that no rule looks at")
			cases := []summary.Case{{
				Args:   []*value.Value{none, none, none, value.StrOf("").At(family), value.StrOf("").At(policy)},
				Guards: []summary.Guard{{Cond: value.StrOf("staging"), Want: true}},
			}}
			literal := x != nil && !strings.HasPrefix(pair, `"beside"`) // what a call gives may hang on its conditions
			if finder.Whole(btapi.SetGCPolicy, cases); len(cases[0].Guards) == 0 != literal {
				t.Errorf("%s: conditions: %v, in one literal: %v", pair, cases[0].Guards, literal)
			}
		}
	}
	want := []string{
		`"token" bigtable.MaxAgePolicy(1) as bigtable.MaxAgePolicy(1)`,
		`"log" bigtable.MaxAgePolicy(2) as bigtable.MaxAgePolicy(2)`,
		`"user" bigtable.MaxAgePolicy(3) as short`,
		`"set" bigtable.MaxAgePolicy(4) as bigtable.MaxAgePolicy(4)`,
		`"beside" bigtable.MaxAgePolicy(5) as bigtable.MaxAgePolicy(5)`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
