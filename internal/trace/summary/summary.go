package summary

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/value"
)

// Reach is the fact of a package that can reach Bigtable: it imports the
// client, or a package that has the fact. It carries what such a package
// declares and shows of families, its own and what it learnt from its
// imports, because the facts of packages are not handed on by themselves.
type Reach struct {
	Declared []Declared
	Shown    []Shown
	// CellTimes are the fields, as "path.Type.field", that are filled with times of
	// cells.
	CellTimes []string
}

// Helps is the fact of a package that cannot reach Bigtable and was traced all
// the same, because it may name families, keys, clocks or options for one
// that does.
type Helps struct{}

// AFact marks Helps as a fact.
func (*Helps) AFact() {}

func (*Helps) String() string { return "helps" }

// Declared is a declaration made with the runtime package.
type Declared struct {
	Table *value.Value // ttl.NewTable(…)
	Var   string       // "path.name" of the variable that holds it, if any
	Where string       // file:line of the declaration, the file without its directory

	Pos token.Pos // where it stands, in the package being analysed
}

// Shown is a garbage collection policy that a family is given, nil where it is
// created without one. One of at most a second tells the family's strategy, others
// that its name does not.
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
	if len(r.CellTimes) > 0 {
		s += ", keeps times of cells in " + strings.Join(r.CellTimes, " ")
	}
	return s
}

// Summary is the fact of a function: what it returns and what it does, over
// its parameters; of a package variable, or of a field, that of what it holds.
type Summary struct {
	Holds   []*value.Value // of a variable: the values that are stored in it
	Results *Results
	Effects []Effect
	Rows    []RowUse
	Flows   []Flow
	Checks  []Check // what is done with parameters that are times, cells or structs with a time
	Sets    []FieldSet
	// Writes are the parameters by way of which something is written that Sets does
	// not tell: elements of lists, what a pointer to a number points to, structs
	// behind the fields of a struct.
	Writes []int
	// Now says of an interface's method that the types of its package which
	// implement it tell the current time.
	Now bool
}

// Empty reports whether nothing is known of what a function does and returns.
func (s *Summary) Empty() bool {
	return len(s.Effects)+len(s.Rows)+len(s.Flows)+len(s.Checks)+len(s.Sets)+len(s.Writes) == 0 && len(s.Results.Cases()) == 0
}

// A Check is what a function does with a time that it is given, or with one in the cells or
// the struct that it is given: it compares it, or returns it.
type Check struct {
	Param    int  // the index among the parameters, receiver first, or ByReturned
	With     int  // what it is compared with: the parameter that is the With-th from 1; 0: a moment
	Returned bool // it is not compared, but returned,
	Left     bool // or how far it is from a moment
	// Field is the name of the field in which what is returned holds it; "" where it is that
	// itself.
	Field string
}

// ByReturned is the parameter of a [RowUse] of the function that a function
// returns.
const ByReturned = -1

// A RowUse is what a function does with a row that it is given, or finds in what it is given.
type RowUse struct {
	Param int    // the index among the parameters, receiver first, or ByReturned
	Field string // of the struct that it points to or is, the field that holds the row; "" of the row itself
	Uses  Uses
}

// A ResultCase is one combination of results that a function can return
// together.
type ResultCase struct {
	Guards []Guard
	Values []*value.Value
	Fails  bool // the last value is an error: see [Results.Failures]
	// Sets are what the function leaves, beside, where its parameters point to: those of
	// [Summary.Sets] without a field.
	Sets []FieldSet
	// Parts are the fields of structs among the values, where there are more combinations
	// than are followed: such a value is not known as a whole.
	Parts []Part

	// held are, in the package being analysed, the conditions that a function literal
	// takes from the functions around it. Facts do not carry them.
	held []Held
}

// A Part is what a function returns in one field of a struct.
type Part struct {
	Result int // the index of the struct among what it returns
	Field  string
	Cases  []PartCase
}

// A PartCase is one value of a part.
type PartCase struct {
	Guards []Guard
	Value  *value.Value
	// Chosen is what the function has chosen for it, of what bears on other parts too.
	Chosen []Choice
}

// A Choice is one that a function makes, by a number that has no meaning but for the
// function's other parts.
type Choice struct{ Key, Pick int }

// Held returns the conditions of functions around a literal under which it returns
// that.
func (r ResultCase) Held() []Held { return r.held }

// WithHeld returns the case with conditions of functions around a literal.
func (r ResultCase) WithHeld(held []Held) ResultCase {
	r.held = held
	return r
}

