package trace

import (
	"go/ast"

	"github.com/ttlvet/ttlvet/internal/helper"
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/policy"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/result"

	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// What rules see of tracing. They import this package only.
type (
	// A Result is what tracing found in a package: the result of [Analyzer].
	Result = result.Result
	// An Event is a place at which values take effect.
	Event = event.Event
	// A Case is one combination of values that can reach an event together.
	Case = summary.Case
	// A Guard is a condition on parameters that holds.
	Guard = summary.Guard
	// Uses says what a program does with the rows of a read.
	Uses = summary.Uses
	// A PolicyUse is a garbage collection policy that an event gives a family.
	PolicyUse = policy.PolicyUse
	// A MaskUse is a raw update of a family that says nothing of what it
	// changes.
	MaskUse = policy.MaskUse
	// A Run is one way in which values can reach an event.
	Run = result.Run
	// A Variable is a package variable that holds a declaration.
	Variable = result.Variable
	// A Step is one resolution of a value.
	Step = eval.Step
	// Declared is a declaration made with the runtime package.
	Declared = summary.Declared
	// Shown is a policy that a family is given, or that it is given none.
	Shown = summary.Shown
)

// TooLarge reports whether a function has more branches than are followed.
func TooLarge(fn *ast.FuncDecl) bool { return program.TooLarge(fn) }

// Operations of events that are not calls of the client, and of values.
const (
	Convert   = event.Convert
	Compare   = event.Compare
	Age       = event.Age
	CellTime  = event.CellTime
	StoreTime = event.StoreTime
	Fake      = event.Fake
	Lifetime  = helper.Lifetime
	New       = event.New
	Listed    = event.Listed

	Row           = kind.Row
	Contradictory = eval.Contradictory // why a value is not known: it does not come about
	Cells         = kind.Cells
	Invoke        = value.Invoke
	Outcome       = eval.Outcome
	Yielded       = eval.Yielded
)

// Root returns the identity of a mutation or row: the same for what was made
// at one place by way of the same calls; "" of other values.
func Root(v *value.Value) string { return kind.Root(v) }

// OpenedName returns the name under which a client opens the table that a value
// is; nil of a value that is no such table.
func OpenedName(v *value.Value) *value.Value { return kind.OpenedName(v) }

// Written returns the families that the branches of a conditional mutation
// write, as far as its own function tells.
func Written(c Case) []string { return event.Written(c) }

// Named returns a value with its parameters under their names, for people to
// read.
func Named(v *value.Value) *value.Value { return result.Named(v) }

// TableID returns the table's ID of a full name
// projects/P/instances/I/tables/T.
func TableID(name *value.Value) *value.Value { return policy.TableID(name) }

// Policies lists the policies that an event sets: one for each case and
// family.
func Policies(e *Event) []PolicyUse { return policy.Policies(e) }

// CasePolicies lists the policies that one case of an event sets.
func CasePolicies(e *Event, c Case) []PolicyUse { return policy.CasePolicies(e, c) }

// LeavesPolicy reports whether an event is the creation of a family by a
// function of another package that also sets policies of what it creates.
func LeavesPolicy(e *Event) bool { return policy.Left(e) }

// Requested returns the literals of raw changes of families that are in a request
// which one of the events makes.
func Requested(events []*Event) map[ast.Node]bool { return policy.Requested(events) }

// ReturnedPolicies lists the policies of the configuration with which a case of
// an event creates a table as they are whoever asks for it, where a function of
// another package returns it.
func ReturnedPolicies(e *Event, c Case) []PolicyUse { return policy.Returned(e, c) }

// ListedPolicies lists the policies that a package variable lists for others.
func ListedPolicies(e *Event, c Case) []PolicyUse { return policy.ListedPolicies(e, c) }

// EmptyMasks lists the raw updates of a ModifyColumnFamiliesRequest that
// have neither a mask nor a policy.
func EmptyMasks(c Case) []MaskUse { return policy.EmptyMasks(c) }
