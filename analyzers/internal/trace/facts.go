package trace

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// Reach is the fact of a package that can reach Bigtable: it imports the
// client, or a package that has the fact. It carries what such a package
// declares and shows of families, its own and what it learnt from its
// imports, because the facts of packages are not handed on by themselves.
type Reach struct {
	Declared []Declared
	Shown    []Shown
}

// Declared is a declaration made with the runtime package.
type Declared struct {
	Table *value.Value // ttl.NewTable(…)
	Var   string       // "path.name" of the variable that holds it, if any
	Where string       // file:line of the declaration, the file without its directory

	Pos token.Pos // where it stands, in the package being analysed
}

// Shown is a garbage collection policy of at most one second, from which the
// strategy of its family is inferred.
type Shown struct {
	Table  *value.Value
	Family string
	Policy *value.Value
	Where  string

	Pos token.Pos // where it stands, in the package being analysed
}

// AFact marks Reach as a fact.
func (*Reach) AFact() {}

func (r *Reach) String() string {
	s := "reaches Bigtable"
	if len(r.Declared) > 0 {
		s += fmt.Sprintf(", declares %d tables", len(r.Declared))
	}
	if len(r.Shown) > 0 {
		s += fmt.Sprintf(", shows %d families", len(r.Shown))
	}
	return s
}

// Summary is the fact of a function: what it returns and what it does, over
// its parameters.
type Summary struct {
	Results []ResultCase
	Effects []Effect
	Rows    []RowUse
	Flows   []Flow
	Checks  []int // the parameters that are times, or cells, whose time is compared with a time
	Sets    []FieldSet
}

// A RowUse is what a function does with a row that it is given.
type RowUse struct {
	Param int // the index among the parameters, receiver first
	Uses  Uses
}

// A ResultCase is one combination of results that a function can return
// together.
type ResultCase struct {
	Guards []Guard
	Values []*value.Value
}

// An Effect is an event in a function that depends on its parameters, or
// that befalls a mutation which it returns.
type Effect struct {
	Op    string // the client's call, by its name in btapi
	Cases []Case
	Where string // file:line of the client's call, the file without its directory
	Depth int    // the number of calls between the function and the client's
	Uses  Uses   // of a read: what is done with its rows
	Feeds []int  // of an application: the parameters that hold the mutations

	viaField bool // the values come by way of a field that a constructor or setter stores

	src *Event // the event that it comes from, in the package being analysed
}

// A Case is one combination of values that can reach an event together.
type Case struct {
	Args []*value.Value
	// Guards are conditions on parameters that chose these values among
	// others. While one is undecided, a parameter that nobody in view
	// supplies decides whether these values ever arrive.
	Guards []Guard
	// When are conditions on parameters under which the event happens at
	// all.
	When []Guard

	// At is, in the package being analysed, the call that supplies the
	// values, when it is not the event's own.
	At ast.Node

	supplied map[int]argument // which arguments the call of a derived event supplies
}

// A Guard is a condition on parameters that holds.
type Guard struct {
	Cond *value.Value
	Want bool
}

func (g Guard) String() string {
	if g.Want {
		return g.Cond.String()
	}
	return "!(" + g.Cond.String() + ")"
}

// AFact marks Summary as a fact.
func (*Summary) AFact() {}

// String writes the summary for tests: results, then effects.
func (s *Summary) String() string {
	var parts []string
	for _, r := range s.Results {
		var vs []string
		for _, v := range r.Values {
			vs = append(vs, v.String())
		}
		parts = append(parts, guardString(r.Guards)+"returns "+strings.Join(vs, ", "))
	}
	for _, e := range s.Effects {
		for _, c := range e.Cases {
			parts = append(parts, guardString(c.When)+guardString(c.Guards)+e.Op+argString(c.Args))
		}
	}
	for _, r := range s.Rows {
		parts = append(parts, fmt.Sprintf("uses row $%d %v", r.Param, r.Uses.Families))
	}
	for _, f := range s.Flows {
		from := fmt.Sprintf("$%d", f.From)
		if f.From < 0 {
			from = "its mutation"
		}
		parts = append(parts, fmt.Sprintf("puts %s in $%d", from, f.To))
	}
	for _, i := range s.Checks {
		parts = append(parts, fmt.Sprintf("checks $%d", i))
	}
	for _, f := range s.Sets {
		v := "?"
		if f.Value != nil {
			v = f.Value.String()
		}
		parts = append(parts, fmt.Sprintf("%ssets $%d.%s to %s", guardString(f.Guards), f.Param, f.Field, v))
	}
	return strings.Join(parts, "; ")
}

func guardString(guards []Guard) string {
	s := ""
	for _, g := range guards {
		s += "if " + g.String() + " "
	}
	return s
}

func argString(args []*value.Value) string {
	var parts []string
	for _, a := range args {
		parts = append(parts, a.String())
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// Variable is the fact of a package variable: the values that are stored in
// it.
type Variable struct {
	Values []*value.Value
}

// AFact marks Variable as a fact.
func (*Variable) AFact() {}

func (v *Variable) String() string { return "holds " + argString(v.Values) }