// A Held is what a way through a literal has taken of the functions around it: a branch
// condition that has a truth, or, where that is nil, the choice for a key.
type Held struct {
	Cond ssa.Value
	Want bool

	Key  any
	Pick int
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
	Again bool   // of a write: it is repeated, to one cell with one timestamp
	// Helper is the function of the runtime package that makes the client's call.
	Helper string
	// Stores reports that the function keeps its parameters in the object whose
	// method has the event, by itself or by a constructor that it calls: what they
	// decide is, there, the object's own.
	Stores bool
	// OnlyTable reports that the function supplies nothing but the table of what
	// the methods of its object do.
	OnlyTable bool
	// Method is, of OnlyTable, the exported method of the object that does it; ""
	// where that is not known.
	Method string
	// Methods are, of Stores, the methods of the object by which others come to the one that
	// does it; none where that is not known.
	Methods []string
	// From is, of OnlyTable, file:line of the call in the object's methods that supplies what
	// reaches the client's; "" where the client's own function does.
	From string
	// Told are values that arrive as far as the function's package knows what its
	// objects hold, where that is more than Cases say: what is wrong with them is told
	// there. ToldUses is what is done with the rows of such reads.
	Told     []Case
	ToldUses Uses
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

	// supplied are, in the package being analysed, the expressions of those
	// arguments that a call supplies to an event of its callee. Facts do not
	// carry them.
	supplied map[int]ast.Expr

	picks Picks
}

// Conditions lists the conditions of a case, of both kinds.
func (c Case) Conditions() []Guard { return slices.Concat(c.Guards, c.When) }

// Has reports whether such a value occurs in the arguments of a case, or in what
// chooses them.
func (c Case) Has(such func(*value.Value) bool) bool {
	return slices.ContainsFunc(c.Args, func(a *value.Value) bool { return a.Has(such) }) ||
		slices.ContainsFunc(c.Guards, func(g Guard) bool { return g.Cond.Has(such) })
}

// With returns a case with each argument replaced.
func (c Case) With(by func(*value.Value) *value.Value) Case {
	args := make([]*value.Value, len(c.Args))
	for i, a := range c.Args {
		args[i] = by(a)
	}
	c.Args = args
	return c
}

// Supplied returns the expressions of the arguments that a call supplies as
// they stand, by their index; nil where none are known to be.
func (c Case) Supplied() map[int]ast.Expr { return c.supplied }

// WithSupplied returns the case with the arguments that a call supplies.
func (c Case) WithSupplied(exprs map[int]ast.Expr) Case {
	c.supplied = exprs
	return c
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
	for _, r := range s.Results.Cases() {
		var vs []string
		for _, v := range r.Values {
			vs = append(vs, v.String())
		}
		returns := "returns " + strings.Join(vs, ", ")
		for _, set := range r.Sets {
			returns += " leaving " + set.String()
		}
		parts = append(parts, GuardString(r.Guards)+returns)
	}
	for _, e := range s.Effects {
		for _, c := range e.Cases {
			parts = append(parts, GuardString(c.When)+GuardString(c.Guards)+e.Op+ArgString(c.Args))
		}
		for _, c := range e.Told {
			parts = append(parts, "told "+e.Op+ArgString(c.Args))
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
	for _, c := range s.Checks {
		if c.Returned {
			in := ""
			if c.Field != "" {
				in = " in " + c.Field
			}
			parts = append(parts, fmt.Sprintf("returns a time of $%d%s", c.Param, in))
		} else if c.With > 0 {
			parts = append(parts, fmt.Sprintf("compares $%d with $%d", c.Param, c.With-1))
		} else {
			parts = append(parts, fmt.Sprintf("checks $%d", c.Param))
		}
	}
	for _, f := range s.Sets {
		parts = append(parts, GuardString(f.Guards)+"sets "+f.String())
	}
	if len(s.Holds) > 0 {
		parts = append(parts, "holds "+ArgString(s.Holds))
	}
	return strings.Join(parts, "; ")
}

func GuardString(guards []Guard) string {
	var s strings.Builder
	for _, g := range guards {
		s.WriteString("if " + g.String() + " ")
	}
	return s.String()
}

func ArgString(args []*value.Value) string {
	var parts []string
	for _, a := range args {
		parts = append(parts, a.String())
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// UniqueGuards sorts guards and drops repetitions.
func UniqueGuards(guards []Guard) []Guard {
	if len(guards) == 0 {
		return nil
	}
	texts := map[string]Guard{}
	for _, g := range guards {
		if s := g.String(); texts[s].Cond == nil {
			texts[s] = g
		}
	}
	var out []Guard
	for _, s := range slices.Sorted(maps.Keys(texts)) {
		out = append(out, texts[s])
	}
	return out
}

// A Flow is what a function puts in one of its parameters, receiver first:
// what another parameter is or holds, or, where From is −1, the mutation that
// it makes at a site.
type Flow struct {
	From int
	Site string
	To   int
}
